// The senders that users get, other than Python's: the C header with each compiler that is installed, Windows' by wine,
// Octave with and without the MEX file, the adapter for arrus. And what they do where no viewer answers.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "program/live_viewer.h"
#include "transport/file_descriptor.h"

namespace echoloop::live_test {
namespace {

// A port at which connections are not taken, nor refused: as many wait as may.
class SilentHost {
 public:
  SilentHost() {
    sockaddr_in name{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof name;
    auto* const address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(::bind(sockets_[0].get(), address, size) + ::listen(sockets_[0].get(), 0), 0);
    EXPECT_EQ(::getsockname(sockets_[0].get(), address, &size), 0);
    port_ = ntohs(name.sin_port);
    for (std::size_t k = 1; k < sockets_.size(); ++k) static_cast<void>(::connect(sockets_[k].get(), address, size));
  }
  [[nodiscard]] std::string address() const { return "live:tcp:127.0.0.1:" + std::to_string(port_); }

 private:
  static FileDescriptor make() { return FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)); }
  std::array<FileDescriptor, 4> sockets_ = {make(), make(), make(), make()};
  int port_ = 0;
};

// The header with its example, by each compiler that is installed, and what it sends.
TEST(LiveSenders, TheHeaderCompilesWithoutAWarningAndSends) {
  const TemporaryFolder folder;
  const std::string example = (kSenders / "examples" / "send.c").string(), built = (folder / "send").string();
  int compilers = 0;
  for (const std::string compiler : {"clang -std=c99", "c++ -std=c++11 -x c++", "cc -std=c99"}) {
    if (std::system(("command -v " + compiler.substr(0, compiler.find(' ')) + " >/dev/null").c_str()) != 0) continue;
    const std::string command = compiler + " -Wall -Wextra -pedantic -Werror -O2 -I'" + kSenders.string() + "' '" +
                                example + "' -lm -o '" + built + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    ++compilers;
  }
  if (compilers == 0) GTEST_SKIP() << "no C compiler";
  Viewer viewer({"--frames", "100"});
  EXPECT_EQ(std::system((built + " live:test 100").c_str()), 0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 100);
  EXPECT_EQ(viewer.frames()["missing"], 0);
}

TEST(LiveSenders, TheExampleOfPythonSaysOnceThatTheViewerIsGone) {
  Viewer viewer({"--frames", "5"});
  const std::string out = (viewer.folder / "out.txt").string();
  EXPECT_EQ(
      std::system(("python3 '" + (kSenders / "examples/send.py").string() + "' live:test 100 >'" + out + "'").c_str()),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(read_text(out), "no viewer: the viewer has processed its 5 frames (--frames)\n");
}

TEST(LiveSenders, TheHeaderSaysASizeThatIsNotTheDescribedOne) {
  Viewer viewer({"--frames", "1"});
  const std::string built = (viewer.folder / "sends").string();
  testing::write_text_file(built + ".c",
                           "#define ECHOLOOP_SENDER_IMPLEMENTATION\n#include \"echoloop_sender.h\"\n"
                           "int main(int n, char** words) {\n"
                           "  static char frame[4096];\n"
                           "  echoloop_sender* s = echoloop_open(\"live:test\", NULL);\n"
                           "  if (echoloop_describe(s, words[n - 1], 20000) != ECHOLOOP_OK) return 1;\n"
                           "  if (echoloop_send(s, frame, 4094, NULL, 20000) != ECHOLOOP_BAD_CALL) return 2;\n"
                           "  if (strcmp(echoloop_message(s), \"a frame of 4094 bytes; expected 4096\")) return 3;\n"
                           "  return echoloop_send(s, frame, 4096, NULL, 20000);\n}\n");
  ASSERT_EQ(std::system(("cc -I'" + kSenders.string() + "' " + built + ".c -o " + built).c_str()), 0);
  EXPECT_EQ(
      std::system((built + " '{\"axes\": [\"element\", \"time\"], \"shape\": [8, 256], \"dtype\": \"int16\", "
                           "\"fs_hz\": 20e6, \"fc_hz\": 5e6, \"pitch_m\": 3e-4, \"t0_s\": 0, \"t_zero\": \"origin\", "
                           "\"tx\": [{\"kind\": \"plane\", \"angle_rad\": 0}]}'")
                      .c_str()),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

// A host that does not answer, as behind a firewall: calls end by their own limits, not by that of the network.
TEST(LiveSenders, AHostThatDoesNotAnswerHoldsUpNoCall) {
  const SilentHost host;
  const TemporaryFolder folder;
  const std::string built = (folder / "asks").string();
  testing::write_text_file(
      folder / "asks.c",
      "#define ECHOLOOP_SENDER_IMPLEMENTATION\n#include \"echoloop_sender.h\"\n"
      "int main(int n, char** words) {\n"
      "  echoloop_sender* s = echoloop_open(words[n - 1], NULL);\n"
      "  if (echoloop_open(\"live:a/b\", NULL) || !strstr(echoloop_message(NULL), \"expected\")) return 2;\n"
      "  if (echoloop_describe(s, \"{}\", 200) != ECHOLOOP_NO_VIEWER) return 1;\n"
      "  return strstr(echoloop_message(s), words[n - 1]) ? 0 : 3;\n}\n");
  ASSERT_EQ(std::system(("cc -I'" + kSenders.string() + "' " + built + ".c -o " + built).c_str()), 0);
  EXPECT_EQ(std::system(("timeout 60 " + built + " " + host.address()).c_str()), 0);
  EXPECT_EQ(run_python("import signal\nsignal.alarm(60)\n" + kSmall + "s = Sender(scan, '" + host.address() +
                       "', timeout=0.2)\nfor k in range(100): assert s.send(frame, timeout=0) == 'no viewer'\n"),
            0);
}

// The header for Windows: compiled as C and as C++, and run by wine over TCP.
TEST(LiveSenders, TheHeaderOfWindowsCompilesAndSends) {
  if (!has_program("x86_64-w64-mingw32-gcc")) GTEST_SKIP() << "no mingw-w64";
  const TemporaryFolder folder;
  const std::string built = (folder / "send.exe").string();
  for (const std::string compiler : {"x86_64-w64-mingw32-g++ -std=c++11 -x c++", "x86_64-w64-mingw32-gcc -std=c99"}) {
    if (!has_program(compiler.substr(0, compiler.find(' ')))) continue;
    const std::string command = compiler + " -Wall -Wextra -pedantic -Werror -O2 -I'" + kSenders.string() + "' '" +
                                (kSenders / "examples/send.c").string() + "' -lm -lws2_32 -o '" + built + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  if (!has_program("wine")) GTEST_SKIP() << "no wine";
  const std::string address = "live:tcp:127.0.0.1:" + std::to_string(20000 + (::getpid() + 13) % 20000);
  Viewer viewer({"--frames", "100"}, address);
  const std::string run = "WINEDEBUG=-all WINEPREFIX='" + (folder / "wine").string() + "' wine '" + built + "' " +
                          address + " 100 >'" + (folder / "wine.txt").string() + "' 2>&1";
  EXPECT_EQ(std::system(run.c_str()), 0) << read_text(folder / "wine.txt");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 100);
  EXPECT_EQ(viewer.frames()["missing"], 0);
}

// Objects with the fields of arrus' metadata: 5 transmits of 16 elements, the outer ones with a silent element.
const std::string kArrus =
    "import array\nfrom types import SimpleNamespace as N\nfrom echoloop_arrus import attach, describe\n"
    "pulse = N(center_frequency=5e6, n_periods=2, inverse=False)\n"
    "pitch, n = 3e-4, 16\n"
    "x = [(i - (n - 1) / 2) * pitch for i in range(n)]\n"
    "model = N(n_elements=n, element_pos_x=x, element_pos_z=[0.0] * n, element_angle=[0.0] * n)\n"
    "def op(k):\n"
    "    mask = [k != 0 or i != 3 for i in range(n)]\n"
    "    delays = [1e-6 + (k - 2) * 2e-8 * (i - 8) for i in range(n) if mask[i]]\n"
    "    return N(tx=[N(aperture=mask, excitation=pulse, delays=delays)], pri=1e-4,\n"
    "             rx=N(aperture=[True] * n, sample_range=(65, 65 + 256), downsampling_factor=2))\n"
    "ops = [op(k) for k in range(5)]\n"
    "context = N(device=N(probe=[N(model=model)], sampling_frequency=65e6), medium=N(speed_of_sound=1540.0),\n"
    "            sequence=N(), raw_sequence=N(ops=ops, sri=None))\n"
    "meta = N(context=context, data_description=N(sampling_frequency=32.5e6), input_shape=(1, 5, n, 256, 1),\n"
    "         dtype='int16')\n";

TEST(LiveSenders, TheArrusAdapterDescribesAndSends) {
  Viewer viewer({"--frames", "20"});
  ASSERT_EQ(
      run_python(kArrus + "d = describe(meta)\n"
                          "assert d['tx'][0]['delays_s'][3] is None and d['tx'][1]['delays_s'][3] is not None\n"
                          "assert abs(d['tx'][4]['delays_s'][0] - (1e-6 - 2 * 2e-8 * 8)) < 1e-12\n"
                          "assert abs(d['t0_s'][0] - (65 / 32.5e6 - 2 / (2 * 5e6))) < 1e-12\n"
                          "assert d['frame_rate_hz'] == 1 / 5e-4\n"
                          "send = attach(meta, 'live:test')\n"
                          "frame = array.array('h', [k % 1000 for k in range(5 * 16 * 256)])\n"
                          "while send.sender.counts['sent'] < 20: assert send(frame) is frame\n"
                          "send.sender.close()\n"
                          "ops[1].rx.aperture[0] = False\n"
                          "try:\n    describe(meta)\n    raise SystemExit(1)\n"
                          "except ValueError as why:\n    assert '15 elements; expected all 16' in str(why), why\n"),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 20);
  viewer.expect_sums();
}

// Octave's text, run in `folder` with the MATLAB senders beside it.
int run_octave(const TemporaryFolder& folder, const std::string& text) {
  testing::write_text_file(folder / "try_senders.m", text);
  const std::string command =
      "cd '" + folder.path().string() + "' && octave-cli --norc --no-history try_senders.m >octave.txt 2>&1";
  return std::system(command.c_str());
}

TEST(LiveSenders, OctaveSendsByTheMexFile) {
  if (!has_program("octave-cli") || !has_program("mkoctfile")) GTEST_SKIP() << "no Octave with mkoctfile";
  const TemporaryFolder folder;
  std::filesystem::copy(kSenders, folder / "senders", std::filesystem::copy_options::recursive);
  const std::string compile =
      "cd '" + (folder / "senders/matlab").string() + "' && mkoctfile --mex -Wall -Werror -I.. echoloop.c";
  ASSERT_EQ(std::system(compile.c_str()), 0) << compile;
  Viewer viewer({"--frames", "20"});
  ASSERT_EQ(run_octave(folder, "addpath([pwd '/senders/matlab']); address = 'live:test'; frames = 20;\nrun('" +
                                   (kSenders / "examples/send.m").string() + "');\n"),
            0)
      << read_text(folder / "octave.txt");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 20);
  EXPECT_EQ(viewer.frames()["missing"], 0);
}

TEST(LiveSenders, OctaveSendsOverTcpWithoutACompiler) {
  const TemporaryFolder folder;
  if (!has_program("octave-cli") || run_octave(folder, "pkg load instrument-control\n") != 0) {
    GTEST_SKIP() << "no Octave with the package instrument-control";
  }
  const std::string address = "live:tcp:127.0.0.1:" + std::to_string(20000 + (::getpid() + 7) % 20000);
  Viewer viewer({"--frames", "20"}, address);
  const std::string connected = "for k = 1:200, try, echoloop_tcp('describe', jsonencode(scan), '" + address +
                                "'); break; catch why, if k == 200, rethrow(why), end, pause(0.1), end, end\n";
  EXPECT_EQ(
      run_octave(folder, "pkg load instrument-control\naddpath('" + (kSenders / "matlab").string() +
                             "');\nscan = struct('axes', {{'element', 'transmit', 'time'}}, 'shape', [8 1 256], "
                             "'dtype', 'int16', 'fs_hz', 20e6, 'fc_hz', 5e6, 'c_m_s', 1540, 'pitch_m', 3e-4, "
                             "'t0_s', 0, 't_zero', 'origin', 'tx', {{struct('kind', 'plane', 'angle_rad', 0)}});\n" +
                             connected +
                             "k = 0;\nwhile k < 20\n"
                             "  s = echoloop_tcp('send', int16(100 * randn(256, 8)));\n"
                             "  k = k + strcmp(s, 'ok');\nend\n"
                             "while ~strcmp(s, 'no viewer'), s = echoloop_tcp('send', zeros(256, 8, 'int16')); end\n"
                             "echoloop_tcp('close');\n"),
      0)
      << read_text(folder / "octave.txt");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 20);
}

}  // namespace
}  // namespace echoloop::live_test
