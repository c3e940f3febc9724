#include "app/stream/memory_copy.h"

#include <cstring>
#include <utility>

#include "core/mapped_files.h"

namespace echoloop {
namespace {

class MemoryCopy final : public SeekableSource {
 public:
  MemoryCopy(std::shared_ptr<SeekableSource> source, std::unique_ptr<HostMemoryBlock> memory)
      : source_(std::move(source)), memory_(std::move(memory)) {
    const std::size_t bytes = acquisition()->frame_bytes();
    for (std::uint64_t i = 0; i < frame_count(); ++i) {
      const std::span<const std::byte> frame = source_->at(i, {});
      std::memcpy(memory_->bytes().data() + i * bytes, frame.data(), bytes);
      require_readable(frame);
    }
  }

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return source_->acquisition(); }
  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return source_->frame_count(); }
  [[nodiscard]] bool zero_copy() const override { return true; }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/, const std::stop_token&) override {
    const std::size_t bytes = acquisition()->frame_bytes();
    return std::span<const std::byte>(memory_->bytes()).subspan(index * bytes, bytes);
  }

  std::shared_ptr<SeekableSource> source_;
  std::unique_ptr<HostMemoryBlock> memory_;
};

// Whether the frames that `source` lends lie in memory of another kind.
bool lends_other_kind(HostMemory kind, Source& source) {
  if (kind == HostMemory::pageable || source.seekable() == nullptr || !source.zero_copy()) return false;
  return kind != HostMemory::pinned || source.zero_copy_memory().empty();  // else page-locked where it is
}

}  // namespace

bool wants_other_memory(HostMemory kind, Source& source, Backend& backend) {
  return lends_other_kind(kind, source) && backend.allocate_host(64, kind)->kind() == kind;
}

std::size_t memory_copy_bytes(HostMemory kind, Source& source) {
  if (!lends_other_kind(kind, source)) return 0;
  const std::size_t frame_bytes = source.acquisition()->frame_bytes();
  const std::uint64_t frames = source.seekable()->frame_count();
  return frames > kMaxMemoryCopy / frame_bytes ? 0 : frames * frame_bytes;
}

std::shared_ptr<Source> with_frames_in(HostMemory kind, const std::shared_ptr<Source>& source, Backend& backend) {
  auto memory = backend.allocate_host(memory_copy_bytes(kind, *source), kind);
  if (memory->kind() != kind) return source;
  return std::make_shared<MemoryCopy>(as_seekable(source), std::move(memory));
}

}  // namespace echoloop
