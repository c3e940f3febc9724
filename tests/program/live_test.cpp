// The built program as a viewer of a scanner: the senders that users get, headless runs, and what the report says. The
// images of recordings that are sent are those of opening them, bit by bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "formats/open_recording.h"
#include "history/hdf5_recording.h"
#include "program/live_viewer.h"
#include "support/recordings.h"
#include "support/uff_file.h"

namespace echoloop::live_test {
namespace {

TEST(LiveProgram, ARunThatNoSenderComesToEndsInALine) {
  Viewer late({"--duration", "0.3"});
  EXPECT_EQ(late.program->end(), 1);
  EXPECT_NE(late.program->errors().find("was accepted within 0.3 s"), std::string::npos) << late.program->errors();
  Viewer stopped({}, "live:other");
  ASSERT_TRUE(stopped.program->waits_for([&] { return !stopped.program->errors().empty(); }));
  stopped.program->send(SIGINT);
  EXPECT_EQ(stopped.program->end(), 1);
  EXPECT_NE(stopped.program->errors().find("interrupted before a description was accepted"), std::string::npos)
      << stopped.program->errors();
}

TEST(LiveProgram, ASenderThatNoViewerAnswersEndsInALine) {
  const TemporaryFolder folder;
  const testing::Variable runtime("XDG_RUNTIME_DIR", folder.path().string());
  StartedProgram sender({"send", "sim:points", "--to", "live:none"}, folder);
  ASSERT_TRUE(
      sender.waits_for([&] { return sender.errors().find("Waiting for a viewer at live:none") != std::string::npos; }));
  sender.send(SIGTERM);
  EXPECT_EQ(sender.end(), 1);
  EXPECT_NE(sender.errors().find("live:none: interrupted before a viewer"), std::string::npos) << sender.errors();
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
                                "            memoryview(b).cast('B')[:] = frame.tobytes()\n"
                                "with Sender(scan, 'live:none', timeout=0) as s:\n"
                                "    with s.block() as b: memoryview(b).cast('B')[:] = frame.tobytes()\n"
                                "    assert s.counts['lost'] == 1\n"),
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

// A part of a larger array, with its axes in another order: copied together, and described by its strides.
TEST(LiveProgram, PythonSendsPartsOfArrays) {
  if (run_python("from importlib import util\nraise SystemExit(util.find_spec('numpy') is None)") != 0)
    GTEST_SKIP() << "no NumPy";
  std::string of_a_copy;
  for (const std::string way : {"part = part.copy()\n", "", "scan['strides_bytes'] = part.strides\n"}) {
    const TemporaryFolder out;
    Viewer viewer({"--frames", "1", "--raw-out", (out / "raw.npy").string()});
    ASSERT_EQ(run_python(kSmall +
                         "import numpy\nwhole = numpy.arange(3 * 300 * 9, dtype='int16').reshape(3, 300, 9)\n"
                         "part = whole[1:2, 5:261, :8].swapaxes(1, 2)\n" +
                         way + "with Sender(scan, 'live:test') as s: assert s.send(part) == 'ok', s.message\n"),
              0);
    EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
    const std::string raw = read_text(out / "raw.npy");
    if (of_a_copy.empty()) of_a_copy = raw;
    EXPECT_TRUE(!raw.empty() && raw == of_a_copy) << way;
  }
}

TEST(LiveProgram, AnotherDescriptionIsFollowed) {
  Viewer viewer({"--frames", "60"});
  ASSERT_EQ(run_python(kSmall + "from echoloop import Refused\nwith Sender(scan, 'live:test') as s:\n"
                                "    for k in range(30): assert s.send(frame) == 'ok'\n"
                                "    s.describe({**scan, 'shape': [1, 8, 512]})\n"
                                "    long = array.array('h', range(4096))\n"
                                "    for k in range(15): assert s.send(long) == 'ok', s.message\n"
                                "    try: s.describe({**scan, 'shape': [1, 8]})\n"
                                "    except Refused as why: assert '(1, 8)' in str(why), why\n"
                                "    else: raise SystemExit(1)\n"
                                "    for k in range(15): assert s.send(long) == 'ok', s.message\n"),
            0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(viewer.frames()["processed"], 60);
  viewer.expect_sums();
}

// Shape and type of the first frame complete the description, also where the viewer has answered before it.
TEST(LiveProgram, PythonTakesShapeAndTypeOfTheFirstFrame) {
  Viewer viewer({"--frames", "2"});
  EXPECT_EQ(run_python(kSmall + "class Frame(array.array): shape, dtype = [1, 8, 256], 'int16'\n"
                                "del scan['shape'], scan['dtype']\n"
                                "with Sender(scan, 'live:test') as s:\n"
                                "    assert s._wait(lambda: s._welcomed, 20)\n"
                                "    try: s.block().__enter__()\n"
                                "    except ValueError as why: assert 'without shape' in str(why), why\n"
                                "    else: raise SystemExit(1)\n"
                                "    assert s.send(Frame('h', frame)) == 'ok', s.message\n"
                                "    s.describe({**scan, 'fc_hz': 4e6})\n"
                                "    assert s.send(Frame('h', frame)) == 'ok', s.message\n"),
            0);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

TEST(LiveProgram, ARefusedDescriptionSaysWhy) {
  Viewer viewer({"--frames", "1"});
  EXPECT_EQ(run_python(kSmall + "from echoloop import Refused\ndel scan['t_zero']\n"
                                "try:\n    Sender(scan, 'live:test')\n    raise SystemExit(1)\n"
                                "except Refused as why:\n    assert 't_zero' in str(why), why\n"),
            0);
  EXPECT_TRUE(viewer.program->waits_for([&] {
    return viewer.program->errors().find("Description refused") != std::string::npos;
  })) << "said before there is a stream";
  EXPECT_EQ(run_python(kSmall + "from echoloop import Refused\nscan['name'] = 'x' * (64 << 20)\n"
                                "try:\n    Sender(scan, 'live:test')\n    raise SystemExit(1)\n"
                                "except Refused as why:\n    assert 'expected up to 67108856' in str(why), why\n"),
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

TEST(LiveProgram, PythonSaysWhatIsWrongWithAnAddress) {
  TemporaryFolder folder;
  testing::write_text_file(folder / "empty", "");
  EXPECT_EQ(run_python(kSmall + "empty = '" + (folder / "empty").string() +
                       "'\n"
                       "for bad in ('live:a/b', 'live:tcp:127.0.0.1:99999', 'live:tcp:127.0.0.1:0', "
                       "'live:tcp:127.0.0.1:9,token=' + empty):\n"
                       "    try:\n        Sender(scan, bad, timeout=0)\n        raise SystemExit(bad)\n"
                       "    except ValueError as why:\n        assert 'expected' in str(why), why\n"
                       "assert Sender(scan, 'live:none', timeout=0).message == 'no viewer at live:none'\n"
                       "s = Sender(scan, 'live:tcp:a.invalid:9', timeout=0)\n"
                       "assert s.status == 'no viewer' and 'a.invalid' in s.message, s.message\n"),
            0);
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

// Of a sender whose frames came again, or late: the recording keeps its clock.
TEST(LiveProgram, ARecordingOfRepeatedFramesHoldsTheScannersClock) {
  const TemporaryFolder folder;
  const Acquisition a = testing::every_kind_of_acquisition().front().acquisition;
  {
    Hdf5Writer writer(folder / "scan.uff", share(a), {.version = "1", .device_hz = 1e3});
    const std::vector<std::byte> samples(a.frame_bytes());
    for (const double time_s : {0.5, 0.6, 0.6, 0.4, 0.7}) {
      writer.append(
          {.stamp = {.time_s = time_s, .sender = {.lost = 2, .missing = time_s == 0.7 ? 3U : 0U}}, .samples = samples});
    }
    writer.finish();
  }
  const Recording recording = open_recording(folder / "scan.uff");
  const std::vector<double> times_s = {0.0, 0.1, 0.1, 0.1, 0.2};
  ASSERT_EQ(recording.scanner.times_s.size(), times_s.size());
  for (std::size_t k = 0; k < times_s.size(); ++k) EXPECT_NEAR(recording.scanner.times_s[k], times_s[k], 1e-9) << k;
  EXPECT_EQ(recording.scanner.missing, 3U);
}

TEST(LiveProgram, ListsTheViewersThatWait) {
  Viewer viewer({"--frames", "1"});
  ASSERT_TRUE(viewer.program->waits_for([&] { return std::filesystem::exists(viewer.folder / "echoloop/test.sock"); }));
  EXPECT_EQ(testing::run_program({"send", "--list"}).out, "live:test\n");
}

}  // namespace
}  // namespace echoloop::live_test
