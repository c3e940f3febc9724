// Objects on the CPU: smoothing on a pool of threads of lower priority than the lanes', the rest on the objects
// thread itself.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/cpu_refiner.h"
#include "backend/cpu/object_labels.h"
#include "backend/cpu/worker_pool.h"
#include "backend/object_device.h"
#include "core/results/object_image.h"
#include "core/units.h"
#include "dsp/background.h"
#include "dsp/objects.h"

namespace echoloop {

// The background of an image by kappa-sigma clipping (dsp/background.h) on the CPU: the levels that count, sorted, and
// their running sums. Keeps its memory from image to image. One thread's.
class LevelBackground {
 public:
  // Of the levels of `db` at those pixels that count in `picture`; both of the same size, and may be the same.
  Background find(std::span<const float> db, std::span<const float> picture, double kappa);

 private:
  void collect(std::span<const float> db, std::span<const float> picture);
  void sort();

  std::vector<std::uint32_t> keys_, sorted_;  // rise as the levels do
  std::vector<float> levels_;                 // rising
  std::vector<double> sum_, squares_;         // see SortedLevels
};

class CpuObjectDevice final : public ObjectDevice {
 public:
  explicit CpuObjectDevice(int threads) : threads_(threads) {}

  void begin_thread() override;
  void store(int slot, const Image& image) override;
  void find(int slot, const ObjectPlan& plan, ObjectImage& result) override;

 private:
  void smooth(const std::vector<float>& picture, const ObjectPlan& plan, const Background& background);

  int threads_;
  std::unique_ptr<WorkerPool> pool_;
  std::array<std::vector<float>, kObjectSlots> pictures_;  // dB, [nz][nx]
  CpuRefiner refiner_;
  LevelBackground background_;
  ObjectLabels labels_;
  std::vector<float> smoothed_;
};

namespace {

constexpr std::uint32_t kSign = 0x80000000U;

// Of two floats the larger one has the larger key.
std::uint32_t key_of(float level) {
  const auto bits = std::bit_cast<std::uint32_t>(level);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float level_of(std::uint32_t key) { return std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key); }

}  // namespace

void LevelBackground::collect(std::span<const float> db, std::span<const float> picture) {
  keys_.clear();
  for (std::size_t i = 0; i < db.size(); ++i) {
    if (level_counts(picture[i])) keys_.push_back(key_of(db[i]));
  }
}

// By 11 bits at a time, lowest first: three times through the image, where comparing would take eighteen.
void LevelBackground::sort() {
  constexpr int kBits = 11, kPasses = 3;
  constexpr std::uint32_t kMask = (1U << kBits) - 1U;
  std::array<std::array<std::uint32_t, kMask + 1>, kPasses> places{};
  const auto digit = [](std::uint32_t key, int pass) { return (key >> (pass * kBits)) & kMask; };
  for (const std::uint32_t key : keys_) {
    for (int pass = 0; pass < kPasses; ++pass) ++places[static_cast<std::size_t>(pass)][digit(key, pass)];
  }
  sorted_.resize(keys_.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& place = places[static_cast<std::size_t>(pass)];
    std::uint32_t first = 0;
    for (std::uint32_t& p : place) {
      const std::uint32_t count = p;
      p = first;
      first += count;
    }
    for (const std::uint32_t key : keys_) sorted_[place[digit(key, pass)]++] = key;
    keys_.swap(sorted_);
  }
}

Background LevelBackground::find(std::span<const float> db, std::span<const float> picture, double kappa) {
  collect(db, picture);
  const std::size_t n = keys_.size();
  if (n == 0) return {};
  sort();
  const auto pivot_db = static_cast<double>(level_of(keys_[(n - 1) / 2]));
  levels_.resize(n);
  sum_.resize(n + 1);
  squares_.resize(n + 1);
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    sum_[i] = sum;
    squares_[i] = squares;
    levels_[i] = level_of(keys_[i]);
    const double d = static_cast<double>(levels_[i]) - pivot_db;
    sum += d;
    squares += d * d;
  }
  sum_[n] = sum;
  squares_[n] = squares;
  const ClippedLevels kept = clip_levels({.level_db = levels_.data(),
                                          .sum = sum_.data(),
                                          .sum_of_squares = squares_.data(),
                                          .count = static_cast<long long>(n),
                                          .pivot_db = pivot_db},
                                         kappa);
  return {.median_db = kept.median_db,
          .mean_db = kept.mean_db,
          .sigma_db = kept.sigma_db,
          .pixels = static_cast<std::uint64_t>(kept.end - kept.first),
          .rounds = kept.rounds,
          .lowest_db = static_cast<double>(levels_[static_cast<std::size_t>(kept.first)]),
          .highest_db = static_cast<double>(levels_[static_cast<std::size_t>(kept.end - 1)])};
}

void CpuObjectDevice::begin_thread() {
  // Threads of Linux each have their own nice value, and inherit it from who starts them.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10));
  pool_ = std::make_unique<WorkerPool>(threads_);
}

void CpuObjectDevice::store(int slot, const Image& image) {
  const std::span<const float> db = image.host();
  pictures_[static_cast<std::size_t>(slot)].assign(db.begin(), db.end());
}

void CpuObjectDevice::smooth(const std::vector<float>& picture, const ObjectPlan& plan, const Background& background) {
  const auto stand_in_db = static_cast<float>(background.median_db);
  smoothed_.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) smoothed_[i] = level_or(picture[i], stand_in_db);
  refiner_.set_plan(plan.smooth);
  refiner_.filter(*pool_, smoothed_.data());
}

void CpuObjectDevice::find(int slot, const ObjectPlan& plan, ObjectImage& result) {
  const std::int64_t begin_ns = now_ns();
  const std::vector<float>& picture = pictures_[static_cast<std::size_t>(slot)];
  result.histogram.first_db = kHistogramFirst_db;
  result.histogram.step_db = kHistogramStep_db;
  count_levels(picture, kHistogramBins, result.histogram);
  result.background = result.smoothed = background_.find(picture, picture, plan.kappa);
  const bool any = result.background.pixels > 0;
  const bool smooths = any && plan.smooth != nullptr;
  if (smooths) {
    smooth(picture, plan, result.background);
    result.smoothed = background_.find(smoothed_, picture, plan.kappa);
  }
  const std::int64_t objects_ns = now_ns();
  const std::vector<float>& levels = smooths ? smoothed_ : picture;
  result.threshold_db = any ? plan.threshold_db(result.smoothed) : 0.0;
  result.labels.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    result.labels[i] = any && beyond_threshold(picture[i], levels[i], result.threshold_db, plan.wanted) ? 1 : 0;
  }
  result.found = labels_.find(plan, picture, result.labels, result.objects);
  const std::int64_t end_ns = now_ns();
  result.times = {.background_ms = static_cast<double>(objects_ns - begin_ns) * 1e-6,
                  .objects_ms = static_cast<double>(end_ns - objects_ns) * 1e-6,
                  .total_ms = static_cast<double>(end_ns - begin_ns) * 1e-6};
}

std::unique_ptr<ObjectDevice> make_cpu_object_device(int threads) { return std::make_unique<CpuObjectDevice>(threads); }

}  // namespace echoloop
