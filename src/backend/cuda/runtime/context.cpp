#include "backend/cuda/runtime/context.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "backend/cuda/runtime/cuda_error.h"
#include "core/units.h"

namespace echoloop::cuda {
namespace {

constexpr std::align_val_t kPage{4096};
constexpr std::size_t kLarge = std::size_t{4} << 20;  // smallest size with huge pages in PlainArray

unsigned flags_of(HostMemory kind) {
  if (kind == HostMemory::write_combined) return cudaHostAllocPortable | cudaHostAllocWriteCombined;
  if (kind == HostMemory::mapped) return cudaHostAllocPortable | cudaHostAllocMapped;
  return cudaHostAllocPortable;
}

class RegisteredPages final : public PageLock {
 public:
  explicit RegisteredPages(void* memory) : memory_(memory) {}
  ~RegisteredPages() override { CUDA_QUIET(cudaHostUnregister(memory_)); }
  RegisteredPages(const RegisteredPages&) = delete;
  RegisteredPages& operator=(const RegisteredPages&) = delete;

 private:
  void* memory_;
};

}  // namespace

void MappedRanges::add(std::span<const std::byte> host, const std::byte* device) {
  const std::scoped_lock lock(mutex_);
  ranges_[host.data()] = {host.size(), device};
}

void MappedRanges::remove(const std::byte* host) {
  const std::scoped_lock lock(mutex_);
  ranges_.erase(host);
}

const std::byte* MappedRanges::find(std::span<const std::byte> samples) const {
  const std::scoped_lock lock(mutex_);
  auto range = ranges_.upper_bound(samples.data());
  if (range == ranges_.begin()) return nullptr;
  --range;  // last one that begins at or before the samples
  const auto offset = static_cast<std::size_t>(samples.data() - range->first);
  const bool inside = offset <= range->second.bytes && samples.size() <= range->second.bytes - offset;
  return inside ? range->second.device + offset : nullptr;
}

bool MappedRanges::empty() const {
  const std::scoped_lock lock(mutex_);
  return ranges_.empty();
}

HostPages::HostPages(std::size_t bytes, HostMemory kind) : bytes_(bytes), kind_(kind) {
  if (kind_ == HostMemory::pinned && lock_huge_pages()) return;
  void* memory = nullptr;
  const std::size_t some = std::max<std::size_t>(bytes, 1);
  if (kind_ != HostMemory::pageable && !succeeded_quietly(cudaHostAlloc(&memory, some, flags_of(kind_))))
    kind_ = HostMemory::pageable;
  if (kind_ == HostMemory::pageable) memory = ::operator new(some, kPage);
  data_ = static_cast<std::byte*>(memory);
}

HostPages::~HostPages() {
  if (huge_.size() > 0)
    CUDA_QUIET(cudaHostUnregister(data_));
  else if (kind_ == HostMemory::pageable)
    ::operator delete(data_, kPage);
  else
    CUDA_QUIET(cudaFreeHost(data_));
}

// Locks huge pages, many times faster than small ones. Memory that is not large shares its pages with other objects.
bool HostPages::lock_huge_pages() {
  if (bytes_ < kLarge) return false;
  huge_.resize(bytes_);
  data_ = huge_.data();
  if (succeeded_quietly(cudaHostRegister(data_, bytes_, cudaHostRegisterPortable))) return true;
  huge_ = {};
  return false;
}

void KeptPages::keep(std::size_t most_bytes) {
  const std::scoped_lock lock(mutex_);
  most_bytes_ = most_bytes;
}

std::unique_ptr<HostPages> KeptPages::take(std::size_t bytes, HostMemory kind) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(
      pages_, [&](const auto& pages) { return pages->bytes().size() == bytes && pages->kind() == kind; });
  if (found == pages_.end()) return nullptr;
  std::unique_ptr<HostPages> pages = std::move(*found);
  pages_.erase(found);
  bytes_ -= bytes;
  return pages;
}

// Frees the oldest pages first.
void KeptPages::give(std::unique_ptr<HostPages> pages) {
  const std::scoped_lock lock(mutex_);
  if (pages->kind() == HostMemory::pageable || pages->bytes().size() > most_bytes_) return;
  bytes_ += pages->bytes().size();
  pages_.push_back(std::move(pages));
  while (bytes_ > most_bytes_) {
    bytes_ -= pages_.front()->bytes().size();
    pages_.erase(pages_.begin());
  }
}

HostBlock::HostBlock(std::size_t bytes, HostMemory kind, std::shared_ptr<MappedRanges> mapped,
                     std::shared_ptr<KeptPages> kept)
    : mapped_(std::move(mapped)), kept_(std::move(kept)) {
  if (kept_ != nullptr) pages_ = kept_->take(bytes, kind);
  if (pages_ == nullptr) pages_ = std::make_unique<HostPages>(bytes, kind);
  kind_ = pages_->kind();
  if (kind_ != HostMemory::mapped) return;
  void* device = nullptr;
  if (succeeded_quietly(cudaHostGetDevicePointer(&device, pages_->bytes().data(), 0)))
    mapped_->add(pages_->bytes(), static_cast<const std::byte*>(device));
  else
    kind_ = HostMemory::pinned;
}

HostBlock::~HostBlock() {
  if (kind_ == HostMemory::mapped) mapped_->remove(pages_->bytes().data());
  if (kept_ != nullptr) kept_->give(std::move(pages_));
}

std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device) {
  if (memory.empty()) return nullptr;
  // The runtime requires a pointer to writable memory, although the device only reads.
  void* address = const_cast<std::byte*>(memory.data());
  int read_only = 0;
  if (!succeeded_quietly(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, device)))
    read_only = 0;
  const unsigned flags = cudaHostRegisterPortable;
  // A file mapped for reading can be locked only with the read-only flag; some systems support only the plain one.
  const bool locked = (read_only != 0 &&
                       succeeded_quietly(cudaHostRegister(address, memory.size(), flags | cudaHostRegisterReadOnly))) ||
                      succeeded_quietly(cudaHostRegister(address, memory.size(), flags));
  return locked ? std::make_unique<RegisteredPages>(address) : nullptr;
}

namespace {

constexpr std::int64_t kPeriodNs = 1'000'000'000;
constexpr std::int64_t kPatienceNs = 50'000;

std::int64_t to_whole_ns(float ms) { return std::llround(static_cast<double>(ms) * 1e6); }

}  // namespace

GpuClock::GpuClock(StreamView idle) : idle_(idle) {
  std::int64_t best = kPeriodNs;
  for (int i = 0; i < 8; ++i) {  // the shortest of several round trips is the most precise
    Anchor& trial = anchors_[newest_ == 0 ? 1 : 0];
    const std::int64_t before = now_ns();
    trial.event.record(idle_);
    trial.event.synchronize();
    const std::int64_t after = now_ns();
    if (after - before >= best && i > 0) continue;
    best = after - before;
    trial.ns = before + best / 2;
    newest_ = newest_ == 0 ? 1 : 0;
  }
  previous_ = newest_;
  tried_ns_ = now_ns();
}

void GpuClock::refresh() {
  const std::int64_t before = now_ns();
  if (before - tried_ns_ < kPeriodNs) return;
  tried_ns_ = before;
  std::size_t spare = 0;
  while (spare == newest_ || spare == previous_) ++spare;
  Anchor& anchor = anchors_[spare];
  anchor.event.record(idle_);
  std::int64_t after = before;
  while (!anchor.event.passed()) {
    after = now_ns();
    if (after - before > kPatienceNs) return;  // the stream is busy: keeps the old anchor
  }
  after = now_ns();
  // The chain of elapsed times is smooth and bounded by two host readings: drift cannot accumulate.
  const std::int64_t chained = anchors_[newest_].to_ns(anchor.event);
  anchor.ns = std::clamp(chained, before, after);
  previous_ = newest_;
  newest_ = spare;
}

std::int64_t GpuClock::Anchor::to_ns(const Event& later) const { return ns + to_whole_ns(later.ms_since(event)); }

const GpuClock::Anchor& GpuClock::anchor_before(const Event& first) const {
  const Anchor& newest = anchors_[newest_];
  return first.ms_since(newest.event) >= 0.0f ? newest : anchors_[previous_];
}

}  // namespace echoloop::cuda
