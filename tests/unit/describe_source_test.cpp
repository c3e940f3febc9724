// What `echoloop info` says of the waves of a recording, in a researcher's words.
#include <gtest/gtest.h>

#include <cmath>

#include "app/outputs/comparison.h"
#include "core/units.h"
#include "support/acquisitions.h"

namespace echoloop::describe_source_test {
namespace {

std::string described(const Acquisition& a) {
  OpenedSource opened;
  opened.info.name = "a.uff";
  opened.info.format = "UFF (USTB)";
  opened.info.acquisition = std::make_shared<const Acquisition>(a);
  opened.info.frame_count = 1;
  return describe_source(opened, measure_doubts(opened));
}

Transmit wave(TransmitKind kind, double x_m, double z_m, double t0_s) {
  Transmit t;
  t.kind = kind;
  t.source_x_m = x_m, t.source_z_m = z_m, t.t0_s = t0_s;
  return t;
}

void expect_line(const Acquisition& a, const std::string& line) {
  const std::string text = described(a);
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(DescribeSource, SectorBeamsByTheirAnglesAndFocus) {
  Acquisition a = testing::linear_acquisition(64, 1024);
  a.transmits.clear();
  for (int k = -18; k <= 18; ++k) {
    const double angle = 2.0 * k * kRadiansPerDegree;
    a.transmits.push_back(wave(TransmitKind::focused, 0.06 * std::sin(angle), 0.06 * std::cos(angle), k * 0.1e-6));
  }
  expect_line(a, "transmits     37 focused beams from -36.00 to 36.00 degrees, focus at 60.00 mm\n");
  expect_line(a, "first sample at -1.800 to 1.800 us\n");
}

TEST(DescribeSource, OneElementHasNoPitch) {
  expect_line(testing::linear_acquisition(1, 1024), "probe         one element\n");
  expect_line(testing::linear_acquisition(2, 1024), "probe         linear array, 2 elements, pitch ");
}

TEST(DescribeSource, WalkingBeamsByTheirPlaces) {
  Acquisition a = testing::linear_acquisition(64, 1024);
  a.transmits.clear();
  for (int k = -8; k <= 8; ++k) a.transmits.push_back(wave(TransmitKind::focused, k * 1e-3, 0.025, 0.0));
  expect_line(a, "transmits     17 focused beams from x = -8.00 to 8.00 mm, focus at 25.00 mm\n");
  expect_line(a, "first sample at 0.000 us\n");
}

TEST(DescribeSource, SourcesBehindTheArrayAndElementsInIt) {
  Acquisition a = testing::linear_acquisition(64, 1024);
  a.transmits = {wave(TransmitKind::diverging, 0.0, -0.0135, 0.0)};
  expect_line(a, "transmits     1 diverging wave, virtual source at z = -13.50 mm\n");
  a.transmits.push_back(wave(TransmitKind::diverging, 3e-3, -0.0125, 0.0));
  expect_line(a, "transmits     2 diverging waves, virtual sources at z = -13.50 to -12.50 mm\n");
  a.transmits.clear();
  for (const Element& e : a.probe.elements) a.transmits.push_back(wave(TransmitKind::diverging, e.x_m, e.z_m, 0.0));
  expect_line(a, "transmits     64 single elements (synthetic aperture)\n");
}

}  // namespace
}  // namespace echoloop::describe_source_test
