#include "backend/cuda/runtime/host_memory.h"

#include <algorithm>
#include <new>

#include "backend/cuda/runtime/cuda_error.h"

namespace echoloop::cuda {
namespace {

constexpr std::align_val_t kPage{4096};

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

void MappedRanges::add(std::span<std::byte> host, const std::byte* device) {
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
  --range;  // the last one that begins at or before the samples
  const auto offset = static_cast<std::size_t>(samples.data() - range->first);
  const bool inside = offset <= range->second.bytes && samples.size() <= range->second.bytes - offset;
  return inside ? range->second.device + offset : nullptr;
}

bool MappedRanges::empty() const {
  const std::scoped_lock lock(mutex_);
  return ranges_.empty();
}

HostBlock::HostBlock(std::size_t bytes, HostMemory kind, std::shared_ptr<MappedRanges> mapped)
    : bytes_(bytes), kind_(kind), mapped_(std::move(mapped)) {
  void* memory = nullptr;
  if (kind_ != HostMemory::pageable &&
      !succeeded_quietly(cudaHostAlloc(&memory, std::max<std::size_t>(bytes, 1), flags_of(kind_)))) {
    kind_ = HostMemory::pageable;
  }
  if (kind_ == HostMemory::pageable) memory = ::operator new(std::max<std::size_t>(bytes, 1), kPage);
  data_ = static_cast<std::byte*>(memory);
  if (kind_ != HostMemory::mapped) return;
  void* device = nullptr;
  if (succeeded_quietly(cudaHostGetDevicePointer(&device, data_, 0))) {
    mapped_->add({data_, bytes_}, static_cast<const std::byte*>(device));
  } else {
    kind_ = HostMemory::pinned;
  }
}

HostBlock::~HostBlock() {
  if (kind_ == HostMemory::pageable) {
    ::operator delete(data_, kPage);
    return;
  }
  if (kind_ == HostMemory::mapped) mapped_->remove(data_);
  CUDA_QUIET(cudaFreeHost(data_));
}

std::unique_ptr<PageLock> lock_pages(std::span<const std::byte> memory, int device) {
  if (memory.empty()) return nullptr;
  // The runtime takes a pointer to writable memory, but only the device's reads are wanted.
  void* address = const_cast<std::byte*>(memory.data());
  int read_only = 0;
  if (!succeeded_quietly(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, device))) {
    read_only = 0;
  }
  const unsigned flags = cudaHostRegisterPortable;
  // A file mapped for reading can be locked only with the read-only flag; some systems take only the plain one.
  const bool locked = (read_only != 0 &&
                       succeeded_quietly(cudaHostRegister(address, memory.size(), flags | cudaHostRegisterReadOnly))) ||
                      succeeded_quietly(cudaHostRegister(address, memory.size(), flags));
  return locked ? std::make_unique<RegisteredPages>(address) : nullptr;
}

}  // namespace echoloop::cuda
