// The built program as a viewer of a scanner: the senders that users get, headless runs, and what the report says. The
// images of recordings that are sent are those of opening them, bit by bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/environment_variable.h"
#include "support/recorded_data.h"

namespace echoloop::live_test {
namespace {

using testing::Ended;
using testing::read_text;
using testing::StartedProgram;
using testing::TemporaryFolder;

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

const std::string kSmall =
    "import array\nfrom echoloop import Sender\n"
    "scan = {'axes': ['transmit', 'element', 'time'], 'shape': [1, 8, 256], 'dtype': 'int16', 'fs_hz': 20e6,"
    " 'fc_hz': 5e6, 'c_m_s': 1540, 'pitch_m': 3e-4, 't0_s': 0, 't_zero': 'origin', 'device_hz': 1e6,"
    " 'tx': [{'kind': 'plane', 'angle_rad': 0}]}\n"
    "frame = array.array('h', range(2048))\n";

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

class LiveRecordings : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Data, LiveRecordings,
                         ::testing::Values("must_pwi_disk/PWI_disk.mat",
                                           "simus_p42v_diverging/simus_p42v_diverging.uff",
                                           "simus_p42v_focused_sector/simus_p42v_focused_sector.hdf5",
                                           "simus_c52v_convex/rf.npy", "pybf_field2_pw3/rf_dataset.hdf5",
                                           "fk_gammex_nylon/RFdata1.mat", "format_fixtures/verasonics_like_v5.mat",
                                           "sim:heart", "sim:points"));

TEST_P(LiveRecordings, TheImageIsThatOfOpeningTheRecording) {
  std::string source = GetParam();
  if (!source.starts_with("sim:")) {
    ECHO_NEED_DATA(source);
    source = (testing::data_folder() / source).string();
  }
  const TemporaryFolder folder;
  const std::string opened = (folder / "opened.npy").string(), sent = (folder / "sent.npy").string();
  const std::vector<std::string> common = {"--frames", "3", "--policy", "block"};
  std::vector<std::string> open = {source, "--headless", "--backend", "cpu", "--image-out", opened};
  open.insert(open.end(), common.begin(), common.end());
  ASSERT_EQ(testing::run_program(open).status, 0);
  Viewer viewer({"--frames", "3", "--policy", "block", "--image-out", sent});
  const Ended sender = testing::run_program({"send", source, "--to", "live:test", "--frames", "3", "--rate", "max"});
  EXPECT_EQ(sender.status, 0) << sender.err;
  ASSERT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  EXPECT_EQ(read_text(sent), read_text(opened));
}

TEST(LiveProgram, ListsTheViewersThatWait) {
  Viewer viewer({"--frames", "1"});
  ASSERT_TRUE(viewer.program->waits_for([&] { return std::filesystem::exists(viewer.folder / "echoloop/test.sock"); }));
  EXPECT_EQ(testing::run_program({"send", "--list"}).out, "live:test\n");
}

}  // namespace
}  // namespace echoloop::live_test
