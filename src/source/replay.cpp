#include "source/replay.h"

#include <utility>

#include "core/error.h"

namespace echoloop {
namespace {

class Replay final : public Source {
 public:
  explicit Replay(Recording recording) : recording_(std::move(recording)) {}

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return recording_.acquisition; }
  [[nodiscard]] std::string name() const override { return recording_.name; }
  [[nodiscard]] std::uint64_t frame_count() const override { return recording_.frame_count; }
  [[nodiscard]] bool lends_frames() const override { return recording_.frame != nullptr; }
  [[nodiscard]] std::span<const std::byte> lendable_memory() const override { return recording_.memory; }

  std::span<const std::byte> produce(std::uint64_t index, std::span<std::byte> slot) override {
    if (recording_.read) {
      recording_.read(index % recording_.frame_count, slot);
      return slot;
    }
    const std::span<const std::byte> frame = recording_.frame(index % recording_.frame_count);
    if (frame.size() != recording_.acquisition->frame_bytes()) {
      throw Error(recording_.name, "a frame of " + std::to_string(frame.size()) + " bytes",
                  std::to_string(recording_.acquisition->frame_bytes()) + " bytes");
    }
    return frame;
  }

 private:
  Recording recording_;
};

}  // namespace

std::unique_ptr<Source> make_replay(Recording recording) {
  if (!recording.acquisition || (!recording.frame && !recording.read))
    throw Error(recording.name, "no acquisition", "an opened recording");
  if (recording.frame_count == 0) throw Error(recording.name, "no frame", "a recording of at least one frame");
  recording.acquisition->validate(recording.name);
  return std::make_unique<Replay>(std::move(recording));
}

}  // namespace echoloop
