// The CPU's kernels make one image: each instruction set against the specification (FFTs, floats, the plain loop),
// through the whole lane; and how one is chosen.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/error.h"
#include "support/ensembles.h"
#include "support/streaming.h"

namespace echoloop::kernels_test {
namespace {

using namespace testing;

// The filters of the tuned paths differ by 2e-3 from the transforms of the specification, see fir_conditioner_test.
void expect_same_picture(const Acquisition& a, const ImagingParams& params, const std::vector<std::byte>& frame) {
  const auto picture = [&](CpuKernel kernel) { return tap_of(share(a), params, frame, Lane::Tap::beamformed, kernel); };
  const std::vector<float> expected = picture(CpuKernel::portable);
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    EXPECT_LE(relative_difference(picture(kernel), expected), 4e-3) << static_cast<int>(kernel);
  }
}

TEST(Kernels, MakeOnePictureOfRf) {
  const Acquisition a = linear_acquisition(32, 400, {-8.0, 0.0, 5.0});
  std::vector<float> frame = testing::noise(a.frame_values(), 1);
  expect_same_picture(a, testing::small_picture(a, 45, 150), to_bytes(frame));
  for (float& v : frame) v *= 5e-11f;
  expect_same_picture(a, testing::small_picture(a, 45, 150), to_bytes(frame));
}

TEST(Kernels, MakeOnePictureOfIqAndOfACurvedArray) {
  Acquisition a = linear_acquisition(24, 300, {-8.0, 5.0});
  a.signal = SignalKind::iq;
  a.demod_hz = 4.6e6;
  a.transmits[0].t0_s = 2e-6;
  expect_same_picture(a, testing::small_picture(a, 45, 70), to_bytes(testing::noise(a.frame_values(), 2)));
  const Acquisition curved = testing::convex_acquisition(40, 500);
  expect_same_picture(curved, testing::small_picture(curved, 50, 70),
                      to_bytes(testing::noise(curved.frame_values(), 3)));
}

TEST(Kernels, SilenceStaysSilent) {
  const Acquisition a = linear_acquisition(8, 200);
  const std::vector<float> frame(a.frame_values(), 0.0f);
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const auto envelope = tap_of(share(a), testing::small_picture(a), to_bytes(frame), Lane::Tap::envelope, kernel);
    for (const float v : envelope) EXPECT_EQ(v, 0.0f);
  }
}

struct Formed {
  std::vector<float> db;
  std::shared_ptr<const SampleFaultCount> invalid;
};

Formed formed(const Acquisition& a, const ImagingParams& params, const std::vector<float>& frame, CpuKernel kernel) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(2, kernel);
  const std::unique_ptr<Lane> lane = backend->make_lane(0, StreamMode::serial);
  const auto plan = make_plan(share(a), params);
  const std::vector<std::byte> bytes = to_bytes(frame);
  form_frame(*lane, plan, {.stamp = {}, .samples = bytes});
  make_image(*lane, *plan, {.reference_db = 60.0});
  lane->wait();
  const Image& image = lane->image();
  return {{image.host().begin(), image.host().end()}, image.invalid};
}

TEST(Kernels, InvalidSamplesAreReadAsZeroAndCounted) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float invalid[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 2e15F, -2e15F};
  Acquisition rf = linear_acquisition(12, 300, {-8.0, 5.0}), iq = rf;
  iq.signal = SignalKind::iq;
  iq.demod_hz = iq.center_hz;
  for (const Acquisition& a : {rf, iq}) {
    std::vector<float> frame = testing::noise(a.frame_values(), 4), zeroed = frame;
    const std::size_t line = frame.size() / 24;
    std::size_t n = 0;
    for (const std::size_t at : {std::size_t{0}, std::size_t{7}, 5 * line + 40, 14 * line + 299, 14 * line + 17}) {
      frame[at] = invalid[n++];
      zeroed[at] = 0.0F;
    }
    for (const Recipe recipe : {Recipe::analytic, Recipe::course}) {
      if (recipe == Recipe::course && a.signal == SignalKind::iq) continue;
      ImagingParams params = testing::small_picture(a);
      params.formation.recipe = recipe;
      for (const CpuKernel kernel : testing::cpu_kernels_here()) {
        const Formed with = formed(a, params, frame, kernel), without = formed(a, params, zeroed, kernel);
        EXPECT_EQ(with.db, without.db) << static_cast<int>(kernel);
        EXPECT_EQ(without.invalid, nullptr);
        ASSERT_NE(with.invalid, nullptr);
        EXPECT_EQ(with.invalid->samples, 5U);
        std::vector<bool> elements(12, false);
        elements[0] = elements[5] = elements[2] = true;  // line 14: element 2 of the second transmit
        EXPECT_EQ(with.invalid->elements, elements);
      }
    }
  }
}

TEST(Kernels, AreChosenByNameOrByTheProcessor) {
  const char* set = std::getenv("ECHOLOOP_CPU_KERNEL");
  const std::string before = set != nullptr ? set : "";
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    const std::string device = make_cpu_backend(1, kernel)->device();
    const char* name = kernel == CpuKernel::portable ? "portable" : kernel == CpuKernel::avx2 ? "avx2" : "avx512";
    EXPECT_EQ(device, std::string("1 thread, ") + name);
    ASSERT_EQ(setenv("ECHOLOOP_CPU_KERNEL", name, 1), 0);
    EXPECT_EQ(make_cpu_backend(1)->device(), device);
  }
  setenv("ECHOLOOP_CPU_KERNEL", "sse9", 1);
  EXPECT_THROW(make_cpu_backend(1), Error);
  setenv("ECHOLOOP_CPU_KERNEL", before.c_str(), 1);  // empty: as if it were not set
  for (const CpuKernel kernel : {CpuKernel::avx2, CpuKernel::avx512}) {
    if (has_cpu_kernel(kernel)) continue;
    EXPECT_THROW(make_cpu_backend(1, kernel), Error);
  }
}

}  // namespace
}  // namespace echoloop::kernels_test
