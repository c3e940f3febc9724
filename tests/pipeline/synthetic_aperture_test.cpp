// Synthetic aperture and sectors end to end: echoes of points computed here from distances alone (no delay code of the
// program) appear where the points are.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/streaming.h"

namespace echoloop::synthetic_aperture_test {
namespace {

using namespace testing;

struct Spot {
  double x_m, z_m;
};
constexpr Spot kSpots[] = {{0.0, 12e-3}, {-4e-3, 15e-3}, {5e-3, 20e-3}};

// Echoes as bursts at the time that `sent` says a wave from the array reaches the spot, after the file's own clock.
template <class Sent>
std::vector<float> echoes(const Acquisition& a, Sent sent) {
  std::vector<float> values(a.frame_values(), 0.0f);
  for (int t = 0; t < a.n_transmits(); ++t) {
    for (int e = 0; e < a.n_elements(); ++e) {
      const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
      float* line =
          values.data() + static_cast<std::size_t>(t * a.n_elements() + e) * static_cast<std::size_t>(a.n_samples);
      for (const Spot& s : kSpots) {
        const double back_s = std::hypot(s.x_m - element.x_m, s.z_m - element.z_m) / a.sound_speed_m_s;
        const double at_s = sent(t, s) + back_s - a.transmits[static_cast<std::size_t>(t)].t0_s;
        for (int n = 0; n < a.n_samples; ++n) {
          const double late = n / a.sampling_hz - at_s;
          if (std::abs(late) > 1e-6) continue;
          line[n] +=
              static_cast<float>(std::exp(-std::pow(late * a.center_hz, 2)) * std::cos(2.0 * kPi * a.center_hz * late));
        }
      }
    }
  }
  return values;
}

void expect_spots(const Acquisition& a, const std::vector<float>& values, ImagingParams p) {
  p.formation.depth_min_m = 8e-3;
  p.formation.depth_max_m = 24e-3;
  const auto source = std::make_shared<FrameList>(share(a), std::vector<std::vector<std::byte>>{to_bytes(values)});
  const Picture picture = process({.source = source, .params = p}).at(0);
  const Grid& g = picture.grid;
  for (const Spot& s : kSpots) {
    float best = -1000.0f;
    PlanePoint found{};
    for (int iz = 0; iz < g.nz; ++iz) {
      for (int ix = 0; ix < g.nx; ++ix) {
        const PlanePoint at = g.point(ix, iz);
        if (std::hypot(at.x_m - s.x_m, at.z_m - s.z_m) > 1.2e-3 || picture.at(ix, iz) <= best) continue;
        best = picture.at(ix, iz);
        found = at;
      }
    }
    EXPECT_NEAR(found.x_m, s.x_m, 0.13e-3);
    EXPECT_NEAR(found.z_m, s.z_m, 0.06e-3);
    EXPECT_GT(best, -12.0f);
  }
}

// One element fires at a time, and the record starts 2 us before it does.
TEST(SyntheticAperture, OneElementAtATime) {
  Acquisition a = phased_acquisition(900, std::vector<double>(16, 0.0));
  for (std::size_t t = 0; t < a.transmits.size(); ++t) {
    Transmit& transmit = a.transmits[t];
    transmit.kind = TransmitKind::delays;
    transmit.element_delays_s.assign(a.probe.elements.size(), std::numeric_limits<double>::quiet_NaN());
    transmit.element_delays_s[2 * t] = 0.0;
    transmit.t0_s = -2e-6;
  }
  const std::vector<float> values = echoes(a, [&](int t, const Spot& s) {
    const Element& e = a.probe.elements[static_cast<std::size_t>(2 * t)];
    return std::hypot(s.x_m - e.x_m, s.z_m - e.z_m) / a.sound_speed_m_s;
  });
  ImagingParams cartesian = small_picture(a, 161, 321);
  cartesian.formation.f_number = 0.0;
  cartesian.formation.lateral_min_m = -8e-3;
  cartesian.formation.lateral_max_m = 8e-3;
  expect_spots(a, values, cartesian);
  ImagingParams sector = small_sector(a, 161, 321);
  sector.formation.f_number = 0.0;
  expect_spots(a, values, sector);
}

// The same as virtual sources on the array, whose waves pass the origin later than they start.
TEST(SyntheticAperture, SourcesOnTheArray) {
  Acquisition a = phased_acquisition(900, std::vector<double>(16, 0.0));
  for (std::size_t t = 0; t < a.transmits.size(); ++t) {
    a.transmits[t].source_x_m = a.probe.elements[2 * t].x_m;
    a.transmits[t].source_z_m = 0.0;
    a.transmits[t].t0_s = -std::abs(a.transmits[t].source_x_m) / a.sound_speed_m_s;  // sample 0: the element fires
  }
  const std::vector<float> values = echoes(a, [&](int t, const Spot& s) {
    const double x = a.transmits[static_cast<std::size_t>(t)].source_x_m;
    return (std::hypot(s.x_m - x, s.z_m) - std::abs(x)) / a.sound_speed_m_s;
  });
  expect_spots(a, values, small_sector(a, 161, 321));
}

// Focused waves, in and beyond the focal region: a wave that goes through (0, 0) at time zero along its own line.
TEST(ScanLinePictures, ShowPointsOnTheirLinesAboveAndBelowTheFocus) {
  Acquisition a = scan_line_acquisition(31, 900);
  const double step = 2.0 * kRadiansPerDegree;
  for (int k = 0; k < 31; ++k) {
    a.transmits[static_cast<std::size_t>(k)].source_x_m = 14e-3 * std::sin((k - 15) * step);
    a.transmits[static_cast<std::size_t>(k)].source_z_m = 14e-3 * std::cos((k - 15) * step);
  }
  // A beam: all that is within a line's width of it echoes, the later the farther along the line.
  std::vector<float> values = echoes(a, [&](int t, const Spot& s) {
    const double off = std::atan2(s.x_m, s.z_m) - (t - 15) * step;
    return std::abs(off) < 0.5 * step ? std::hypot(s.x_m, s.z_m) / a.sound_speed_m_s : 1.0;
  });
  ImagingParams p = small_sector(a, 0, 321);
  p.formation.depth_min_m = 8e-3;
  p.formation.depth_max_m = 24e-3;
  const auto source = std::make_shared<FrameList>(share(a), std::vector<std::vector<std::byte>>{to_bytes(values)});
  const Picture picture = process({.source = source, .params = p}).at(0);
  ASSERT_EQ(picture.grid.nx, 31);
  for (const Spot& s : kSpots) {
    const GridPlace place = picture.grid.place(s.x_m, s.z_m);
    const int ix = static_cast<int>(std::lround(place.column));
    int best = 0;
    for (int iz = 0; iz < picture.grid.nz; ++iz) {
      if (picture.at(ix, iz) > picture.at(ix, best)) best = iz;
    }
    EXPECT_NEAR(best, place.row, 1.5) << s.x_m;
  }
}

}  // namespace
}  // namespace echoloop::synthetic_aperture_test
