// The memory behind an Image of this backend: dB on the device, and pinned host memory once somebody wants a host copy.
// Images travel through a Mailbox and come back in any order, or from another backend: fit() looks at what it finds.
#pragma once

#include <memory>

#include "backend/cuda/runtime/context.h"
#include "core/results/image.h"

namespace echoloop::cuda {

class ImageStorage {
 public:
  ImageStorage(std::shared_ptr<Context> context, std::size_t pixels);

  // Makes `image` hold storage of this context for at least `pixels`, keeping what fits; device_db is set, host_db
  // null. Allocates only when what is there does not fit. [processing thread]
  static ImageStorage& fit(Image& image, const std::shared_ptr<Context>& context, std::size_t pixels);

  [[nodiscard]] float* host();  // pinned, allocated at the first call. [processing thread]

 private:
  std::shared_ptr<Context> context_;  // first: freed last, an image may outlive the backend
  std::size_t pixels_;
  DeviceBuffer device_;
  std::unique_ptr<HostBlock> host_;
};

}  // namespace echoloop::cuda
