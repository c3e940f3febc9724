// Contents of zea files besides the channel data: no dataset is left out in silence, maps and signals have their
// values.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "formats/containers/hdf5_file.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::zea_contents_test {
namespace {

using namespace test;

constexpr int kRows = kMapRows, kColumns = kMapColumns;

const UnusedEntry* find_unused(const SourceContents& contents, const std::string& path) {
  const auto found = std::ranges::find(contents.not_used, path, &UnusedEntry::path);
  return found == contents.not_used.end() ? nullptr : &*found;
}

bool covers(const std::string& entry, const std::string& path) {
  return path == entry || path.starts_with(entry + "/");
}

// Expects each dataset of the file to be used or listed.
void expect_nothing_silent(const std::filesystem::path& file, const SourceContents& contents) {
  std::vector<std::string> entries = contents.used;
  for (const StoredMap& map : contents.maps) entries.push_back(map.path);
  for (const Signal& signal : contents.signals) entries.push_back(signal.path);
  for (const UnusedEntry& entry : contents.not_used) {
    entries.push_back(entry.path);
    EXPECT_FALSE(entry.reason.empty()) << entry.path;
  }
  const std::function<void(const hdf5::Node&, const std::string&)> walk = [&](const hdf5::Node& node,
                                                                              const std::string& path) {
    for (const std::string& name : node.children()) {
      const hdf5::Node child = node.at(name);
      const std::string at = path.empty() ? name : path + "/" + name;
      if (child.is_group()) {
        walk(child, at);
        continue;
      }
      EXPECT_TRUE(std::ranges::any_of(entries, [&](const std::string& entry) { return covers(entry, at); })) << at;
    }
  };
  walk(hdf5::Node::open("file", file, std::filesystem::file_size(file)), "");
}

TEST(ZeaContents, EveryDatasetIsUsedOrListed) {
  Hdf5Fixture file("rich.hdf5");
  write_zea_contents(file);
  const std::filesystem::path path = file.close();
  const Recording recording = open_recording(path);
  ASSERT_NE(recording.contents, nullptr);
  const SourceContents& contents = *recording.contents;
  expect_nothing_silent(path, contents);
  for (const char* const unused : {"data/unequal", "data/foo", "metadata/odd", "metrics/other", "custom/temperature",
                                   "scan/something_new", "stray"})
    EXPECT_NE(find_unused(contents, unused), nullptr) << unused;
  EXPECT_TRUE(contains(find_unused(contents, "data/unequal")->reason, "coordinates (5, 3, 3)"));
  EXPECT_TRUE(contains(find_unused(contents, "data/foo")->reason, "no map (no values)"));
  EXPECT_TRUE(contains(find_unused(contents, "custom/temperature")->reason, "21.5"));
}

TEST(ZeaContents, MapsAndSignalsAreListedWithTheirFacts) {
  Hdf5Fixture file("rich.hdf5");
  write_zea_contents(file);
  const Recording recording = open_recording(file.close());
  const SourceContents& contents = *recording.contents;
  std::vector<std::string> names;
  for (const StoredMap& map : contents.maps) names.push_back(map.name);
  EXPECT_EQ(names, (std::vector<std::string>{"nowhere", "segmentation/left", "segmentation/right", "sos_map"}));
  EXPECT_TRUE(contains(contents.maps[0].note, "no position"));
  EXPECT_EQ(contents.maps[1].kind, MapKind::label);
  const StoredMap& speed = contents.maps[3];
  EXPECT_EQ(speed.unit, "m/s");
  EXPECT_EQ(speed.frames, 2U);
  ASSERT_EQ(speed.times_s.size(), 2U);
  EXPECT_NEAR(speed.times_s[1], 0.021, 1e-9);
  const auto signal = [&](const std::string& name) {
    const auto found = std::ranges::find(contents.signals, name, &Signal::name);
    EXPECT_NE(found, contents.signals.end()) << name;
    return found == contents.signals.end() ? Signal{} : *found;
  };
  EXPECT_NEAR(signal("ecg").time_s(2), -0.05 + 2.0 / 250.0, 1e-9);
  EXPECT_NEAR(signal("ecg").at(-0.05 + 1.5 / 250.0), 1.5, 1e-6);
  EXPECT_TRUE(std::isnan(signal("ecg").at(0.5)));
  EXPECT_NEAR(signal("breath").at(0.2), 2.5, 1e-6);
  EXPECT_FALSE(signal("back").note.empty());
  EXPECT_NEAR(signal("probe_pose/y").values.at(1), 2.0, 1e-5);
  EXPECT_NEAR(signal("probe_pose/ry").values.at(1), 0.4 * 180.0 / 3.14159265358979, 1e-4);
  EXPECT_NEAR(signal("quality").time_s(1), 0.03, 1e-9);
  const auto view = std::ranges::find(contents.annotations, "view", &TextEntry::name);
  ASSERT_NE(view, contents.annotations.end());
  EXPECT_EQ(view->texts, (std::vector<std::string>{"a", "b"}));
}

TEST(ZeaContents, AMapIsReadFrameByFrame) {
  Hdf5Fixture file("rich.hdf5");
  write_zea_contents(file);
  const std::filesystem::path path = file.close();
  const Recording recording = open_recording(path);
  const StoredMap& speed = recording.contents->maps[3];
  const MapValues second = read_map(path, {.map = speed, .first = 1, .count = 1});
  ASSERT_EQ(second.values.size(), std::size_t{kRows * kColumns});
  EXPECT_EQ(second.values[3], 0.5F * (kRows * kColumns + 3));
  EXPECT_NEAR(second.x_m[3], 3e-3, 1e-8);
  EXPECT_NEAR(second.z_m[kColumns], 6e-3, 1e-8);
  const MapValues right = read_map(path, {.map = recording.contents->maps[2], .first = 0, .count = 1});
  EXPECT_EQ(right.values[1], 1.0F);  // 1.5 as an integer
  StoredMap none = speed;
  none.path = "data/nosuch";
  EXPECT_THROW(read_map(path, {.map = none, .first = 0, .count = 1}), Error);
  EXPECT_THROW(read_map(path, {.map = speed, .first = 2, .count = 1}), Error);
}

TEST(ZeaContents, AVolumeIsReadInThePlane) {
  Hdf5Fixture file("volume.hdf5");
  write_zea(file);
  std::vector<double> values, places;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < 3; ++k)
        values.push_back(10 * r + c + 100 * k), places.insert(places.end(), {1e-3 * c, 1e-3 * (k - 1), 1e-3 * r});
  file.numbers("data/density_map/values", {1, 2, 2, 3}, values);
  file.numbers("data/density_map/coordinates", {2, 2, 3, 3}, places);
  const std::filesystem::path path = file.close();
  const Recording recording = open_recording(path);
  ASSERT_EQ(recording.contents->maps.size(), 1U);
  const MapRequest wanted{.map = recording.contents->maps[0], .first = 0, .count = 1, .y_m = 0.25e-3};
  EXPECT_NEAR(read_map(path, wanted).values.at(1), 126.0, 1e-3);
}

TEST(ZeaContents, AFileWithoutChannelDataNamesItsContents) {
  Hdf5Fixture file("images.hdf5");
  file.numbers("tracks/track_0/data/image/values", {2, 3, 4}, std::vector<double>(24));
  file.numbers("metadata/ecg/samples", {2}, {0, 1});
  file.number("metadata/ecg/sampling_frequency", 250.0);
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, "image (2 frames, 3 x 4)"));
  EXPECT_TRUE(contains(line, "ecg"));
}

TEST(ZeaContents, FixturesHaveNothingSilent) {
  ECHO_NEED_DATA("opendata/plane_maps.hdf5");
  for (const char* const name : {"plane_maps", "tracks", "plane_iq", "lens", "tgc", "hadamard"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path path = testing::data_folder() / "opendata" / (std::string(name) + ".hdf5");
    expect_nothing_silent(path, *open_recording(path).contents);
  }
}

}  // namespace
}  // namespace echoloop::zea_contents_test
