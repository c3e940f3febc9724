// The parameter table: every row works, and every refusal is one line that names the parameter.
#include "core/param_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "core/results/live_images.h"
#include "support/acquisitions.h"
#include "support/one_line.h"

namespace echoloop::param_table_test {
namespace {

using namespace testing;

std::string assignment(const ParamSpec& spec, const std::string& value) { return std::string(spec.key) + "=" + value; }

TEST(ParamTable, KeysAreUniqueAndTheDesignsAreThere) {
  std::set<std::string_view> keys;
  for (const ParamSpec& spec : param_table()) {
    EXPECT_TRUE(keys.insert(spec.key).second) << spec.key;
    EXPECT_FALSE(spec.label.empty()) << spec.key;
    EXPECT_FALSE(spec.help.empty()) << spec.key;
    EXPECT_LT(spec.min, spec.max) << spec.key;
    EXPECT_EQ(find_param(spec.key), &spec);
  }
  for (const char* key : {"sound_speed_m_s", "f_number", "apodization", "band_low_hz", "band_high_hz", "depth_min_m",
                          "depth_max_m", "dynamic_range_db", "gain_db", "reference_db", "gamma", "color_map"}) {
    EXPECT_TRUE(keys.contains(key)) << key;
  }
  EXPECT_EQ(find_param("no_such_parameter"), nullptr);
}

TEST(ParamTable, EveryRowIsSetAndReadAtBothEndsOfItsRange) {
  for (const ParamSpec& spec : param_table()) {
    for (const double value : {spec.min, spec.max}) {
      ImagingParams p;
      set_number(p, spec, value);
      EXPECT_EQ(get_number(p, spec), value) << spec.key;
      // Its text sets the same value in other parameters.
      ImagingParams copy;
      set_from_text(copy, assignment(spec, get_text(p, spec)));
      EXPECT_EQ(copy, p) << spec.key;
    }
  }
}

TEST(ParamTable, TextRoundTripKeepsEveryBit) {
  const ParamSpec& spec = *find_param("f_number");
  for (const double value : {1.1, 1.0 / 3.0, 0.1 + 0.2, 9.999999999999998}) {
    ImagingParams p, copy;
    set_number(p, spec, value);
    set_from_text(copy, assignment(spec, get_text(p, spec)));
    EXPECT_EQ(copy.formation.f_number, value);
  }
}

TEST(ParamTable, NumbersAreClamped) {
  for (const ParamSpec& spec : param_table()) {
    ImagingParams p;
    set_number(p, spec, spec.min - 1.0);
    EXPECT_EQ(get_number(p, spec), spec.min) << spec.key;
    set_number(p, spec, std::numeric_limits<double>::infinity());
    EXPECT_EQ(get_number(p, spec), spec.max) << spec.key;
    set_number(p, spec, std::nan(""));
    EXPECT_EQ(get_number(p, spec), spec.max) << spec.key << ": NaN changes nothing";
  }
}

TEST(ParamTable, TextOutOfRangeIsRefusedNotClamped) {
  for (const ParamSpec& spec : param_table()) {
    SCOPED_TRACE(spec.key);
    ImagingParams p;
    const ImagingParams before = p;
    for (const std::string& value :
         {std::string("nan"), std::string("inf"), std::string(""), std::string("1x"), std::string(" 1"),
          std::to_string(spec.max * 2.0 + 1.0), std::to_string(spec.min - 1000.0)}) {
      expect_refusal([&] { set_from_text(p, assignment(spec, value)); }, std::string(spec.key));
    }
    EXPECT_EQ(p, before) << "a refused value changed something";
  }
}

TEST(ParamTable, RefusalsNameKeyValueAndRange) {
  ImagingParams p;
  EXPECT_EQ(refusal_of([&] { set_from_text(p, "f_number=99"); }), "f_number = 99 is out of range (0 to 10)");
  EXPECT_EQ(refusal_of([&] { set_from_text(p, "f_number=wide"); }),
            "f_number = 'wide' is not valid; expected a number from 0 to 10");
}

TEST(ParamTable, ChoicesGoByName) {
  ImagingParams p;
  set_from_text(p, "apodization=hamming");
  EXPECT_EQ(p.formation.apodization, Apodization::hamming);
  set_from_text(p, "recipe=course");
  EXPECT_EQ(p.formation.recipe, Recipe::course);
  set_from_text(p, "color_map=viridis");
  EXPECT_EQ(p.display.color_map, ColorMap::viridis);
  expect_refusal([&] { set_from_text(p, "apodization=Hamming"); }, "boxcar, hann, hamming, tukey, gauss");
  expect_refusal([&] { set_from_text(p, "apodization=2"); }, "apodization");
}

TEST(ParamTable, UnknownKeysAndMalformedTextAreRefused) {
  ImagingParams p;
  expect_refusal([&] { set_from_text(p, "f_nummer=1"); }, "f_nummer");
  expect_refusal([&] { set_from_text(p, "f_number"); }, "KEY=VALUE");
  expect_refusal([&] { set_from_text(p, "=1"); }, "''");
  expect_refusal([&] { set_from_text(p, "f_number=1\n2"); }, "f_number");
  expect_refusal([&] { set_from_text(p, "grid_nx=10.5"); }, "whole number");
}

void expect_contradiction(const char* key, const char* value, const char* naming) {
  const Acquisition a = linear_acquisition();
  ImagingParams p = testing::small_picture(a);
  EXPECT_NO_THROW(validate_params(p, a));
  set_from_text(p, std::string(key) + "=" + value);
  expect_refusal([&] { validate_params(p, a); }, naming);
}

TEST(ParamTable, DisplayIsTakenAloneAndWhole) {
  ImagingParams from, to;
  for (const ParamSpec& spec : param_table()) set_number(from, spec, spec.max);
  to.display = from.display;
  const ImagingParams before;
  for (const ParamSpec& spec : param_table()) {
    const ImagingParams& as = spec.member.part == kPart<&ImagingParams::display> ? from : before;
    EXPECT_EQ(get_number(to, spec), get_number(as, spec)) << spec.key;
  }
  EXPECT_EQ(to.display.tgc_db[7], 40.0);
}

TEST(ParamTable, WithoutAnalysesAllAreOff) {
  ImagingParams all;
  for (const ParamSpec& spec : param_table()) set_number(all, spec, spec.max);
  const ImagingParams none = without_analyses(all);
  std::size_t n = 0;
  for (const ParamSpec& spec : param_table()) n += spec.control.turns_on != TurnsOn::nothing ? 1 : 0;
  EXPECT_EQ(n, kAnalyses);
  for_each_analysis([&]<class A>() {
    EXPECT_TRUE(is_on<A>(all));
    EXPECT_FALSE(is_on<A>(none));
  });
}

// A row's part is the struct that holds its member: each parameter changes this struct, and no other.
TEST(ParamTable, APartIsTheStructOfItsMember) {
  const ImagingParams a;
  for (const ParamSpec& spec : param_table()) {
    ImagingParams b = a;
    set_number(b, spec, get_number(a, spec) == spec.max ? spec.min : spec.max);
    const auto expect_part = [&](ParamPart part, bool equal) {
      EXPECT_EQ(equal, spec.member.part != part) << spec.key;
    };
    expect_part(kPart<&ImagingParams::formation>, a.formation == b.formation);
    expect_part(kPart<&ImagingParams::transmits>, a.transmits == b.transmits);
    expect_part(kPart<&ImagingParams::level>, a.level == b.level);
    expect_part(kPart<&ImagingParams::refine>, a.refine == b.refine);
    expect_part(kPart<&ImagingParams::color_flow>, a.color_flow == b.color_flow);
    expect_part(kPart<&ImagingParams::doppler>, a.doppler == b.doppler);
    expect_part(kPart<&ImagingParams::objects>, a.objects == b.objects);
    expect_part(kPart<&ImagingParams::display>, a.display == b.display);
    const bool pixels =
        spec.member.part == kPart<&ImagingParams::formation> || spec.member.part == kPart<&ImagingParams::transmits>;
    EXPECT_EQ(same_pixels(a, b), !pixels) << spec.key;
  }
}

// A slider is dragged within the range that may be typed, and begins and ends where it says.
TEST(ParamTable, ControlsLieWithinTheRange) {
  for (const ParamSpec& spec : param_table()) {
    const ParamControl& control = spec.control;
    if (control.drag_min == control.drag_max) continue;
    EXPECT_LT(control.drag_min, control.drag_max) << spec.key;
    EXPECT_GE(control.drag_min, spec.min * spec.shown_per_si - 1e-9) << spec.key;
    EXPECT_LE(control.drag_max, spec.max * spec.shown_per_si + 1e-9) << spec.key;
    EXPECT_TRUE(spec.choices.empty()) << spec.key;
  }
}

TEST(ParamTable, SaysWhyAParameterHasNoEffect) {
  const Acquisition a = linear_acquisition();
  ImagingParams p = default_params(a);
  const auto why = [&](std::string_view key) {
    return std::string(why_no_effect(param(key), {.params = p, .acquisition = &a}));
  };
  EXPECT_EQ(why("f_number"), "");
  EXPECT_EQ(why("flow"), "");
  EXPECT_NE(why("sector_min_rad"), "");
  p.formation.recipe = Recipe::course;
  EXPECT_NE(why("f_number").find("course"), std::string::npos);
  EXPECT_NE(why("flow").find("without phase"), std::string::npos);
  EXPECT_EQ(std::string(why_no_effect(param("structure"), {.params = p, .acquisition = nullptr})), "No source.");
}

TEST(ValidateParams, ContradictionsAreRefused) {
  expect_contradiction("band_low_hz", "9e6", "band_low_hz");
  expect_contradiction("depth_min_m", "0.4", "depth_min_m");
  expect_contradiction("lateral_max_m", "-0.2", "lateral_min_m");
  expect_contradiction("band_high_hz", "90e6", "sampling frequency");
  const Acquisition a = linear_acquisition();
  ImagingParams p = testing::small_picture(a);
  p.formation.f_number = std::nan("");
  expect_refusal([&] { validate_params(p, a); }, "f_number");
}

TEST(ParamTable, MarkdownHasARowForEachParameter) {
  const std::string table = params_markdown_table();
  for (const ParamSpec& spec : param_table()) {
    EXPECT_NE(table.find("| `" + std::string(spec.key) + "` |"), std::string::npos) << spec.key;
  }
}

}  // namespace
}  // namespace echoloop::param_table_test
