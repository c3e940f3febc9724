#include "source/replay.h"

#include <utility>

#include "core/error.h"

namespace echoloop {
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
    if (recording_.reader) {
      return recording_.reader->read(index % recording_.frame_count, slot, stop);
    }
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

}  // namespace echoloop
