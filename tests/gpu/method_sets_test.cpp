// Random valid settings of the adaptive methods on difficult small frames: CUDA gives the numbers of the CPU.
#include "support/method_sets.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "gpu/gpu_support.h"
#include "support/environment_variable.h"

namespace echoloop::gpu_test::method_sets_test {
namespace {

class MethodSets : public GpuTest {};

// Levels this far below the highest are small differences of large sums.
constexpr float kCompared_db = 50.0F, kLevels_db = 0.1F, kWeights = 1e-3F;

struct Difference {
  std::size_t pixels = 0;
  float of_one = 0.0F, most = 0.0F, highest = 0.0F;  // the pixel that differs most: value, difference; the image's peak
};

std::ostream& operator<<(std::ostream& out, const Difference& d) {
  return out << d.pixels << " pixels differ; " << d.of_one << " by " << d.most << ", highest " << d.highest;
}

// Pixels of an edge: an element may be in on one side and out on the other (parity_test.cpp).
Difference difference(const std::vector<float>& a, const std::vector<float>& b, bool weights) {
  Difference d{.highest = *std::ranges::max_element(a)};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!weights && std::max(a[i], b[i]) < d.highest - kCompared_db) continue;
    const float by = std::abs(a[i] - b[i]);
    d.pixels += by > (weights ? kWeights : kLevels_db) ? 1 : 0;
    if (by > d.most) d = {d.pixels, a[i], by, d.highest};
  }
  return d;
}

TEST_F(MethodSets, AreTheSameOnBothDevices) {
  testing::MethodSets sets(4);
  const int n = testing::number_from_environment("ECHO_METHOD_SETS", 300);
  for (int round = 0; round < n; ++round) {
    const testing::MethodSets::Set set = sets.next();
    const std::vector<float> want = testing::image_of(cpu(), set), got = testing::image_of(gpu(), set);
    ASSERT_EQ(got.size(), want.size());
    for (const float v : got) ASSERT_TRUE(std::isfinite(v)) << "set " << round << ": " << set.words;
    // Beside one sample alone lies what the filter's rounding leaves, other values on each device; roots raise them.
    if (set.one_sample && set.params.formation.adaptive == Adaptive::p_das) continue;
    const Difference d = difference(want, got, shows_weight(set.params.formation));
    EXPECT_LE(d.pixels, 2U) << "set " << round << ": " << set.words << ": " << d;
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::method_sets_test
