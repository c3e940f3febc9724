// The command lines of `echoloop bench` and `echoloop send`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "app/opening/source_kinds.h"
#include "app/options/option_text.h"
#include "app/outputs/output_files.h"
#include "core/value_error.h"

namespace echoloop {
namespace {

// False: the help was asked for, and is in `o`.
bool read_words(CLI::App& app, const std::vector<std::string>& words, Options& o) {
  if (parse_words(app, words)) return true;
  o.command = Command::help;
  o.help = app.help();
  return false;
}

}  // namespace

Options parse_bench(const std::vector<std::string>& words) {
  Options o;
  o.command = Command::bench;
  std::vector<std::string> cases;
  std::string backend;
  CLI::App app("Measure the speed of this machine.", "echoloop bench");
  app.add_option("case", cases, fmt::format("Cases: {}; default: all", fmt::join(kBenchCases, ", ")));
  app.add_option("--backend", backend, "Processing device: auto, cuda or cpu");
  add_number(app, "--seconds", o.bench_seconds, "Duration of each measurement, 0.05 to 60")->type_name("S");
  app.add_option("--json", o.report, "Write the table as JSON")->type_name("F.json");
  app.add_option("--revision", o.bench_revision, "Program revision for the JSON")->type_name("REV");
  if (!read_words(app, words, o)) return o;
  if (!(o.bench_seconds >= 0.05 && o.bench_seconds <= 60.0))
    throw out_of_range("--seconds", fmt::format("{}", o.bench_seconds), "0.05 to 60");
  if (!o.report.empty()) require_place(o.report);
  if (!backend.empty()) o.backend = backend_choice(backend);
  for (const std::string& name : cases) index_of(kBenchCases, "bench case", name);
  if (!cases.empty()) o.bench_cases = cases;
  return o;
}

Options parse_send(const std::vector<std::string>& words) {
  Options o;
  o.command = Command::send;
  std::string rate;
  o.stream.loop = false;
  CLI::App app("Send the frames of a recording or phantom to a viewer that waits for a scanner.", "echoloop send");
  app.add_option("source", o.source, source_names_text());
  app.add_option("--to", o.send_to, "Address of the viewer, as it was opened (default live:)")->type_name("ADDRESS");
  app.add_option("--rate", rate, "Frame rate in Hz, or max; default: the rate of the source")->type_name("HZ");
  app.add_flag("--loop", o.stream.loop, "Repeat the recording at the end");
  add_number(app, "--frames", o.frames, "Stop after N frames")->type_name("N");
  app.add_flag("--list", o.list_viewers, "List the viewers of scanners that have a name on this machine");
  if (!read_words(app, words, o)) return o;
  o.source_given = app.count("source") > 0;
  if (!o.source_given && !o.list_viewers) throw Error("send", "no source given", "echoloop send SOURCE --to ADDRESS");
  if (rate == "max") {
    o.stream.rate_hz = kRateMax;
  } else if (!rate.empty()) {
    o.stream.rate_hz = parse_number(rate, "--rate", "max, or a frame rate above 0 up to 1000000 Hz");
    if (o.stream.rate_hz <= 0.0 || o.stream.rate_hz > 1e6) {
      throw out_of_range("--rate", rate, "above 0 up to 1000000 Hz, or max");
    }
  }
  return o;
}

}  // namespace echoloop
