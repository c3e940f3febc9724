#include "app/outputs/cine_iq.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/number.h"

namespace echoloop {

CineIq::CineIq(IqOrder order, std::vector<Frame> of)
    : CineJob("Complex pixels", std::move(of), order.params, order.unreadable), order_(std::move(order)) {
  require_pixels(params(), name());
  sequence_ = std::make_shared<IqSequence>(order_.path, pixel_grid(params(), *frames().front().kept.acquisition));
}

// Frames under way, and those that wait for the disk: the processing thread never does.
std::size_t CineIq::may_ask() const {
  constexpr std::size_t kAhead = 4;
  return delivered() + kAhead - std::min(sequence_->status().waiting, kAhead);
}

// On a thread of its own: the disk may take its time.
void CineIq::end(End how) {
  ending_ =
      std::async(std::launch::async, [sequence = sequence_, &backend = order_.backend, named = order_.named, how] {
        return how == End::whole ? sequence->end(backend, named) : sequence->discard();
      });
}

bool CineIq::done() const {
  return ending_.valid() && ending_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

double CineIq::fraction() const { return static_cast<double>(delivered()) / static_cast<double>(frames().size()); }

std::string CineIq::progress() const {
  return fmt::format("Complex pixels: {} of {}, {}", delivered(), counted(frames().size(), "frame"), name());
}

std::string CineIq::problem() const {
  std::string why;
  try {
    why = ending_.get().problem;
  } catch (const std::exception& error) {
    why = error.what();
  }
  return why.empty() ? why : fmt::format("Complex pixels {} failed: {}", name(), why);
}

std::string CineIq::saved() const {
  const RecorderStatus& ended = ending_.get();
  return fmt::format("Saved {}: {}, {:.1f} MB", ended.path.string(), counted(ended.frames, "frame"),
                     static_cast<double>(ended.bytes) * 1e-6);
}

}  // namespace echoloop
