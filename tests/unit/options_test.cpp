// The command line: every option of the design is understood, and every bad one is one line that names it.
#include "app/options/options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/options/preset.h"
#include "core/error.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"

namespace echoloop::options_test {
namespace {

using testing::expect_refusal;
using Words = std::vector<std::string>;

Options parse(Words words) {
  words.insert(words.begin(), "echoloop");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_command_line(static_cast<int>(words.size()), argv.data());
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ImagingParams applied(const Words& words) {
  return apply_settings(testing::small_picture(testing::linear_acquisition()), parse(words).settings);
}

TEST(Options, Defaults) {
  const Options o = parse({});
  EXPECT_EQ(o.command, Command::view);
  EXPECT_EQ(o.source, "sim:heart");
  EXPECT_FALSE(o.source_given);
  EXPECT_FALSE(o.headless);
  EXPECT_EQ(o.stream, StreamSettings());
  EXPECT_TRUE(o.interop);
}

TEST(Options, TheCourseRecipeHasTheLinearHeart) {
  EXPECT_EQ(parse({"--recipe", "course"}).source, "sim:heart,probe=L64");
  EXPECT_EQ(parse({"sim:heart", "--set", "recipe=course"}).source, "sim:heart,probe=L64");
  EXPECT_EQ(parse({"sim:heart", "--recipe", "course", "--set", "recipe=analytic"}).source, "sim:heart");
  EXPECT_EQ(parse({"sim:cyst", "--recipe", "course"}).source, "sim:cyst");
}

TEST(Options, Commands) {
  EXPECT_EQ(parse({"--version"}).command, Command::version);
  EXPECT_EQ(parse({"--list-params"}).command, Command::list_params);
  EXPECT_EQ(parse({"--help"}).command, Command::help);
  EXPECT_NE(parse({"--help"}).help.find("--policy"), std::string::npos);
  const Options info = parse({"info", "file.npy", "--json"});
  EXPECT_EQ(info.command, Command::info);
  EXPECT_EQ(info.source, "file.npy");
  EXPECT_TRUE(info.json);
  EXPECT_EQ(parse({"./info"}).command, Command::view);
}

TEST(Options, PaceFaultsAndMemoryForLookingBack) {
  const Options o = parse({"--pace", "2.5", "--inject", "load_ms=2,missing_every=100", "--history-mb", "1.5"});
  EXPECT_EQ(o.stream.pace_ms, 2.5);
  EXPECT_EQ(o.stream.inject.load_ms, 2.0);
  EXPECT_EQ(o.stream.inject.missing_every, 100.0);
  EXPECT_EQ(o.history_bytes, 1'500'000U);
  EXPECT_EQ(parse({"--history-mb", "0"}).history_bytes, 0U);
  EXPECT_FALSE(parse({}).history_bytes.has_value());
  expect_refusal([] { (void)parse({"--pace", "-1"}); }, "--pace");
  expect_refusal([] { (void)parse({"--inject", "warp=1"}); }, "warp");
  expect_refusal([] { (void)parse({"--history-mb", "-1"}); }, "--history-mb");
}

TEST(Options, RunAndFiles) {
  const Options o =
      parse({"sim:points",   "--headless",   "--frames",    "12",          "--duration", "2.5",   "--backend",
             "cpu",          "--no-interop", "--no-motion", "--image-out", "a.npy",      "--png", "b.png",
             "--screenshot", "c.png",        "--report",    "d.json",      "--trace",    "e.json"});
  EXPECT_EQ(o.source, "sim:points");
  EXPECT_TRUE(o.source_given);
  EXPECT_TRUE(o.headless);
  EXPECT_EQ(o.frames, 12U);
  EXPECT_EQ(o.duration_s, 2.5);
  EXPECT_EQ(o.backend, BackendChoice::cpu);
  EXPECT_FALSE(o.interop);
  EXPECT_FALSE(o.motion);
  EXPECT_EQ(o.files["--image-out"], "a.npy");
  EXPECT_EQ(o.files["--png"], "b.png");
  EXPECT_EQ(o.files["--screenshot"], "c.png");
  EXPECT_EQ(o.files["--report"], "d.json");
  EXPECT_EQ(o.files["--trace"], "e.json");
}

TEST(Options, ThePortOfOpenIgtlinkMayBeGiven) {
  EXPECT_EQ(parse({}).igtl_port, std::nullopt);
  EXPECT_EQ(parse({"--igtl", "sim:points"}).igtl_port, 18944);
  EXPECT_EQ(parse({"--igtl", "5000", "sim:points"}).igtl_port, 5000);
  const Options o = parse({"--igtl=0", "--igtl-address", "0.0.0.0", "--igtl-values", "uint8"});
  EXPECT_EQ(o.igtl_port, 0);
  EXPECT_EQ(o.igtl_address, "0.0.0.0");
  EXPECT_EQ(o.igtl_values, ImageValues::uint8);
}

TEST(Options, StreamSettings) {
  const Options o = parse({"--policy", "drop-oldest", "--slots", "3", "--lanes", "4", "--streams", "serial",
                           "--host-memory", "write-combined", "--rate", "12.5", "--no-loop", "--frame-wait", "spin"});
  EXPECT_EQ(o.stream.policy, RingPolicy::drop_oldest);
  EXPECT_EQ(o.stream.slots, 3);
  EXPECT_EQ(o.stream.lanes, 4);
  EXPECT_EQ(o.stream.streams, StreamMode::serial);
  EXPECT_EQ(o.stream.host_memory, HostMemory::write_combined);
  EXPECT_EQ(o.stream.frame_wait, FrameWait::spin);
  EXPECT_EQ(o.stream.rate_hz, 12.5);
  EXPECT_FALSE(o.stream.loop);
  EXPECT_EQ(parse({"--rate", "max"}).stream.rate_hz, kRateMax);
  EXPECT_TRUE(parse({"--loop"}).stream.loop);
}

TEST(Options, NumbersAreDecimal) {
  EXPECT_EQ(parse({"--slots", "010"}).stream.slots, 10);
  EXPECT_EQ(parse({"--duration", "1e1"}).duration_s, 10.0);
}

TEST(Options, EveryNameOfEveryChoice) {
  for (std::size_t i = 0; i < kPolicyNames.size(); ++i) {
    EXPECT_EQ(parse({"--policy", std::string(kPolicyNames[i])}).stream.policy, static_cast<RingPolicy>(i));
  }
  for (std::size_t i = 0; i < kHostMemoryNames.size(); ++i) {
    EXPECT_EQ(parse({"--host-memory", std::string(kHostMemoryNames[i])}).stream.host_memory,
              static_cast<HostMemory>(i));
  }
  EXPECT_EQ(parse({"--streams", "overlap"}).stream.streams, StreamMode::overlap);
  EXPECT_EQ(parse({"--backend", "auto"}).backend, BackendChoice::automatic);
  EXPECT_EQ(parse({"--backend", "cuda"}).backend, BackendChoice::cuda);
}

TEST(Options, GridInMillimetresIncludingBothEnds) {
  const ImagingParams p = applied({"--grid", "-12.5:12.5:251,10:35:126"});
  EXPECT_DOUBLE_EQ(p.formation.lateral_min_m, -12.5e-3);
  EXPECT_DOUBLE_EQ(p.formation.lateral_max_m, 12.5e-3);
  EXPECT_DOUBLE_EQ(p.formation.depth_min_m, 10e-3);
  EXPECT_DOUBLE_EQ(p.formation.depth_max_m, 35e-3);
  EXPECT_EQ(p.formation.grid_nx, 251);
  EXPECT_EQ(p.formation.grid_nz, 126);
}

TEST(Options, SettingsApplyInOrderPresetsFirst) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "p.toml", "[parameters]\nf_number = 2\nrecipe = \"course\"\ngain_db = 3.5\n");
  const std::string preset = (folder / "p.toml").string();
  const ImagingParams p = applied({"--set", "f_number=1.1", "--set", "f_number=1.2", "--preset", preset});
  EXPECT_EQ(p.formation.f_number, 1.2);
  EXPECT_EQ(p.formation.recipe, Recipe::course);
  EXPECT_EQ(p.display.gain_db, 3.5);
  EXPECT_EQ(applied({"--preset", preset, "--recipe", "analytic"}).formation.recipe, Recipe::analytic);
}

TEST(Options, SeveralSettingsMayStandInOne) {
  const ImagingParams p = applied({"--set", "adaptive=generalized,adaptive_axis=both,adaptive_bins=3"});
  EXPECT_EQ(p.formation.adaptive, Adaptive::generalized);
  EXPECT_EQ(p.formation.adaptive_axis, AdaptiveAxis::both);
  EXPECT_EQ(p.formation.adaptive_bins, 3);
  expect_refusal([] { (void)applied({"--set", "f_number=1,2"}); }, "f_number");
}

// A value that the option takes; flags have none.
std::string value_for(const CLI::Option& option, const testing::TemporaryFolder& folder) {
  static const std::map<std::string, std::string> kValues = {
      {"--images-type", "uint8"}, {"--frame-wait", "spin"},     {"--record-format", "zea"},
      {"--figure-width", "120"},  {"--figure-scale", "20"},     {"--figure-pixels", "2"},
      {"--figure-dpi", "200"},    {"--compare", "sim:points"},  {"--compare-set", "f_number=2"},
      {"--compare-frame", "1"},   {"--compare-layout", "wipe"}, {"--scale", "1.5"},
      {"--width", "800"},         {"--height", "600"},          {"--igtl-address", "0.0.0.0"},
      {"--igtl-values", "uint8"}, {"--tap-wait", "1"},          {"--wait-method", "1"},
      {"--method-limit-ms", "50"}};
  if (option.get_items_expected_max() == 0 || option.get_name() == "--kiosk" || option.get_name() == "--control" ||
      option.get_name() == "--igtl" || option.get_name() == "--tap")
    return {};
  const auto found = kValues.find(option.get_name());
  return found != kValues.end() ? found->second : (folder / "file.json").string();
}

// Every option has a row; and each that needs something is refused where it is missing, or that is said, in one line
// that names both.
TEST(OptionNeeds, EveryOptionIsTriedWithoutWhatItNeeds) {
  const testing::TemporaryFolder folder;
  Options options;
  OptionTexts texts;
  CLI::App app;
  add_options(app, options, texts);
  std::set<std::string> rows;
  for (const OptionNeedRow& row : option_needs()) {
    const std::string name(row.option);
    EXPECT_TRUE(rows.insert(name).second) << name << " has two rows";
    const CLI::Option* const option = app.get_option_no_throw(name);
    ASSERT_NE(option, nullptr) << name << " is no option";
    if (row.need.is_met == nullptr) continue;
    Words given = {name};
    if (const std::string value = value_for(*option, folder); !value.empty()) given.push_back(value);
    bool refused = false;
    for (const Words& with : {Words{}, Words{"--headless"}, Words{"--kiosk"}}) {
      Words words = joined({"sim:points"}, joined(with, given));
      if (with == Words{"--kiosk"} && name == "--kiosk") continue;
      try {
        const Options options_of_run = parse(words);
        if (row.without == WithoutNeed::refused) continue;
        for (const std::string& warning : options_of_run.warnings) {
          refused = refused || warning == name + ": no effect without " + std::string(row.need.text);
        }
      } catch (const Error& error) {
        const std::string line = error.what();
        refused = true;
        EXPECT_TRUE(line.starts_with(name + ": ")) << line;
        EXPECT_NE(line.find(row.need.text.starts_with("no ") ? row.need.text.substr(3) : row.need.text), line.npos);
        EXPECT_EQ(line.find('\n'), line.npos);
      }
    }
    EXPECT_TRUE(refused) << name << " is taken without " << row.need.text;
  }
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional() || option->get_name() == "--help") continue;
    EXPECT_TRUE(rows.contains(option->get_name())) << option->get_name() << " has no row in app/option_list.cpp";
  }
}

TEST(OptionNeeds, AreMet) {
  for (const Words& words :
       {Words{"a.uff", "--headless", "--loop"}, Words{"sim:points", "--no-loop"},
        Words{"live:", "--frame-wait", "spin"}, Words{"a.uff", "--headless", "--unsandboxed"},
        Words{"info", "a.uff", "--unsandboxed", "--json"},
        Words{"sim:points", "--headless", "--screenshot", "a.png", "--width", "800", "--height", "600", "--scale", "1"},
        Words{"sim:points", "--interop", "--width", "800"}, Words{"sim:points", "--marks", "m.json"},
        Words{"sim:points", "--headless", "--marks", "m.json", "--find-sound-speed", "f.json"},
        Words{"sim:points", "--headless", "--figure", "f.png", "--compare-set", "f_number=2", "--match-levels"},
        Words{"sim:points", "--headless", "--marks", "m.json", "--measurements", "v.csv", "--compare", "sim:cyst",
              "--compare-frame", "3"},
        Words{"render", "a.uff", "--out", "d", "--images-type", "uint8", "--marks", "m.json", "--measurements",
              "v.csv"},
        Words{"sim:points", "--kiosk", "--report", "r.json"}}) {
    EXPECT_NO_THROW((void)parse(words)) << words.front() << ' ' << words.back();
  }
  EXPECT_EQ(parse({"live:", "--loop"}).warnings, Words{"--loop: no effect without a recording"});
}

TEST(Options, ComparedImageHasSettingsOfItsOwn) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "p.toml", "f_number = 2\ngain_db = 3\n[probe.parameters]\ndepth_max_m = 0.03\n");
  const Words figure = {"sim:points", "--headless", "--figure", "f.png"};
  const Options sets =
      parse(joined(figure, {"--compare-set", "f_number=1.5,gain_db=2", "--compare-set", "depth_max_m=0.02"}));
  EXPECT_EQ(sets.compare.settings, (Words{"f_number=1.5", "gain_db=2", "depth_max_m=0.02"}));
  EXPECT_TRUE(sets.settings.empty());
  const Options preset =
      parse(joined(figure, {"--compare", (folder / "p.toml").string(), "--compare-set", "gain_db=1"}));
  EXPECT_EQ(preset.compare.settings, (Words{"f_number=2", "gain_db=3", "gain_db=1"}));
  EXPECT_EQ(preset.compare.source, "");
  const Options other =
      parse(joined(figure, {"--compare", "a.mat", "--compare-set", "center_hz=4e6", "--compare-frame", "2"}));
  EXPECT_EQ(other.compare.source, "a.mat");
  EXPECT_EQ(other.compare.facts.at("center_hz"), 4e6);
  EXPECT_EQ(other.compare.frame, 2U);
  expect_refusal([&] { (void)parse(joined(figure, {"--compare-set", "center_hz=4e6"})); }, "--compare-set");
}

// A preset for another kind of probe: what is only meant for its probe is left out, and said.
TEST(Options, PresetObeysItsProbe) {
  const testing::TemporaryFolder folder;
  testing::write_text_file(folder / "p.toml",
                           "name = \"Heart\"\n[parameters]\nf_number = 2\n[probe]\nkind = \"phased\"\n"
                           "[probe.parameters]\ndepth_max_m = 0.012\n");
  const Options o = parse({"--preset", (folder / "p.toml").string(), "--set", "gain_db=3"});
  Acquisition linear = testing::linear_acquisition();
  const ImagingParams defaults = default_params(linear);
  const ImagingParams elsewhere = given_params(o, defaults, linear);
  EXPECT_EQ(elsewhere.formation.f_number, 2.0);
  EXPECT_EQ(elsewhere.display.gain_db, 3.0);
  EXPECT_EQ(elsewhere.formation.depth_max_m, defaults.formation.depth_max_m);
  const std::string why = why_not_whole(*o.preset.preset, linear);
  EXPECT_TRUE(why.starts_with("Preset Heart: ")) << why;
  EXPECT_NE(why.find("depth_max_m"), why.npos) << why;
  EXPECT_NE(why.find("phased"), why.npos) << why;
  linear.probe.kind = ProbeKind::phased;
  EXPECT_EQ(given_params(o, defaults, linear).formation.depth_max_m, 0.012);
  EXPECT_EQ(why_not_whole(*o.preset.preset, linear), "");
}

TEST(Options, BadInputNamesTheOption) {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--no-such-option"}, "--no-such-option"},
      {{"--frames", "0"}, "--frames"},
      {{"--frames", "99999999999999999999"}, "--frames = 99999999999999999999 is out of range (1 to 1000000000000)"},
      {{"--frames", "-3"}, "--frames"},
      {{"--frames", "many"}, "--frames"},
      {{"--frames", "many"}, "--frames = 'many' is not valid; expected a whole number"},
      {{"--duration", "long"}, "--duration = 'long' is not valid; expected a number"},
      {{"--frames"}, "--frames: no value given; expected N"},
      {{"--frames", "0x10"}, "--frames = '0x10' is not valid; expected a whole number"},
      {{"--slots", "+4"}, "--slots = '+4' is not valid; expected a whole number"},
      {{"--slots", " 4"}, "--slots"},
      {{"--slots", "99999999999"}, "--slots = 99999999999 is out of range"},
      {{"--duration", "0x1p3"}, "--duration = '0x1p3' is not valid; expected a number"},
      {{"--slots", "4", "--slots", "5"}, "--slots: given 2 times; expected one value"},
      {{"--kiosk=0x10"}, "--kiosk"},
      {{"--igtl=70000"}, "--igtl = 70000 is out of range (0 to 65535)"},
      {{"--igtl=any"}, "--igtl"},
      {{"--igtl", "--igtl-values", "int16"}, "--igtl-values"},
      {{"--headless=3"}, "--headless: found '--headless=3'; expected --headless without a value"},
      {{"--no-loop=false"}, "--no-loop"},
      {{"--json"}, "--json"},
      {{"--duration", "0"}, "--duration"},
      {{"--duration", "-1"}, "--duration"},
      {{"--duration", "nan"}, "--duration"},
      {{"--policy", "drop"}, "--policy"},
      {{"--backend", "opencl"}, "--backend"},
      {{"--host-memory", "fast"}, "--host-memory"},
      {{"--streams", "parallel"}, "--streams"},
      {{"--frame-wait", "nap"}, "--frame-wait"},
      {{"--rate", "0"}, "--rate"},
      {{"--rate", "-5"}, "--rate"},
      {{"--rate", "nan"}, "--rate"},
      {{"--rate", "fast"}, "--rate"},
      {{"--slots", "1"}, "--slots"},
      {{"--slots", "65"}, "--slots"},
      {{"--lanes", "0"}, "--lanes"},
      {{"--lanes", "5"}, "--lanes"},
      {{"--grid", ""}, "--grid"},
      {{"--grid", "1:2:3"}, "--grid"},
      {{"--grid", "5:1:10,1:2:3"}, "--grid"},
      {{"--grid", "1:5:0,1:2:3"}, "--grid"},
      {{"--grid", "1:5:10,1:2:99999"}, "--grid"},
      {{"--grid", "1:5:10.5,1:2:3"}, "--grid"},
      {{"--grid", "a:b:c,d:e:f"}, "--grid"},
      {{"--grid", "1:nan:10,1:2:3"}, "--grid"},
      {{"--preset", "/no/such/file.toml"}, "/no/such/file.toml"},
      {{"one.npy", "two.npy"}, "two.npy"},
  };
  for (const auto& [words, naming] : cases) {
    SCOPED_TRACE(words.size() > 1 ? words[0] + " " + words[1] : words[0]);
    expect_refusal([&words = words] { (void)parse(words); }, naming);
  }
}

TEST(Options, BadSettingsAndPresetsAreRefused) {
  expect_refusal([] { (void)applied({"--set", "f_number=-1"}); }, "f_number");
  expect_refusal([] { (void)applied({"--set", "unknown=1"}); }, "unknown");
  expect_refusal([] { (void)applied({"--recipe", "magic"}); }, "recipe");
  const testing::TemporaryFolder folder;
  const std::string preset = (folder / "bad.toml").string();
  testing::write_text_file(preset, "f_number = = 2\n");
  expect_refusal([&] { (void)parse({"--preset", preset}); }, "bad.toml");
  testing::write_text_file(preset, "f_number = [1, 2]\n");
  expect_refusal([&] { (void)parse({"--preset", preset}); }, "f_number");
}

// With which policy and how many slots a window's stream starts where the user says nothing.

TEST(StartSettings, APhantomOnTheCpuShowsItsNewestFrame) {
  const StreamSettings plain;
  const StreamSettings s = start_settings(plain, {.phantom = true, .on_cpu = true});
  EXPECT_EQ(s.policy, RingPolicy::drop_oldest);
  EXPECT_EQ(s.slots, kMinSlots);
  EXPECT_EQ(s.lanes, plain.lanes);
}

TEST(StartSettings, OneThatPlaysInSlowMotionLosesNothing) {
  const StreamSettings s = start_settings({}, {.phantom = true, .on_cpu = true, .slow_motion = true});
  EXPECT_EQ(s.policy, RingPolicy::block);
  EXPECT_EQ(s.slots, kMinSlots);
}

TEST(StartSettings, EverythingElseIsAsWithoutAWindow) {
  const StreamSettings plain;
  for (const StartFacts& facts :
       {StartFacts{.phantom = true, .on_cpu = false}, StartFacts{.phantom = false, .on_cpu = true},
        StartFacts{.phantom = true, .every_frame = true, .on_cpu = true}}) {
    StreamSettings phantoms;  // the source before
    phantoms.policy = RingPolicy::drop_oldest;
    phantoms.slots = kMinSlots;
    EXPECT_EQ(start_settings(phantoms, facts), plain);
  }
}

}  // namespace
}  // namespace echoloop::options_test
