#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "app/stream/session.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {
namespace {

int cpu_threads() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U)); }

}  // namespace

std::string megabytes(std::size_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6); }

std::size_t slots_bytes(std::size_t frame_bytes, const StreamSettings& stream) {
  return frame_bytes * static_cast<std::size_t>(stream.slots);
}

std::size_t slots_bytes(const Source& source, const StreamSettings& stream) {
  return source.zero_copy() ? 0 : slots_bytes(source.acquisition()->frame_bytes(), stream);
}

StreamNeed stream_need(const Source& source, const ImagingParams& params, const StreamSettings& stream,
                       const Backend& backend) {
  const StreamBytes bytes = estimate_stream(*source.acquisition(), params, cpu_threads());
  const auto lanes = static_cast<std::size_t>(stream.lanes);
  const bool elsewhere = backend.computes_elsewhere();
  return {.slots = slots_bytes(source, stream),
          .plan = bytes.plan,
          .lanes = elsewhere ? 0 : lanes * bytes.lane,
          .device = elsewhere ? bytes.plan + lanes * bytes.device_lane : 0};
}

void require_memory(const std::string& name, const StreamSettings& wanted, const StreamNeed& need,
                    std::size_t given_back, const DeviceMemory& device) {
  if (const std::size_t most = device.free + device.used; device.free > 0 && need.device > most) {
    throw NoDeviceMemory(
        name,
        fmt::format("{} of device memory needed ({}: {}, tables: {})", megabytes(need.device),
                    counted(wanted.lanes, "lane"), megabytes(need.device - need.plan), megabytes(need.plan)),
        "at most " + megabytes(most) + ", which is free", "use fewer lanes, pixels or transmits, or shorter frames");
  }
  const std::size_t all = need.slots + need.beside_slots(), there_is = free_host_memory() + given_back;
  if (all <= there_is) return;
  throw Error(name,
              fmt::format("{} of memory needed ({}: {}, {} on the CPU: {}, tables: {})", megabytes(all),
                          counted(wanted.slots, "slot"), megabytes(need.slots), counted(wanted.lanes, "lane"),
                          megabytes(need.lanes), megabytes(need.plan)),
              "at most " + megabytes(there_is) + ", which is free", "use fewer lanes or slots, or shorter frames");
}

void require_device_memory(const StreamSettings& wanted, int more_lanes, const StreamMemory& now) {
  const std::size_t need = more_lanes > 0 ? now.lane_bytes * static_cast<std::size_t>(more_lanes) : 0;
  if (now.device.used == 0 || need <= now.device.free) return;
  throw NoDeviceMemory(counted(wanted.lanes, "lane"), megabytes(need) + " more needed on the device",
                       "at most " + megabytes(now.device.free) + ", the free memory");
}

std::size_t default_history_bytes() {
  constexpr std::size_t kMost = 4'000'000'000;
  return std::min(free_host_memory() / 4, kMost);
}

void give_back_freed_memory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

namespace {

// Limits page-locked memory, unavailable to other programs, to a device's share of a quarter of the machine's memory.
std::size_t max_page_locked_bytes(int host_share) {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / 4 /
         static_cast<std::size_t>(host_share);
}

constexpr std::size_t kLargestStaged = std::size_t{32} << 20;  // per frame: one per thread needs memory

// Returns a device's share of the host's cores, without those of the producer and processing threads.
int copying_threads(int host_share) { return std::clamp((cpu_threads() - 2) / host_share, 1, 14); }

// Returns true if frames of `source` should be moved to other memory: it lends them, and the backend has such memory.
bool wants_other_memory(HostMemory kind, Source& source, Backend& backend) {
  if (kind == HostMemory::pageable || source.seekable() == nullptr || !source.zero_copy()) return false;
  if (kind == HostMemory::pinned && !source.zero_copy_memory().empty()) return false;  // page-locked in place
  return backend.allocate_host(64, kind)->kind() == kind;
}

}  // namespace

FrameMemory frame_memory(Backend& backend, Source& source, std::size_t bytes, HostMemory kind) {
  struct Locked {
    std::shared_ptr<const void> memory;
    std::unique_ptr<PageLock> lock;  // released first
  };
  if (kind == HostMemory::pageable || kind == HostMemory::pinned) {
    FrameMemory memory = source.allocate(bytes);
    if (!memory.bytes.empty() && kind == HostMemory::pinned) {
      if (auto lock = backend.page_lock(memory.bytes)) {
        memory.owner = std::make_shared<Locked>(Locked{std::move(memory.owner), std::move(lock)});
        memory.kind = HostMemory::pinned;
      }
    }
    if (!memory.bytes.empty()) return memory;
  }
  const std::shared_ptr<HostMemoryBlock> block = backend.allocate_host(bytes, kind);
  return {.bytes = block->bytes(), .owner = block, .kind = block->kind()};
}

ProducerOptions producer_options(const StreamSettings& stream, double rate_hz) {
  return {.rate_hz = rate_hz,
          .loop = stream.loop,
          .paused = stream.paused,
          .pace_ms = stream.pace_ms,
          .inject = stream.inject,
          .first_sequence = 0};
}

RunningStream::RunningStream(StreamPlan plan) : source_(plan.source), sinks_(plan.sinks) {
  source_->set_policy(plan.stream.policy);
  source_->set_frame_wait(plan.stream.frame_wait);
  make_pinned(plan);
  std::vector<FrameMemory> slots = make_slots(plan);
  FrameSink* const first = sinks_.empty() ? nullptr : sinks_.front();
  ring_ = std::make_unique<FrameRing>(std::move(slots), plan.stream.policy, plan.counts, first);
  plan.pipeline.lanes = plan.stream.lanes;
  plan.pipeline.mode = plan.stream.streams;
  plan.pipeline.memory = plan.stream.host_memory;
  plan.pipeline.copy = plan.stream.copy;
  plan.pipeline.inject = plan.stream.inject;
  pipeline_ = std::make_unique<Pipeline>(plan.backend, *ring_, plan.source->acquisition(), plan.params, plan.images,
                                         plan.trace, std::move(plan.pipeline));
  plan_bytes_ = stream_need(*source_, plan.params, plan.stream, plan.backend).beside_slots();
  feed_sinks(plan);  // last: an exception above leaves no thread behind
  ProducerOptions options = producer_options(plan.stream, plan.rate_hz);
  options.first_sequence = plan.first_sequence;
  started_ns_ = now_ns();
  producer_ = std::make_unique<Producer>(*pinned_.source, *ring_, plan.trace, options);
}

RunningStream::~RunningStream() {
  ring_->close();
  producer_.reset();
  pipeline_.reset();
  for (FrameSink* sink : sinks_) sink->end();
}

void RunningStream::set_live(const StreamSettings& stream, double rate_hz) {
  for (FrameSink* sink : sinks_) sink->set_policy(stream.policy);
  source_->set_policy(stream.policy);
  source_->set_frame_wait(stream.frame_wait);
  ring_->set_policy(stream.policy);
  pipeline_->set_injection(stream.inject);
  producer_->set(producer_options(stream, rate_hz));
}

void RunningStream::make_pinned(const StreamPlan& plan) {
  const HostMemory kind = plan.stream.host_memory;
  if (plan.pinned.source != nullptr && plan.pinned.kind == kind) {
    pinned_ = plan.pinned;
    return;
  }
  pinned_ = {.kind = kind, .source = plan.source, .page_lock = nullptr};
  if (kind == HostMemory::pinned) {
    const std::span<const std::byte> lent = plan.source->zero_copy_memory();
    if (!lent.empty() && lent.size() <= max_page_locked_bytes(plan.host_share))
      pinned_.page_lock = plan.backend.page_lock(lent);
  }
  if (pinned_.page_lock != nullptr || !wants_other_memory(kind, *plan.source, plan.backend)) return;
  if (plan.reads_once && plan.source->acquisition()->frame_bytes() <= kLargestStaged) {
    pinned_.source = std::make_shared<StagedFrames>(as_seekable(plan.source), copying_threads(plan.host_share));
    return;
  }
  pinned_.background =
      std::make_shared<BackgroundMemory>(as_seekable(plan.source), kind, plan.backend,
                                         BackgroundMemory::Limits{.total_bytes = max_page_locked_bytes(plan.host_share),
                                                                  .threads = copying_threads(plan.host_share)});
  pinned_.source = pinned_.background;
}

HostMemory RunningStream::host_memory() const {
  if (pinned_.background == nullptr) return host_memory_;
  return pinned_.background->complete() ? pinned_.kind : HostMemory::pageable;
}

std::vector<FrameMemory> RunningStream::make_slots(const StreamPlan& plan) {
  // Slots of a source that lends its frames have no samples.
  const bool lent = pinned_.source->zero_copy();
  const std::size_t bytes = plan.source->acquisition()->frame_bytes();
  slot_bytes_ = lent ? 0 : bytes;
  if (!lent) {  // before the slots, which may be in other memory than a scanner's blocks
    Source& source = *pinned_.source;
    source.read_ahead_in(
        [&](std::size_t ahead) { return frame_memory(plan.backend, source, ahead, plan.stream.host_memory); });
  }
  std::vector<FrameMemory> slots;
  for (int i = 0; i < plan.stream.slots; ++i) {
    if (!lent) check_long_work();
    slots.push_back(lent ? FrameMemory{} : frame_memory(plan.backend, *pinned_.source, bytes, plan.stream.host_memory));
  }
  host_memory_ = !lent ? slots.front().kind : pinned_.page_lock != nullptr ? pinned_.kind : HostMemory::pageable;
  return slots;
}

void RunningStream::feed_sinks(const StreamPlan& plan) {
  HistoryFeed feed{.frame_bytes = plan.source->acquisition()->frame_bytes(),
                   .frame_rate_hz = plan.source->acquisition()->frame_rate_hz,
                   .kind = host_memory_,
                   .allocate = nullptr,
                   .lend = nullptr,
                   .acquisition = plan.source->acquisition()};
  if (pinned_.source->zero_copy()) {
    feed.lend = [source = as_seekable(pinned_.source)](std::uint64_t index) {
      KeptFrame kept{.frame = {}, .owner = source};
      try {
        kept.frame.samples = source->at(index, {});
      } catch (const Error&) {  // the stream reports it
      }
      return kept;
    };
  } else {
    feed.allocate = [&backend = plan.backend, source = plan.source, kind = host_memory_](std::size_t bytes) {
      FrameMemory memory = frame_memory(backend, *source, bytes, kind);
      return memory.kind == kind ? memory : FrameMemory{};
    };
  }
  for (FrameSink* sink : sinks_) {
    sink->set_policy(plan.stream.policy);
    sink->begin(feed);
  }
}

BackgroundMemory::BackgroundMemory(std::shared_ptr<SeekableSource> source, HostMemory kind, Backend& backend,
                                   const Limits& limits)
    : ForwardingSource(std::move(source)),
      kind_(kind),
      backend_(backend),
      frame_bytes_(source_->acquisition()->frame_bytes()),
      frames_a_piece_(std::max<std::uint64_t>(1, limits.piece_bytes / frame_bytes_)),
      pieces_(std::min((frame_count() + frames_a_piece_ - 1) / frames_a_piece_,
                       limits.total_bytes / (frames_a_piece_ * frame_bytes_))),
      working_(limits.threads) {
  if (frames_a_piece_ >= frame_count()) copy_pieces({});  // so few that the first frame can wait
  for (int i = 0; i < limits.threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) {
      copy_pieces(stop);
      --working_;
    });
  }
}

BackgroundMemory::~BackgroundMemory() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

std::span<const std::byte> BackgroundMemory::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  const std::uint64_t frame = index % frame_count();
  const std::size_t number = frame / frames_a_piece_;
  if (number >= pieces_.size() || !pieces_[number].ready.load(std::memory_order_acquire))
    return source_->at(index, slot, stop);
  return pieces_[number].frames.subspan(frame % frames_a_piece_ * frame_bytes_, frame_bytes_);
}

void BackgroundMemory::copy_pieces(const std::stop_token& stop) {
  try {
    for (std::size_t number = next_piece_++; number < pieces_.size(); number = next_piece_++)
      if (!copy_piece(number, stop)) return;
  } catch (const Error&) {           // a file that shrank: the stream reports it at the frame
  } catch (const std::bad_alloc&) {  // frames stay in place
  }
}

// Returns false if no further piece can be copied.
bool BackgroundMemory::copy_piece(std::size_t number, const std::stop_token& stop) {
  const std::uint64_t first = number * frames_a_piece_;
  const std::uint64_t frames = std::min(frames_a_piece_, frame_count() - first);
  const std::size_t bytes = frames * frame_bytes_;
  if (bytes > free_host_memory() / 2) return false;
  Piece& piece = pieces_[number];
  std::span<std::byte> to;
  if (kind_ == HostMemory::pinned) {
    piece.memory.resize(bytes);
    to = {piece.memory.begin(), piece.memory.end()};
  } else if (piece.block = backend_.allocate_host(bytes, kind_); piece.block->kind() == kind_) {
    to = piece.block->bytes();
  } else {
    return false;
  }
  for (std::uint64_t i = 0; i < frames; ++i) {
    if (stop.stop_requested()) return false;
    source_->copy(first + i, to.subspan(i * frame_bytes_, frame_bytes_));
  }
  if (kind_ == HostMemory::pinned && (piece.lock = backend_.page_lock(to)) == nullptr) {
    piece.memory = {};
    return false;
  }
  piece.frames = to;
  frames_in_place_ += frames;
  piece.ready.store(true, std::memory_order_release);
  return true;
}

StagedFrames::StagedFrames(std::shared_ptr<SeekableSource> source, int threads)
    : ForwardingSource(std::move(source)), n_threads_(threads) {}

StagedFrames::~StagedFrames() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

// Allocates one stage more than threads, so that one can be read while each thread fills another.
void StagedFrames::read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) {
  if (!threads_.empty()) return;
  for (int i = 0; i <= n_threads_; ++i)
    stages_.push_back({.memory = allocate(acquisition()->frame_bytes()), .problem = nullptr});
  for (int i = 0; i < n_threads_; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { fill_stages(stop); });
}

// Discards the frames read ahead.
void StagedFrames::go_on_from(std::uint64_t index) {
  for (Stage& stage : stages_)
    if (stage.state == State::full) stage.state = State::empty;
  next_ = index;
}

bool StagedFrames::may_fill() {
  return next_ < frame_count() && next_ < wanted_ + stages_.size() && stage_of(next_).state == State::empty;
}

void StagedFrames::fill_stages(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (emptied_.wait(lock, stop, [this] { return may_fill(); })) {
    const std::uint64_t index = next_++;
    Stage& stage = stage_of(index);
    stage.state = State::filling;
    stage.index = index;
    lock.unlock();
    stage.problem = nullptr;
    try {
      source_->copy(index, stage.memory.bytes.first(acquisition()->frame_bytes()));
    } catch (...) {
      stage.problem = std::current_exception();
    }
    lock.lock();
    const bool given_up = index < wanted_ || index >= next_;
    stage.state = given_up ? State::empty : State::full;
    filled_.notify_all();
    if (given_up) emptied_.notify_all();
  }
}

std::span<const std::byte> StagedFrames::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) {
  const std::size_t bytes = acquisition()->frame_bytes();
  const std::uint64_t frame = index % frame_count();
  std::unique_lock lock(mutex_);
  if (stages_.empty() || slot.bytes.size() < bytes) {
    lock.unlock();
    return source_->at(frame, slot, stop);
  }
  if (frame < wanted_ || frame > next_) go_on_from(frame);
  wanted_ = frame;
  for (Stage& stage : stages_)  // of omitted frames
    if (stage.state == State::full && stage.index < frame) stage.state = State::empty;
  emptied_.notify_all();
  Stage& stage = stage_of(frame);
  const auto has_frame = [&] { return stage.state == State::full && stage.index == frame; };
  if (!filled_.wait(lock, stop, has_frame))
    throw Error(name(), "stopped while frame " + std::to_string(frame) + " was read", "a stream that runs");
  stage.state = State::empty;
  wanted_ = frame + 1;
  emptied_.notify_one();
  if (stage.problem != nullptr) std::rethrow_exception(std::exchange(stage.problem, nullptr));
  std::swap(slot, stage.memory);
  return slot.bytes.first(bytes);
}

}  // namespace echoloop
