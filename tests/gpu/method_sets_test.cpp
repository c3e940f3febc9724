// Random valid settings of the adaptive methods on difficult small frames: CUDA gives the numbers of the CPU.
#include "support/method_sets.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <thread>

#include "backend/frame_processor.h"
#include "gpu/gpu_support.h"
#include "support/environment_variable.h"

namespace echoloop::gpu_test::method_sets_test {
namespace {

class MethodSets : public GpuTest {
 public:
  using GpuTest::cpu, GpuTest::gpu;
};

// Levels this far below the highest are small differences of large sums; this far below the largest sample they are
// what the rounding of filters and of weights at the edge of the aperture leaves.
constexpr float kCompared_db = 50.0F, kRounding_db = 90.0F, kLevels_db = 0.1F, kWeights = 1e-3F;

struct Difference {
  std::size_t pixels = 0;
  float of_one = 0.0F, most = 0.0F, highest = 0.0F;  // the pixel that differs most: value, difference; the image's peak
};

std::ostream& operator<<(std::ostream& out, const Difference& d) {
  return out << d.pixels << " pixels differ; " << d.of_one << " by " << d.most << ", highest " << d.highest;
}

Difference difference(const testing::MethodSets::Set& set) {
  const std::vector<float> a = testing::image_of(MethodSets::cpu(), set), b = testing::image_of(MethodSets::gpu(), set);
  EXPECT_EQ(a.size(), b.size());
  const bool weights = shows_weight(set.params.formation);
  Difference d{.highest = *std::ranges::max_element(a)};
  const float floor = std::max(d.highest - kCompared_db, testing::largest_sample_db(set.frame) - kRounding_db);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(std::isfinite(b[i])) << set.words;
    if (!weights && std::max(a[i], b[i]) < floor) continue;
    const float by = std::abs(a[i] - b[i]);
    d.pixels += by > (weights ? kWeights : kLevels_db) ? 1 : 0;
    if (by > d.most) d = {d.pixels, a[i], by, d.highest};
  }
  return d;
}

// An element may be in on one side and out on the other at two pixels (parity_test.cpp); methods that read rows have
// that in the rows around, too. Without edges of the aperture and of cones they agree.
void expect_edges_only(testing::MethodSets::Set set, const Difference& d) {
  EXPECT_LE(d.pixels, 12U) << set.words << ": " << d;
  EXPECT_TRUE(reads_rows(set.params.formation.adaptive)) << set.words << ": " << d;
  set.params.formation.f_number = 0.0;
  set.params.transmits.cone = TransmitCone::off;
  const Difference without = difference(set);
  EXPECT_EQ(without.pixels, 0U) << set.words << ", without edges: " << without;
}

TEST_F(MethodSets, AreTheSameOnBothDevices) {
  testing::MethodSets sets(4);
  const int n = testing::number_from_environment("ECHO_METHOD_SETS", 300);
  for (int round = 0; round < n; ++round) {
    const testing::MethodSets::Set set = sets.next();
    SCOPED_TRACE("set " + std::to_string(round));
    if (const Difference d = difference(set); d.pixels > 2) expect_edges_only(set, d);
  }
}

// Bands of rows beyond those that may be queued at once: all are made, the rest is skipped once superseded, and work of
// another thread is not.
TEST_F(MethodSets, AnImageOfManyBandsIsCompleteUnlessSuperseded) {
  const Case c{.name = "tall", .nx = 600, .nz = 8000, .adaptive = Adaptive::minimum_variance};
  const AcquisitionPtr acquisition = make_acquisition(c);
  const std::vector<std::byte> samples = make_frame(c, *acquisition);
  const std::shared_ptr<const Plan> plan = make_case_plan(c);
  const std::unique_ptr<Lane> lane = gpu().make_lane(0, StreamMode::serial);
  const auto image = [&](bool superseded) {
    gpu().begin_work();
    if (superseded) gpu().supersede();
    form_frame(*lane, plan, {.stamp = {}, .samples = samples});
    EXPECT_EQ(gpu().end_work(), !superseded);
    return lane->read_back(Lane::Tap::beamformed);
  };
  const std::vector<float> complete = image(false);
  image(true);
  EXPECT_EQ(image(false), complete);
  std::vector<float> other;
  gpu().begin_work();
  gpu().supersede();
  std::thread([&] {
    form_frame(*lane, plan, {.stamp = {}, .samples = samples});
    other = lane->read_back(Lane::Tap::beamformed);
  }).join();
  EXPECT_TRUE(gpu().end_work());
  EXPECT_EQ(other, complete);
}

}  // namespace
}  // namespace echoloop::gpu_test::method_sets_test
