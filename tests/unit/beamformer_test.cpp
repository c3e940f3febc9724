// Frames to pixels without a stream: the pixels of single stages, whatever the batch; refusals change nothing.
#include "backend/beamformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/frame_processor.h"
#include "support/acquisitions.h"

namespace echoloop::beamformer_test {
namespace {

using Output = Beamformer::Output;

template <class T>
std::vector<T> run(Beamformer& beamformer, const std::vector<std::byte>& frames, Output output, std::size_t n = 1) {
  std::vector<std::byte> out(n * beamformer.bytes_of(output));
  beamformer.run(frames, output, out);
  std::vector<T> values(out.size() / sizeof(T));
  std::memcpy(values.data(), out.data(), out.size());
  return values;
}

TEST(Beamformer, LevelsArePixelsAgainstTheFirstFramesMaximum) {
  const auto backend = make_cpu_backend(2);
  const AcquisitionPtr a = testing::share(testing::linear_acquisition(16, 300, {-5.0, 0.0, 5.0}));
  Beamformer beamformer(a, testing::small_picture(*a), *backend);
  EXPECT_LE(beamformer.reference_db(), kAutoReference);
  const std::vector<float> samples = testing::noise(2 * a->frame_values(), 3);
  const std::vector<std::byte> frames = testing::to_bytes(samples);
  const std::vector<float> db = run<float>(beamformer, frames, Output::db, 2);
  const std::vector<Complex> iq = run<Complex>(beamformer, frames, Output::iq, 2);
  const std::vector<float> envelope = run<float>(beamformer, frames, Output::envelope, 2);
  ASSERT_EQ(db.size(), iq.size());
  const std::size_t n_pixels = db.size() / 2;
  EXPECT_FLOAT_EQ(*std::max_element(db.begin(), db.begin() + static_cast<std::ptrdiff_t>(n_pixels)), 0.0F);
  for (std::size_t i = 0; i < db.size(); ++i) {
    EXPECT_NEAR(20.0 * std::log10(std::hypot(iq[i].re, iq[i].im)) - beamformer.reference_db(), db[i], 1e-3);
    EXPECT_NEAR(envelope[i], std::hypot(iq[i].re, iq[i].im), 1e-5F * envelope[i]);
  }
  const std::vector<std::byte> second(frames.begin() + static_cast<std::ptrdiff_t>(a->frame_bytes()), frames.end());
  const std::vector<float> alone = run<float>(beamformer, second, Output::db);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), db.begin() + static_cast<std::ptrdiff_t>(n_pixels)));
}

TEST(Beamformer, ScanLinesHavePixelsOnTheirOwnGrid) {
  const auto backend = make_cpu_backend(1);
  const AcquisitionPtr a = testing::share(testing::scan_line_acquisition());
  Beamformer beamformer(a, testing::small_sector(*a), *backend);
  EXPECT_EQ(beamformer.grid(Output::iq).nx, 9);
  EXPECT_EQ(beamformer.grid(Output::db).nx, 32);
  const std::vector<std::byte> frame = testing::to_bytes(testing::noise(a->frame_values(), 4));
  EXPECT_EQ(run<Complex>(beamformer, frame, Output::iq).size(), beamformer.grid(Output::iq).pixels());
  EXPECT_EQ(run<float>(beamformer, frame, Output::db).size(), beamformer.grid(Output::db).pixels());
}

TEST(Beamformer, RefusalsChangeNothing) {
  const auto backend = make_cpu_backend(1);
  const AcquisitionPtr a = testing::share(testing::linear_acquisition());
  Beamformer beamformer(a, testing::small_picture(*a), *backend);
  const std::vector<std::byte> frame = testing::to_bytes(testing::noise(a->frame_values(), 5));
  const std::vector<float> before = run<float>(beamformer, frame, Output::db);
  ImagingParams wrong = beamformer.params();
  wrong.refine.persistence_s = 0.1;
  EXPECT_THROW(beamformer.set_params(wrong), Error);
  wrong = beamformer.params();
  wrong.formation.depth_max_m = wrong.formation.depth_min_m;
  EXPECT_THROW(beamformer.set_params(wrong), Error);
  std::vector<std::byte> out(beamformer.bytes_of(Output::db));
  EXPECT_THROW(beamformer.run(std::span(frame).first(7), Output::db, out), Error);
  EXPECT_THROW(beamformer.run(frame, Output::db, std::span(out).first(4)), Error);
  EXPECT_EQ(run<float>(beamformer, frame, Output::db), before);
  ImagingParams coherences = beamformer.params();
  coherences.formation.adaptive = Adaptive::slsc;
  beamformer.set_params(coherences);
  std::vector<std::byte> pixels(beamformer.bytes_of(Output::iq));
  EXPECT_THROW(beamformer.run(frame, Output::iq, pixels), Error);
}

}  // namespace
}  // namespace echoloop::beamformer_test
