// NVTX is a header of the toolkit without a library of its own: its calls reach the profiler that started the program,
// if there is one. A toolkit installed in parts may lack it.
#include "backend/cuda/runtime/nvtx.h"

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <string>

#include "core/profile_range.h"

namespace echoloop::cuda {
namespace {

class Ranges {
 public:
  Ranges() : domain_(nvtxDomainCreateA("echoloop")) {
    if (domain_ == nullptr) return;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      ranges_[i].version = NVTX_VERSION;
      ranges_[i].size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
      ranges_[i].colorType = NVTX_COLOR_ARGB;
      ranges_[i].color = 0xff000000 | kStages[i].color;  // 0xAARRGGBB
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
