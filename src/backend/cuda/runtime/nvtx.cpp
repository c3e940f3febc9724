// NVTX is a header of the toolkit without a library of its own: its calls reach the profiler that started the program,
// if there is one. A toolkit installed in parts may lack it.
#include "backend/cuda/runtime/nvtx.h"

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <cstdint>
#include <string>

#include "core/profile_range.h"

namespace echoloop::cuda {
namespace {

// 0xAARRGGBB, in the order of Stage: copies blue, kernels from green to red, the display grey and violet.
constexpr std::array<std::uint32_t, kStageCount> kColors = {0xff9e9e9e, 0xff4a90d9, 0xff6d4c41, 0xff7cb342,
                                                            0xfffdd835, 0xfffb8c00, 0xffe53935, 0xffd4845f,
                                                            0xff26a69a, 0xff8e63c7, 0xff546e7a};

class Ranges {
 public:
  Ranges() : domain_(nvtxDomainCreateA("echoloop")) {
    if (domain_ == nullptr) return;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      ranges_[i].version = NVTX_VERSION;
      ranges_[i].size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
      ranges_[i].colorType = NVTX_COLOR_ARGB;
      ranges_[i].color = kColors[i];
      ranges_[i].messageType = NVTX_MESSAGE_TYPE_REGISTERED;
      ranges_[i].message.registered = nvtxDomainRegisterStringA(domain_, std::string(kStages[i].key).c_str());
    }
  }
  [[nodiscard]] bool wanted() const { return domain_ != nullptr; }
  void push(Stage stage) const { nvtxDomainRangePushEx(domain_, &ranges_[static_cast<std::size_t>(stage)]); }
  void pop() const { nvtxDomainRangePop(domain_); }

 private:
  nvtxDomainHandle_t domain_;
  std::array<nvtxEventAttributes_t, kStageCount> ranges_{};
};

// Never destroyed: threads may end ranges while the program ends.
const Ranges& ranges() {
  static const Ranges& made = *new Ranges;
  return made;
}

}  // namespace

void install_nvtx_ranges() {
  if (!ranges().wanted()) return;
  set_profiler_hooks([](Stage stage) { ranges().push(stage); }, [] { ranges().pop(); });
}

}  // namespace echoloop::cuda

#else

void echoloop::cuda::install_nvtx_ranges() {}

#endif
