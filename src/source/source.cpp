#include "source/source.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/process_memory.h"
#include "core/units.h"

namespace echoloop {

std::optional<Arrival> SeekableSource::next(const std::stop_token& /*stop*/) {
  const std::uint64_t count = frame_count();
  const std::uint64_t sequence = next_sequence_;
  const bool at_end = count > 0 && sequence > 0 && sequence % count == 0;
  if (at_end && !std::exchange(ended_, true)) return std::nullopt;
  ended_ = false;
  ++next_sequence_;
  index_ = count > 0 ? sequence % count : sequence;
  const double rate_hz = acquisition()->frame_rate_hz;
  const std::optional<double> recorded_s = recorded_time_s(index_);
  return Arrival{.stamp = {.sequence = sequence,
                           .source_index = index_,
                           .acquired_ns = 0,
                           .time_s = recorded_s.value_or(rate_hz > 0.0 ? static_cast<double>(index_) / rate_hz : 0.0),
                           .clock = recorded_s.has_value() ? FrameClock::device : FrameClock::counted}};
}

std::span<const std::byte> SeekableSource::fetch(FrameMemory& slot, const std::stop_token& stop) {
  return read(index_, slot, stop);
}

void SeekableSource::copy(std::uint64_t index, std::span<std::byte> to) {
  const std::span<const std::byte> samples = at(index, to);
  if (samples.data() == to.data()) return;
  std::memcpy(to.data(), samples.data(), samples.size());
  require_readable(samples);
}

void SeekableSource::resume(std::uint64_t sequence) {
  next_sequence_ = sequence;
  ended_ = false;
}

namespace {

class Replay final : public SeekableSource {
 public:
  explicit Replay(Recording recording) : recording_(std::move(recording)) {}

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return recording_.acquisition; }
  [[nodiscard]] std::string name() const override { return recording_.name; }
  [[nodiscard]] std::uint64_t frame_count() const override { return recording_.frame_count; }
  [[nodiscard]] std::optional<double> recorded_time_s(std::uint64_t index) const override {
    const std::vector<double>& times_s = recording_.scanner.times_s;
    return index < times_s.size() ? std::optional(times_s[static_cast<std::size_t>(index)]) : std::nullopt;
  }
  [[nodiscard]] bool zero_copy() const override { return recording_.frame != nullptr; }
  [[nodiscard]] bool lends_at_once() const override { return zero_copy() && recording_.reader == nullptr; }
  [[nodiscard]] std::span<const std::byte> zero_copy_memory() const override { return recording_.memory; }

  FrameMemory allocate(std::size_t bytes) override {
    return recording_.reader ? recording_.reader->allocate(bytes) : FrameMemory{};
  }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override {
    if (recording_.reader) recording_.reader->read_ahead_in(allocate);
  }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override {
    if (recording_.reader) return recording_.reader->read(index % recording_.frame_count, slot, stop);
    const std::span<const std::byte> frame = recording_.frame(index % recording_.frame_count);
    if (frame.size() != recording_.acquisition->frame_bytes()) {
      throw Error(recording_.name, "a frame of " + std::to_string(frame.size()) + " bytes",
                  std::to_string(recording_.acquisition->frame_bytes()) + " bytes");
    }
    return frame;
  }

  Recording recording_;
};

}  // namespace

std::unique_ptr<SeekableSource> make_replay(Recording recording) {
  if (!recording.acquisition || (!recording.frame && !recording.reader))
    throw Error(recording.name, "no acquisition", "an opened recording");
  if (recording.frame_count == 0) throw Error(recording.name, "no frame", "a recording of at least one frame");
  recording.acquisition->validate(recording.name);
  return std::make_unique<Replay>(std::move(recording));
}

namespace {

// Frames to check, evenly spaced, before a recording without a valid sample in its first frame is refused.
constexpr std::uint64_t kFramesToTry = 64;

class CheckedSource final : public ForwardingSource {
 public:
  CheckedSource(std::unique_ptr<SeekableSource> source, SampleLogPtr log)
      : ForwardingSource(std::move(source)), log_(std::move(log)) {}

  [[nodiscard]] bool zero_copy() const override { return source_->zero_copy(); }
  [[nodiscard]] bool lends_at_once() const override { return source_->lends_at_once(); }
  [[nodiscard]] std::span<const std::byte> zero_copy_memory() const override { return source_->zero_copy_memory(); }
  FrameMemory allocate(std::size_t bytes) override { return source_->allocate(bytes); }
  void read_ahead_in(const std::function<FrameMemory(std::size_t)>& allocate) override {
    source_->read_ahead_in(allocate);
  }

  void copy(std::uint64_t index, std::span<std::byte> to) override;

  void require_valid_samples();

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override {
    const std::span<const std::byte> samples = source_->at(index, slot, stop);
    check(index, samples);
    return samples;
  }
  void check(std::uint64_t index, std::span<const std::byte> samples);
  void require_frame(std::uint64_t frame, std::span<const std::byte> samples) const;

  SampleLogPtr log_;
};

void CheckedSource::check(std::uint64_t index, std::span<const std::byte> samples) {
  const std::uint64_t count = frame_count();
  const std::uint64_t frame = count > 0 ? index % count : index;
  if (log_->has(frame)) return;
  SampleFaults faults = check_samples(samples, *acquisition());
  require_frame(frame, samples);
  log_->keep(frame, std::move(faults));
}

// Checks lost pages, after all samples were read: pages that the disk did not deliver are then known.
void CheckedSource::require_frame(std::uint64_t frame, std::span<const std::byte> samples) const {
  try {
    require_readable(samples);
  } catch (const Error& lost) {
    throw Error::from_line(std::string(lost.what()) + "; " + std::to_string(frame) + " of " +
                           counted(frame_count(), "frame") + " lie before it");
  }
}

void CheckedSource::copy(std::uint64_t index, std::span<std::byte> to) {
  const std::uint64_t frame = index % frame_count();
  if (log_->has(frame)) return SeekableSource::copy(index, to);  // checked by the stream
  const std::span<const std::byte> samples = source_->at(index, to);
  const bool lent = samples.data() != to.data();
  SampleFaults faults = lent ? copy_and_check(samples, to, *acquisition()) : check_samples(samples, *acquisition());
  require_readable(samples);
  log_->keep(frame, std::move(faults));
}

// Checks only the first frame of nearly all recordings.
void CheckedSource::require_valid_samples() {
  if (acquisition()->sample_type == SampleType::int16) return;
  std::vector<std::byte> slot(zero_copy() ? 0 : acquisition()->frame_bytes());
  const std::uint64_t tried = std::min(frame_count(), kFramesToTry);
  for (std::uint64_t i = 0; i < tried; ++i) {
    const std::uint64_t frame = i * frame_count() / tried;
    const SampleFaults faults = check_samples(source_->at(frame, slot), *acquisition());
    if (faults.of(SampleFault::invalid).samples < faults.samples) return;
  }
  const std::string part = tried == frame_count() ? "" : std::to_string(tried) + " of ";
  throw Error(name(), "no valid sample (all NaN, infinite or beyond 1e15) in " + part + counted(frame_count(), "frame"),
              "channel data with finite samples");
}

}  // namespace

std::unique_ptr<SeekableSource> make_checked(std::unique_ptr<SeekableSource> source, SampleLogPtr log) {
  auto checked = std::make_unique<CheckedSource>(std::move(source), std::move(log));
  checked->require_valid_samples();
  return checked;
}

}  // namespace echoloop
