// Files that revision d0f76d14 wrote: a preset, two sessions, the settings of its window, descriptions by its import
// assistant (beside the file and in the user's own folder) and by `describe`, and the JSON beside a saved figure, all
// in d0f76d14/. They open as they are: every value arrives, and no key is ignored. Changed since: the folders in
// `window`, which were absolute.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/options/folders.h"
#include "app/options/preset.h"
#include "app/outputs/measured_values.h"
#include "app/session_file.h"
#include "core/param_table.h"
#include "formats/open_recording.h"
#include "program/run_program.h"
#include "support/acquisitions.h"
#include "support/environment_variable.h"
#include "support/mat5_file.h"
#include "support/npy_file.h"
#include "support/repeated_command.h"
#if defined(ECHO_HAVE_GUI)
#include "gui/toolkit/view_settings.h"
#endif

namespace echoloop::older_files_test {
namespace {

using namespace testing;
using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kOlder = fs::path(ECHO_SOURCE_DIR) / "tests/program/d0f76d14";
const fs::path kConfig = kOlder / "config";  // $XDG_CONFIG_HOME

using Texts = std::map<std::string, std::string>;

// "KEY=VALUE ..."
Texts texts_from(const std::string& settings) {
  Texts texts;
  std::istringstream words(settings);
  for (std::string word; words >> word;) texts[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return texts;
}

// Of the preset and of the session of the phantom: every parameter of that revision, none at its default except recipe
// and adaptive_show.
const Texts kParameters = texts_from(R"(
adaptive=generalized adaptive_axis=both adaptive_bins=3 adaptive_kernel_m=0.0004 adaptive_lags=7
adaptive_order=compounded adaptive_root=3 adaptive_show=image adaptive_strength=0.8 apodization=hann
band_high_hz=6900000 band_low_hz=3100000 color_map=hot compounding=coherent depth_max_m=0.033 depth_min_m=0.003
directivity=on dynamic_range_db=54 edge_enhancement=0.6 f_number=1.4 flow=velocity flow_angle_rad=0.35
flow_frames=32 flow_persistence_s=0.4 flow_prf_hz=200 flow_priority_db=-3 flow_step=16 flow_threshold_db=-35
gain_db=3.5 gamma=1.2 gate=on gate_length_m=0.003 gate_x_m=0.0015 gate_z_m=0.012 grid_kind=cartesian grid_nx=60
grid_nz=120 lateral_max_m=0.009 lateral_min_m=-0.0085 median=3x3 mv_elements=24 mv_loading=0.05 mv_subarray=0.4
persistence_s=0.2 precision=fp32 recipe=analytic reference_db=91.5 reject_db=-70 sector_max_rad=0.33
sector_min_rad=-0.31 smooth_axial_m=0.0001 smooth_lateral_m=0.0002 sonogram_baseline=0.2 sonogram_cutoff_hz=9
sonogram_frames=48 sonogram_gain_db=4 sonogram_range_db=45 sound_speed_m_s=1532 speckle_reduction=0.3 structure=dark
structure_area_m2=4e-07 structure_kappa=2.8 structure_sigmas=2.2 structure_smooth_m=0.0003 svd_high=20 svd_low=3
tgc_1_db=-2 tgc_2_db=-1.5 tgc_3_db=-1 tgc_4_db=0.5 tgc_5_db=1 tgc_6_db=2 tgc_7_db=3 tgc_8_db=4.5 transmit_cone=tukey
transmit_every=2 transmit_f_number=2.5 transmit_first=2 transmit_last=5 transmit_window=hamming wall_cutoff=0.25
wall_filter=polynomial wall_order=2
)");

// Of the session of a recording: those that differ from the defaults of that recording.
const Texts kParametersOfScan = texts_from("recipe=course adaptive_show=weight grid_nz=400 sound_speed_m_s=1530");

void expect_parameter(const ImagingParams& params, const std::string& key, const std::string& text) {
  const ParamSpec* spec = find_param(key);
  ASSERT_NE(spec, nullptr) << key << " is unknown";
  if (spec->choices.empty()) {
    EXPECT_DOUBLE_EQ(get_number(params, *spec), std::stod(text)) << key;
  } else {
    EXPECT_EQ(get_text(params, *spec), text) << key;
  }
}

// In a report or a saved image.
void expect_parameter(const json& parameters, const std::string& key, const std::string& text) {
  const ParamSpec* spec = find_param(key);
  ASSERT_NE(spec, nullptr) << key << " is unknown";
  const json& value = parameters.at(std::string(spec->key));
  if (value.is_string()) {
    EXPECT_EQ(value.get<std::string>(), text) << key;
  } else {
    EXPECT_DOUBLE_EQ(value.get<double>(), std::stod(text)) << key;
  }
}

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

ImagingParams params_of(const std::vector<std::string>& settings) {
  ImagingParams params;
  for (const std::string& setting : settings) set_from_text(params, setting);
  return params;
}

// The samples of the recordings: a point in front of 16 elements, two transmits, [frame][transmit][element][time].
std::vector<double> point_samples(int frames) {
  std::vector<double> samples;
  for (int line = 0; line < frames * 2 * 16; ++line) {
    const int frame = line / 32, transmit = line / 16 % 2;
    const double across = line % 16 - 7.5;
    const double echo = 150 + 2 * frame + 0.4 * across * across + 0.5 * across * transmit;
    for (int i = 0; i < 400; ++i) {
      const double t = i - echo;
      samples.push_back(std::round(3000 * std::exp(-t * t / 64) * std::cos(std::numbers::pi / 2 * t)));
    }
  }
  return samples;
}

// A folder with copies of the files, and the recordings that they name.
struct OlderFolder : TemporaryFolder {
  OlderFolder() {
    fs::copy(kOlder, path(), fs::copy_options::recursive);
    std::string data;
    for (const double sample : point_samples(3)) {
      const auto value = static_cast<std::int16_t>(sample);
      data.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    write("scan.npy", npy("<i2", false, "(3, 2, 16, 400)", data));
    write("named.mat", test::mat5_file({{"rf", {400, 16, 2}, point_samples(1)},
                                        {"fs", {1, 1}, {20e6}},
                                        {"fc", {1, 1}, {5e6}},
                                        {"c", {1, 1}, {1530}},
                                        {"pitch_mm", {1, 1}, {0.3}},
                                        {"angles_deg", {1, 2}, {5, -5}},
                                        {"t0_us", {1, 1}, {2}},
                                        {"prf", {1, 1}, {160}}}));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (*this / name).string(); }
  [[nodiscard]] json object(const std::string& name) const {
    return json::parse(read_text(*this / name), nullptr, true, true);
  }
};

// Runs one frame without a window; nothing is refused and nothing is warned of. The samples are no echoes of the facts.
// Returns the report and the JSON beside the image in one object.
json run_one_frame(const OlderFolder& folder, Words words) {
  const Ended ended = run_program(
      joined(std::move(words), {"--headless", "--no-doubts", "--backend", "cpu", "--frames", "1", "--report",
                                folder.at("report.json"), "--image-out", folder.at("image.npy")}));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.err, "") << "a complaint";
  json object = folder.object("report.json");
  object.update(folder.object("image.json"));
  return object;
}

// Every value of the file is in the session that is written again, but for parameters (compared one by one) and the
// version of the program.
void expect_nothing_lost(const json& older, const json& again) {
  const json values = older.flatten(), now = again.flatten();
  for (const auto& [key, value] : values.items()) {
    if (key == "/version" || key.starts_with("/parameters/")) continue;
    ASSERT_TRUE(now.contains(key)) << key;
    EXPECT_EQ(now[key], value) << key;
  }
}

void expect_parameters_arrive(const json& older, const ImagingParams& params) {
  ASSERT_EQ(older.size(), kParameters.size());
  for (const auto& [key, value] : older.items()) expect_parameter(params, key, text_of(value));
}

void expect_mark(const Mark& mark, int number, MarkKind kind, const std::vector<PlanePoint>& points_mm,
                 RegionRole role = RegionRole::none, int pair = 0) {
  EXPECT_EQ(mark.number, number);
  EXPECT_EQ(mark.kind, kind) << number;
  EXPECT_EQ(mark.role, role) << number;
  EXPECT_EQ(mark.pair, pair) << number;
  ASSERT_EQ(mark.points.size(), points_mm.size()) << number;
  for (std::size_t i = 0; i < points_mm.size(); ++i) {
    EXPECT_NEAR(1e3 * mark.points[i].x_m, points_mm[i].x_m, 1e-9) << number;
    EXPECT_NEAR(1e3 * mark.points[i].z_m, points_mm[i].z_m, 1e-9) << number;
  }
}

void expect_marks_of_cyst(const Marks& marks) {
  ASSERT_EQ(marks.list.size(), 8U);
  EXPECT_EQ(marks.last_number, 8);
  expect_mark(marks.list[0], 1, MarkKind::distance, {{-7.694664, 5.252964}, {-4.552372, 6.853755}});
  expect_mark(marks.list[1], 2, MarkKind::angle, {{-1.410079, 5.252964}, {0.131423, 3.711462}, {3.273715, 6.023715}});
  expect_mark(marks.list[2], 3, MarkKind::profile, {{-6.864625, 30.272727}, {-1.410079, 31.458498}});
  expect_mark(marks.list[3], 4, MarkKind::ellipse,
              {{4.815217, 13.079051}, {7.186759, 15.450593}, {6.771739, 13.494071}}, RegionRole::target, 1);
  expect_mark(marks.list[4], 5, MarkKind::rectangle, {{-7.694664, 25.588933}, {-5.323123, 27.960474}},
              RegionRole::background, 1);
  expect_mark(marks.list[5], 6, MarkKind::circle, {{-2.951581, 16.992095}, {-1.410079, 17.762846}}, RegionRole::target,
              2);
  expect_mark(marks.list[6], 7, MarkKind::outline,
              {{3.273715, 25.588933},
               {5.645257, 26.003953},
               {6.000988, 27.960474},
               {4.459486, 29.086957},
               {2.858696, 27.545455},
               {3.273715, 25.766798}},
              RegionRole::background, 2);
  expect_mark(marks.list[7], 8, MarkKind::point, {{6.771739, 30.272727}});
}

TEST(OlderFiles, APresetSetsEveryParameter) {
  const Preset preset = read_preset(kConfig / "echoloop/presets/carotid_hot.toml");
  EXPECT_EQ(preset.name, "Carotid \"hot\"");
  EXPECT_EQ(preset.about, "");
  EXPECT_EQ(preset.slot, 9);
  EXPECT_EQ(preset.probe.name, "L64");
  EXPECT_EQ(preset.probe.kind, ProbeKind::linear);
  EXPECT_EQ(preset.probe.center_hz, 5e6);
  EXPECT_TRUE(preset.is_default);
  EXPECT_EQ(preset.values.size(), 69U);
  EXPECT_EQ(preset.probe_values.size(), 14U);

  Acquisition acquisition = linear_acquisition();
  EXPECT_FALSE(belongs_to(preset, acquisition)) << "another name";
  acquisition.probe.name = "L64";
  EXPECT_EQ(why_not_whole(preset, acquisition), "");
  const ImagingParams params = apply_preset(preset, {}, acquisition);
  for (const auto& [key, text] : kParameters) expect_parameter(params, key, text);

  const OlderFolder folder;
  const json report = run_one_frame(
      folder, {"sim:cyst,angles_deg=-8/-4/0/4/8", "--preset", folder.at("config/echoloop/presets/carotid_hot.toml")});
  for (const auto& [key, text] : kParameters) expect_parameter(report.at("parameters"), key, text);
}

TEST(OlderFiles, ASessionOfAPhantomHasEveryValue) {
  const OlderFolder folder;
  const json older = folder.object("cyst.echoloop.json");
  EXPECT_TRUE(is_session_file(folder / "cyst.echoloop.json"));
  const SavedSession s = read_session(folder / "cyst.echoloop.json");
  expect_nothing_lost(older, session_json(s, folder / "cyst.echoloop.json"));
  expect_parameters_arrive(older.at("parameters"), params_of(s.settings));
  for (const auto& [key, text] : kParameters) expect_parameter(params_of(s.settings), key, text);
  EXPECT_EQ(s.source, "sim:cyst,seed=3,noise_db=-40,angles_deg=-8/-4/0/4/8");
  EXPECT_TRUE(s.facts.empty());
  EXPECT_TRUE(s.stream == (StreamSettings{.policy = RingPolicy::drop_newest,
                                          .slots = 5,
                                          .lanes = 2,
                                          .streams = StreamMode::serial,
                                          .host_memory = HostMemory::pageable,
                                          .frame_wait = FrameWait::spin,
                                          .rate_hz = 7.0,
                                          .pace_ms = 12.0,
                                          .loop = false,
                                          .inject = {.jitter_ms = 3.0, .duplicate_every = 40.0}}));
  expect_marks_of_cyst(s.marks);
  EXPECT_FALSE(s.pan_zoom.fitted);
  EXPECT_NEAR(s.pan_zoom.centre.x_m, 0.25e-3, 1e-12);
  EXPECT_NEAR(s.pan_zoom.centre.z_m, 18e-3, 1e-12);
  EXPECT_EQ(s.pan_zoom.logical_px_per_m, 27350.0);
  EXPECT_EQ(s.frame, 389U);
  EXPECT_EQ(s.moment, SavedMoment::frozen);
  EXPECT_DOUBLE_EQ(s.held_reference_db, 99.45880017344075);

  const json report = run_one_frame(folder, {folder.at("cyst.echoloop.json")});
  for (const auto& [key, text] : kParameters) expect_parameter(report.at("parameters"), key, text);
  EXPECT_EQ(report.at("frame").at("source_index"), 389);
  const std::map<std::string, json> stream = {{"policy", "drop-newest"},
                                              {"slots", 5},
                                              {"lanes", 2},
                                              {"streams", "serial"},
                                              {"host_memory", "pageable"},
                                              {"frame_wait", "spin"},
                                              {"pace_ms", 12.0},
                                              {"inject", "jitter_ms=3,duplicate_every=40"}};
  for (const auto& [key, value] : stream) EXPECT_EQ(report.at(key), value) << key;
}

TEST(OlderFiles, ASessionOfARecordingHasEveryValue) {
  const OlderFolder folder;
  const json older = folder.object("scan.echoloop.json");
  const SavedSession s = read_session(folder / "scan.echoloop.json");
  expect_nothing_lost(older, session_json(s, folder / "scan.echoloop.json"));
  expect_parameters_arrive(older.at("parameters"), params_of(s.settings));
  for (const auto& [key, text] : kParametersOfScan) expect_parameter(params_of(s.settings), key, text);
  EXPECT_EQ(s.source, folder.at("scan.npy"));
  EXPECT_EQ(s.facts, (Facts{{"frame_rate_hz", 80.0}}));
  EXPECT_TRUE(s.stream == (StreamSettings{.policy = RingPolicy::error,
                                          .slots = 6,
                                          .lanes = 4,
                                          .streams = StreamMode::overlap,
                                          .host_memory = HostMemory::write_combined,
                                          .frame_wait = FrameWait::sleep,
                                          .rate_hz = kRateMax,
                                          .pace_ms = 30.0,
                                          .loop = true,
                                          .inject = {.load_ms = 2.0}}));
  EXPECT_TRUE(s.marks.list.empty());
  EXPECT_TRUE(s.pan_zoom.fitted);
  EXPECT_EQ(s.moment, SavedMoment::live);
  EXPECT_EQ(s.held_reference_db, kAutoReference);

  const json report = run_one_frame(folder, {folder.at("scan.echoloop.json")});
  for (const auto& [key, value] : older.at("parameters").items()) {
    expect_parameter(report.at("parameters"), key, text_of(value));
  }
  EXPECT_EQ(report.at("acquisition").at("frame_rate_hz"), 80.0);
  EXPECT_EQ(report.at("policy"), "error");
}

// Of the recordings with these descriptions; `bandwidth_hz` as the file has it.
void expect_acquisition(const Recording& recording, double bandwidth_hz) {
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.sample_type, SampleType::int16);
  EXPECT_EQ(a.n_samples, 400);
  EXPECT_EQ(a.n_elements(), 16);
  EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
  EXPECT_DOUBLE_EQ(a.center_hz, 5e6);
  EXPECT_DOUBLE_EQ(a.bandwidth_hz, bandwidth_hz);
  EXPECT_DOUBLE_EQ(a.sound_speed_m_s, 1530.0);
  EXPECT_DOUBLE_EQ(a.probe.pitch_m, 0.3e-3);
  ASSERT_EQ(a.n_transmits(), 2);
  const double sine = std::sin(5 * kRadiansPerDegree);
  for (const int i : {0, 1}) {
    EXPECT_EQ(a.transmits[static_cast<std::size_t>(i)].kind, TransmitKind::plane);
    EXPECT_NEAR(a.transmits[static_cast<std::size_t>(i)].angle_rad, (i == 0 ? 5 : -5) * kRadiansPerDegree, 1e-12);
    // From the first firing to the passage of the wave through the middle of the array.
    EXPECT_NEAR(a.transmits[static_cast<std::size_t>(i)].t0_s, 2e-6 - 7.5 * 0.3e-3 * sine / 1530, 1e-12);
  }
  const auto frame = recording.frame(0);
  const std::vector<double> samples = point_samples(1);
  ASSERT_EQ(frame.size(), samples.size() * sizeof(std::int16_t));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ASSERT_EQ(reinterpret_cast<const std::int16_t*>(frame.data())[i], static_cast<std::int16_t>(samples[i])) << i;
  }
}

TEST(OlderFiles, ADescriptionOfTheAssistantHasEveryFact) {
  const OlderFolder folder;
  const Recording recording = open_recording(folder / "scan.npy");
  EXPECT_EQ(recording.frame_count, 3U);
  expect_acquisition(recording, 2.5e6);
  EXPECT_EQ(recording.acquisition->frame_rate_hz, 0.0) << "not in the file";

  fs::rename(folder / "scan.json", folder / "elsewhere.json");
  const json report = run_one_frame(
      folder, {folder.at("scan.npy"), "--description", folder.at("elsewhere.json"), "--set", "frame_rate_hz=50"});
  EXPECT_EQ(report.at("acquisition").at("bandwidth_hz"), 2.5e6);
}

TEST(OlderFiles, ADescriptionInTheUsersFolderHasEveryFact) {
  const OlderFolder folder;
  const Variable config("XDG_CONFIG_HOME", folder.at("config"));
  fs::remove(folder / "scan.json");
  fs::rename(folder / "scan.npy", folder / "renamed.npy");
  const json report = run_one_frame(folder, {folder.at("renamed.npy")});
  const json& facts = report.at("acquisition");
  EXPECT_EQ(facts.at("sampling_hz"), 20e6);
  EXPECT_EQ(facts.at("center_hz"), 5e6);
  EXPECT_EQ(facts.at("sound_speed_m_s"), 1540.0);
  EXPECT_EQ(facts.at("frame_rate_hz"), 40.0);
  EXPECT_NEAR(facts.at("pitch_m").get<double>(), 0.25e-3, 1e-12);
  EXPECT_EQ(facts.at("transmit_kind"), "plane");
  EXPECT_NEAR(facts.at("angles_rad").at(0).get<double>(), 3 * kRadiansPerDegree, 1e-12);
  EXPECT_NEAR(facts.at("angles_rad").at(1).get<double>(), -4 * kRadiansPerDegree, 1e-12);
  ASSERT_EQ(facts.at("assumptions").size(), 1U) << facts;
  EXPECT_EQ(facts.at("assumptions")[0].at("set"), "first_sample_s");
}

TEST(OlderFiles, FilesOfTheUserAreFoundInTheirFolders) {
  const OlderFolder folder;
  const Variable config("XDG_CONFIG_HOME", folder.at("config"));
  EXPECT_TRUE(fs::exists(settings_file()));
  EXPECT_TRUE(fs::exists(own_descriptions_folder()));
  const PresetStore store(share_folder() / "assets/presets", own_presets_folder());
  EXPECT_TRUE(store.faulty().empty());
  const auto found = store.find(folder / "config/echoloop/presets/carotid_hot.toml");
  ASSERT_TRUE(found);
  EXPECT_EQ(store.items()[*found].preset.slot, 9);
  EXPECT_EQ(store.items()[*found].owner, PresetOwner::user);
}

TEST(OlderFiles, ADescriptionByDescribeHasEveryFact) {
  const OlderFolder folder;
  const Recording recording = open_recording(folder / "named.mat");
  EXPECT_EQ(recording.format, "MATLAB v5 with JSON description");
  expect_acquisition(recording, open_recording_alone(folder / "named.mat").acquisition->bandwidth_hz);
  EXPECT_DOUBLE_EQ(recording.acquisition->frame_rate_hz, 80.0) << "160 transmits a second";
  for (const Assumption& a : recording.acquisition->assumptions) ADD_FAILURE() << a.text;

  fs::rename(folder / "named.json", folder / "elsewhere.json");
  const json report = run_one_frame(folder, {folder.at("named.mat"), "--description", folder.at("elsewhere.json")});
  EXPECT_EQ(report.at("acquisition").at("frame_rate_hz"), 80.0);
}

TEST(OlderFiles, MarksAreThoseOfSessionsAndFigures) {
  const OlderFolder folder;
  expect_marks_of_cyst(read_marks(folder / "cyst.echoloop.json"));
  const Marks marks = read_marks(folder / "figure.json");
  ASSERT_EQ(marks.list.size(), 1U);
  expect_mark(marks.list[0], 1, MarkKind::distance, {{-1.433272, 2.972578}, {1.279707, 5.685558}});

  const auto measured = [&](const std::string& file) {
    run_one_frame(folder, {"sim:cyst", "--marks", folder.at(file), "--measurements", folder.at("values.json")});
    return folder.object("values.json");
  };
  const json all = measured("cyst.echoloop.json");
  EXPECT_EQ(all.at("regions").size(), 4U);
  EXPECT_EQ(all.at("pairs").size(), 2U);
  EXPECT_EQ(all.at("points").size(), 1U);
  EXPECT_EQ(all.at("lines").size(), 3U);
  const json one = measured("figure.json");
  ASSERT_EQ(one.at("lines").size(), 1U);
  EXPECT_EQ(one.at("lines")[0]["length_mm"], folder.object("figure.json")["values"]["lines"][0]["length_mm"]);
}

TEST(OlderFiles, TheCommandOfAFigureMakesItsImage) {
  const OlderFolder folder;
  const json older = folder.object("figure.json");
  ASSERT_EQ(repeat_command(older.at("command").get<std::string>(), folder), 0);
  const json again = folder.object("image.json");
  for (const auto& [key, value] : older.at("parameters").items()) {
    if (key == "structure_sigmas") continue;  // another default since; the figure has no objects
    expect_parameter(again.at("parameters"), key, text_of(value));
  }
  EXPECT_EQ(again.at("grid"), older.at("grid"));
  EXPECT_EQ(again.at("acquisition"), older.at("acquisition"));
  EXPECT_EQ(again.at("frame").at("source_index"), older.at("frame").at("source_index"));
}

#if defined(ECHO_HAVE_GUI)
std::set<std::string> lines_in(const fs::path& file) {
  const Words lines = lines_of(read_text(file));
  return {lines.begin(), lines.end()};
}

TEST(OlderFiles, TheSettingsOfTheWindowHaveEveryValue) {
  const ViewSettings s = load_view_settings(kConfig / "echoloop/window");
  EXPECT_EQ(s.widths.left, 341.0F);
  EXPECT_EQ(s.widths.right, 383.0F);
  EXPECT_EQ(s.plotted, Latency::shown);
  EXPECT_EQ(s.timeline_frames, 10);
  EXPECT_EQ(s.dock, Dock::spectrogram);
  EXPECT_EQ(s.dock_height, 221.0F);
  EXPECT_TRUE(s.histogram);
  EXPECT_EQ(s.scale, 1.5F);
  EXPECT_EQ(s.place, (WindowPlace{.width = 1500, .height = 900, .full_screen = true}));
  EXPECT_TRUE(s.toured);
  EXPECT_EQ(s.saving, (SaveChoice{.format = SaveFormat::svg,
                                  .size = SaveSize::scale,
                                  .width_mm = 120,
                                  .mm_per_cm = 24,
                                  .dpi = 250,
                                  .ground = PageGround::dark,
                                  .folder = "recordings",
                                  .name = "figure one"}));
  EXPECT_EQ(s.last_folder, "recordings");
  EXPECT_EQ(s.last_preset, "Carotid \"hot\"");
  EXPECT_EQ(s.recent.recordings, std::vector<fs::path>{"recordings/scan.npy"});
  for (const std::string panel : {"display", "flow", "formation", "log", "measure", "objects", "stream", "timeline"}) {
    EXPECT_TRUE(s.open.at(panel)) << panel;
  }
  for (const std::string panel : {"faults", "source", "timings"}) EXPECT_FALSE(s.open.at(panel)) << panel;
  for (const std::string panel : {"display", "stream", "timings"}) EXPECT_TRUE(s.open_compact.at(panel)) << panel;
  for (const std::string panel : {"faults", "flow", "formation", "log", "measure", "objects", "source", "timeline"}) {
    EXPECT_FALSE(s.open_compact.at(panel)) << panel;
  }

  const TemporaryFolder folder;
  ASSERT_TRUE(save_view_settings(folder / "window", s));
  const std::set<std::string> again = lines_in(folder / "window");
  for (const std::string& line : lines_in(kConfig / "echoloop/window")) EXPECT_TRUE(again.contains(line)) << line;
}

TEST(OlderFiles, TheLayoutOfSessionsHasEveryValue) {
  for (const char* const file : {"cyst.echoloop.json", "scan.echoloop.json"}) {
    const OlderFolder folder;
    const SavedSession session = read_session(folder / file);
    ViewSettings settings;
    apply_layout(settings, session.layout);
    const LayoutText again = layout_text(settings);
    for (const auto& [key, value] : session.layout) EXPECT_EQ(again.at(key), value) << file << " " << key;
  }
}
#endif

}  // namespace
}  // namespace echoloop::older_files_test
