// Random valid settings of the adaptive methods on difficult small frames: CUDA gives the numbers of the CPU.
#include "support/method_sets.h"

#include <algorithm>
#include <cmath>

#include "gpu/gpu_support.h"
#include "support/environment_variable.h"

namespace echoloop::gpu_test::method_sets_test {
namespace {

class MethodSets : public GpuTest {};

// Levels this far below the highest are small differences of large sums.
constexpr float kCompared_db = 50.0F, kLevels_db = 0.1F, kWeights = 1e-3F;

// Pixels of an edge: an element may be in on one side and out on the other (parity_test.cpp).
std::size_t differing(const std::vector<float>& a, const std::vector<float>& b, bool weights) {
  const float highest = *std::ranges::max_element(a);
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!weights && std::max(a[i], b[i]) < highest - kCompared_db) continue;
    n += std::abs(a[i] - b[i]) > (weights ? kWeights : kLevels_db) ? 1 : 0;
  }
  return n;
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
    EXPECT_LE(differing(want, got, shows_weight(set.params.formation)), 2U) << "set " << round << ": " << set.words;
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::method_sets_test
