// What must hold for any channel data: linear, symmetric, independent of the number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "support/ensembles.h"
#include "support/streaming.h"

namespace echoloop::invariance_test {
namespace {

using namespace testing;

struct ImageFormation {
  std::string_view name;
  Recipe recipe = Recipe::analytic;
  Adaptive adaptive = Adaptive::off;
};

class AnyFormation : public ::testing::TestWithParam<ImageFormation> {
 protected:
  AcquisitionPtr acquisition = share(linear_acquisition(32, 400, {-8.0, 0.0, 5.0}));
  ImagingParams params = [this] {
    ImagingParams p = testing::small_picture(*acquisition, 41, 150);
    p.formation.recipe = GetParam().recipe;
    p.formation.adaptive = GetParam().adaptive;
    return p;
  }();
};

TEST_P(AnyFormation, BeamformingIsLinear) {
  const std::vector<float> a = testing::noise(acquisition->frame_values(), 1);
  const std::vector<float> b = testing::noise(acquisition->frame_values(), 2);
  std::vector<float> mixed(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) mixed[i] = a[i] - 3.0f * b[i];
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const auto beamform = [&](const std::vector<float>& frame) {
      return testing::tap_of(acquisition, params, to_bytes(frame), Lane::Tap::beamformed, kernel);
    };
    const std::vector<float> of_a = beamform(a);
    const std::vector<float> of_b = beamform(b);
    std::vector<float> expected(of_a.size());
    for (std::size_t i = 0; i < of_a.size(); ++i) expected[i] = of_a[i] - 3.0f * of_b[i];
    // Float sums of some hundred terms: 1e-6 is what they leave. The tuned kernels round every frame to int16: 2e-4.
    const bool exact = kernel == CpuKernel::portable || GetParam().recipe == Recipe::course;
    EXPECT_LE(relative_difference(beamform(mixed), expected), exact ? 5e-6 : 5e-4);
  }
}

TEST_P(AnyFormation, MirroredDataMakeTheMirroredImage) {
  // Element order and angles mirrored; the angles are not symmetric, so that a mirrored image is another image.
  Acquisition mirrored = *acquisition;
  for (Transmit& t : mirrored.transmits) t.angle_rad = -t.angle_rad;
  const std::vector<float> frame = testing::noise(acquisition->frame_values(), 3);
  std::vector<float> flipped(frame.size());
  const auto n = static_cast<std::size_t>(acquisition->n_samples);
  const auto n_el = static_cast<std::size_t>(acquisition->n_elements());
  for (std::size_t line = 0; line < frame.size() / n; ++line) {
    const std::size_t mirror = line - line % n_el + (n_el - 1 - line % n_el);
    std::copy_n(&frame[line * n], n, &flipped[mirror * n]);
  }
  const std::vector<float> image = testing::tap_of(acquisition, params, to_bytes(frame), Lane::Tap::envelope);
  std::vector<float> image_back = testing::tap_of(share(mirrored), params, to_bytes(flipped), Lane::Tap::envelope);
  EXPECT_GT(relative_difference(image_back, image), 0.1) << "the image is symmetric by itself: this proves nothing";
  for (int iz = 0; iz < params.formation.grid_nz; ++iz) {
    std::reverse(image_back.begin() + iz * params.formation.grid_nx,
                 image_back.begin() + (iz + 1) * params.formation.grid_nx);
  }
  // Positions are rounded a little differently on the two sides. The course takes the nearest sample: a tie may fall
  // the other way there (noise at 20 MHz: a neighbouring sample is another number).
  EXPECT_LE(relative_difference(image_back, image), GetParam().recipe == Recipe::course ? 2e-2 : 1e-4);
}

// Simulated echoes are 1e-20 and less, whose squares no float holds; nothing may depend on the absolute size.
TEST_P(AnyFormation, AmplitudesOfAnySizeMakeTheSameImage) {
  const std::vector<float> frame = testing::noise(acquisition->frame_values(), 5);
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const auto envelope_times = [&](float scale) {
      std::vector<float> scaled = frame;
      for (float& v : scaled) v *= scale;
      std::vector<float> envelope = testing::tap_of(acquisition, params, to_bytes(scaled), Lane::Tap::envelope, kernel);
      for (float& v : envelope) v /= scale;
      return envelope;
    };
    const std::vector<float> expected = envelope_times(1.0f);
    for (const float scale : {0x1p-80f, 0x1p-40f, 0x1p30f}) {
      EXPECT_LE(relative_difference(envelope_times(scale), expected), 1e-6) << scale;
    }
  }
}

TEST_P(AnyFormation, AnyNumberOfThreadsMakesTheSameImage) {
  const auto source = testing::noise_source(acquisition, 3);
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const auto images = [&](int threads) {
      return testing::process({.source = source, .params = params, .frames = 3, .threads = threads, .kernel = kernel});
    };
    const auto one = images(1);
    for (const int threads : {2, 3, 7}) {
      const auto many = images(threads);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(many[i].db, one[i].db) << threads << " threads, frame " << i;
      }
    }
  }
}

TEST_P(AnyFormation, LanesAndStreamsMakeTheSameImage) {
  const auto source = testing::noise_source(acquisition, 4);
  StreamSettings stream = testing::unpaced();
  stream.streams = StreamMode::serial;
  const auto serial = testing::process({.source = source, .params = params, .frames = 4, .stream = stream});
  stream.streams = StreamMode::overlap;
  stream.lanes = 4;
  const auto overlap = testing::process({.source = source, .params = params, .frames = 4, .stream = stream});
  for (std::size_t i = 0; i < serial.size(); ++i) EXPECT_EQ(overlap[i].db, serial[i].db) << "frame " << i;
}

INSTANTIATE_TEST_SUITE_P(All, AnyFormation,
                         ::testing::Values(ImageFormation{"analytic"},
                                           ImageFormation{"coherence", Recipe::analytic, Adaptive::coherence},
                                           ImageFormation{"course", Recipe::course}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Analytic, HalfTheAmplitudeIsSixDecibelsLess) {
  const AcquisitionPtr acquisition = share(linear_acquisition(16, 300));
  std::vector<float> frame = testing::noise(acquisition->frame_values(), 5);
  std::vector<std::vector<std::byte>> frames = {to_bytes(frame)};
  for (float& v : frame) v *= 0.5f;
  frames.push_back(to_bytes(frame));
  ImagingParams params = testing::small_picture(*acquisition);
  params.level.reference_db = 12.5;
  const auto images = testing::process(
      {.source = std::make_shared<testing::FrameList>(acquisition, frames), .params = params, .frames = 2});
  for (std::size_t i = 0; i < images[0].db.size(); ++i) EXPECT_NEAR(images[0].db[i] - images[1].db[i], 6.0206, 1e-3);
}

TEST(Int16, SamplesCountAsTheirValues) {
  Acquisition a = linear_acquisition(16, 300);
  std::vector<std::int16_t> whole;
  std::vector<float> same;
  for (const float v : testing::noise(a.frame_values(), 6)) {
    whole.push_back(static_cast<std::int16_t>(std::lround(1000.0f * v)));
    same.push_back(whole.back());
  }
  const ImagingParams params = testing::small_picture(a);
  const auto from_float = testing::tap_of(share(a), params, to_bytes(same), Lane::Tap::envelope);
  a.sample_type = SampleType::int16;
  EXPECT_EQ(testing::tap_of(share(a), params, to_bytes(whole), Lane::Tap::envelope), from_float);
}

}  // namespace
}  // namespace echoloop::invariance_test
