// Memory of an Image of this backend: dB on the device, and pinned host memory once a host copy is requested. Images
// pass through a Mailbox and return in any order, or from another backend: fit() checks them.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/runtime/context.h"
#include "backend/cuda/runtime/device_buffer.h"
#include "core/results/image.h"

namespace echoloop::cuda {

class ImageStorage {
 public:
  ImageStorage(std::shared_ptr<Context> context, std::size_t pixels);

  // Makes `image` hold storage of this context for at least `pixels`, reusing what fits; sets device_db, host_db null.
  // Allocates only if the storage does not fit. [processing thread]
  static ImageStorage& fit(Image& image, const std::shared_ptr<Context>& context, std::size_t pixels);

  [[nodiscard]] float* host();  // pinned, allocated at the first call [processing thread]

 private:
  std::shared_ptr<Context> context_;  // first: freed last, an image may outlive the backend
  std::size_t pixels_;
  DeviceBuffer device_;
  std::unique_ptr<HostBlock> host_;
};

}  // namespace echoloop::cuda
