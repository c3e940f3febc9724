// CPU backend: one pool of threads, lanes that compute at once. Runs everywhere; reference for every other backend.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_objects.h"
#include "backend/cpu/cpu_steps.h"
#include "backend/cpu/simulated_bus.h"
#include "backend/cpu/worker_pool.h"
#include "backend/flow_engine.h"
#include "backend/object_plan.h"
#include "backend/plain_array.h"
#include "core/timing_trace.h"
#include "core/units.h"
#include "dsp/level.h"

namespace echoloop {

// Defined below or in other files.
struct CpuDevice {
  std::shared_ptr<WorkerPool> pool;
  std::shared_ptr<SimulatedBus> bus;  // of all lanes
};
std::unique_ptr<Lane> make_cpu_lane(const CpuDevice& device, const CpuKernels& kernels, int number,
                                    const LaneSettings& settings);

namespace {

// Sums of a gate on the CPU: a loop over its few pixels, at once.
class CpuGateDevice final : public GateDevice {
 public:
  bool take(const GateGeometry& gate, const PixelView& pixels) override;
  std::span<const Complex> next() override;
  void wait() override {}

 private:
  std::array<Complex, kMaxGateBands> sums_{};
  std::size_t there_ = 0;  // bands of sums_ not yet returned by next()
};

bool CpuGateDevice::take(const GateGeometry& gate, const PixelView& pixels) {
  if (there_ > 0) return false;
  there_ = static_cast<std::size_t>(gate.bands);
  for (int band = 0; band < gate.bands; ++band) {
    Complex sum{0.0f, 0.0f};
    for (int row = 0; row < gate.rows; ++row) {
      const long long at = gate.first + static_cast<long long>(row) * gate.stride;
      sum = sum + gate_term(gate, band, row, pixels.values[at]);
    }
    sums_[static_cast<std::size_t>(band)] = sum;
  }
  return true;
}

std::span<const Complex> CpuGateDevice::next() { return {sums_.data(), std::exchange(there_, 0)}; }

class PageableBlock final : public HostMemoryBlock {
 public:
  explicit PageableBlock(std::size_t bytes) : memory_(bytes) {}
  std::span<std::byte> bytes() override { return {memory_.begin(), memory_.end()}; }
  [[nodiscard]] HostMemory kind() const override { return HostMemory::pageable; }

 private:
  PlainArray<std::byte> memory_;
};

constexpr auto kDevices = rows_of_analyses<CpuDeviceRow>([]<class A>() { return &A::kOnCpu; });

class CpuBackend final : public Backend {
 public:
  CpuBackend(int threads, const CpuKernels& kernels)
      : pool_(std::make_shared<WorkerPool>(threads)), kernels_(kernels) {}
  [[nodiscard]] std::string name() const override { return "CPU"; }
  [[nodiscard]] std::string device() const override {
    return counted(pool_->threads(), "thread") + ", " + kernels_.name;
  }
  std::unique_ptr<HostMemoryBlock> allocate_host(std::size_t bytes, HostMemory) override {
    return std::make_unique<PageableBlock>(bytes);
  }
  std::unique_ptr<PageLock> page_lock(std::span<const std::byte>) override { return nullptr; }
  std::unique_ptr<Lane> make_lane(int number, const LaneSettings& settings) override {
    return make_cpu_lane({pool_, bus_}, kernels_, number, settings);
  }
  std::unique_ptr<AnalysisDevice> make_analysis_device(std::size_t analysis) override {
    return kDevices[analysis]->make(pool_->threads(), kernels_);
  }
  [[nodiscard]] DeviceMemory memory() const override { return {}; }
  void abandon() override { pool_->abandon(); }
  void resume() override { pool_->resume(); }
  void begin_work() override { pool_->begin_work(); }
  [[nodiscard]] bool end_work() override { return pool_->end_work(); }
  void supersede() override { pool_->supersede(); }
  [[nodiscard]] double remaining_s() const override { return pool_->remaining_s(); }

 private:
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<SimulatedBus> bus_ = std::make_shared<SimulatedBus>();
  const CpuKernels& kernels_;
};

}  // namespace

constinit const CpuDeviceRow SpectrogramAnalysis::kOnCpu{
    .make = [](int, const CpuKernels&) -> std::unique_ptr<AnalysisDevice> {
      return std::make_unique<CpuGateDevice>();
    }};

std::unique_ptr<Backend> make_cpu_backend(int threads, CpuKernel kernel) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::make_unique<CpuBackend>(threads > 0 ? threads : cores, cpu_kernels(kernel));
}

// Lane of the CPU backend: every verb computes at once, with all threads of the pool; the lane holds the buffers.

namespace {

class CpuLane final : public Lane {
 public:
  CpuLane(const CpuDevice& device, const CpuKernels& kernels, int number, const LaneSettings& settings);

  void set_plan(const std::shared_ptr<const Plan>& plan) override;
  void upload(std::span<const RfFrame> frames) override;
  void miss_event() override { bus_.event = Event::missing; }
  void load(double ms) override;
  void fail(DeviceFault fault) override;
  void condition() override;
  void beamform() override;
  void envelope() override;
  void compress(double reference_db) override;
  void refine(const FrameAverage* average) override;
  void keep_line(int column) override;
  void keep_pixels() override;
  void finish(HostCopy copy) override;
  [[nodiscard]] bool uploaded() override { return done_.conditioned; }
  [[nodiscard]] bool finished() override { return done_.finished; }
  void wait() override {}
  [[nodiscard]] PixelView pixels() override;
  [[nodiscard]] Image& image(std::size_t /*k*/) override { return image_; }
  [[nodiscard]] std::span<const float> line() override { return line_; }
  [[nodiscard]] std::span<const Complex> kept_pixels() override { return kept_; }
  void append_spans(TimingTrace& trace) override;
  std::vector<float> read_back(Tap tap) override;
  void write_input(OwnInput input, int first, int rows, std::span<std::byte> to) override;
  void put_pixels(std::span<const Complex> values) override;
  void put_levels(std::span<const float> values) override { std::ranges::copy(values, image_.host_db); }
  [[nodiscard]] bool given_up() const override { return pool_->abandoned(); }
  [[nodiscard]] bool conditions_late() const override { return bus_.settings.copy.bus_gbps <= 0.0; }

 private:
  class StageTimer;
  enum class Event { awaited, missing };
  // Copy of the frame on the simulated bus.
  struct Bus {
    std::shared_ptr<SimulatedBus> shared;
    LaneSettings settings;
    BusCopy copy = {};                 // of the frame
    std::int64_t lane_free_ns = 0;     // end of the previous frame
    Event event = Event::awaited;      // missing: of the frame
    std::vector<std::byte> torn = {};  // samples of frames without an event, as far as they were copied
  };
  void wait_until(std::int64_t end_ns) const;
  [[nodiscard]] RfFrame arrived_frame();
  void fit_image_storage();
  [[nodiscard]] std::span<const std::byte> picked_samples(std::span<const std::byte> samples);

  std::shared_ptr<WorkerPool> pool_;
  Bus bus_;
  const CpuKernels& kernels_;
  int number_;
  std::shared_ptr<const Plan> plan_;
  RfFrame frame_;
  struct Progress {
    bool conditioned = false, finished = false;
    InvalidSamples invalid;  // of the frame
  } done_;
  std::unique_ptr<CpuSteps> analytic_;  // made when first used
  std::unique_ptr<CpuSteps> course_;
  CpuSteps* steps_ = nullptr;  // of the plan in use
  CpuRefiner refiner_;
  float level_db_ = 0.0f;          // 0 dB of the frame
  std::vector<std::byte> picked_;  // samples of every second, third ... transmit
  PlainArray<float> envelope_;     // [nz][nx]
  std::vector<float> line_;        // [nz]: kept column of the image
  PlainArray<Complex> weighed_;    // kept pixels, if a method weights them
  std::span<const Complex> kept_;
  Image image_;
  std::array<Span, kStageCount> spans_{};     // by stage
  std::array<bool, kStageCount> has_span_{};  // of this frame
};

// Records a stage during its lifetime.
class CpuLane::StageTimer {
 public:
  StageTimer(CpuLane& lane, Stage stage) : range_(stage), span_(lane.spans_[static_cast<std::size_t>(stage)]) {
    lane.has_span_[static_cast<std::size_t>(stage)] = true;
    span_ = {.frame = lane.frame_.stamp.sequence,
             .stage = stage,
             .lane = static_cast<std::uint8_t>(lane.number_),
             .start_ns = now_ns(),
             .end_ns = 0};
  }
  ~StageTimer() { span_.end_ns = now_ns(); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  ProfileRange range_;
  Span& span_;
};

CpuLane::CpuLane(const CpuDevice& device, const CpuKernels& kernels, int number, const LaneSettings& settings)
    : pool_(device.pool), bus_{.shared = device.bus, .settings = settings}, kernels_(kernels), number_(number) {}

void CpuLane::set_plan(const std::shared_ptr<const Plan>& plan) {
  if (plan == plan_) return;
  plan_ = plan;
  const Acquisition& a = *plan->formed;
  if (plan->pick.every > 1) picked_.resize(a.frame_bytes());
  envelope_.resize(plan->grid.pixels());
  refiner_.set_plan(plan->refine);
  std::unique_ptr<CpuSteps>& steps = plan->course != nullptr ? course_ : analytic_;
  if (steps == nullptr)
    steps = plan->course != nullptr ? make_course_cpu_steps(*pool_) : make_analytic_cpu_steps(*pool_, kernels_);
  steps->set_plan(*plan);
  steps_ = steps.get();
}

void CpuLane::upload(std::span<const RfFrame> frames) {
  frame_ = frames.front();
  done_.conditioned = false;
  done_.finished = false;
  has_span_ = {};
  image_.torn_share = 0.0;
  image_.invalid.reset();
  if (bus_.settings.copy.bus_gbps <= 0.0) {
    bus_.event = Event::awaited;                   // nothing to wait for
    const StageTimer timer(*this, Stage::upload);  // nothing to copy: samples are read in place
    return;
  }
  bus_.copy = bus_.shared->copy({.bytes = plan_->formed->frame_bytes(),
                                 .now_ns = now_ns(),
                                 .published_ns = frame_.stamp.acquired_ns,
                                 .lane_free_ns = bus_.lane_free_ns},
                                bus_.settings);
  {
    const StageTimer timer(*this, Stage::upload);
    if (bus_.event == Event::awaited) wait_until(bus_.copy.end_ns);
  }
  Span& span = spans_[static_cast<std::size_t>(Stage::upload)];
  span.start_ns = bus_.copy.start_ns;  // the copy engine works beside the cores
  span.end_ns = bus_.copy.end_ns;
}

// Waits as for a device; returns early if the work is abandoned.
void CpuLane::wait_until(std::int64_t end_ns) const {
  constexpr std::int64_t kLongest_ns = 5'000'000;
  for (std::int64_t now = now_ns(); now < end_ns && !pool_->abandoned(); now = now_ns())
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(end_ns - now, kLongest_ns)));
}

// Returns the frame as the kernels find it: without an event the rest of its samples are of an earlier frame.
RfFrame CpuLane::arrived_frame() {
  if (std::exchange(bus_.event, Event::awaited) == Event::awaited) return frame_;
  const double share = bus_.copy.share_at(now_ns());
  const std::size_t copied = static_cast<std::size_t>(share * static_cast<double>(frame_.samples.size()));
  bus_.torn.resize(frame_.samples.size());
  std::memcpy(bus_.torn.data(), frame_.samples.data(), copied);
  image_.torn_share = 1.0 - share;
  RfFrame torn = frame_;
  torn.samples = bus_.torn;
  return torn;
}

void CpuLane::load(double ms) {
  const StageTimer timer(*this, Stage::load);
  const std::int64_t end_ns = now_ns() + static_cast<std::int64_t>(ms * 1e6);
  pool_->run(pool_->threads(), 1, [end_ns](int, int, int) {
    while (now_ns() < end_ns) {
    }
  });
}

void CpuLane::fail(DeviceFault fault) {
  const std::string frame = std::to_string(frame_.stamp.sequence);
  if (fault == DeviceFault::refused) throw std::runtime_error("injected fault: the device rejected frame " + frame);
  throw std::runtime_error("injected fault: the device was lost on frame " + frame);
}

// Returns the samples of the picked transmits; copies them if not contiguous.
std::span<const std::byte> CpuLane::picked_samples(std::span<const std::byte> samples) {
  const TransmitPick& pick = plan_->pick;
  const std::size_t bytes = plan_->formed->frame_bytes() / plan_->formed->transmits.size();
  const std::span<const std::byte> from = samples.subspan(static_cast<std::size_t>(pick.first) * bytes);
  if (pick.every == 1) return from.first(static_cast<std::size_t>(pick.count) * bytes);
  for (int i = 0; i < pick.count; ++i) {
    std::memcpy(picked_.data() + static_cast<std::size_t>(i) * bytes,
                from.data() + static_cast<std::size_t>(i * pick.every) * bytes, bytes);
  }
  return picked_;
}

void CpuLane::condition() {
  const StageTimer timer(*this, Stage::condition);
  const RfFrame arrived = arrived_frame();
  done_.invalid.begin(plan_->formed->n_elements());
  steps_->condition(picked_samples(arrived.samples), done_.invalid);
  image_.invalid = done_.invalid.found();
  const std::size_t bytes = plan_->formed->frame_bytes();
  wait_until(now_ns() + SimulatedBus::reading_ns(bytes, bus_.settings));  // kernels read over the bus
  if (image_.torn_share > 0.0) {  // the rest of the copy: samples that the lane's next frame may find
    wait_until(bus_.copy.end_ns);
    std::memcpy(bus_.torn.data(), frame_.samples.data(), frame_.samples.size());
  }
  done_.conditioned = true;
}

void CpuLane::beamform() {
  const StageTimer timer(*this, Stage::beamform);
  steps_->beamform();
}

void CpuLane::envelope() {
  const StageTimer timer(*this, Stage::envelope);
  steps_->envelope(envelope_.data());
}

void CpuLane::fit_image_storage() {
  const std::size_t pixels = plan_->grid.pixels();
  if (image_.storage == nullptr || image_.capacity < pixels) {
    auto memory = std::make_shared<PlainArray<float>>(pixels);
    image_.host_db = memory->data();
    image_.capacity = pixels;
    image_.storage = std::move(memory);
  }
  image_.grid = plan_->grid;
  image_.stamp = frame_.stamp;
}

void CpuLane::compress(double reference_db) {
  const StageTimer timer(*this, Stage::compress);
  fit_image_storage();
  const float reference = steps_->own_level_db(envelope_).value_or(static_cast<float>(reference_db));
  level_db_ = reference;
  const int nx = plan_->grid.nx;
  if (plan_->method.shows_factor) {
    std::copy(envelope_.begin(), envelope_.end(), image_.host_db);
    return;
  }
  pool_->run(plan_->grid.nz, 32, [&](int begin, int end, int) {
    const auto first = static_cast<std::size_t>(begin) * static_cast<std::size_t>(nx);
    const auto last = static_cast<std::size_t>(end) * static_cast<std::size_t>(nx);
    for (std::size_t i = first; i < last; ++i) image_.host_db[i] = to_db(envelope_[i], reference);
  });
}

void CpuLane::refine(const FrameAverage* average) {
  const StageTimer timer(*this, Stage::refine);
  if (average != nullptr) {
    const auto* before = static_cast<const CpuLane*>(average->before);
    refiner_.average(*pool_, before != nullptr ? &before->refiner_ : nullptr, average->keep, envelope_.data(),
                     level_db_, image_.host_db);
  }
  refiner_.filter(*pool_, image_.host_db);
}

void CpuLane::keep_line(int column) {
  line_.resize(static_cast<std::size_t>(plan_->grid.nz));
  const float* from = image_.host_db + column;
  for (float& level_db : line_) {
    level_db = *from;
    from += plan_->grid.nx;
  }
}

// Keeps pixels in place if no weights apply.
void CpuLane::keep_pixels() {
  const WeighedPixels from = steps_->weighed_pixels();
  const std::size_t count = plan_->das->tables->grid.pixels();
  kept_ = {from.pixels, count};
  if (from.weights == nullptr) return;
  weighed_.resize(count);
  constexpr int kChunk = 1 << 14;
  const int chunks = static_cast<int>((count + kChunk - 1) / kChunk);
  pool_->run(chunks, 1, [&](int begin, int end, int) {
    const std::size_t last = std::min(count, static_cast<std::size_t>(end) * kChunk);
    for (std::size_t i = static_cast<std::size_t>(begin) * kChunk; i < last; ++i) weighed_[i] = from.value(i);
  });
  kept_ = {weighed_.data(), count};
}

void CpuLane::finish(HostCopy /*copy*/) {
  bus_.lane_free_ns = now_ns();
  done_.conditioned = done_.finished = true;
}

PixelView CpuLane::pixels() { return steps_->pixels(); }

void CpuLane::append_spans(TimingTrace& trace) {
  for (std::size_t i = 0; i < spans_.size(); ++i)
    if (has_span_[i]) trace.add(spans_[i]);
}

void CpuLane::write_input(OwnInput input, int first, int rows, std::span<std::byte> to) {
  if (input == OwnInput::image) {
    std::memcpy(to.data(), image_.host_db, to.size());
  } else if (input == OwnInput::rf) {
    std::memcpy(to.data(), picked_samples(frame_.samples).data(), to.size());
  } else {
    steps_->write_input(input, first, rows, to);
  }
}

void CpuLane::put_pixels(std::span<const Complex> values) {
  if (has_span_[static_cast<std::size_t>(Stage::beamform)]) return steps_->put_pixels(values);
  const StageTimer timer(*this, Stage::beamform);
  steps_->put_pixels(values);
}

std::vector<float> CpuLane::read_back(Tap tap) {
  if (tap != Tap::envelope) return steps_->read_back(tap);
  return {envelope_.begin(), envelope_.end()};
}

}  // namespace

std::unique_ptr<Lane> make_cpu_lane(const CpuDevice& device, const CpuKernels& kernels, int number,
                                    const LaneSettings& settings) {
  return std::make_unique<CpuLane>(device, kernels, number, settings);
}

}  // namespace echoloop
