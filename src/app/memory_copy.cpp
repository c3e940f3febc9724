#include "app/memory_copy.h"

#include <cstring>
#include <utility>

#include "core/mapped_files.h"

namespace echoloop {
namespace {

class MemoryCopy final : public Source {
 public:
  MemoryCopy(std::shared_ptr<Source> source, std::unique_ptr<HostMemoryBlock> memory)
      : source_(std::move(source)), memory_(std::move(memory)) {
    const std::size_t bytes = acquisition()->frame_bytes();
    for (std::uint64_t i = 0; i < frame_count(); ++i) {
      const std::span<const std::byte> frame = source_->produce(i, {});
      std::memcpy(memory_->bytes().data() + i * bytes, frame.data(), bytes);
      require_readable(frame);
    }
  }

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return source_->acquisition(); }
  [[nodiscard]] std::string name() const override { return source_->name(); }
  [[nodiscard]] std::uint64_t frame_count() const override { return source_->frame_count(); }
  [[nodiscard]] bool lends_frames() const override { return true; }
  std::span<const std::byte> produce(std::uint64_t index, std::span<std::byte> /*slot*/) override {
    const std::size_t bytes = acquisition()->frame_bytes();
    return std::span<const std::byte>(memory_->bytes()).subspan(index * bytes, bytes);
  }

 private:
  std::shared_ptr<Source> source_;
  std::unique_ptr<HostMemoryBlock> memory_;
};

}  // namespace

std::size_t memory_copy_bytes(HostMemory kind, const Source& source) {
  if (kind == HostMemory::pageable || !source.lends_frames()) return 0;
  if (kind == HostMemory::pinned && !source.lendable_memory().empty()) return 0;  // page-locked where it is
  const std::size_t frame_bytes = source.acquisition()->frame_bytes();
  return source.frame_count() > kMaxMemoryCopy / frame_bytes ? 0 : source.frame_count() * frame_bytes;
}

std::shared_ptr<Source> with_frames_in(HostMemory kind, const std::shared_ptr<Source>& source, Backend& backend) {
  const std::size_t bytes = memory_copy_bytes(kind, *source);
  if (bytes == 0) return source;
  if (backend.allocate_host(64, kind)->kind() != kind) return source;
  auto memory = backend.allocate_host(bytes, kind);
  if (memory->kind() != kind) return source;
  return std::make_shared<MemoryCopy>(source, std::move(memory));
}

}  // namespace echoloop
