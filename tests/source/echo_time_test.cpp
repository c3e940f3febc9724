// Where echoes land: the phantoms' geometry against a formula written here, to 5 ns, sign of the angle included.
#include <gtest/gtest.h>

#include "core/acquisition.h"
#include "phantom_testing.h"
#include "source/phantom.h"
#include "support/sanitized.h"

namespace echoloop::echo_time_test {
namespace {

using testing::echo_error_s;
using testing::echo_time_s;
using testing::frame_of;
using testing::line_of;

constexpr double kTolerance_s = 5e-9;

AcquisitionPtr acquisition_of(const std::string& probe, std::vector<double> angles_deg) {
  PhantomSettings settings{.name = "points", .probe = probe};
  settings.angles_rad.emplace();
  for (const double angle : angles_deg) settings.angles_rad->push_back(angle * kRadiansPerDegree);
  return make_phantom(settings)->acquisition();
}

// Returns the time at an element of the echo of (x, z): plane waves, and waves from a virtual source.
double expected_time_s(const Transmit& t, double x_m, double z_m, double x_e_m) {
  if (t.kind == TransmitKind::plane) return echo_time_s(x_m, z_m, t.angle_rad, x_e_m, 1540.0);
  const double there_m = std::hypot(x_m - t.source_x_m, z_m - t.source_z_m) - std::hypot(t.source_x_m, t.source_z_m);
  return (there_m + std::hypot(x_m - x_e_m, z_m)) / 1540.0;
}

TEST(EchoTime, OneScattererOnEveryElementAndTransmit) {
  for (const ProbeModel& model : probe_models()) {
    const AcquisitionPtr a = acquisition_of(std::string(model.name), {-15.0, -6.0, 0.0, 6.0, 15.0});
    EchoSynth synth(*a, model.fractional_bandwidth);
    const double depth_m = 0.5 * model.n_samples / model.sampling_hz() * 1540.0;
    const double points[][2] = {{0.0, 0.3}, {0.31, 0.21}, {-0.43, 0.5}, {0.2, 0.613}};
    std::size_t n_tried = model.name.size();
    for (const auto& point : points) {
      if (testing::kSanitized && n_tried++ % 4 != 0) continue;
      Scatterers one;
      one.add(point[0] * model.width_m(), point[1] * depth_m, 1.0);
      synth.begin(one);
      double worst_s = 0.0;
      for (int e = 0; e < a->n_elements(); ++e) {
        const std::span<const float> rf = synth.element(e);
        for (int t = 0; t < a->n_transmits(); ++t) {
          const double expected_s = expected_time_s(a->transmits[static_cast<std::size_t>(t)], one.x_m[0], one.z_m[0],
                                                    a->probe.elements[static_cast<std::size_t>(e)].x_m);
          const auto n = static_cast<std::size_t>(a->n_samples);
          if (expected_s * a->sampling_hz > a->n_samples - 12) continue;
          // Beside the first zero of the element's directivity there is no echo to measure.
          const double side_m = one.x_m[0] - a->probe.elements[static_cast<std::size_t>(e)].x_m;
          const double sine = side_m / std::hypot(side_m, one.z_m[0]);
          if (std::abs(sine) * model.element_width_m * model.center_hz / 1540.0 > 0.9) continue;
          const auto line = rf.subspan(static_cast<std::size_t>(t) * n, n);
          worst_s = std::max(worst_s, std::abs(echo_error_s(line, *a, expected_s)));
        }
      }
      EXPECT_LT(worst_s, kTolerance_s) << model.name << " point " << point[0] << ", " << point[1];
    }
  }
}

TEST(EchoTime, DelayedStartOfSampling) {
  Acquisition a = *acquisition_of("L64", {6.0});
  a.transmits[0].t0_s = 3.3e-6;
  EchoSynth synth(a, 0.6);
  Scatterers one;
  one.add(4e-3, 12e-3, 1.0);
  synth.begin(one);
  const double back_s = echo_time_s(4e-3, 12e-3, 6.0 * kRadiansPerDegree, a.probe.elements[10].x_m, 1540.0);
  EXPECT_LT(std::abs(echo_error_s(synth.element(10), a, back_s - 3.3e-6)), kTolerance_s);
}

// The envelope's peak is at the geometric time: at fs = 4 fc the sample there is the pulse's middle, its value 1.
TEST(EchoTime, PulseIsCentredAndOfUnitHeight) {
  const AcquisitionPtr a = acquisition_of("L64", {0.0});
  EchoSynth synth(*a, 0.6);
  const auto x_e = static_cast<float>(a->probe.elements[31].x_m);
  Scatterers one;
  one.add(x_e, 200.0 * 1540.0 / (2.0 * a->sampling_hz), 1.0);  // straight below element 31, 200 samples there and back
  synth.begin(one);
  const std::span<const float> rf = synth.element(31);
  EXPECT_NEAR(rf[200], 1.0, 0.02);
  EXPECT_NEAR(rf[201], 0.0, 0.02);  // a quarter of a period later
  EXPECT_NEAR(rf[199], rf[201], 1e-3);
  EXPECT_LT(rf[202], -0.6);  // half a period later
}

TEST(EchoTime, PositiveAngleReachesPositiveXLater) {
  // Wires at x = -5 and +5 mm, 15 mm deep, mirrored elements: the ways back are equal, the ways there differ by
  // 10 mm sin 6 degrees = 1.0453 mm, that is 678.8 ns at 1540 m/s.
  PhantomSettings settings{.name = "points"};
  settings.angles_rad = {{6.0 * kRadiansPerDegree}};
  const auto wires = points_phantom_wires(settings);
  ASSERT_NEAR(wires[2].x_m, -5e-3, 1e-12);
  ASSERT_NEAR(wires[3].x_m, 5e-3, 1e-12);
  const auto source = make_phantom(settings);
  const Acquisition& a = *source->acquisition();
  const auto frame = frame_of(*source, 0);
  const double left_s = echo_time_s(-5e-3, 15e-3, 6.0 * kRadiansPerDegree, a.probe.elements[15].x_m, 1540.0);
  EXPECT_LT(std::abs(echo_error_s(line_of(a, frame, 0, 15), a, left_s)), kTolerance_s);
  EXPECT_LT(std::abs(echo_error_s(line_of(a, frame, 0, 48), a, left_s + 678.8e-9)), kTolerance_s);
}

// The middle error of a wire's echoes over all elements: where echoes of two wires cross, single lines may be off.
double median_error_s(const Acquisition& a, const std::vector<std::int16_t>& frame, const PlanePoint& wire) {
  std::vector<double> errors;
  for (int t = 0; t < a.n_transmits(); ++t) {
    for (int e = 0; e < a.n_elements(); ++e) {
      const double expected_s = echo_time_s(wire.x_m, wire.z_m, a.transmits[static_cast<std::size_t>(t)].angle_rad,
                                            a.probe.elements[static_cast<std::size_t>(e)].x_m, a.sound_speed_m_s);
      if (expected_s * a.sampling_hz > a.n_samples - 12) continue;
      errors.push_back(std::abs(echo_error_s(line_of(a, frame, t, e), a, expected_s)));
    }
  }
  std::ranges::sort(errors);
  return errors.empty() ? 1.0 : errors[errors.size() / 2];
}

TEST(EchoTime, WiresOfThePointsPhantom) {
  const PhantomSettings settings{.name = "points"};
  const auto source = make_phantom(settings);
  const auto wires = points_phantom_wires(settings);
  EXPECT_NEAR(wires[1].z_m - wires[0].z_m, 20.00e-3, 1e-12);
  EXPECT_NEAR(wires[3].x_m - wires[2].x_m, 10.00e-3, 1e-12);
  const auto frame = frame_of(*source, 7);
  for (const PlanePoint& wire : wires) {
    EXPECT_LT(median_error_s(*source->acquisition(), frame, wire), kTolerance_s) << wire.x_m << ", " << wire.z_m;
  }
}

TEST(EchoTime, CirclingWireIsWhereItIsSaidToBe) {
  const PhantomSettings settings{.name = "points", .sound_speed_m_s = 1480.0};
  const auto source = make_phantom(settings);
  for (const std::uint64_t index : {0U, 33U, 100U, 151U, 1234567U}) {
    const PlanePoint wire = points_phantom_circling_wire(settings, index);
    EXPECT_LT(median_error_s(*source->acquisition(), frame_of(*source, index), wire), kTolerance_s) << index;
  }
  const PlanePoint here = points_phantom_circling_wire(settings, 0);
  const PlanePoint there = points_phantom_circling_wire(settings, 100);
  EXPECT_GT(std::hypot(here.x_m - there.x_m, here.z_m - there.z_m), 2e-3);  // it moves visibly
}

}  // namespace
}  // namespace echoloop::echo_time_test
