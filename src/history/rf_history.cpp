#include "history/rf_history.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/results/image.h"

namespace echoloop {
namespace {

// Size of an allocation. Locking pages blocks all other calls of a GPU's driver, for a few milliseconds per 8 MB.
constexpr std::size_t kChunkBytes = std::size_t{8} << 20;
constexpr std::size_t kAlignment = 256;

std::size_t padded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Returns true if the memory has no other owner, such as the processing of its frame. The copy of the pointer is
// needed: its release synchronises with that of the last other owner, so that every read is complete before the memory
// is written.
bool is_ours_alone(const FrameMemory& memory) {
  const std::shared_ptr<const void> mine = memory.owner;
  return mine != nullptr && mine.use_count() == 2;
}

}  // namespace

std::size_t RfHistory::chunk_frames() const {
  const std::size_t bytes = padded(feed_.frame_bytes);
  return std::max<std::size_t>(1, std::min(kChunkBytes, budget_bytes_ / 8) / bytes);
}

void RfHistory::begin(HistoryFeed feed) {
  end();
  {
    const std::scoped_lock lock(mutex_);
    spare_.clear();
    if ((feed.lend == nullptr) != (feed_.lend == nullptr)) {
      ring_.clear();
      head_ = count_ = 0;
    }
    feed_ = std::move(feed);
    bytes_ = 0;
    for (std::size_t i = 0; i < count_; ++i) bytes_ += padded(entry(i).memory.bytes.size());
    const std::size_t frames = feed_.lend != nullptr ? kMaxFrames : budget_bytes_ / padded(feed_.frame_bytes);
    if (budget_bytes_ > 0) resize(std::max(std::min(frames, kMaxFrames), count_));
    spare_.reserve(ring_.size() + chunk_frames());
    exhausted_ = false;
    ended_ = feed_.lend != nullptr || ring_.empty();
  }
  if (!ended_) grower_ = std::thread([this] { grow(); });
}

void RfHistory::resize(std::size_t frames) {
  if (frames == ring_.size()) return;
  if (count_ == 0) {  // in the ring's memory
    ring_.resize(frames);
    head_ = 0;
    return;
  }
  std::vector<Entry> ring(frames);
  for (std::size_t i = 0; i < count_; ++i) ring[i] = std::move(ring_[(head_ + i) % ring_.size()]);
  ring_ = std::move(ring);
  head_ = 0;
}

bool RfHistory::fits(const FrameMemory& memory) const {
  return memory.kind == feed_.kind && memory.bytes.size() == feed_.frame_bytes;
}

void RfHistory::end() {
  const std::scoped_lock ending(ending_);
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (grower_.joinable()) grower_.join();
  const std::scoped_lock lock(mutex_);
  feed_.allocate = nullptr;
}

void RfHistory::clear() {
  end();
  const std::scoped_lock lock(mutex_);
  ring_.clear();
  spare_.clear();
  head_ = count_ = bytes_ = 0;
  feed_ = {};
  held_ = false;
}

void RfHistory::hold() {
  const std::scoped_lock lock(mutex_);
  held_ = true;
}

void RfHistory::release() {
  const std::scoped_lock lock(mutex_);
  held_ = false;
}

bool RfHistory::wants_memory() const {
  const std::size_t chunk = chunk_frames();
  return !held_ && !exhausted_ && spare_.size() < (chunk + 1) / 2 && count_ + spare_.size() < ring_.size() &&
         bytes_ + chunk * padded(feed_.frame_bytes) <= budget_bytes_;
}

void RfHistory::grow() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (!wants_memory()) {
      changed_.wait(lock);
      continue;
    }
    const std::size_t frames = chunk_frames();
    const std::size_t stride = padded(feed_.frame_bytes);
    const std::size_t size = feed_.frame_bytes;
    lock.unlock();
    const FrameMemory chunk = feed_.allocate(frames * stride);
    std::vector<FrameMemory> pieces;
    for (std::size_t i = 0; i < frames && !chunk.bytes.empty(); ++i) {
      // One owner per frame keeps the chunk: the use count shows if this frame's memory is in use.
      pieces.push_back({.bytes = chunk.bytes.subspan(i * stride, size),
                        .owner = std::make_shared<std::shared_ptr<const void>>(chunk.owner),
                        .kind = chunk.kind});
    }
    lock.lock();
    exhausted_ = pieces.empty();
    for (FrameMemory& piece : pieces) {
      bytes_ += padded(piece.bytes.size());
      spare_.push_back(std::move(piece));
    }
  }
}

void RfHistory::make_room() {
  FrameMemory memory = std::move(ring_[head_].memory);
  ring_[head_] = {};
  head_ = (head_ + 1) % ring_.size();
  --count_;
  if (feed_.lend != nullptr) return;
  if (fits(memory) && is_ours_alone(memory))
    spare_.push_back(std::move(memory));
  else
    bytes_ -= padded(memory.bytes.size());  // of another kind or size, or in use: freed after its last use
}

namespace {

template <class Value>
float mean_level_as(std::span<const std::byte> samples) {
  constexpr std::size_t kRuns = 16, kRun = 16;  // few cache lines: each frame of a fast stream is read
  const std::size_t n = samples.size() / sizeof(Value), run = std::min(n / kRuns, kRun);
  if (run == 0) return -std::numeric_limits<float>::infinity();
  double sum = 0.0;
  for (std::size_t i = 0; i < kRuns; ++i) {
    std::array<Value, kRun> values{};
    std::memcpy(values.data(), samples.data() + ((2 * i + 1) * n / (2 * kRuns) - run / 2) * sizeof(Value),
                run * sizeof(Value));
    for (const Value value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  }
  return static_cast<float>(10.0 * std::log10(sum / static_cast<double>(kRuns * run)));
}

}  // namespace

float mean_level_db(std::span<const std::byte> samples, SampleType type) {
  return type == SampleType::int16 ? mean_level_as<std::int16_t>(samples) : mean_level_as<float>(samples);
}

FrameMemory RfHistory::offer(const RfFrame& frame, FrameMemory memory) {
  const std::scoped_lock lock(mutex_);
  if (held_ || ring_.empty()) return memory;
  const float level_db =
      feed_.acquisition != nullptr ? mean_level_db(frame.samples, feed_.acquisition->sample_type) : 0.0F;
  if (count_ == ring_.size()) make_room();
  if (feed_.lend != nullptr) {
    const std::size_t slot = (head_ + count_) % ring_.size();
    ring_[slot] = {.frame = {.stamp = frame.stamp, .samples = {}},
                   .memory = {},
                   .acquisition = feed_.acquisition,
                   .level_db = level_db};
    ++count_;
    return memory;
  }
  if (wants_memory()) changed_.notify_one();
  // Drops frames in memory of another kind or size for a new chunk, no more than it needs.
  const auto makes_way = [this] { return fits(ring_[head_].memory) || !wants_memory(); };
  while (spare_.empty() && count_ > 0 && makes_way()) make_room();
  if (wants_memory()) changed_.notify_one();
  if (spare_.empty()) return memory;  // first frames, before any memory is allocated
  FrameMemory other = std::move(spare_.back());
  spare_.pop_back();
  // Counts incoming in place of outgoing memory, of the same size.
  ring_[(head_ + count_) % ring_.size()] = {
      .frame = frame, .memory = std::move(memory), .acquisition = feed_.acquisition, .level_db = level_db};
  ++count_;
  return other;
}

HistoryExtent RfHistory::extent() const {
  const std::scoped_lock lock(mutex_);
  HistoryExtent extent{.frames = count_, .seconds = 0.0, .bytes = bytes_};
  if (count_ > 1) {
    const auto time_s = [this](std::size_t i) { return stream_time_s(entry(i).frame.stamp, feed_.frame_rate_hz); };
    extent.seconds = std::max(0.0, time_s(count_ - 1) - time_s(0));  // a restarted stream counts from 0
  }
  return extent;
}

double RfHistory::frame_rate_hz() const {
  const std::scoped_lock lock(mutex_);
  return feed_.frame_rate_hz;
}

std::vector<FrameStamp> RfHistory::stamps() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FrameStamp> stamps;
  stamps.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) stamps.push_back(entry(i).frame.stamp);
  return stamps;
}

std::vector<float> RfHistory::levels_db() const {
  const std::scoped_lock lock(mutex_);
  std::vector<float> levels;
  levels.reserve(count_);
  for (std::size_t i = 0; i < count_; ++i) levels.push_back(entry(i).level_db);
  return levels;
}

std::optional<KeptFrame> RfHistory::at(std::size_t index) const {
  std::function<KeptFrame(std::uint64_t)> lend;
  KeptFrame kept;
  {
    const std::scoped_lock lock(mutex_);
    if (index >= count_) return std::nullopt;
    const Entry& e = entry(index);
    kept = {.frame = e.frame, .owner = e.memory.owner, .acquisition = e.acquisition};
    lend = feed_.lend;
  }
  if (lend == nullptr) return kept;
  KeptFrame lent = lend(kept.frame.stamp.source_index);
  if (lent.frame.samples.empty()) return std::nullopt;
  lent.frame.stamp = kept.frame.stamp;
  lent.acquisition = kept.acquisition;
  return lent;
}

}  // namespace echoloop
