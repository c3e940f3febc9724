#include "source/source.h"

#include <cstring>
#include <utility>

#include "core/mapped_files.h"

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

}  // namespace echoloop
