// The command line: every option of the design is understood, and every bad one is one line that names it.
#include "app/options/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/options/stream_defaults.h"
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
  const Options o = parse({"sim:points", "--headless", "--frames", "12", "--duration", "2.5", "--backend", "cpu",
                           "--no-interop", "--image-out", "a.npy", "--png", "b.png", "--screenshot", "c.png",
                           "--report", "d.json", "--trace", "e.json"});
  EXPECT_EQ(o.source, "sim:points");
  EXPECT_TRUE(o.source_given);
  EXPECT_TRUE(o.headless);
  EXPECT_EQ(o.frames, 12U);
  EXPECT_EQ(o.duration_s, 2.5);
  EXPECT_EQ(o.backend, BackendChoice::cpu);
  EXPECT_FALSE(o.interop);
  EXPECT_EQ(o.image_out, "a.npy");
  EXPECT_EQ(o.png, "b.png");
  EXPECT_EQ(o.screenshot, "c.png");
  EXPECT_EQ(o.report, "d.json");
  EXPECT_EQ(o.trace, "e.json");
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
