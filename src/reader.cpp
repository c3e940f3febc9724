// The reader process, a program of its own: started by the viewer for one file, it parses this file with libraries that
// hostile files can lead astray, and gives up everything else first (formats/sandbox/reader_main.h).
#include <cstdio>

#include "formats/base/format_table.h"
#include "formats/sandbox/reader_child.h"
#include "formats/sandbox/reader_main.h"

#if defined(ECHO_STATIC_READER)
constexpr int kLinked = echoloop::kIsStaticProgram;
#else
constexpr int kLinked = 0;
#endif

int main(int argc, char** argv) {
  if (echoloop::is_sandbox_question(argc, argv)) return echoloop::answer_sandbox_question(kLinked);
  if (echoloop::is_reader_process(argc, argv))
    return echoloop::run_reader_process(argc, argv, echoloop::open_library_recording, echoloop::library_outline,
                                        echoloop::library_map);
  std::fputs("echoloop-reader: internal program, started by echoloop for each recording\n", stderr);
  return 2;
}
