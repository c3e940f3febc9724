#include "app/outputs/first_frame_doubts.h"

#include <cstddef>
#include <utility>

#include "app/opening/source_kinds.h"
#include "core/mapped_files.h"

namespace echoloop {

FirstFrameDoubts::FirstFrameDoubts(const OpenedSource& opened, FrameSink& next)
    : next_(next),
      wanted_(is_file_source(opened.name) && opened.source->seekable() != nullptr),
      acquisition_(opened.info.acquisition) {}

void FirstFrameDoubts::begin(HistoryFeed feed) { lender_ = feed.lend != nullptr ? feed.lend(0).owner : nullptr; }

FrameMemory FirstFrameDoubts::offer(const RfFrame& frame, FrameMemory memory) {
  if (std::exchange(wanted_, false)) {
    const auto copy = std::make_shared<std::vector<std::byte>>();
    if (lender_ == nullptr) copy->assign(frame.samples.begin(), frame.samples.end());
    const std::span<const std::byte> samples = lender_ == nullptr ? std::span<const std::byte>(*copy) : frame.samples;
    work_ = std::async(std::launch::async, [acquisition = acquisition_, copy, lender = lender_, samples] {
      std::vector<Doubt> doubts = measure_doubts(*acquisition, samples);
      require_readable(samples);
      return doubts;
    });
  }
  return next_.offer(frame, std::move(memory));
}

std::vector<Doubt> FirstFrameDoubts::take() { return work_.valid() ? work_.get() : std::vector<Doubt>(); }

}  // namespace echoloop
