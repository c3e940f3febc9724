// How a viewer without a window ends, for the sender of its scanner: by a BYE that says why, and soon.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/started_program.h"
#include "source/scripted_sender.h"
#include "support/environment_variable.h"
#include "support/temporary_folder.h"

namespace echoloop::live_ends_test {
namespace {

using testing::ScriptedSender;
using testing::StartedProgram;
using testing::operator<<;

std::string scan(int n_samples) {
  return R"({"axes": ["transmit", "element", "time"], "shape": [1, 8, )" + std::to_string(n_samples) +
         R"(], "dtype": "int16", "fs_hz": 20e6, "fc_hz": 5e6, "c_m_s": 1540, "pitch_m": 3e-4, "t0_s": 0,
             "t_zero": "origin", "tx": [{"kind": "plane", "angle_rad": 0}]})";
}

struct Viewer {
  explicit Viewer(std::vector<std::string> words) : runtime("XDG_RUNTIME_DIR", folder.path().string()) {
    words.insert(words.begin(), {"live:test", "--headless", "--backend", "cpu"});
    program = std::make_unique<StartedProgram>(words, folder);
    const std::filesystem::path socket = folder.path() / "echoloop" / "test.sock";
    EXPECT_TRUE(program->waits_for([&] {
      sender = std::make_unique<ScriptedSender>(socket);
      return sender->connected();
    })) << program->errors();
    EXPECT_TRUE(sender->begin(scan(256)));
  }
  // Of the BYE; empty: none came.
  [[nodiscard]] std::string end_reason() const {
    const auto bye = sender->expect(13);
    return bye.has_value() ? bye->text(0) : std::string();
  }

  testing::TemporaryFolder folder;
  testing::Variable runtime;
  std::unique_ptr<StartedProgram> program;
  std::unique_ptr<ScriptedSender> sender;
};

TEST(LiveEnds, AtOnceWithAnAddressOfAnotherMachine) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "token", "correct-horse\n");
  StartedProgram viewer({"live:tcp:192.0.2.1:7000,token=" + (folder / "token").string(), "--headless"}, folder);
  EXPECT_EQ(viewer.end(), 2);
  EXPECT_NE(viewer.errors().find("expected an address of this machine"), std::string::npos) << viewer.errors();
}

TEST(LiveEnds, ByASignal) {
  Viewer viewer({});
  ASSERT_TRUE(viewer.sender->frame(0, 1));
  ASSERT_TRUE(viewer.sender->expect(8).has_value());  // the stream runs
  viewer.program->send(SIGTERM);
  EXPECT_EQ(viewer.end_reason(), "the viewer was ended by a signal");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

TEST(LiveEnds, AfterTheFramesThatWereAskedFor) {
  Viewer viewer({"--frames", "3"});
  for (std::uint64_t k = 0; k < 3; ++k) ASSERT_TRUE(viewer.sender->frame(k, 1));
  EXPECT_EQ(viewer.end_reason(), "the viewer has processed its 3 frames (--frames)");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

// The end of the program comes at once after the overrun: several runs, as either of the two threads may be first.
TEST(LiveEnds, WithStoppedBeforeTheByeAtAnOverrun) {
  for (int run = 0; run < 8; ++run) {
    Viewer viewer({"--policy", "error", "--slots", "2", "--inject", "load_ms=20"});
    for (std::uint64_t k = 0; k < 6 && viewer.sender->frame(k, 1); ++k) {
    }
    const auto stopped = viewer.sender->expect(9);
    ASSERT_TRUE(stopped.has_value()) << "run " << run;
    EXPECT_EQ(viewer.end_reason(), stopped->text(0));
    EXPECT_EQ(viewer.program->end(), 1) << viewer.program->errors();
  }
}

// Files are finished after it: a report that nobody reads holds up the program, not the sender.
TEST(LiveEnds, BeforeItsFilesAreFinished) {
  const testing::TemporaryFolder out;
  const std::string report = (out / "report.pipe").string();
  ASSERT_EQ(::mkfifo(report.c_str(), 0600), 0);
  Viewer viewer({"--frames", "3", "--report", report});
  for (std::uint64_t k = 0; k < 3; ++k) ASSERT_TRUE(viewer.sender->frame(k, 1));
  EXPECT_EQ(viewer.end_reason(), "the viewer has processed its 3 frames (--frames)");
  std::ifstream pipe(report);
  const nlohmann::json read = nlohmann::json::parse(pipe, nullptr, false);
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
  ASSERT_TRUE(read.is_object());
  EXPECT_EQ(read["frames"]["processed"], 3);
  EXPECT_EQ(read["scanner"]["frames"], 3);
}

TEST(LiveEnds, AtADescriptionThatARecordingCannotHold) {
  const testing::TemporaryFolder out;
  Viewer viewer({"--raw-out", (out / "raw.npy").string()});
  ASSERT_TRUE(viewer.sender->frame(0, 1));
  ASSERT_TRUE(viewer.sender->describe(1, scan(512)));
  ASSERT_TRUE(viewer.sender->expect(4).has_value());
  EXPECT_EQ(viewer.end_reason(), "the description changed: a viewer that writes all frames to a file ends then");
}

TEST(LiveEnds, AtAnOverrunWithTheLineOfStopped) {
  Viewer viewer({"--policy", "error", "--slots", "2", "--inject", "load_ms=50"});
  std::uint64_t k = 0;
  while (!viewer.sender->seen.contains(9) && k < 10'000 && viewer.sender->soon_frame(k, {})) ++k;
  const std::string end_reason = viewer.end_reason();
  EXPECT_TRUE(viewer.sender->seen.contains(9));
  EXPECT_NE(end_reason.find("(stop on overrun)"), std::string::npos) << end_reason;
}

// Memory for the slots and lanes of large frames is made for seconds: the program does not wait for it.
TEST(LiveEnds, WhileAnotherStreamIsMade) {
  Viewer viewer({});
  ASSERT_TRUE(viewer.sender->frame(0, 1));
  ASSERT_TRUE(viewer.sender->describe(1, scan(1 << 21)));
  ASSERT_TRUE(viewer.sender->expect(4).has_value());
  viewer.program->send(SIGTERM);
  EXPECT_EQ(viewer.end_reason(), "the viewer was ended by a signal");
  EXPECT_EQ(viewer.program->end(), 0) << viewer.program->errors();
}

}  // namespace
}  // namespace echoloop::live_ends_test
