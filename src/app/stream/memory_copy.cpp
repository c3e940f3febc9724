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
  [[nodiscard]] bool lends_frames() const override { return true; }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& /*slot*/, const std::stop_token&) override {
    const std::size_t bytes = acquisition()->frame_bytes();
    return std::span<const std::byte>(memory_->bytes()).subspan(index * bytes, bytes);
  }

  std::shared_ptr<SeekableSource> source_;
  std::unique_ptr<HostMemoryBlock> memory_;
};

}  // namespace

std::size_t memory_copy_bytes(HostMemory kind, Source& source) {
  const SeekableSource* const seekable = source.seekable();
  if (kind == HostMemory::pageable || seekable == nullptr || !source.lends_frames()) return 0;
  if (kind == HostMemory::pinned && !source.lendable_memory().empty()) return 0;  // page-locked where it is
  const std::size_t frame_bytes = source.acquisition()->frame_bytes();
  return seekable->frame_count() > kMaxMemoryCopy / frame_bytes ? 0 : seekable->frame_count() * frame_bytes;
}

std::shared_ptr<Source> with_frames_in(HostMemory kind, const std::shared_ptr<Source>& source, Backend& backend) {
  const std::size_t bytes = memory_copy_bytes(kind, *source);
  if (bytes == 0) return source;
  if (backend.allocate_host(64, kind)->kind() != kind) return source;
  auto memory = backend.allocate_host(bytes, kind);
  if (memory->kind() != kind) return source;
  return std::make_shared<MemoryCopy>(as_seekable(source), std::move(memory));
}

}  // namespace echoloop
