// Verasonics workspaces in which samples, channels, frames or transmits are not simply one after the other.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "formats/support.h"
#include "formats/verasonics_fixture.h"

namespace echoloop::verasonics_sequence_test {
namespace {

using namespace test;
using namespace test::verasonics;

TEST(VerasonicsSequence, PairsOfSamplesAreIq) {
  for (const auto& [mode, periods] : {std::pair{"BS100BW", 1.0}, {"BS50BW", 2.0}}) {
    Workspace plain, w;
    w.sample_mode = mode;
    const double t0_s = open_workspace(plain).acquisition->transmits[1].t0_s;
    const Recording r = open_workspace(w);
    const Acquisition& a = *r.acquisition;
    EXPECT_EQ(a.signal, SignalKind::iq);
    EXPECT_EQ(a.n_samples, static_cast<int>(kSamples / 2));
    EXPECT_NEAR(a.demod_hz, 5e6, 1e-3);
    EXPECT_NEAR(a.sampling_hz, 5e6 / periods, 1e-3);
    EXPECT_NEAR(a.transmits[1].t0_s, t0_s + 0.125 / 5e6, 1e-12);
    const std::complex<double> pair(sample_at(first_row(1) + 6, 8 + 2, 0), -sample_at(first_row(1) + 7, 8 + 2, 0));
    const std::complex<double> mixed = pair * std::polar(1.0, -2.0 * std::numbers::pi * 5e6 * t0_s);
    EXPECT_NEAR(sample(r, 0, 1, 2, 3, 0), mixed.real(), 1e-3);
    EXPECT_NEAR(sample(r, 0, 1, 2, 3, 1), mixed.imag(), 1e-3);
  }
}

TEST(VerasonicsSequence, FramesFromTheOldestOn) {
  Workspace w;
  w.last_frame = 1;
  w.wait_us = 200.0;
  const Recording r = open_workspace(w);
  for (const std::size_t f : {0U, 1U, 2U}) EXPECT_EQ(value_at(r, f, 0, 0, 0), sample_at(first_row(0), 8, (f + 1) % 3));
  EXPECT_NEAR(r.acquisition->frame_rate_hz, 2500.0, 1e-6);  // two transmits
  for (const Assumption& assumption : r.acquisition->assumptions) EXPECT_FALSE(contains(assumption.text, "wrapped"));
}

TEST(VerasonicsSequence, TransmitsThatComeAgainInAFrameAreFrames) {
  Workspace w;
  w.one_transmit = true;
  const Recording r = open_workspace(w);
  ASSERT_EQ(r.frame_count, 2 * kFrames);
  EXPECT_EQ(r.acquisition->n_transmits(), 1);
  for (const std::size_t f : {0U, 3U, 5U})
    EXPECT_EQ(value_at(r, f, 0, 2, 5), sample_at(first_row(f % 2) + 5, 10, f / 2));
}

TEST(VerasonicsSequence, AperturesOfSwitchedProbes) {
  Workspace w;
  w.switched = true;
  w.angles_rad = {0.1, 0.1};
  for (const auto container : {Workspace::Container::v5, Workspace::Container::v73}) {
    w.container = container;
    const Recording r = open_workspace(w);
    ASSERT_EQ(r.acquisition->n_elements(), static_cast<int>(kElements));
    EXPECT_EQ(value_at(r, 1, 0, 1, 5), sample_at(first_row(0) + 5, 1, 1));
    EXPECT_EQ(value_at(r, 1, 0, 5, 5), 0.0);
    EXPECT_EQ(value_at(r, 1, 1, 5, 5), sample_at(first_row(1) + 5, 1, 1));
    EXPECT_EQ(value_at(r, 1, 1, 1, 5), 0.0);
    for (const Transmit& t : r.acquisition->transmits) {
      EXPECT_EQ(t.kind, TransmitKind::plane);
      EXPECT_NEAR(t.angle_rad, 0.1, 1e-12);
      EXPECT_NEAR(t.t0_s, r.acquisition->transmits[0].t0_s, 1e-12);
    }
  }
}

TEST(VerasonicsSequence, CodedTransmitsBecomeSingleElements) {
  Workspace w;
  w.weights = {{0, 0, 1, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, -1, 0, 0}};
  const Recording r = open_workspace(w);
  ASSERT_EQ(r.acquisition->n_transmits(), 2);
  for (const std::size_t k : {0U, 1U}) {
    const Transmit& t = r.acquisition->transmits[k];
    const double x = element_x(k == 0 ? 2 : 5);
    EXPECT_EQ(t.kind, TransmitKind::diverging);
    EXPECT_NEAR(t.source_x_m, x * kWavelength_m, 1e-12);
    EXPECT_NEAR(t.t0_s, (2.0 * w.start_depth - w.peak - 2.0 * w.lens - std::abs(x)) / 5e6, 1e-12);
    const double plus = sample_at(first_row(0) + 5, 8 + 3, 1), minus = sample_at(first_row(1) + 5, 8 + 3, 1);
    EXPECT_NEAR(value_at(r, 1, k, 3, 5), 0.5 * (k == 0 ? plus + minus : plus - minus), 1e-3);
  }
}

TEST(VerasonicsSequence, EachTransmitHasItsWaveform) {
  Workspace w;
  w.angles_rad = {0.0, 0.0};
  w.peaks = {1.0, 2.5};
  const Recording r = open_workspace(w);
  const auto& t = r.acquisition->transmits;
  EXPECT_NEAR(t[0].t0_s - t[1].t0_s, 1.5 / 5e6, 1e-12);
  EXPECT_NEAR(t[0].t0_s, (2.0 * w.start_depth - 1.0 - 2.0 * w.lens) / 5e6, 1e-12);
}

}  // namespace
}  // namespace echoloop::verasonics_sequence_test
