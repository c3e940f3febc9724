// Object detection on the CPU: smoothing on a pool of threads of lower priority than the lanes', the rest on the
// objects thread.
#include "backend/cpu/cpu_objects.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/results/analysis_images.h"
#include "core/units.h"
#include "dsp/level.h"
#include "dsp/objects.h"

namespace echoloop {

// Background of an image by kappa-sigma clipping (dsp/objects.h) on the CPU: sorted levels of the pixels that count,
// and their running sums. Keeps its memory between images. One thread.
class LevelBackground {
 public:
  // Uses the levels of `db` at the pixels that count in `picture`; both have the same size and may be the same array.
  Background find(std::span<const float> db, std::span<const float> picture, double kappa);

 private:
  void collect(std::span<const float> db, std::span<const float> picture);
  void sort();

  std::vector<std::uint32_t> keys_, sorted_;  // in the order of the levels
  std::vector<float> levels_;                 // ascending
  std::vector<double> sum_, squares_;         // see SortedLevels
};

// Removes the level trend of an image on the CPU (dsp/objects.h). Keeps its memory between images.
class TrendRemover {
 public:
  // `levels` [nz][nx], in place; at the pixels that count in `picture`.
  void remove(WorkerPool& pool, const ObjectPlan& plan, std::span<const float> picture, float median_db,
              std::span<float> levels);

 private:
  void remove(WorkerPool& pool, const Grid& grid, ImageLines lines, std::span<const float> picture, float median_db,
              std::span<float> levels);

  std::vector<float> medians_;                // [line]
  std::vector<std::vector<float>> selected_;  // [thread][level of a line, or line]
};

class CpuObjectDevice final : public ObjectDevice {
 public:
  explicit CpuObjectDevice(int threads) : threads_(threads) {}

  void begin_thread() override;
  void store(int slot, const Image& image) override;
  void find(int slot, const ObjectPlan& plan, ObjectImage& result) override;

 private:
  void prepare(const std::vector<float>& picture, const ObjectPlan& plan, const Background& background);

  int threads_;
  std::unique_ptr<WorkerPool> pool_;
  std::array<std::vector<float>, JobThread::kSlots> pictures_;  // dB, [nz][nx]
  CpuRefiner refiner_;
  LevelBackground background_;
  TrendRemover trend_;
  ObjectLabels labels_;
  std::vector<float> smoothed_;
};

namespace {

constexpr std::uint32_t kSign = 0x80000000U;

// Returns a key that orders as the float does.
std::uint32_t key_of(float level) {
  const auto bits = std::bit_cast<std::uint32_t>(level);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float level_of(std::uint32_t key) { return std::bit_cast<float>((key & kSign) != 0 ? key & ~kSign : ~key); }

}  // namespace

void LevelBackground::collect(std::span<const float> db, std::span<const float> picture) {
  keys_.clear();
  for (std::size_t i = 0; i < db.size(); ++i)
    if (level_counts(picture[i])) keys_.push_back(key_of(db[i]));
}

// Sorts by radix, 11 bits at a time, lowest first: three passes, against about eighteen of comparisons.
void LevelBackground::sort() {
  constexpr int kBits = 11, kPasses = 3;
  constexpr std::uint32_t kMask = (1U << kBits) - 1U;
  std::array<std::array<std::uint32_t, kMask + 1>, kPasses> places{};
  const auto digit = [](std::uint32_t key, int pass) { return (key >> (pass * kBits)) & kMask; };
  for (const std::uint32_t key : keys_)
    for (int pass = 0; pass < kPasses; ++pass) ++places[static_cast<std::size_t>(pass)][digit(key, pass)];
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

namespace {

float median_of(std::vector<float>& levels) {
  if (levels.empty()) return kNoMedian_db;
  const auto middle = levels.begin() + median_rank(static_cast<int>(levels.size()));
  std::nth_element(levels.begin(), middle, levels.end());
  return *middle;
}

}  // namespace

void TrendRemover::remove(WorkerPool& pool, const Grid& grid, ImageLines lines, std::span<const float> picture,
                          float median_db, std::span<float> levels) {
  const bool rows = lines == ImageLines::rows;
  const int n = rows ? grid.nz : grid.nx;
  const auto pixels = static_cast<std::size_t>(rows ? grid.nx : grid.nz);
  const auto nx = static_cast<std::size_t>(grid.nx);
  const auto pixel = [&](int line, std::size_t k) {
    return rows ? static_cast<std::size_t>(line) * nx + k : k * nx + static_cast<std::size_t>(line);
  };
  selected_.resize(static_cast<std::size_t>(pool.threads()));
  for (std::vector<float>& of_thread : selected_) of_thread.reserve(std::max(pixels, static_cast<std::size_t>(n)));
  medians_.resize(static_cast<std::size_t>(n));
  pool.run(n, 8, [&](int begin, int end, int thread) {
    std::vector<float>& counting = selected_[static_cast<std::size_t>(thread)];
    for (int line = begin; line < end; ++line) {
      counting.clear();
      for (std::size_t k = 0; k < pixels; ++k)
        if (level_counts(picture[pixel(line, k)])) counting.push_back(levels[pixel(line, k)]);
      medians_[static_cast<std::size_t>(line)] = median_of(counting);
    }
  });
  pool.run(n, 8, [&](int begin, int end, int thread) {
    std::vector<float>& window = selected_[static_cast<std::size_t>(thread)];
    for (int line = begin; line < end; ++line) {
      const int reach = trend_reach(line, n);
      window.clear();
      for (int l = line - reach; l <= line + reach; ++l) {
        const float db = medians_[static_cast<std::size_t>(l)];
        if (db < kNoMedian_db) window.push_back(db);
      }
      const float trend_db = median_of(window);
      for (std::size_t k = 0; k < pixels; ++k) {
        const std::size_t i = pixel(line, k);
        if (level_counts(picture[i])) levels[i] = without_trend(levels[i], trend_db, median_db);
      }
    }
  });
}

void TrendRemover::remove(WorkerPool& pool, const ObjectPlan& plan, std::span<const float> picture, float median_db,
                          std::span<float> levels) {
  for (const ImageLines lines : {ImageLines::rows, ImageLines::columns})
    remove(pool, plan.grid, lines, picture, median_db, levels);
}

void CpuObjectDevice::begin_thread() {
  // On Linux a nice value belongs to a thread and is inherited by the threads it starts.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10));
  pool_ = std::make_unique<WorkerPool>(threads_);
}

void CpuObjectDevice::store(int slot, const Image& image) {
  const std::span<const float> db = image.host();
  pictures_[static_cast<std::size_t>(slot)].assign(db.begin(), db.end());
}

// Sets smoothed_ to the input of the threshold.
void CpuObjectDevice::prepare(const std::vector<float>& picture, const ObjectPlan& plan, const Background& background) {
  const auto median_db = static_cast<float>(background.median_db);
  smoothed_.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) smoothed_[i] = level_or(picture[i], median_db);
  if (plan.trend == LevelTrend::remove) trend_.remove(*pool_, plan, picture, median_db, smoothed_);
  if (plan.smooth == nullptr) return;
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
  const bool prepares = any && plan.prepares();
  if (prepares) {
    prepare(picture, plan, result.background);
    result.smoothed = background_.find(smoothed_, picture, plan.kappa);
  }
  const std::int64_t objects_ns = now_ns();
  const std::vector<float>& levels = prepares ? smoothed_ : picture;
  result.threshold_db = any ? plan.threshold_db(result.smoothed) : 0.0;
  result.labels.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i)
    result.labels[i] = any && beyond_threshold(picture[i], levels[i], result.threshold_db, plan.wanted) ? 1 : 0;
  result.found = labels_.find(plan, picture, result.labels, result.objects);
  const std::int64_t end_ns = now_ns();
  result.times = {.background_ms = static_cast<double>(objects_ns - begin_ns) * 1e-6,
                  .objects_ms = static_cast<double>(end_ns - objects_ns) * 1e-6,
                  .total_ms = static_cast<double>(end_ns - begin_ns) * 1e-6};
}

constinit const CpuDeviceRow ObjectAnalysis::kOnCpu{
    .make = [](int threads, const CpuKernels&) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<CpuObjectDevice>(threads);
    }};

// Halves the path while following it.
std::int32_t ObjectLabels::root_of(std::int32_t label) {
  const auto up = [this](std::int32_t l) -> std::int32_t& { return parent_[static_cast<std::size_t>(l)]; };
  while (up(label) != label) {
    up(label) = up(up(label));
    label = up(label);
  }
  return label;
}

// Keeps the smaller label, that of the first pixel.
std::int32_t ObjectLabels::join(std::int32_t a, std::int32_t b) {
  a = root_of(a);
  b = root_of(b);
  const std::int32_t root = std::min(a, b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = root;
  return root;
}

// First pass: sets provisional labels, joined where they meet.
void ObjectLabels::label_rows(const Grid& grid, std::span<std::int32_t> labels) {
  parent_.assign(1, 0);
  const auto nx = static_cast<std::size_t>(grid.nx);
  for (std::size_t first = 0; first < labels.size(); first += nx) {
    std::int32_t left = 0;
    for (std::size_t i = first; i < first + nx; ++i) {
      if (labels[i] == 0) {
        left = 0;
        continue;
      }
      const std::int32_t above = first > 0 ? labels[i - nx] : 0;
      if (left == 0 && above == 0) {
        left = static_cast<std::int32_t>(parent_.size());
        parent_.push_back(left);
      } else if (left != 0 && above != 0 && left != above) {
        left = join(left, above);
      } else {
        left = std::max(left, above);
      }
      labels[i] = left;
    }
  }
}

// Second pass: replaces labels by object numbers and adds each pixel to its object.
void ObjectLabels::add_pixels(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels) {
  const PixelMoments moments = plan.moments.view();
  std::size_t i = 0;
  for (int iz = 0; iz < plan.grid.nz; ++iz) {
    for (int ix = 0; ix < plan.grid.nx; ++ix, ++i) {
      if (labels[i] == 0) continue;
      labels[i] = number_[static_cast<std::size_t>(labels[i])];
      ObjectSums& sums = sums_[static_cast<std::size_t>(labels[i])];
      const ObjectSums pixel = pixel_sums(moments, db[i], ix, iz);
      if (sums.pixels == 0)
        sums = pixel;
      else
        add_sums(sums, pixel);
    }
  }
}

std::uint64_t ObjectLabels::find(const ObjectPlan& plan, std::span<const float> db, std::span<std::int32_t> labels,
                                 std::vector<FoundObject>& objects) {
  label_rows(plan.grid, labels);
  number_.assign(parent_.size(), 0);
  std::int32_t found = 0;
  for (std::size_t l = 1; l < parent_.size(); ++l) {
    const std::int32_t root = root_of(static_cast<std::int32_t>(l));
    number_[l] = root == static_cast<std::int32_t>(l) ? ++found : number_[static_cast<std::size_t>(root)];
  }
  sums_.assign(static_cast<std::size_t>(found) + 1, {});
  add_pixels(plan, db, labels);
  objects.clear();
  number_.assign(sums_.size(), 0);
  for (std::size_t o = 1; o < sums_.size(); ++o) {
    if (sums_[o].area < plan.least_area) continue;
    objects.push_back(plan.object(sums_[o]));
    number_[o] = static_cast<std::int32_t>(objects.size());
  }
  if (objects.size() < static_cast<std::size_t>(found))
    for (std::int32_t& label : labels) label = number_[static_cast<std::size_t>(label)];
  return static_cast<std::uint64_t>(found);
}

void CpuRefiner::set_plan(const std::shared_ptr<const RefinePlan>& plan) {
  plan_ = plan;
  if (plan == nullptr) return;
  const std::size_t pixels = static_cast<std::size_t>(plan->nx) * static_cast<std::size_t>(plan->nz);
  if (plan->average) average_.resize(pixels);
  if (plan->filters()) scratch_.resize(pixels);
}

void CpuRefiner::average(WorkerPool& pool, const CpuRefiner* before, float keep, const float* amplitudes,
                         float reference_db, float* db) {
  const float* past = before != nullptr ? before->average_.data() : amplitudes;
  const auto nx = static_cast<std::size_t>(plan_->nx);
  pool.run(plan_->nz, 32, [&](int begin, int end, int) {
    for (std::size_t i = static_cast<std::size_t>(begin) * nx; i < static_cast<std::size_t>(end) * nx; ++i) {
      average_[i] = averaged(past[i], amplitudes[i], keep);
      db[i] = to_db(average_[i], reference_db);
    }
  });
}

// Applies `pixel(view, ix, iz)` to every pixel, from scratch_ to db.
template <class Pixel>
void CpuRefiner::pass(WorkerPool& pool, float* db, const Pixel& pixel) {
  std::copy_n(db, scratch_.size(), scratch_.begin());
  const PictureView view{.db = scratch_.data(), .nx = plan_->nx, .nz = plan_->nz};
  pool.run(plan_->nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz) {
      float* row = db + static_cast<std::size_t>(iz) * static_cast<std::size_t>(view.nx);
      for (int ix = 0; ix < view.nx; ++ix) row[ix] = pixel(view, ix, iz);
    }
  });
}

// Applies `smooth(iz, row)` to every row, from scratch_ to db.
template <class Row>
void CpuRefiner::smooth_rows(WorkerPool& pool, float* db, const Row& smooth) {
  std::copy_n(db, scratch_.size(), scratch_.begin());
  pool.run(plan_->nz, 4, [&](int begin, int end, int) {
    for (int iz = begin; iz < end; ++iz)
      smooth(iz, db + static_cast<std::size_t>(iz) * static_cast<std::size_t>(plan_->nx));
  });
}

// Equals smooth_axial_pixel(), term by term for a whole row: the same sums in the same order, vectorised.
void CpuRefiner::smooth_axial(int iz, float* row) const {
  const int nx = plan_->nx;
  const auto row_at = [&](int z) {
    return scratch_.data() + static_cast<std::size_t>(std::clamp(z, 0, plan_->nz - 1)) * static_cast<std::size_t>(nx);
  };
  const float* own = row_at(iz);
  const float middle = plan_->axial_taps[0];
  for (int ix = 0; ix < nx; ++ix) row[ix] = middle * own[ix];
  for (int k = 1; k <= plan_->axial_reach; ++k) {
    const float tap = plan_->axial_taps[static_cast<std::size_t>(k)];
    const float *above = row_at(iz - k), *below = row_at(iz + k);
    for (int ix = 0; ix < nx; ++ix) row[ix] += tap * (above[ix] + below[ix]);
  }
}

// Equals smooth_lateral_pixel(), by rows; pixels near the edges one by one.
void CpuRefiner::smooth_lateral(int iz, float* row) const {
  const int nx = plan_->nx, reach = plan_->lateral_reach;
  const float* taps = &plan_->lateral_taps[static_cast<std::size_t>(plan_->taps_row(iz))];
  const float* own = scratch_.data() + static_cast<std::size_t>(iz) * static_cast<std::size_t>(nx);
  const int first = std::min(reach, nx), end = std::max(first, nx - reach);
  for (int ix = first; ix < end; ++ix) row[ix] = taps[0] * own[ix];
  for (int k = 1; k <= reach; ++k) {
    const float tap = taps[k];
    const float *left = own - k, *right = own + k;
    for (int ix = first; ix < end; ++ix) row[ix] += tap * (left[ix] + right[ix]);
  }
  const PictureView view{.db = scratch_.data(), .nx = nx, .nz = plan_->nz};
  const auto edge = [&](int ix) { row[ix] = smooth_lateral_pixel(view, {.taps = taps, .reach = reach}, ix, iz); };
  for (int ix = 0; ix < first; ++ix) edge(ix);
  for (int ix = end; ix < nx; ++ix) edge(ix);
}

void CpuRefiner::filter(WorkerPool& pool, float* db) {
  const RefinePlan& p = *plan_;
  const auto apply = [&](const std::vector<PixelFilter>& filters) {
    for (const PixelFilter& filter : filters) std::visit([&](const auto& pixel) { pass(pool, db, pixel); }, filter);
  };
  apply(p.first);
  if (p.axial_reach > 0) smooth_rows(pool, db, [&](int iz, float* row) { smooth_axial(iz, row); });
  if (p.lateral_reach > 0) smooth_rows(pool, db, [&](int iz, float* row) { smooth_lateral(iz, row); });
  apply(p.last);
}

}  // namespace echoloop
