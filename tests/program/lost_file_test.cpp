// A recording that becomes shorter while it plays (a stick that is pulled, a share that goes): the stream stops with
// one line, and what is being recorded meanwhile is completed.
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/sanitized.h"
#include "support/uff_file.h"

namespace echoloop::lost_file_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

constexpr const char* kGrid = "-5:5:16,5:25:16";  // few pixels: images are not what is tested

void make_recording(const fs::path& file) {
  ASSERT_EQ(testing::run_program({"sim:points", "--headless", "--backend", "cpu", "--frames", "60", "--rate", "max",
                                  "--grid", kGrid, "--record", file.string()})
                .status,
            0);
}

// Played and recorded in a loop, cut to `share` of its size on the way.
void play_and_cut(const fs::path& source, double share, const std::string& memory) {
  SCOPED_TRACE(memory + ", cut to " + std::to_string(share));
  const TemporaryFolder folder;
  const fs::path played = folder / "played.uff", recorded = folder / "recorded.uff";
  fs::copy(source, played);
  StartedProgram program(
      {played.string(), "--headless", "--backend", "cpu", "--duration", "60", "--rate", "200", "--host-memory", memory,
       "--grid", kGrid, "--record", recorded.string(), "--report", (folder / "r.json").string()},
      folder);
  ASSERT_TRUE(program.waits_for([&] {
    std::error_code error;
    return fs::file_size(recorded.string() + ".partial", error) > fs::file_size(played) / 3 && !error;
  }));
  fs::resize_file(played, static_cast<std::uintmax_t>(share * static_cast<double>(fs::file_size(played))));
  EXPECT_EQ(program.end(), 1);
  const std::string errors = program.errors();
  EXPECT_NE(errors.find("echoloop: " + played.string() + ": "), std::string::npos) << errors;
  const nlohmann::json report = nlohmann::json::parse(read_text(folder / "r.json"));
  EXPECT_GE(report["frames"]["errors"], 1);
  const UffFile file(recorded);
  ASSERT_TRUE(file.is_open());
  EXPECT_GT(file.frames(), 0U);
  EXPECT_EQ(report["recording"]["frames"], file.frames());
  EXPECT_FALSE(fs::exists(recorded.string() + ".partial"));
}

TEST(LostFile, AStreamStopsWithALineAndARecordingIsCompleted) {
  const TemporaryFolder folder;
  make_recording(folder / "source.uff");
  for (const double share : {0.5, 0.9, 0.1, 0.0}) {
    play_and_cut(folder / "source.uff", share, "pageable");
    if (kSanitized) break;  // half a minute each
  }
}

}  // namespace
}  // namespace echoloop::lost_file_test
