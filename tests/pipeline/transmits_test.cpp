// Transmit selection and weights through whole lanes: a selection is the recording that has only those transmits.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "backend/das_tables.h"
#include "core/error.h"
#include "core/param_table.h"
#include "support/streaming.h"

namespace echoloop::transmits_test {
namespace {

using namespace testing;

const std::vector<double> kAngles = {-12.0, -5.0, 0.0, 4.0, 11.0};

struct Recorded {
  AcquisitionPtr acquisition;
  std::vector<std::byte> frame;
};

Recorded recorded(SampleType type = SampleType::float32) {
  Acquisition a = linear_acquisition(16, 333, kAngles);
  a.sample_type = type;
  std::vector<float> values = noise(a.frame_values(), 5);
  if (type == SampleType::float32) return {share(a), to_bytes(values)};
  std::vector<std::int16_t> counts;
  for (const float v : values) counts.push_back(static_cast<std::int16_t>(std::lround(1000.0f * v)));
  return {share(a), to_bytes(counts)};
}

// The recording that has only these transmits.
Recorded only(const Recorded& all, const std::vector<std::size_t>& transmits) {
  Acquisition a = *all.acquisition;
  a.transmits.clear();
  const std::size_t bytes = all.acquisition->frame_bytes() / all.acquisition->transmits.size();
  std::vector<std::byte> frame;
  for (const std::size_t t : transmits) {
    a.transmits.push_back(all.acquisition->transmits[t]);
    const auto begin = all.frame.begin() + static_cast<std::ptrdiff_t>(t * bytes);
    frame.insert(frame.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  return {share(a), frame};
}

std::vector<float> pixels(const Recorded& r, const ImagingParams& p, CpuKernel kernel = CpuKernel::automatic) {
  return tap_of(r.acquisition, p, r.frame, Lane::Tap::beamformed, kernel);
}

TEST(Transmits, OneAloneIsTheRecordingThatHasOnlyIt) {
  for (const SampleType type : {SampleType::float32, SampleType::int16}) {
    const Recorded all = recorded(type);
    ImagingParams p = small_picture(*all.acquisition);
    for (std::size_t k = 0; k < kAngles.size(); ++k) {
      const ImagingParams plain = p;
      p.transmits.first = p.transmits.last = static_cast<int>(k) + 1;
      p.transmits.window = Apodization::hann;  // of one: 1
      for (const CpuKernel kernel : cpu_kernels_here()) {
        EXPECT_EQ(pixels(all, p, kernel), pixels(only(all, {k}), plain, kernel)) << "transmit " << k + 1;
      }
      p = plain;
    }
  }
}

TEST(Transmits, EverySecondOfARangeLikewise) {
  const Recorded all = recorded();
  ImagingParams p = small_picture(*all.acquisition);
  const ImagingParams plain = p;
  p.transmits.first = 2;
  p.transmits.every = 2;  // and to the last: 2, 4
  for (const CpuKernel kernel : cpu_kernels_here()) {
    EXPECT_EQ(pixels(all, p, kernel), pixels(only(all, {1, 3}), plain, kernel));
  }
  p.formation.recipe = Recipe::course;
  ImagingParams course = plain;
  course.formation.recipe = Recipe::course;
  EXPECT_EQ(pixels(all, p), pixels(only(all, {1, 3}), course));
}

TEST(Transmits, AllInABoxcarChangeNothing) {
  const Recorded all = recorded();
  ImagingParams p = small_picture(*all.acquisition);
  const ImagingParams plain = p;
  p.transmits.last = static_cast<int>(kAngles.size());
  const auto plan = make_plan(all.acquisition, p);
  EXPECT_EQ(plan->formed, all.acquisition) << "nothing is made for it";
  EXPECT_EQ(plan->das->geometry.weights.all, nullptr);
  EXPECT_EQ(pixels(all, p), pixels(all, plain));
}

// The image is linear in each transmit: a window is the weighted sum of the transmits' own pictures.
TEST(Transmits, AWindowWeighsTheTransmitsPictures) {
  const Recorded all = recorded();
  ImagingParams p = small_picture(*all.acquisition);
  for (const CpuKernel kernel : cpu_kernels_here()) {
    std::vector<double> expected(2 * 32 * 48, 0.0);
    // cos^2(pi u) at u = -0.4, -0.2, 0, 0.2, 0.4, times 5 over their sum of 2.5.
    const double weights[] = {0.190983, 1.309017, 2.0, 1.309017, 0.190983};
    for (std::size_t k = 0; k < kAngles.size(); ++k) {
      ImagingParams alone = p;
      alone.transmits.first = alone.transmits.last = static_cast<int>(k) + 1;
      const std::vector<float> part = pixels(all, alone, kernel);
      for (std::size_t i = 0; i < part.size(); ++i) expected[i] += weights[k] * static_cast<double>(part[i]);
    }
    p.transmits.window = Apodization::hann;
    const std::vector<float> got = pixels(all, p, kernel);
    double off = 0.0, energy = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      off += std::pow(static_cast<double>(got[i]) - expected[i], 2);
      energy += expected[i] * expected[i];
    }
    EXPECT_LE(std::sqrt(off / energy), 2e-3) << static_cast<int>(kernel);
    p.transmits.window = Apodization::boxcar;
  }
}

TEST(Transmits, TheWindowLiesAcrossTheAnglesAndHasMeanOne) {
  const Acquisition a = linear_acquisition(8, 64, {10.0, 0.0, -10.0, 20.0, -20.0});
  const std::vector<float> w = transmit_weights(Apodization::hann, a);
  EXPECT_NEAR(w[1], 2.0f, 1e-4f) << "straight down is the middle";
  EXPECT_NEAR(w[3], w[4], 1e-5f);
  EXPECT_NEAR(w[3], 0.190983f, 1e-4f);
  EXPECT_NEAR(w[0] + w[1] + w[2] + w[3] + w[4], 5.0f, 1e-5f);
}

TEST(Transmits, BrightnessStaysWithTheHeldLevel) {
  const AcquisitionPtr a = share(linear_acquisition(16, 333, {0.0, 0.0, 0.0, 0.0}));
  const std::vector<float> line = noise(a->frame_values() / 4, 3);
  std::vector<float> frame;
  for (int t = 0; t < 4; ++t) frame.insert(frame.end(), line.begin(), line.end());
  std::vector<std::vector<std::byte>> frames(6, to_bytes(frame));
  auto source = std::make_shared<testing::FrameList>(a, frames);
  ImagingParams p = small_picture(*a);
  Mailbox<Image> images;
  TimingTrace trace;
  const auto backend = make_cpu_backend(1);
  std::atomic<Session*> running{nullptr};
  std::vector<testing::Picture> pictures;
  StreamSettings stream = testing::unpaced();
  Session session(*backend, source, images, trace,
                  {.stream = stream,
                   .params = p,
                   .max_frames = 6,
                   .host_copy = HostCopy::made,
                   .on_image = [&](const Image& image) {
                     pictures.push_back(testing::Picture::of(image));
                     p.transmits.first = 3;
                     testing::once_at_hand(running).set_params(p);
                   }});
  running = &session;
  testing::wait_until([&] { return session.done(); });
  session.stop();
  ASSERT_EQ(pictures.size(), 6U);
  ASSERT_EQ(pictures.back().params.transmits.first, 3) << "the selection was not reached";
  EXPECT_NEAR(pictures.back().params.level.reference_db, pictures[0].params.level.reference_db - 6.0206, 1e-3);
  for (std::size_t i = 0; i < pictures[0].db.size(); ++i) {
    if (pictures[0].db[i] < -40.0f) continue;
    ASSERT_NEAR(pictures.back().db[i], pictures[0].db[i], 0.02);
  }
}

TEST(Transmits, ScanLinesTakeTheirOwnWhateverIsSelected) {
  const Acquisition a = testing::scan_line_acquisition();
  ImagingParams p = testing::small_sector(a);
  const std::vector<std::byte> frame = to_bytes(noise(a.frame_values(), 7));
  const std::vector<float> plain = tap_of(share(a), p, frame, Lane::Tap::envelope);
  p.transmits.first = 4;
  p.transmits.every = 3;
  p.transmits.window = Apodization::gauss;
  EXPECT_EQ(tap_of(share(a), p, frame, Lane::Tap::envelope), plain);
  p.formation.compounding = Compounding::coherent;
  EXPECT_NE(tap_of(share(a), p, frame, Lane::Tap::envelope), plain);
}

TEST(Transmits, WhatIsNotThereIsRefused) {
  const Acquisition a = linear_acquisition(8, 64, kAngles);
  ImagingParams p = small_picture(a);
  p.transmits.last = 6;
  EXPECT_THROW(validate_params(p, a), Error);
  p.transmits.last = 2;
  p.transmits.first = 3;
  EXPECT_THROW(validate_params(p, a), Error);
  p.transmits.first = 2;
  EXPECT_NO_THROW(validate_params(p, a));
}

}  // namespace
}  // namespace echoloop::transmits_test
