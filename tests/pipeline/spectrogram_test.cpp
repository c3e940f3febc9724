// The spectrogram beside the stream: columns in time, gaps where frames are missing, another gate begins anew, the
// B-mode image stays as it is.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/analyses.h"
#include "core/units.h"
#include "support/one_line.h"
#include "support/spectrogram_run.h"

namespace echoloop::spectrogram_test {
namespace {

using namespace testing;

AcquisitionPtr fast_acquisition() {
  Acquisition a = linear_acquisition();
  a.frame_rate_hz = 1000.0;
  return std::make_shared<const Acquisition>(std::move(a));
}

ImagingParams gate_params(const Acquisition& a) {
  ImagingParams p = small_picture(a);
  p.doppler.gate = Gate::on;
  p.doppler.x_m = 0.5 * (p.formation.lateral_min_m + p.formation.lateral_max_m);
  p.doppler.z_m = 0.5 * (p.formation.depth_min_m + p.formation.depth_max_m);
  p.doppler.length_m = 1e-3;  // one band: the synthetic echoes have one frequency
  p.doppler.frames = 32;
  return p;
}

// Drives an engine by hand with images whose echoes all move at one velocity towards the probe.
class SpectrogramEngines : public ::testing::Test {
 protected:
  void make_plan_of(const ImagingParams& p) { plan_ = make_plan(acquisition_, p, plan_); }

  void take(std::uint64_t index) {
    const Grid& grid = plan_->das->tables->grid;
    std::vector<Complex> pixels(grid.pixels());
    const double per_m = 4.0 * kPi * acquisition_->center_hz / plan_->params.formation.sound_speed_m_s;
    for (int iz = 0; iz < grid.nz; ++iz) {
      const double angle = per_m * (grid.z_m(iz) + velocity_m_s_ * static_cast<double>(index) * 1e-3);
      for (int ix = 0; ix < grid.nx; ++ix) {
        pixels[static_cast<std::size_t>(iz * grid.nx + ix)] = {static_cast<float>(magnitude_ * std::cos(angle)),
                                                               static_cast<float>(magnitude_ * std::sin(angle))};
      }
    }
    const FrameStamp stamp{.sequence = index, .source_index = index, .acquired_ns = now_ns()};
    engine_.take({plan_, {.values = pixels.data(), .count = pixels.size()}, stamp, 10.0});
    engine_.drain();
  }

  const Spectrogram& newest() {
    spectrograms_.take();
    return spectrograms_.front();
  }

  AcquisitionPtr acquisition_ = fast_acquisition();
  std::shared_ptr<const Plan> plan_;
  double velocity_m_s_ = 0.03, magnitude_ = 100.0;
  Mailbox<Spectrogram> spectrograms_;
  SpectrogramEngine engine_{make_cpu_backend(1)->make_device<SpectrogramAnalysis>(), spectrograms_};
};

double strongest_m_s(const Spectrogram& s, std::uint64_t column) {
  const std::span<const float> c = s.column(column);
  return s.velocity_m_s(static_cast<double>(std::max_element(c.begin(), c.end()) - c.begin()));
}

TEST_F(SpectrogramEngines, AVelocityLiesWhereItBelongs) {
  make_plan_of(gate_params(*acquisition_));
  for (std::uint64_t i = 0; i < 60; ++i) take(i);
  const Spectrogram& s = newest();
  EXPECT_EQ(s.frames, 32);
  EXPECT_EQ(s.hop, 5) << "200 columns a second";
  EXPECT_EQ(s.end, 6U) << "at frames 32, 37, 42, 47, 52, 57";
  EXPECT_EQ(s.step_s(), 5e-3);
  EXPECT_EQ(engine_.counts().columns, 6U);
  EXPECT_EQ(engine_.counts().gaps, 0U);
  for (std::uint64_t k = 0; k < s.end; ++k) {
    EXPECT_NEAR(strongest_m_s(s, k), 0.03, s.aliasing_m_s / s.n_bins) << "towards the probe is positive";
    EXPECT_NEAR(s.time_s[Spectrogram::slot(k)], (15.5 + 5.0 * static_cast<double>(k)) * 1e-3, 1e-9);
    EXPECT_NEAR(s.envelope_m_s[Spectrogram::slot(k)], 0.03, 0.1 * s.aliasing_m_s);
  }
  // A pixel of magnitude 100 has 40 dB, less the reference of 10 dB.
  EXPECT_NEAR(s.brightest_db, 30.0f, 0.5f);
}

TEST_F(SpectrogramEngines, MissingFramesAreAGapNeverBridged) {
  make_plan_of(gate_params(*acquisition_));
  for (std::uint64_t i = 0; i < 42; ++i) take(i);
  for (std::uint64_t i = 62; i < 110; ++i) take(i);
  const Spectrogram& s = newest();
  EXPECT_EQ(engine_.counts().gaps, 1U);
  // Due at frame 32 + 5 k. Frames 42 to 61 are missing: columns that look at any of them are not there.
  std::uint64_t there = 0;
  for (std::uint64_t k = 0; k < s.end; ++k) {
    const std::uint64_t end = 32 + 5 * k, begin = end - 32;
    const bool whole = end <= 42 || begin >= 62;
    there += whole ? 1 : 0;
    EXPECT_EQ(std::isfinite(s.time_s[Spectrogram::slot(k)]), whole) << k;
    EXPECT_EQ(std::isfinite(s.column(k)[0]), whole) << k;
  }
  EXPECT_EQ(s.end, 16U);
  EXPECT_EQ(engine_.counts().columns, there);
}

TEST_F(SpectrogramEngines, ARecordingThatBeginsAgainLeavesAGap) {
  make_plan_of(gate_params(*acquisition_));
  for (std::uint64_t i = 0; i < 40; ++i) take(i);
  for (std::uint64_t i = 0; i < 80; ++i) take(i);
  EXPECT_EQ(engine_.counts().gaps, 1U);
  const Spectrogram& s = newest();
  int gaps = 0;
  for (std::uint64_t k = 0; k < s.end; ++k) gaps += std::isfinite(s.time_s[Spectrogram::slot(k)]) ? 0 : 1;
  EXPECT_GE(gaps, 8);
}

TEST_F(SpectrogramEngines, AnotherGateBeginsAnewAnotherLookDoesNot) {
  ImagingParams p = gate_params(*acquisition_);
  make_plan_of(p);
  for (std::uint64_t i = 0; i < 40; ++i) take(i);
  const std::uint64_t begun = newest().begun;
  p.doppler.range_db = 20.0;
  p.doppler.baseline = 0.3;
  p.display.gain_db = 6.0;
  make_plan_of(p);
  for (std::uint64_t i = 40; i < 60; ++i) take(i);
  EXPECT_EQ(newest().begun, begun);
  EXPECT_EQ(newest().end, 6U);
  p.doppler.z_m += 2e-3;
  make_plan_of(p);
  for (std::uint64_t i = 60; i < 97; ++i) take(i);
  EXPECT_NE(newest().begun, begun);
  EXPECT_EQ(newest().end, 2U);
  EXPECT_NEAR(newest().centre.z_m, p.doppler.z_m, 0.5e-3);
  p.doppler.z_m = 0.4;  // outside
  make_plan_of(p);
  for (std::uint64_t i = 97; i < 150; ++i) take(i);
  EXPECT_EQ(newest().end, 2U) << "nothing comes";
}

TEST(SpectrogramPlan, LiesAlongTheLineOfASector) {
  const auto a = fast_acquisition();
  ImagingParams p = small_sector(*a, 65, 301);
  p.doppler.gate = Gate::on;
  p.doppler.x_m = 4e-3;
  p.doppler.z_m = 0.5 * (p.formation.depth_min_m + p.formation.depth_max_m);
  p.doppler.length_m = 3e-3;
  const auto plan = make_plan(a, p);
  const SpectrogramPlan s = make_spectrogram_plan(*plan);
  const Grid& grid = plan->das->tables->grid;
  ASSERT_TRUE(grid.polar());
  ASSERT_GT(s.gate.rows, 1);
  const double step_m = (grid.sector.r1_m - grid.sector.r0_m) / (grid.nz - 1);
  EXPECT_NEAR(s.length_m, 3e-3, step_m);
  const GridPlace wanted = grid.place(p.doppler.x_m, p.doppler.z_m), got = grid.place(s.centre.x_m, s.centre.z_m);
  EXPECT_NEAR(got.column, wanted.column, 0.51);
  EXPECT_NEAR(got.row, wanted.row, 0.51);
  EXPECT_EQ(s.gate.stride, grid.nx) << "one line, from radius to radius";
  EXPECT_EQ(s.gate.first % grid.nx, std::lround(got.column));
}

TEST(SpectrogramStream, TheBModePictureStaysAsItIs) {
  const auto a = fast_acquisition();
  const auto source = noise_source(a, 60);
  ImagingParams with = gate_params(*a);
  ImagingParams without = with;
  without.doppler.gate = Gate::off;
  const std::vector<Picture> before = process({.source = source, .params = without, .frames = 60});
  Mailbox<Spectrogram> spectrograms;
  AnalysisCounts counts;
  const std::vector<Picture> after = process({.source = source,
                                              .params = with,
                                              .frames = 60,
                                              .analyses = AnalysisMailboxes::only(spectrograms),
                                              .counts = &counts});
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].db, before[i].db) << i;
  EXPECT_EQ(std::get<SpectrogramCounts>(counts).columns, 6U) << "every column that was due, also the last one";
  EXPECT_EQ(std::get<SpectrogramCounts>(counts).late, 0U);
  ASSERT_TRUE(spectrograms.take());
  EXPECT_EQ(spectrograms.front().end, 6U);
}

// Two gates of one source, one after the other: each hears its own depth.
TEST(SpectrogramStream, TwoGatesHearTwoThings) {
  const auto a = fast_acquisition();
  ImagingParams p = gate_params(*a);
  const auto source = noise_source(a, 40);
  const SpectrogramRun first = run_spectrogram(source, p, 40);
  p.doppler.z_m += 3e-3;
  const SpectrogramRun second = run_spectrogram(source, p, 40);
  ASSERT_EQ(first.spectrogram.end, second.spectrogram.end);
  EXPECT_NE(mean_spectrum(first.spectrogram), mean_spectrum(second.spectrogram));
  EXPECT_GT(second.spectrogram.centre.z_m, first.spectrogram.centre.z_m + 2e-3);
}

TEST(SpectrogramStream, WhatHasNoMeaningIsRefused) {
  Acquisition a = linear_acquisition();
  a.frame_rate_hz = 0.0;
  ImagingParams p = small_picture(a);
  p.doppler.gate = Gate::on;
  expect_refusal([&] { check_params(a, p); }, "flow_prf_hz");
  p.color_flow.prf_hz = 2000.0;
  EXPECT_NO_THROW(check_params(a, p));
  p.formation.recipe = Recipe::course;
  expect_refusal([&] { check_params(a, p); }, "recipe=analytic");
}

}  // namespace
}  // namespace echoloop::spectrogram_test
