// Object detection on the GPU, on a stream of the lowest priority, so that frames of the live stream go first.
// Threshold and labels are computed without a stop; the host waits once for them, and once for a table of then known
// length.
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "backend/cuda/kernels/kernels.h"
#include "backend/cuda/kernels/object_kernels.h"
#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "backend/cuda/runtime/stream.h"
#include "backend/object_plan.h"

namespace echoloop::cuda {

class CudaObjectDevice final : public ObjectDevice {
 public:
  explicit CudaObjectDevice(std::shared_ptr<Context> context);
  ~CudaObjectDevice() override;
  CudaObjectDevice(const CudaObjectDevice&) = delete;
  CudaObjectDevice& operator=(const CudaObjectDevice&) = delete;

  void begin_thread() override;
  void store(int slot, const Image& image) override;
  void find(int slot, const ObjectPlan& plan, ObjectImage& result) override;

 private:
  // Image on its way to the device, or there.
  struct Slot {
    explicit Slot(StreamView processing) : memory(processing) {}
    DeviceBuffer memory;  // float [nz][nx]
    Event stored{EventUse::order};
  };
  // Points in time of one image.
  struct Marks {
    Event begun{EventUse::time};
    Event levels_known{EventUse::time};
    Event done{EventUse::time_and_sleep};
  };
  // Taps of the smoothing filter.
  struct Taps {
    std::shared_ptr<const RefinePlan> made_of;
    std::optional<DeviceTables> tables;
  };

  [[nodiscard]] StreamView stream() const { return stream_.view(); }
  [[nodiscard]] ObjectFindings* findings() const { return findings_.as<ObjectFindings>(); }
  [[nodiscard]] Scratch scratch() const { return {scratch_.as<void>(), scratch_bytes_}; }
  [[nodiscard]] LevelSpace level_space() const;
  [[nodiscard]] ObjectSpace object_space() const;
  void reserve(const ObjectPlan& plan);
  const float* prepare(const ObjectPlan& plan, const float* db);
  const float* look_at_levels(const ObjectPlan& plan, const float* db);
  void look_for_objects(const ObjectPlan& plan, const float* db, const float* smoothed);
  void take_findings(ObjectImage& result);
  void take_table(const ObjectPlan& plan, int found, int kept, ObjectImage& result);

  std::shared_ptr<Context> context_;  // first: freed last
  Stream stream_{StreamPriority::low};
  std::array<Slot, JobThread::kSlots> slots_;
  DeviceBuffer smoothed_;  // two of float [nz][nx]
  DeviceBuffer trend_;     // two of float [max(nx, nz)]
  DeviceBuffer work_;      // LevelSpace, later reused as ObjectSpace
  DeviceBuffer scratch_;   // of the sorts and running sums
  DeviceBuffer roots_;     // int [nz][nx], finally the labels
  DeviceBuffer numbers_;   // int [nz][nx]
  DeviceBuffer findings_;
  DeviceBuffer table_;       // ObjectSums [kept]
  ReadbackBuffer readback_;  // ObjectFindings, labels
  ReadbackBuffer table_readback_;
  Marks marks_;
  Taps taps_;
  std::optional<DeviceTables> moments_;
  Grid grid_;  // grid of moments_ and the sizes
  int n_ = 0;  // its pixels
  std::size_t scratch_bytes_ = 0;
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFindingsBytes = (sizeof(ObjectFindings) + 255) / 256 * 256;  // labels begin after them

std::size_t size(int n) { return static_cast<std::size_t>(n); }
std::size_t most_objects(int n) { return (size(n) + 1) / 2; }  // objects never touch

bool same_taps(const RefinePlan& a, const RefinePlan& b) {
  return a.axial_reach == b.axial_reach && a.lateral_reach == b.lateral_reach && a.axial_taps == b.axial_taps &&
         a.lateral_taps == b.lateral_taps;
}

}  // namespace

// The slots belong to the processing stream, which stores into them; other buffers to stream().
CudaObjectDevice::CudaObjectDevice(std::shared_ptr<Context> context)
    : context_(std::move(context)),
      slots_{Slot(context_->processing.view()), Slot(context_->processing.view())},
      smoothed_(stream()),
      trend_(stream()),
      work_(stream()),
      scratch_(stream()),
      roots_(stream()),
      numbers_(stream()),
      findings_(stream()),
      table_(stream()) {
  // Clears all bytes once: padding between members is copied with them, and no kernel writes it.
  findings_.grow(sizeof(ObjectFindings));
  CUDA_CHECK(cudaMemsetAsync(findings_.as<void>(), 0, sizeof(ObjectFindings), stream().get()));
}

CudaObjectDevice::~CudaObjectDevice() { context_->finish(stream()); }

void CudaObjectDevice::begin_thread() { context_->make_current(); }

// Later frames write into the image's storage on the same stream. Pageable host memory has been read on return.
void CudaObjectDevice::store(int slot, const Image& image) {
  const StreamView processing = context_->processing.view();
  Slot& to = slots_.at(size(slot));
  const std::size_t pixels = image.grid.pixels();
  const float* from = image.device_db != nullptr ? image.device_db : image.host_db;
  to.memory.grow_for<float>(pixels);
  CUDA_CHECK(cudaMemcpyAsync(to.memory.as<void>(), from, pixels * sizeof(float), cudaMemcpyDefault, processing.get()));
  to.stored.record(processing);
}

LevelSpace CudaObjectDevice::level_space() const {
  auto* sums = work_.as<double>();
  return {.sorted = reinterpret_cast<float*>(sums + 2 * (size(n_) + 1)), .sums = sums, .scratch = scratch()};
}

ObjectSpace CudaObjectDevice::object_space() const {
  auto* objects = work_.as<ObjectSums>();
  return {.objects = objects, .keep = reinterpret_cast<int*>(objects + most_objects(n_)), .scratch = scratch()};
}

void CudaObjectDevice::reserve(const ObjectPlan& plan) {
  if (plan.smooth != nullptr && (taps_.made_of == nullptr || !same_taps(*taps_.made_of, *plan.smooth))) {
    taps_.made_of = nullptr;
    taps_.tables.emplace(plan.smooth,
                         std::initializer_list<TableBytes>{std::as_bytes(std::span(plan.smooth->axial_taps)),
                                                           std::as_bytes(std::span(plan.smooth->lateral_taps))},
                         stream(), stream());
    taps_.made_of = plan.smooth;
  }
  if (moments_.has_value() && plan.grid == grid_) return;
  moments_.reset();
  n_ = static_cast<int>(plan.grid.pixels());
  const std::size_t level_bytes = 2 * (size(n_) + 1) * sizeof(double) + 2 * size(n_) * sizeof(float);
  const std::size_t object_bytes = most_objects(n_) * (sizeof(ObjectSums) + sizeof(int));
  work_.grow(std::max(level_bytes, object_bytes));
  scratch_bytes_ = sort_scratch_bytes(n_);
  scratch_.grow(scratch_bytes_);
  roots_.grow_for<int>(size(n_));
  numbers_.grow_for<int>(size(n_));
  readback_.grow(kFindingsBytes + size(n_) * sizeof(int));
  const MomentTables& m = plan.moments;
  moments_.emplace(
      nullptr,
      std::initializer_list<TableBytes>{std::as_bytes(std::span(m.row_area)), std::as_bytes(std::span(m.row_x)),
                                        std::as_bytes(std::span(m.row_z)), std::as_bytes(std::span(m.column_x)),
                                        std::as_bytes(std::span(m.column_z))},
      stream(), stream());
  grid_ = plan.grid;
}

// Returns the input of the threshold: without gaps and trend, and smoothed.
const float* CudaObjectDevice::prepare(const ObjectPlan& plan, const float* db) {
  smoothed_.grow_for<float>(2 * size(n_));
  float* from = smoothed_.as<float>();
  float* to = from + n_;
  fill_gaps(db, n_, findings(), from, stream());
  if (plan.trend == LevelTrend::remove) {
    const int lines = std::max(plan.grid.nx, plan.grid.nz);
    trend_.grow_for<float>(2 * size(lines));
    const TrendSpace space{.medians = trend_.as<float>(), .trend = trend_.as<float>() + lines};
    for (const ImageLines each : {ImageLines::rows, ImageLines::columns})
      remove_trend({.db = db, .nx = plan.grid.nx, .nz = plan.grid.nz}, each, space, findings(), from, stream());
  }
  if (plan.smooth == nullptr) return from;
  const RefinePlan& p = *plan.smooth;
  const auto view = [&] { return PictureView{.db = from, .nx = p.nx, .nz = p.nz}; };
  if (p.axial_reach > 0) {
    smooth_axially(view(), {.taps = taps_.tables->table<float>(0), .reach = p.axial_reach}, to, stream());
    std::swap(from, to);
  }
  if (p.lateral_reach > 0) {
    const int row_step = p.lateral_rows > 1 ? p.lateral_reach + 1 : 0;
    smooth_laterally(view(), {.taps = taps_.tables->table<float>(1), .reach = p.lateral_reach}, row_step, to, stream());
    std::swap(from, to);
  }
  return from;
}

// Returns the image that the threshold is applied to.
const float* CudaObjectDevice::look_at_levels(const ObjectPlan& plan, const float* db) {
  ObjectFindings* f = findings();
  count_levels(db, n_, f->histogram, stream());
  find_background(db, db, n_, plan.kappa, level_space(), f, &f->background, stream());
  const float* smoothed = plan.prepares() ? prepare(plan, db) : db;
  if (smoothed != db) {
    find_background(db, smoothed, n_, plan.kappa, level_space(), f, &f->smoothed, stream());
  } else {
    CUDA_CHECK(
        cudaMemcpyAsync(&f->smoothed, &f->background, sizeof(Background), cudaMemcpyDeviceToDevice, stream().get()));
  }
  find_threshold(plan.sigmas, plan.wanted, f, stream());
  return smoothed;
}

void CudaObjectDevice::look_for_objects(const ObjectPlan& plan, const float* db, const float* smoothed) {
  const PixelSelection pixels{
      .db = db, .smoothed = smoothed, .nx = plan.grid.nx, .nz = plan.grid.nz, .wanted = plan.wanted};
  const PixelMoments moments{.row_area = moments_->table<int>(0),
                             .row_x = moments_->table<int>(1),
                             .row_z = moments_->table<int>(2),
                             .column_x = moments_->table<int>(3),
                             .column_z = moments_->table<int>(4)};
  label_objects(pixels, roots_.as<int>(), numbers_.as<int>(), scratch(), findings(), stream());
  sum_objects(pixels, moments, plan.least_area, roots_.as<int>(), numbers_.as<int>(), object_space(), findings(),
              stream());
}

void CudaObjectDevice::take_findings(ObjectImage& result) {
  const auto& f = *readback_.as<const ObjectFindings>();
  result.background = f.background;
  result.smoothed = f.smoothed;
  result.threshold_db = f.threshold_db;
  result.found = static_cast<std::uint64_t>(f.found);
  result.histogram.first_db = kHistogramFirst_db;
  result.histogram.step_db = kHistogramStep_db;
  const unsigned* bins = f.histogram;
  result.histogram.counts.assign(bins, bins + kHistogramBins);
  result.histogram.below = bins[kHistogramBins];
  result.histogram.above = bins[kHistogramBins + 1];
  result.histogram.without = bins[kHistogramBins + 2];
  const auto* labels = reinterpret_cast<const std::int32_t*>(readback_.as<std::byte>() + kFindingsBytes);
  result.labels.assign(labels, labels + n_);
}

void CudaObjectDevice::take_table(const ObjectPlan& plan, int found, int kept, ObjectImage& result) {
  result.objects.clear();
  if (kept == 0) return;
  const std::size_t bytes = size(kept) * sizeof(ObjectSums);
  table_.grow(bytes);
  table_readback_.grow(bytes);
  pick_objects(object_space(), found, plan.least_area, table_.as<ObjectSums>(), stream());
  CUDA_CHECK(
      cudaMemcpyAsync(table_readback_.as<void>(), table_.as<void>(), bytes, cudaMemcpyDeviceToHost, stream().get()));
  marks_.done.record(stream());
  marks_.done.synchronize();
  for (const ObjectSums& sums : std::span(table_readback_.as<const ObjectSums>(), size(kept)))
    result.objects.push_back(plan.object(sums));
}

void CudaObjectDevice::find(int slot, const ObjectPlan& plan, ObjectImage& result) {
  const auto start = Clock::now();
  const Slot& picture = slots_.at(size(slot));
  const auto* db = picture.memory.as<const float>();
  reserve(plan);
  picture.stored.make_wait(stream());
  marks_.begun.record(stream());
  const float* smoothed = look_at_levels(plan, db);
  marks_.levels_known.record(stream());
  look_for_objects(plan, db, smoothed);
  auto* host = readback_.as<std::byte>();
  CUDA_CHECK(
      cudaMemcpyAsync(host, findings_.as<void>(), sizeof(ObjectFindings), cudaMemcpyDeviceToHost, stream().get()));
  CUDA_CHECK(cudaMemcpyAsync(host + kFindingsBytes, roots_.as<void>(), size(n_) * sizeof(int), cudaMemcpyDeviceToHost,
                             stream().get()));
  marks_.done.record(stream());
  marks_.done.synchronize();
  result.times.background_ms = static_cast<double>(marks_.levels_known.ms_since(marks_.begun));
  const auto& f = *readback_.as<const ObjectFindings>();
  take_table(plan, f.found, f.kept, result);
  result.times.objects_ms = static_cast<double>(marks_.done.ms_since(marks_.levels_known));
  take_findings(result);
  result.times.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace echoloop::cuda

namespace echoloop {

constinit const CudaDeviceRow ObjectAnalysis::kOnCuda{
    .make = [](const std::shared_ptr<cuda::Context>& context) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<cuda::CudaObjectDevice>(context);
    }};

}  // namespace echoloop
