#include "backend/cuda/image_storage.h"

#include <utility>

namespace echoloop::cuda {
namespace {

// Deleter whose type marks storage made here, as a shared_ptr<void> shows nothing else of its object.
struct DeleteStorage {
  void operator()(void* storage) const { delete static_cast<ImageStorage*>(storage); }
};

}  // namespace

ImageStorage::ImageStorage(std::shared_ptr<Context> context, std::size_t pixels)
    : context_(std::move(context)), pixels_(pixels), device_(context_->processing.view()) {
  device_.grow_for<float>(pixels_);
}

ImageStorage& ImageStorage::fit(Image& image, const std::shared_ptr<Context>& context, std::size_t pixels) {
  const bool ours = std::get_deleter<DeleteStorage>(image.storage) != nullptr;
  auto* storage = ours ? static_cast<ImageStorage*>(image.storage.get()) : nullptr;
  if (storage == nullptr || storage->context_ != context || storage->pixels_ < pixels) {
    image.device_db = nullptr;
    image.capacity = 0;
    image.storage.reset();  // frees the memory before the new allocation
    storage = new ImageStorage(context, pixels);
    image.storage = std::shared_ptr<void>(static_cast<void*>(storage), DeleteStorage());
  }
  image.capacity = storage->pixels_;
  image.device_db = storage->device_.as<float>();
  image.host_db = nullptr;
  return *storage;
}

float* ImageStorage::host() {
  if (host_ == nullptr)
    host_ = std::make_unique<HostBlock>(pixels_ * sizeof(float), HostMemory::pinned, context_->mapped);
  return reinterpret_cast<float*>(host_->bytes().data());
}

}  // namespace echoloop::cuda
