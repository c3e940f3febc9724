// The command line of `echoloop send`.
#include <CLI/CLI.hpp>

#include "app/opening/source_kinds.h"
#include "app/options/option_text.h"
#include "core/value_error.h"

namespace echoloop {

Options parse_send(std::vector<std::string> words) {
  Options o;
  o.command = Command::send;
  std::string rate;
  o.stream.loop = false;
  CLI::App app("Send the frames of a recording or phantom to a viewer that waits for a scanner.", "echoloop send");
  app.add_option("source", o.source, source_names_text());
  app.add_option("--to", o.send_to, "Address of the viewer, as it was opened (default live:)")->type_name("ADDRESS");
  app.add_option("--rate", rate, "Frame rate in Hz, or max; default: the rate of the source")->type_name("HZ");
  app.add_flag("--loop", o.stream.loop, "Repeat the recording at the end");
  app.add_option("--frames", o.frames, "Stop after N frames")->type_name("N");
  app.add_flag("--list", o.list_viewers, "List the viewers that wait for a scanner on this machine");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    o.command = Command::help;
    o.help = app.help();
    return o;
  } catch (const CLI::ParseError& error) {
    throw Error("echoloop send", error.what(), "the options of echoloop send --help");
  }
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
