// --map-out, --difference-out and --traces-out, and the contents of a recording in `info`.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/run_program.h"
#include "program/started_program.h"
#include "support/one_line.h"
#include "support/recorded_data.h"
#include "support/temporary_folder.h"

namespace echoloop::stored_maps_test {
namespace {

namespace fs = std::filesystem;
using namespace testing;

Ended run_one(const std::string& source, const Words& more) {
  return run_program(joined({source, "--headless", "--backend", "cpu", "--frames", "1"}, more));
}

std::string maps_file() { return (data_folder() / "opendata/plane_maps.hdf5").string(); }

TEST(TracesOut, TheEcgOfTheHeart) {
  const TemporaryFolder folder;
  const fs::path file = folder / "traces.csv";
  const Ended ended = run_one("sim:heart", {"--grid", "-20:20:9,5:60:9", "--traces-out", file.string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::string text = read_text(file);
  EXPECT_TRUE(text.starts_with("signal,time_s,value\nECG,0.000000000,")) << text.substr(0, 80);
}

TEST(TracesOut, RefusedWithoutSignals) {
  const TemporaryFolder folder;
  const Ended ended = run_one("sim:points", {"--traces-out", (folder / "traces.csv").string()});
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(contains(ended.err, "no signals")) << ended.err;
}

TEST(MapOut, RefusedWithoutAMap) {
  const TemporaryFolder folder;
  const std::string file = (folder / "map.npy").string();
  EXPECT_TRUE(contains(run_one("sim:points", {"--map-out", file}).err, "no map was chosen"));
  const Ended ended = run_one("sim:points", {"--map-out", file, "--set", "map=sos_map"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_TRUE(contains(ended.err, "no maps in")) << ended.err;
  EXPECT_TRUE(contains(run_one("sim:points", {"--set", "map_opacity=2"}).err, "0 to 1"));
  EXPECT_TRUE(contains(run_one("sim:points", {"--set", "map_min=2,map_max=1"}).err, "below map_max"));
  EXPECT_TRUE(contains(run_one("sim:points", {"--set", "map_on=top"}).err, "overlay, b_side or difference"));
}

std::vector<float> values_of(const fs::path& file) {
  const std::string text = read_text(file), values = text.substr(text.find('\n') + 1);
  std::vector<float> numbers(values.size() / sizeof(float));
  std::memcpy(numbers.data(), values.data(), numbers.size() * sizeof(float));
  return numbers;
}

TEST(MapOut, ValuesOfAFileAtItsPixels) {
  ECHO_NEED_DATA("opendata/plane_maps.hdf5");
  const TemporaryFolder folder;
  const fs::path file = folder / "map.npy";
  const Ended ended =
      run_one(maps_file(), {"--grid", "-9:9:19,4:22:19", "--set", "map=sos_map", "--map-out", file.string()});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<float> values = values_of(file);
  ASSERT_EQ(values.size(), 19U * 19U);
  EXPECT_NEAR(values[8 * 19 + 10], 1508.0, 0.15);  // x 1 mm, z 12 mm
  EXPECT_NEAR(values[1 * 19 + 3], 1466.0, 0.15);   // x -6 mm, z 5 mm
  const auto about = nlohmann::json::parse(read_text(folder / "map.json"));
  EXPECT_EQ(about["unit"], "m/s");
  EXPECT_EQ(about["map"], "sos_map");
  const Ended unknown = run_one(maps_file(), {"--set", "map=nosuch", "--map-out", file.string()});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "sos_map")) << unknown.err;
  EXPECT_TRUE(contains(run_one(maps_file(), {"--set", "map=no_place", "--map-out", file.string()}).err, "no position"));
}

TEST(MapOut, TheDifferenceHasNoMedian) {
  ECHO_NEED_DATA("opendata/plane_maps.hdf5");
  const TemporaryFolder folder;
  const fs::path file = folder / "difference.npy";
  ASSERT_EQ(run_one(maps_file(), {"--set", "map=image", "--difference-out", file.string()}).status, 0);
  EXPECT_TRUE(nlohmann::json::parse(read_text(folder / "difference.json")).contains("rms_db"));
  EXPECT_TRUE(
      contains(run_one(maps_file(), {"--set", "map=sos_map", "--difference-out", file.string()}).err, "no levels"));
}

TEST(MapOut, SavedImagesAndFiguresShowTheMap) {
  ECHO_NEED_DATA("opendata/plane_maps.hdf5");
  const TemporaryFolder folder;
  const auto saved = [&](const std::string& name, const std::string& set) {
    const fs::path file = folder / name;
    const char* const option = file.extension() == ".png" ? "--png" : "--figure";
    const Ended ended = run_one(maps_file(), {"--set", set, option, file.string()});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return read_text(file);
  };
  const std::string plain = saved("plain.png", "map=off"), over = saved("over.png", "map=sos_map");
  EXPECT_NE(plain, over);
  EXPECT_NE(over, saved("right.png", "map=sos_map,map_on=b_side"));
  EXPECT_TRUE(contains(saved("a.svg", "map=sos_map"), "m/s"));
  const std::string difference = saved("b.svg", "map=image,map_on=difference");
  EXPECT_TRUE(contains(difference, "rms")) << difference.size();
}

TEST(Info, ListsMapsSignalsAndWhatIsNotUsed) {
  ECHO_NEED_DATA("opendata/plane_maps.hdf5");
  const Ended ended = run_program({"info", maps_file(), "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto info = nlohmann::json::parse(ended.out);
  EXPECT_EQ(info["maps"].size(), 15U);  // 13, one of them with three labels
  EXPECT_EQ(info["annotations"]["anatomy"], nlohmann::json::array({"phantom"}));
  EXPECT_EQ(info["signals"].size(), 9U);
  EXPECT_NEAR(info["signals"][0]["first_s"].get<double>(), -0.05, 1e-6);
  EXPECT_FALSE(info["not_used"].empty());
}

TEST(Info, AFileOfImagesOpens) {
  ECHO_NEED_DATA("opendata/image_only.hdf5");
  const std::string file = (data_folder() / "opendata/image_only.hdf5").string();
  const Ended ended = run_program({"info", file, "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(nlohmann::json::parse(ended.out)["beamformed"].get<bool>());
}

}  // namespace
}  // namespace echoloop::stored_maps_test
