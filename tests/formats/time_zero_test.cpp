// A wrong time of sample 0 is found by the echoes of two points, and nothing is said of a right one.
#include "formats/time_zero.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <tuple>

#include "core/acquisition.h"
#include "formats/readers/geometry.h"
#include "formats/support.h"

namespace echoloop::time_zero_test {
namespace {

// Echoes of points at (2, 20) and (-5, 12) mm, by the paths of the wave and back: RF, or IQ of `demod_hz`. The file's
// times are right when sample 0 of each transmit is at `a.transmits[k].t0_s`.
std::vector<std::byte> echoes(const Acquisition& a) {
  std::vector<float> values;
  for (const Transmit& t : a.transmits) {
    for (const Element& element : a.probe.elements) {
      for (int i = 0; i < a.n_samples; ++i) {
        const double t_s = t.t0_s + i / a.sampling_hz;
        std::complex<double> value;
        for (const auto& [x_m, z_m, level] : {std::array{2e-3, 20e-3, 1.0}, {-5e-3, 12e-3, 0.4}}) {
          const double sent = (x_m * std::sin(t.angle_rad) + z_m * std::cos(t.angle_rad)) / a.sound_speed_m_s;
          const double back = std::hypot(x_m - element.x_m, z_m - element.z_m) / a.sound_speed_m_s;
          const double at = t_s - sent - back;
          value += std::polar(level * std::exp(-std::pow(at / 0.15e-6, 2)),
                              2.0 * std::numbers::pi * (a.center_hz * at - a.demod_hz * t_s));
        }
        values.push_back(static_cast<float>(value.real()));
        if (a.signal == SignalKind::iq) values.push_back(static_cast<float>(value.imag()));
      }
    }
  }
  std::vector<std::byte> frame(values.size() * sizeof(float));
  std::memcpy(frame.data(), values.data(), frame.size());
  return frame;
}

Acquisition waves(const std::vector<double>& angles_rad) {
  Acquisition a;
  a.probe = make_linear_probe("L", 64, 0.3e-3);
  a.n_samples = 1000;
  a.sampling_hz = 25e6;
  a.center_hz = 5e6;
  for (const double angle : angles_rad) a.transmits.push_back({.angle_rad = angle, .element_delays_s = {}});
  a.validate("test");
  return a;
}

Acquisition moved(Acquisition a, double shift_s) {
  for (Transmit& t : a.transmits) t.t0_s += shift_s;
  return a;
}

const std::vector<double> kAngles{-0.2, -0.1, 0.0, 0.1, 0.2};

TEST(TimeZero, NothingIsSaidOfARightOneOrOfASmallError) {
  for (const std::vector<double>& angles : {std::vector{0.0}, kAngles}) {
    const Acquisition a = waves(angles);
    const auto frame = echoes(a);
    for (const double shift_s : {0.0, 0.3e-6, -0.3e-6}) EXPECT_FALSE(measure_time_zero(moved(a, shift_s), frame));
  }
}

TEST(TimeZero, APitchInWavelengthsTakenForMillimetresIsFound) {
  Acquisition a = waves(kAngles);
  for (const double wavelengths : {0.5, 0.98, 1.3}) {
    a.probe = make_linear_probe("L", 64, wavelengths * a.sound_speed_m_s / a.center_hz);
    const auto frame = echoes(a);
    EXPECT_FALSE(measure_other_fact(a, frame)) << wavelengths;
    Acquisition wrong = a;
    wrong.probe = make_linear_probe("L", 64, wavelengths * 1e-3);
    const auto found = measure_other_fact(wrong, frame);
    ASSERT_TRUE(found.has_value()) << wavelengths;
    EXPECT_NEAR(found->found, wavelengths * a.sound_speed_m_s / a.center_hz, 1e-9);
    EXPECT_GT(found->found_coherence, 0.9);
  }
}

// Times from the first firing of an array that is too wide.
TEST(TimeZero, APitchIsFoundWhereTheTimesWereMadeForIt) {
  Acquisition a = waves(kAngles);
  a.probe = make_linear_probe("L", 64, 0.5 * a.sound_speed_m_s / a.center_hz);
  const auto frame = echoes(a);
  a.probe = make_linear_probe("L", 64, 0.5e-3);
  for (Transmit& t : a.transmits) t.t0_s += first_firing_s(t, a.probe, a.sound_speed_m_s, {});
  const auto found = measure_other_fact(a, frame);
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->found_coherence, 0.9);
}

TEST(TimeZero, NothingIsSaidOfARightPitchInMillimetres) {
  for (const double pitch_mm : {0.3, 0.5, 0.6, 1.0}) {
    Acquisition a = waves(kAngles);
    a.probe = make_linear_probe("L", 64, pitch_mm * 1e-3);
    const auto frame = echoes(a);
    EXPECT_FALSE(measure_other_fact(a, frame)) << pitch_mm;
    EXPECT_FALSE(measure_other_fact(moved(a, 1e-6), frame)) << pitch_mm;  // of another fault
  }
}

TEST(TimeZero, APitchTwiceTooLargeIsFound) {
  Acquisition a = waves(kAngles);
  const auto frame = echoes(a);
  a.probe = make_linear_probe("L", 64, 0.6e-3);
  const auto found = measure_other_fact(a, frame);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->kind, OtherFactKind::half_pitch);
  EXPECT_NEAR(found->found, 0.3e-3, 1e-9);
}

TEST(TimeZero, AnglesInDegreesOrInAnotherOrderAreFound) {
  const std::vector<double> small{-0.006, -0.003, 0.0, 0.003, 0.006};
  Acquisition a = waves(small);
  const auto straight = echoes(a);
  for (Transmit& t : a.transmits) t.angle_rad *= 180.0 / std::numbers::pi;
  const auto degrees = measure_other_fact(a, straight);
  ASSERT_TRUE(degrees.has_value());
  EXPECT_EQ(degrees->kind, OtherFactKind::degrees);
  for (const std::vector<double>& said :
       {std::vector{0.0, -0.1, 0.1, -0.2, 0.2}, {0.0, 0.1, -0.1, 0.2, -0.2}, {-0.2, -0.1, 0.0, 0.1, 0.2}}) {
    const bool sorted = said.front() < 0.0;
    const std::vector<double> right = sorted ? std::vector{0.0, -0.1, 0.1, -0.2, 0.2} : kAngles;
    const auto frame = echoes(waves(right));
    const auto order = measure_other_fact(waves(said), frame);
    ASSERT_TRUE(order.has_value()) << said[1];
    EXPECT_EQ(order->kind, OtherFactKind::order);
    for (std::size_t k = 0; k < right.size(); ++k)
      EXPECT_DOUBLE_EQ(order->acquisition.transmits[k].angle_rad, right[k]);
  }
}

TEST(TimeZero, AnotherFrequencyOfDemodulationIsFound) {
  Acquisition a = waves(kAngles);
  a.signal = SignalKind::iq;
  a.demod_hz = a.center_hz;
  const auto frame = echoes(a);
  EXPECT_FALSE(measure_other_fact(a, frame));
  for (const double part : {0.9, 1.1}) {
    a.demod_hz = part * a.center_hz;
    const auto found = measure_other_fact(a, frame);
    ASSERT_TRUE(found.has_value()) << part;
    EXPECT_EQ(found->kind, OtherFactKind::demodulation);
    EXPECT_NEAR(found->found, a.center_hz, 0.01 * a.center_hz);
  }
}

TEST(TimeZero, AShiftOfAllTransmitsIsMeasured) {
  for (const std::vector<double>& angles : {std::vector{0.0}, kAngles}) {
    const Acquisition a = waves(angles);
    const auto frame = echoes(a);
    std::vector<double> shifts_s{-4e-6, -2.5e-6, -1e-6, 1e-6, 2.5e-6, 4e-6};
    if (angles.size() > 1) shifts_s.push_back(6e-6);
    for (const double shift_s : shifts_s) {
      const auto found = measure_time_zero(moved(a, shift_s), frame);
      ASSERT_TRUE(found.has_value()) << shift_s;
      EXPECT_EQ(found->fault, TimeZeroFault::shift);
      EXPECT_NEAR(found->shift_s, -shift_s, 0.6e-6);
      EXPECT_GT(found->found_coherence, 1.1 * found->stated_coherence);
    }
  }
}

TEST(TimeZero, TheOtherEventIsFound) {
  const Acquisition a = waves(kAngles);
  const auto frame = echoes(a);
  Acquisition as_first_firing = a, as_origin = a;
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const double first_s = first_firing_s(a.transmits[k], a.probe, a.sound_speed_m_s, {});
    as_first_firing.transmits[k].t0_s += first_s;
    as_origin.transmits[k].t0_s -= first_s;
  }
  const auto first = measure_time_zero(as_first_firing, frame), origin = measure_time_zero(as_origin, frame);
  ASSERT_TRUE(first && origin);
  for (const auto& [found, stated, event] : {std::tuple{first, TimeEvent::first_firing, TimeEvent::origin},
                                             {origin, TimeEvent::origin, TimeEvent::first_firing}}) {
    EXPECT_EQ(found->fault, TimeZeroFault::event);
    EXPECT_EQ(found->stated_event, stated);
    EXPECT_EQ(found->found_event, event);
    EXPECT_FALSE(found->mirrored);
  }
}

TEST(TimeZero, WavesToTheOtherSideAreFound) {  // of one wave alone only the place changes
  for (const std::vector<double>& angles : {std::vector{0.0, 0.1, 0.2}, kAngles}) {
    const auto frame = echoes(waves(angles));
    std::vector<double> opposite = angles;
    for (double& angle : opposite) angle = -angle;
    const auto found = measure_time_zero(waves(opposite), frame);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->mirrored);
    EXPECT_EQ(found->fault, TimeZeroFault::none);
    EXPECT_GT(found->found_coherence, 0.9);
  }
}

// Positions that are counted from the left end.
TEST(TimeZero, ThePassageThroughTheMiddleIsFound) {
  Acquisition a = waves(kAngles);
  for (Element& element : a.probe.elements) element.x_m += 8e-3;
  const auto frame = echoes(a);
  for (const TimeEvent stated : {TimeEvent::first_firing, TimeEvent::origin}) {
    Acquisition wrong = a;
    for (Transmit& t : wrong.transmits) {
      t.t0_s -= arrival_s(t, a.probe, 8e-3, 0.0, a.sound_speed_m_s);
      if (stated == TimeEvent::first_firing) t.t0_s += first_firing_s(t, a.probe, a.sound_speed_m_s, {});
    }
    const auto found = measure_time_zero(wrong, frame);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->fault, TimeZeroFault::event);
    EXPECT_EQ(found->stated_event, stated);
    EXPECT_EQ(found->found_event, TimeEvent::centre);
  }
}

TEST(TimeZero, WavesToTheOtherSideFromAnotherEventAreFound) {
  const Acquisition a = waves(kAngles);
  const auto frame = echoes(a);
  Acquisition wrong = a;
  for (Transmit& t : wrong.transmits) {
    t.angle_rad = -t.angle_rad;
    t.t0_s += first_firing_s(t, a.probe, a.sound_speed_m_s, {});
  }
  const auto found = measure_time_zero(wrong, frame);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->mirrored);
  EXPECT_EQ(found->fault, TimeZeroFault::event);
  EXPECT_EQ(found->found_event, TimeEvent::origin);
  EXPECT_GT(found->found_coherence, 0.9);
}

TEST(TimeZero, NoiseHasNone) {
  Acquisition a = waves(kAngles);
  std::vector<float> values(a.frame_values());
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<double>(state) / 4294967296.0 - 0.5);
  }
  EXPECT_FALSE(measure_time_zero(a, std::as_bytes(std::span(values))));
}

}  // namespace
}  // namespace echoloop::time_zero_test
