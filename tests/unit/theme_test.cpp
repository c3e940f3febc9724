// Colours of the window: text that can be read (WCAG 2.1, 1.4.3), and stages that a deuteranope can tell apart.
#include "gui/toolkit/theme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/units.h"

namespace echoloop::theme_test {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

struct Ink {
  const char* name;
  ImU32 color;
};

// Linear light, 0 to 1, of an sRGB colour.
Vector linear(ImU32 color) {
  Vector light{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = static_cast<double>((color >> (8 * i)) & 0xFF) / 255.0;
    light[i] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return light;
}

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) out[i] += m[i][k] * v[k];
  }
  return out;
}

double contrast(ImU32 a, ImU32 b) {
  const auto luminance = [](ImU32 color) {
    const Vector l = linear(color);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
  };
  const auto [dark, bright] = std::minmax({luminance(a), luminance(b)});  // a list: by value
  return (bright + 0.05) / (dark + 0.05);
}

// Machado, Oliveira and Fernandes 2009, deuteranopia, on linear light.
constexpr Matrix kMachado = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
// Vienot, Brettel and Mollon 1999, deuteranopia, likewise.
constexpr Matrix kVienot = {{{0.29275, 0.70725, 0.0}, {0.29275, 0.70725, 0.0}, {-0.02234, 0.02234, 1.0}}};
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// CIE L*a*b*, white point D65.
Vector lab(const Vector& light) {
  constexpr Matrix kXyz = {
      {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
  constexpr Vector kWhite = {0.95047, 1.0, 1.08883};
  Vector f = times(kXyz, light);
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = f[i] / kWhite[i];
    f[i] = t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
  }
  return {116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])};
}

// CIEDE2000 (Sharma, Wu and Dalal 2005), all weights 1.
double ciede2000(const Vector& first, const Vector& second) {
  const auto seventh = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
  const double g = 0.5 * (1.0 - seventh(0.5 * (std::hypot(first[1], first[2]) + std::hypot(second[1], second[2]))));
  const double a1 = first[1] * (1.0 + g), a2 = second[1] * (1.0 + g);
  const double c1 = std::hypot(a1, first[2]), c2 = std::hypot(a2, second[2]);
  const auto hue = [](double b, double a) {
    const double h = std::atan2(b, a) / kRadiansPerDegree;
    return h < 0.0 ? h + 360.0 : h;
  };
  const double h1 = hue(first[2], a1), h2 = hue(second[2], a2);
  double dh = c1 * c2 == 0.0 ? 0.0 : h2 - h1;
  if (dh > 180.0) dh -= 360.0;
  if (dh < -180.0) dh += 360.0;
  const auto sine = [](double degrees) { return std::sin(degrees * kRadiansPerDegree); };
  const auto cosine = [](double degrees) { return std::cos(degrees * kRadiansPerDegree); };
  const double dl = second[0] - first[0], dc = c2 - c1, dhue = 2.0 * std::sqrt(c1 * c2) * sine(0.5 * dh);
  const double l = 0.5 * (first[0] + second[0]), c = 0.5 * (c1 + c2);
  double h = h1 + h2;
  if (c1 * c2 != 0.0) h = std::abs(h1 - h2) <= 180.0 ? 0.5 * h : 0.5 * (h + (h < 360.0 ? 360.0 : -360.0));
  const double t = 1.0 - 0.17 * cosine(h - 30.0) + 0.24 * cosine(2.0 * h) + 0.32 * cosine(3.0 * h + 6.0) -
                   0.20 * cosine(4.0 * h - 63.0);
  const double off = l - 50.0;
  const double sl = 1.0 + 0.015 * off * off / std::sqrt(20.0 + off * off);
  const double sc = 1.0 + 0.045 * c, sh = 1.0 + 0.015 * c * t;
  const double turn = -2.0 * seventh(c) * sine(60.0 * std::exp(-std::pow((h - 275.0) / 25.0, 2.0)));
  return std::sqrt(std::pow(dl / sl, 2.0) + std::pow(dc / sc, 2.0) + std::pow(dhue / sh, 2.0) +
                   turn * dc / sc * dhue / sh);
}

// Pairs of the paper's table: the formula, not the colours.
TEST(Ciede2000, AgreesWithThePaper) {
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
  EXPECT_NEAR(ciede2000({50, 2.49, -0.001}, {50, -2.49, 0.0011}), 7.2195, 1e-4);
  EXPECT_NEAR(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644, 1e-4);
  EXPECT_NEAR(ciede2000({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

TEST(Contrast, IsThatOfTheStandard) {
  EXPECT_NEAR(contrast(theme::rgb(0xFFFFFF), theme::rgb(0x000000)), 21.0, 1e-9);
  EXPECT_NEAR(contrast(theme::rgb(0x777777), theme::rgb(0xFFFFFF)), 4.48, 0.005);
}

// Every ground with every colour of text that may lie on it.
TEST(Contrast, OfAllTextIsAtLeastFourAndAHalf) {
  using namespace theme;
  struct Pairs {
    Ink ground;
    std::vector<Ink> inks;
  };
  const Ink text{"text", kText}, text2{"text 2", kText2}, muted{"muted", kMuted}, accent{"accent", kAccent},
      red{"red", kRed}, disabled{"disabled", kDisabled};
  const std::vector<Pairs> all = {
      {{"canvas", kCanvas}, {text, text2, muted, accent, red, disabled}},
      {{"black", theme::kBlack}, {text, text2, muted, accent, red, disabled}},
      {{"panel", kPanel}, {text, text2, muted, accent, red, disabled}},
      {{"bar", kBar}, {text, text2, muted, accent, red, disabled}},
      {{"field", kField}, {text, text2, muted, accent, red, disabled}},
      {{"hover", kHover}, {text, text2, muted, accent, red}},
      {{"selected", kSelected}, {text, text2, accent}},
      {{"red ground", kRedGround}, {text, text2}},
      {{"accent", kAccent}, {{"ink", kInk}, {"muted ink", kInkMuted}}},
      {{"accent, hovered", kAccentHover}, {{"ink", kInk}, {"muted ink", kInkMuted}}},
      {{"red", kRed}, {{"ink", kInk}}},
      {{"text, as a badge", kText}, {{"ink", kInk}}},
  };
  double least = 21.0;
  for (const Pairs& pairs : all) {
    for (const Ink& ink : pairs.inks) {
      const double ratio = contrast(ink.color, pairs.ground.color);
      least = std::min(least, ratio);
      EXPECT_GE(ratio, 4.5) << ink.name << " on " << pairs.ground.name;
    }
  }
  RecordProperty("least", std::to_string(least));
}

TEST(StageColors, AreApartForAllEyes) {
  const std::array<std::pair<const char*, Matrix>, 3> eyes = {
      {{"normal", kNormal}, {"deuteranope (Machado)", kMachado}, {"deuteranope (Vienot)", kVienot}}};
  for (const auto& [eye, matrix] : eyes) {
    std::array<Vector, kStageCount> seen{};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      Vector light = times(matrix, linear(theme::kStageColors[i]));
      for (double& v : light) v = std::clamp(v, 0.0, 1.0);
      seen[i] = lab(light);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        EXPECT_GE(ciede2000(seen[i], seen[k]), 10.0) << kStages[i].key << ", " << kStages[k].key << ": " << eye;
      }
    }
  }
}

TEST(StageColors, AreSeenOnTheirGrounds) {
  for (std::size_t i = 0; i < theme::kStageColors.size(); ++i) {
    EXPECT_GE(contrast(theme::kStageColors[i], theme::kCanvas), 3.0) << kStages[i].key;
  }
}

}  // namespace
}  // namespace echoloop::theme_test
