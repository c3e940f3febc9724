// The command line of `echoloop bench`.
#include <CLI/CLI.hpp>

#include "app/options/option_text.h"

namespace echoloop {

Options parse_bench(std::vector<std::string> words) {
  Options o;
  o.command = Command::bench;
  std::vector<std::string> cases;
  std::string backend;
  CLI::App app("Measure the speed of this machine.", "echoloop bench");
  app.add_option("case", cases, "Cases: S1, S1L, S2, demo, sector, flow, structure, methods; default: all");
  app.add_option("--backend", backend, "Processing device: auto, cuda or cpu");
  app.add_option("--seconds", o.bench_seconds, "Duration of each measurement")
      ->check(CLI::Range(0.05, 60.0))
      ->type_name("S");
  app.add_option("--json", o.json_out, "Write the table as JSON")->type_name("F.json");
  app.add_option("--revision", o.bench_revision, "Program revision for the JSON")->type_name("REV");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    o.command = Command::help;
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw Error("echoloop bench", error.what(), "the options of echoloop bench --help");
  }
  if (!std::isfinite(o.bench_seconds)) throw Error("echoloop bench --seconds", "not a number", "0.05 to 60");
  if (!backend.empty()) o.backend = backend_choice(backend);
  constexpr std::array<std::string_view, 8> kCases = {"S1",     "S1L",  "S2",        "demo",
                                                      "sector", "flow", "structure", "methods"};
  for (const std::string& name : cases) index_of(kCases, "echoloop bench", name);
  if (!cases.empty()) o.bench_cases = cases;
  return o;
}

}  // namespace echoloop
