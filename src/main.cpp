// Entry: parses options, selects window or headless, turns every rejection into one line and exit status 2, every fault
// of a run into one line and exit status 1.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <system_error>

#include "app/commands.h"
#include "app/options/folders.h"
#include "app/options/options.h"
#include "app/options/terminal.h"
#include "app/outputs/comparison.h"
#include "core/error.h"
#include "core/param_table.h"
#include "formats/open_recording.h"
#include "formats/sandbox/reader_child.h"
#include "version.h"

#if defined(ECHO_HAVE_GUI)
#include "app/window/window_app.h"
#endif

namespace {

#if defined(ECHO_HAVE_GUI)
bool has_display() {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}
#endif

int print_info(const echoloop::SourceOptions& options, bool json) {
  using namespace echoloop;
  read_nothing_ahead();  // one frame is measured
  const OpenedSource opened = open_source(options.source, options.facts);
  const std::vector<Doubt> doubts = options.doubts ? measure_doubts(opened) : std::vector<Doubt>();
  print_out("{}", json ? describe_source_json(opened, doubts) : describe_source(opened, doubts));
  return options.strict && !doubts.empty() ? kDoubted : 0;
}

// Replaces this program by that of `echoloop bench`. `arguments`: from "bench" on.
int start_bench(char** arguments) {
  const std::string program = echoloop::installed_program("echoloop-bench").string();
  echoloop::hold_interrupts();
  ::execv(program.c_str(), arguments);
  throw echoloop::Error(program, std::generic_category().message(errno),
                        "this program, built and installed with echoloop");
}

int run(int argc, char** argv) {
  using namespace echoloop;
  const auto options = parse_command_line(argc, argv);
  for (const std::string& warning : options.warnings) print_error("echoloop: {}\n", warning);
  keep_descriptions_in(own_descriptions_folder());
  switch (options.command) {
    case Command::help:
      print_out("{}", options.help);
      return 0;
    case Command::version:
      print_out("echoloop {} ({})\n", kVersion, sandbox_text());
      return 0;
    case Command::list_devices:
      return run_list_devices();
    case Command::list_params:
      print_out("{}", params_markdown_table());
      return 0;
    case Command::info:
      return print_info(options, options.json);
    case Command::describe:
      return run_describe(options.source);
    case Command::repair:
      return run_repair(options.source);
    case Command::send:
      return run_send(options.source, options, options.stream, options.frames);
    case Command::render:
      return run_render(options);
    case Command::method:
      return run_method(options.new_method);
    case Command::bench:
      return start_bench(argv + 1);
    case Command::view:
      break;
  }
  if (!options.files["--find-sound-speed"].empty()) return run_find_sound_speed(options);
  if (options.headless && !options.lesson.empty()) return run_lesson(options);
#if defined(ECHO_HAVE_GUI)
  if (!options.headless && has_display()) return WindowApp(options).run();
#endif
  return options.headless ? run_headless(options) : run_without_display(options);
}

// Opens closed standard streams on /dev/null, so that no other file gets their numbers.
void open_standard_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) == -1) ::open("/dev/null", O_RDWR);
  }
}

int run_and_flush(int argc, char** argv) {
  const int status = run(argc, argv);
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
  if (std::ferror(stdout) != 0) throw std::runtime_error("standard output: not all of it could be written");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  echoloop::end_at_interrupts();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write error, as is a full disk
  // Precise timers instead of up to 50 us late: for this thread and, inherited, for all that it starts.
  prctl(PR_SET_TIMERSLACK, 1UL);
  try {
    return run_and_flush(argc, argv);
  } catch (const std::exception& error) {
    return echoloop::say_what_ended(error);
  }
}
