// Presets: every parameter comes back exactly, a preset changes what it names and nothing else, and whatever is wrong
// in a file is one line.
#include "app/options/preset.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "app/options/options.h"
#include "core/params.h"
#include "support/acquisitions.h"
#include "support/one_line.h"
#include "support/temporary_folder.h"
#include "test_paths.h"

namespace echoloop::preset_test {
namespace {

using namespace testing;

ImagingParams random_params(std::mt19937& random) {
  ImagingParams p;
  for (const ParamSpec& spec : param_table()) {
    set_number(p, spec, std::uniform_real_distribution<double>(spec.min, spec.max)(random));
  }
  return p;
}

TEST(Preset, EveryParameterSurvivesSavingAndLoadingExactly) {
  std::mt19937 random(7);
  const Acquisition a = linear_acquisition();
  for (int trial = 0; trial < 200; ++trial) {
    const ImagingParams wanted = random_params(random);
    const Preset preset = make_preset("A \"quoted\\\" näme", wanted, a);
    EXPECT_EQ(preset.values.size() + preset.probe_values.size(), param_table().size());
    const Preset read = parse_preset("test", preset_toml(preset));
    EXPECT_EQ(read.name, preset.name);
    const ImagingParams loaded = apply_preset(read, random_params(random), a);
    for (const ParamSpec& spec : param_table()) {
      EXPECT_EQ(get_number(loaded, spec), get_number(wanted, spec)) << spec.key << "\n" << preset_toml(preset);
    }
    EXPECT_EQ(loaded, wanted);
    EXPECT_EQ(apply_settings(random_params(random), preset_settings(read)), wanted);  // --preset
  }
}

TEST(Preset, BothEndsOfEveryRangeSurvive) {
  const Acquisition a = linear_acquisition();
  std::mt19937 random(5);
  for (const ParamSpec& spec : param_table()) {
    for (const double value : {spec.min, spec.max}) {
      ImagingParams wanted = random_params(random);
      set_number(wanted, spec, value);
      EXPECT_EQ(apply_preset(parse_preset("test", preset_toml(make_preset("p", wanted, a))), {}, a), wanted)
          << spec.key;
    }
  }
}

TEST(Preset, ChangesWhatItNamesAndNothingElse) {
  const Acquisition a = linear_acquisition();
  std::mt19937 random(3);
  const ImagingParams before = random_params(random);
  ImagingParams wanted = before;
  wanted.formation.f_number = 1.25;
  wanted.display.color_map = ColorMap::viridis;
  const Preset p = parse_preset("test", "[parameters]\nf_number = 1.25\ncolor_map = \"viridis\"\n");
  EXPECT_EQ(apply_preset(p, before, a), wanted);
  EXPECT_EQ(apply_preset(parse_preset("flat", "f_number = 1.25\ncolor_map = 'viridis'\n"), before, a), wanted);
  EXPECT_EQ(apply_preset(parse_preset("empty", ""), before, a), before);
}

TEST(Preset, WhatMeansOneProbeActsOnThatProbeOnly) {
  Acquisition a = linear_acquisition();
  a.probe.name = "L128";
  ImagingParams wanted;
  wanted.formation.depth_max_m = 0.033;
  wanted.formation.band_low_hz = 3e6;
  wanted.display.gain_db = 7;
  const Preset p = parse_preset("test", preset_toml(make_preset("p", wanted, a)));
  EXPECT_TRUE(belongs_to(p, a));
  EXPECT_EQ(apply_preset(p, {}, a), wanted);
  std::vector<Acquisition> others(3, a);
  others[0].probe.name = "another";
  others[1].center_hz *= 1.2;
  others[2].probe.kind = ProbeKind::convex;
  for (const Acquisition& other : others) {
    EXPECT_FALSE(belongs_to(p, other));
    const ImagingParams loaded = apply_preset(p, {}, other);
    EXPECT_EQ(loaded.formation.depth_max_m, ImagingParams().formation.depth_max_m);
    EXPECT_EQ(loaded.formation.band_low_hz, ImagingParams().formation.band_low_hz);
    EXPECT_EQ(loaded.display.gain_db, 7);
  }
}

TEST(Preset, ReadsItsHead) {
  const Preset p = parse_preset("test", R"(
name = "Carotid"
about = "For the neck."
slot = 4
organ = true
[probe]
name = "L11"
kind = "linear"
center_hz = 7.5e6
default = true
[probe.parameters]
depth_max_m = 0.04
)");
  EXPECT_EQ(p.name, "Carotid");
  EXPECT_EQ(p.about, "For the neck.");
  EXPECT_EQ(p.slot, 4);
  EXPECT_TRUE(p.is_default);
  EXPECT_EQ(p.probe.words(), "L11, linear, 7.5 MHz");
  const Preset again = parse_preset("test", preset_toml(p));
  EXPECT_EQ(again.about, p.about);
  EXPECT_EQ(again.slot, 4);
  EXPECT_EQ(again.organ, 99) << "true: after those with a place";
  EXPECT_TRUE(again.is_default);
  EXPECT_EQ(again.probe.words(), p.probe.words());
  ASSERT_EQ(again.probe_values.size(), 1U);
}

TEST(Preset, WhatIsWrongIsOneLineThatNamesFileAndWord) {
  const auto refused = [](const char* toml, const char* naming) {
    expect_refusal([&] { parse_preset("some.toml", toml); }, naming);
    expect_refusal([&] { parse_preset("some.toml", toml); }, "some.toml");
  };
  refused("f_number = ", "line 1");
  refused("f_nummer = 1", "f_nummer");
  refused("f_number = 99", "f_number");
  refused("f_number = [1]", "f_number");
  refused("apodization = \"none\"", "boxcar");
  refused("slot = 10", "slot");
  refused("slot = 1e300", "slot");
  refused("organ = 0", "organ");
  refused("name = 3", "name");
  refused("parameters = 3", "parameters");
  refused("[probe]\nkind = \"round\"", "round");
  refused("[probe]\ncenter_hz = -1", "center_hz");
  refused("[probe]\ndefault = \"yes\"", "default");
  refused("[probe]\ncolour = 1", "colour");
  refused("[probe.parameters]\ndepth = 1", "depth");
}

// Each of these made the library's parser call itself until the stack was gone.
TEST(Preset, NestingWithoutLimitIsRefused) {
  std::string dots = "a", brackets = "a = ", tables = "[a";
  for (int i = 0; i < 30'000; ++i) {
    dots += ".a";
    brackets += "[";
    tables += ".a";
  }
  for (const std::string& text : {dots + " = 1\n", brackets, tables + "]\n", "a = " + std::string(30'000, '{')}) {
    EXPECT_THROW(parse_preset("deep.toml", text), Error);
  }
  std::string sentence(60, '.');
  EXPECT_EQ(parse_preset("fine.toml", "about = \"" + sentence + "\"\n").about, sentence);
}

TEST(Preset, APipeIsNotWaitedFor) {
  const testing::TemporaryFolder folder;
  const std::string pipe = folder / "pipe.toml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(read_preset(pipe), Error);
}

TEST(Preset, AFileWithoutANameIsCalledAsTheFile) {
  const TemporaryFolder folder;
  write_text_file(folder / "my_heart.toml", "gain_db = 3\n");
  EXPECT_EQ(read_preset(folder / "my_heart.toml").name, "my heart");
  expect_refusal([&] { read_preset(folder / "none.toml"); }, "none.toml");
  expect_refusal([&] { read_preset(folder.path()); }, "folder");
}

// Whatever the source: plane waves, focused lines, a sector, IQ.
TEST(Preset, TheProgramsOwnFitAnySource) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(ECHO_SOURCE_DIR "/assets/presets")) {
    const Preset p = read_preset(file.path());
    EXPECT_FALSE(p.about.empty()) << file.path();
    EXPECT_NE(p.slot > 0, p.organ > 0) << file.path();
    EXPECT_TRUE(p.probe.any() && p.probe_values.empty()) << file.path();
    for (const PresetValue& v : p.values) {
      const bool universal = !v.spec->from_acquisition || v.spec->key == "f_number";
      EXPECT_TRUE(universal) << file.path() << " " << v.spec->key;
    }
    ++count;
  }
  EXPECT_GE(count, 8);
}

TEST(Preset, SaysWhereItHasNoEffect) {
  const auto own = [](const char* file) { return read_preset(ECHO_SOURCE_DIR "/assets/presets/" + std::string(file)); };
  const Acquisition fan = scan_line_acquisition(9), plane = linear_acquisition(16, 400, {-5.0, 5.0});
  const Preset beams = own("focused_beams.toml");
  ImagingParams lines = default_params(fan);
  lines.formation.compounding = Compounding::lines;  // which the preset ends
  EXPECT_EQ(why_no_effect(beams, lines, fan), "");
  EXPECT_TRUE(uses_cones(apply_preset(beams, lines, fan), fan));
  EXPECT_EQ(why_no_effect(beams, default_params(plane), plane),
            "Transmit cone has no effect. Only for focused transmits.");
  for (const char* file : {"coherence.toml", "wiener.toml", "capon.toml", "detail.toml"}) {
    EXPECT_EQ(why_no_effect(own(file), default_params(plane), plane), "") << file;
  }
}

}  // namespace
}  // namespace echoloop::preset_test
