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

// What has no scale for int16 goes the way of the specification.
TEST(Kernels, SilenceAndValuesThatAreNotFinite) {
  Acquisition a = linear_acquisition(8, 200);
  a.signal = SignalKind::iq;  // of RF the mean would carry it to the whole line
  a.demod_hz = 5e6;
  const ImagingParams params = testing::small_picture(a);
  std::vector<float> frame(a.frame_values(), 0.0f);
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    for (const float v : tap_of(share(a), params, to_bytes(frame), Lane::Tap::envelope, kernel)) EXPECT_EQ(v, 0.0f);
  }
  frame[800] = 1.0f;
  frame[700] = std::numeric_limits<float>::infinity();
  for (const CpuKernel kernel : testing::cpu_kernels_here()) {
    bool finite = true;
    for (const float v : tap_of(share(a), params, to_bytes(frame), Lane::Tap::envelope, kernel)) {
      finite = finite && std::isfinite(v);
    }
    EXPECT_FALSE(finite) << "a broken channel must not go unseen";
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
