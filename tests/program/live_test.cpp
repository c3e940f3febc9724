// The built program as a viewer of a scanner: the senders that users get, headless runs, and what the report says. The
// images of recordings that are sent are those of opening them, bit by bit.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "formats/open_recording.h"
#include "program/run_program.h"
#include "program/started_program.h"
#include "support/environment_variable.h"
#include "support/uff_file.h"
#include "test_paths.h"
#include "transport/file_descriptor.h"

namespace echoloop::live_test {
namespace {

using namespace testing;

const std::filesystem::path kSenders = std::filesystem::path(ECHO_SOURCE_DIR) / "src" / "senders";

struct Viewer {
  explicit Viewer(std::vector<std::string> words, const std::string& address = "live:test")
      : runtime("XDG_RUNTIME_DIR", folder.path().string()) {
    std::vector<std::string> all = {address, "--headless", "--backend", "cpu", "--report", report.string()};
    all.insert(all.end(), words.begin(), words.end());
    program = std::make_unique<StartedProgram>(all, folder);
  }
  [[nodiscard]] nlohmann::json frames() const { return nlohmann::json::parse(read_text(report))["frames"]; }
  void expect_sums() const {
    const nlohmann::json f = frames();
    const auto n = [&f](const char* key) { return f[key].get<std::uint64_t>(); };
    EXPECT_EQ(n("produced"), n("processed") + n("dropped") + n("overrun") + n("in_flight"));
    EXPECT_EQ(n("next_sequence") - n("first_sequence"),
              n("produced") - n("duplicates") + n("lost_at_sender") + n("stale") + n("missing"));
  }

  TemporaryFolder folder;
  std::filesystem::path report = folder / "report.json";
  testing::Variable runtime;
  std::unique_ptr<StartedProgram> program;
};

int run_python(const std::string& code) {
  const std::string command = "PYTHONPATH='" + kSenders.string() + "' python3 -c \"" + code + "\"";
  return std::system(command.c_str());
}

bool has_program(const std::string& name) { return std::system(("command -v " + name + " >/dev/null").c_str()) == 0; }

const std::string kSmall =
    "import array\nfrom echoloop import Sender\n"
    "scan = {'axes': ['transmit', 'element', 'time'], 'shape': [1, 8, 256], 'dtype': 'int16', 'fs_hz': 20e6,"
    " 'fc_hz': 5e6, 'c_m_s': 1540, 'pitch_m': 3e-4, 't0_s': 0, 't_zero': 'origin', 'device_hz': 1e6,"
    " 'tx': [{'kind': 'plane', 'angle_rad': 0}]}\n"
    "frame = array.array('h', range(2048))\n";

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

TEST(LiveProgram, ARunThatNoSenderComesToEndsInALine) {
  Viewer late({"--duration", "0.3"});
  EXPECT_EQ(late.program->end(), 1);
  EXPECT_NE(late.program->errors().find("no sender came within 0.3 s"), std::string::npos) << late.program->errors();
  Viewer stopped({}, "live:other");
  ASSERT_TRUE(stopped.program->waits_for([&] { return !stopped.program->errors().empty(); }));
  stopped.program->send(SIGINT);
  EXPECT_EQ(stopped.program->end(), 1);
  EXPECT_NE(stopped.program->errors().find("interrupted before a sender came"), std::string::npos)
      << stopped.program->errors();
}

TEST(LiveProgram, PythonSendsAndLossesAreCounted) {
  Viewer viewer({"--frames", "200"});
  ASSERT_EQ(
      run_python(
          kSmall +
          "with Sender(scan, 'live:test') as s:\n"
          "    for k in range(200):\n"
          "        if k == 50: s.lost(7)\n"
          "        assert s.send(frame, sequence=s.counts['next'] + (5 if k == 100 else 0)) == 'ok', s.message\n"),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  const nlohmann::json frames = viewer.frames();
  EXPECT_EQ(frames["processed"], 200);
  EXPECT_EQ(frames["lost_at_sender"], 7);
  EXPECT_EQ(frames["missing"], 5);
  EXPECT_EQ(frames["stale"], 0);
  viewer.expect_sums();
}

// Pieces of a frame, copied by several threads: all of it, nothing beside it; also what may only be read.
TEST(LiveProgram, PythonCopiesLargeFramesWithThreads) {
  EXPECT_EQ(run_python("import mmap, random, threading\nfrom echoloop import _Copiers\n"
                       "to = mmap.mmap(-1, 4 << 20)\ncopiers = _Copiers(3)\n"
                       "for k in range(12):\n"
                       "    raw = random.Random(k).randbytes((1 << 20) + 4099 * k)\n"
                       "    frame = raw if k % 2 else bytearray(raw)\n"
                       "    copiers.copy(to, 64 + k, memoryview(frame))\n"
                       "    assert to[64 + k:64 + k + len(raw)] == raw\n"
                       "    assert not any(to[:64]) and not any(to[64 + k + len(raw):2 << 20])\n"
                       "    to[:] = bytes(4 << 20)\n"
                       "threads = copiers._threads\nassert len(threads) == 3\ncopiers.end()\n"
                       "for t in threads: t.join()\n"),
            0);
  for (const char* ways : {"", "import sys\nsys.modules['ctypes'] = None\n"}) {
    Viewer viewer({"--frames", "8"});
    EXPECT_EQ(run_python(ways + kSmall +
                         "scan['shape'] = [1, 64, 10000]\n"
                         "frame = array.array('h', bytes(1280000))\n"
                         "with Sender(scan, 'live:test') as s:\n"
                         "    for k in range(8):\n"
                         "        assert s.send(frame if k % 2 else frame.tobytes()) == 'ok', s.message\n"),
              0);
    EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
    EXPECT_EQ(viewer.frames()["processed"], 8);
  }
  EXPECT_EQ(run_python(kSmall + "try: Sender(scan, 'live:test', copy_threads=0)\n"
                                "except ValueError as e: assert 'expected 1 to 16' in str(e)\n"
                                "else: raise SystemExit(1)\n"),
            0);
}

TEST(LiveProgram, PythonFillsBlocksInPlace) {
  Viewer viewer({"--frames", "50"});
  ASSERT_EQ(run_python(kSmall + "with Sender(scan, 'live:test') as s:\n"
                                "    for k in range(50):\n"
                                "        with s.block() as b:\n"
                                "            memoryview(b).cast('B')[:] = frame.tobytes()\n"),
            0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 50);
}

// Arrays with as many bytes as the described ones, but of another type or order: they would make another image.
TEST(LiveProgram, PythonRefusesFramesOfOtherTypesAndShapes) {
  Viewer viewer({"--frames", "4"});
  EXPECT_EQ(
      run_python(kSmall + "import ctypes\nraw = memoryview(frame).cast('B')\n"
                          "def refused(s, other, text):\n"
                          "    try: s.send(other)\n"
                          "    except ValueError as why: assert text in str(why), why\n"
                          "    else: raise SystemExit(text)\n"
                          "with Sender(scan, 'live:test') as s:\n"
                          "    refused(s, raw.cast('H'), 'uint16; expected int16')\n"
                          "    refused(s, raw.cast('f'), 'float32; expected int16')\n"
                          "    refused(s, (ctypes.c_int16.__ctype_be__ * 2048)(), 'big-endian int16; expected int16')\n"
                          "    refused(s, raw.cast('h', [1, 256, 8]), '(1, 256, 8); expected (1, 8, 256)')\n"
                          "    for right in (frame, raw, raw.cast('h', [8, 256])): assert s.send(right) == 'ok'\n"
                          "    s.describe({**scan, 'strides_bytes': [4096, 2, 16]})\n"
                          "    refused(s, raw.cast('h', [1, 8, 256]), '(4096, 512, 2); expected (4096, 2, 16)')\n"
                          "    assert s.send(raw.cast('h', [256, 8])) == 'ok'\n"),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

TEST(LiveProgram, AnotherDescriptionIsFollowed) {
  Viewer viewer({"--frames", "60"});
  ASSERT_EQ(run_python(kSmall + "with Sender(scan, 'live:test') as s:\n"
                                "    for k in range(30): assert s.send(frame) == 'ok'\n"
                                "    s.describe({**scan, 'shape': [1, 8, 512]})\n"
                                "    long = array.array('h', range(4096))\n"
                                "    for k in range(30): assert s.send(long) == 'ok', s.message\n"),
            0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 60);
  viewer.expect_sums();
}

TEST(LiveProgram, ARefusedDescriptionSaysWhy) {
  Viewer viewer({"--frames", "1"});
  EXPECT_EQ(run_python(kSmall + "from echoloop import Refused\ndel scan['t_zero']\n"
                                "try:\n    Sender(scan, 'live:test')\n    raise SystemExit(1)\n"
                                "except Refused as why:\n    assert 't_zero' in str(why), why\n"),
            0);
}

TEST(LiveProgram, NetworkNeedsTheToken) {
  TemporaryFolder folder;
  testing::write_text_file(folder / "token", "correct-horse\n");
  testing::write_text_file(folder / "wrong", "correct-hors3\n");
  const std::string port = std::to_string(20000 + ::getpid() % 20000);
  const auto at = [&](const std::string& host, const char* token) {
    return "live:tcp:" + host + ":" + port + ",token=" + (folder / token).string();
  };
  Viewer viewer({"--frames", "50"}, at("0.0.0.0", "token"));
  EXPECT_EQ(run_python(kSmall +
                       "from echoloop import Refused\n"
                       "try:\n    Sender(scan, '" +
                       at("127.0.0.1", "wrong") +
                       "')\n    raise SystemExit(1)\n"
                       "except Refused as why:\n    assert 'token' in str(why), why\n"),
            0);
  EXPECT_EQ(run_python(kSmall + "with Sender(scan, '" + at("127.0.0.1", "token") +
                       "') as s:\n"
                       "    for k in range(50): assert s.send(frame) == 'ok', s.message\n"),
            0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 50);
}

// The header with its example, by each compiler that is installed, and what it sends.
TEST(LiveProgram, TheHeaderCompilesWithoutAWarningAndSends) {
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

// Killed while frames come: the script runs on, its frames are lost and counted, and the next viewer gets the others.
TEST(LiveProgram, AViewerThatIsKilledDoesNotEndTheScript) {
  Viewer viewer({});
  TemporaryFolder folder;
  const std::filesystem::path sending = folder / "sending", done = folder / "done";
  std::thread script([&] {
    EXPECT_EQ(run_python(kSmall +
                         "import time\n"
                         "seen = set()\nlimit = time.monotonic() + 60\n"
                         "with Sender(scan, 'live:test') as s:\n"
                         "    while True:\n"
                         "        assert time.monotonic() < limit\n"
                         "        away = 'no viewer' in seen\n"
                         "        status = s.send(frame)\n"
                         "        seen.add(status)\n"
                         "        if s.counts['sent'] == 100: open('" +
                         sending.string() +
                         "', 'w')\n"
                         "        if away and status == 'ok': break\n"
                         "        if away: s._wait(lambda: s._socket is not None, 1.0)\n"
                         "    assert seen == {'ok', 'no viewer'}, seen\n"
                         "    assert s.counts['lost'] > 0\n"
                         "open('" +
                         done.string() + "', 'w')\n"),
              0);
  });
  EXPECT_TRUE(viewer.program->waits_for([&] { return std::filesystem::exists(sending); }));
  viewer.program->send(SIGKILL);
  (void)viewer.program->end();
  viewer.program = std::make_unique<StartedProgram>(
      std::vector<std::string>{"live:test", "--headless", "--backend", "cpu", "--frames", "1"}, viewer.folder);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  script.join();
  EXPECT_TRUE(std::filesystem::exists(done));
}

// A host that does not answer, as behind a firewall: calls end by their own limits, not by that of the network.
TEST(LiveProgram, AHostThatDoesNotAnswerHoldsUpNoCall) {
  const SilentHost host;
  const TemporaryFolder folder;
  const std::string built = (folder / "asks").string();
  testing::write_text_file(folder / "asks.c",
                           "#define ECHOLOOP_SENDER_IMPLEMENTATION\n#include \"echoloop_sender.h\"\n"
                           "int main(int n, char** words) {\n"
                           "  echoloop_sender* s = echoloop_open(words[n - 1], NULL);\n"
                           "  return echoloop_describe(s, \"{}\", 200) == ECHOLOOP_NO_VIEWER ? 0 : 1;\n}\n");
  ASSERT_EQ(std::system(("cc -I'" + kSenders.string() + "' " + built + ".c -o " + built).c_str()), 0);
  EXPECT_EQ(std::system(("timeout 60 " + built + " " + host.address()).c_str()), 0);
  EXPECT_EQ(run_python("import signal\nsignal.alarm(60)\n" + kSmall + "s = Sender(scan, '" + host.address() +
                       "', timeout=0.2)\nfor k in range(100): assert s.send(frame, timeout=0) == 'no viewer'\n"),
            0);
}

// The header for Windows: compiled as C and as C++, and run by wine over TCP.
TEST(LiveProgram, TheHeaderOfWindowsCompilesAndSends) {
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

// Stopped by a signal with all blocks: another one is told so, and the stream goes on with the sender, or the next one.
TEST(LiveProgram, AStoppedSenderHoldsUpNothingButItself) {
  Viewer viewer({"--frames", "300"});
  EXPECT_EQ(
      run_python(kSmall +
                 "import os, signal, subprocess, sys, time\n"
                 "from echoloop import Refused\n"
                 "code = 'from echoloop import Sender\\nimport array, sys\\nwith Sender(' + repr(scan) +"
                 " ', \\'live:test\\') as s:\\n for k in range(100):\\n  s.send(array.array(\\'h\\', range(2048)))\\n'"
                 " '  print(k, flush=True)\\n'\n"
                 "def start(): return subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE)\n"
                 "stopped = start()\n"
                 "while stopped.stdout.readline() != b'20\\n': pass\n"
                 "stopped.send_signal(signal.SIGSTOP)\n"
                 "other = Sender(scan, 'live:test', timeout=0.5)\n"
                 "assert 'pid ' + str(stopped.pid) in other.message, other.message\n"
                 "stopped.send_signal(signal.SIGCONT)\n"
                 "assert stopped.wait() == 0\n"
                 "other.close()\n"
                 "killed = start()\n"
                 "while killed.stdout.readline() != b'20\\n': pass\n"
                 "killed.send_signal(signal.SIGSTOP)\n"
                 "killed.kill()\nkilled.wait()\n"
                 "with Sender(scan, 'live:test') as s:\n"
                 "    for k in range(300): s.send(frame)\n"),
      0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 300);
  viewer.expect_sums();
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

TEST(LiveProgram, TheArrusAdapterDescribesAndSends) {
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

TEST(LiveProgram, OctaveSendsByTheMexFile) {
  if (!has_program("octave-cli") || !has_program("mkoctfile")) GTEST_SKIP() << "no Octave with mkoctfile";
  const TemporaryFolder folder;
  const std::string compile = "cd '" + folder.path().string() + "' && mkoctfile --mex -Wall -Werror -I'" +
                              kSenders.string() + "' '" + (kSenders / "matlab/echoloop.c").string() + "'";
  ASSERT_EQ(std::system(compile.c_str()), 0) << compile;
  Viewer viewer({"--frames", "20"});
  ASSERT_EQ(run_octave(folder, "addpath(pwd); address = 'live:test'; frames = 20;\nrun('" +
                                   (kSenders / "examples/send.m").string() + "');\n"),
            0)
      << read_text(folder / "octave.txt");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 20);
  EXPECT_EQ(viewer.frames()["missing"], 0);
}

TEST(LiveProgram, OctaveSendsOverTcpWithoutACompiler) {
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
                             "echoloop_tcp('close');\n"),
      0)
      << read_text(folder / "octave.txt");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 20);
}

class LivePhantoms : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Phantoms, LivePhantoms, ::testing::Values("sim:heart", "sim:points"));

TEST_P(LivePhantoms, TheImageIsThatOfThePhantom) {
  const TemporaryFolder folder;
  const std::string opened = (folder / "opened.npy").string(), sent = (folder / "sent.npy").string();
  ASSERT_EQ(testing::run_program({GetParam(), "--headless", "--backend", "cpu", "--image-out", opened, "--frames", "3",
                                  "--policy", "block"})
                .status,
            0);
  Viewer viewer({"--frames", "3", "--policy", "block", "--image-out", sent});
  const Ended sender =
      testing::run_program({"send", GetParam(), "--to", "live:test", "--frames", "3", "--rate", "max"});
  EXPECT_EQ(sender.status, 0) << sender.err;
  ASSERT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(read_text(sent), read_text(opened));
}

// What the sender says of its frames is in the recording, and comes back with it.
TEST(LiveProgram, ARecordingHoldsTheScannersClockAndItsLosses) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "scan.uff";
  Viewer viewer({"--frames", "20", "--record", file.string()});
  ASSERT_EQ(run_python(kSmall +
                       "with Sender(scan, 'live:test') as s:\n"
                       "    for k in range(20):\n"
                       "        if k == 5: s.lost(7)\n"
                       "        number = s.counts['next'] + (5 if k == 10 else 0)\n"
                       "        assert s.send(frame, sequence=number, device_ticks=2**60 + 1000 * number) == 'ok'\n"),
            0);
  ASSERT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  const nlohmann::json scanner = nlohmann::json::parse(read_text(viewer.report))["scanner"];
  EXPECT_EQ(scanner["frames"], 20);
  EXPECT_EQ(scanner["connections"], 1);
  EXPECT_EQ(scanner["clock"], "device, 1.000 MHz");
  EXPECT_GE(scanner["checked_frames"], 1);
  {
    const testing::UffFile uff(file);
    const auto numbers = uff.sequence(), ticks = uff.all<std::uint64_t>("/echoloop/device_ticks", H5T_NATIVE_UINT64);
    ASSERT_EQ(numbers.size(), 20U);
    for (std::size_t k = 0; k < 20; ++k) {
      EXPECT_EQ(numbers[k], k + (k < 5 ? 0 : k < 10 ? 7 : 12));
      EXPECT_EQ(ticks[k], (std::uint64_t{1} << 60) + 1000 * numbers[k]);
    }
    EXPECT_EQ(uff.all<std::uint64_t>("/echoloop/lost_at_sender", H5T_NATIVE_UINT64)[4], 0U);
    EXPECT_EQ(uff.all<std::uint64_t>("/echoloop/lost_at_sender", H5T_NATIVE_UINT64)[19], 7U);
    EXPECT_EQ(uff.all<std::uint64_t>("/echoloop/missing", H5T_NATIVE_UINT64)[19], 5U);
  }
  const Recording recording = open_recording(file);
  ASSERT_EQ(recording.scanner.times_s.size(), 20U);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_NEAR(recording.scanner.times_s[k], 1e-3 * static_cast<double>(k + (k < 5 ? 0 : k < 10 ? 7 : 12)), 1e-9);
  }
  const std::filesystem::path report = folder / "report.json";
  ASSERT_EQ(testing::run_program({file.string(), "--headless", "--backend", "cpu", "--report", report.string()}).status,
            0);
  const nlohmann::json recorded = nlohmann::json::parse(read_text(report))["recorded"];
  EXPECT_EQ(recorded["lost_at_sender"], 7);
  EXPECT_EQ(recorded["missing"], 5);
}

TEST(LiveProgram, ListsTheViewersThatWait) {
  Viewer viewer({"--frames", "1"});
  ASSERT_TRUE(viewer.program->waits_for([&] { return std::filesystem::exists(viewer.folder / "echoloop/test.sock"); }));
  EXPECT_EQ(testing::run_program({"send", "--list"}).out, "live:test\n");
}

}  // namespace
}  // namespace echoloop::live_test
