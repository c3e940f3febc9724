#include "app/pinned_copy.h"

#include <cstring>
#include <utility>

namespace echoloop {
namespace {

class PinnedCopy final : public Source {
 public:
  PinnedCopy(std::shared_ptr<Source> source, std::unique_ptr<HostMemoryBlock> memory)
      : source_(std::move(source)), memory_(std::move(memory)) {
    const std::size_t bytes = acquisition()->frame_bytes();
    for (std::uint64_t i = 0; i < frame_count(); ++i) {
      std::memcpy(memory_->bytes().data() + i * bytes, source_->produce(i, {}).data(), bytes);
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

std::shared_ptr<Source> with_pinned_frames(const std::shared_ptr<Source>& source, Backend& backend) {
  if (!source->lends_frames() || !source->lendable_memory().empty()) return source;
  const std::size_t frame_bytes = source->acquisition()->frame_bytes();
  if (source->frame_count() > kMaxPinnedCopy / frame_bytes) return source;
  auto memory = backend.allocate_host(source->frame_count() * frame_bytes, HostMemory::pinned);
  if (memory->kind() != HostMemory::pinned) return source;
  return std::make_shared<PinnedCopy>(source, std::move(memory));
}

}  // namespace echoloop
