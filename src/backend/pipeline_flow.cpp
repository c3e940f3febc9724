// The Pipeline's part in flow: hands each beamformed frame to the FlowEngine. Processing thread, unless said.
#include <stdexcept>

#include "backend/pipeline.h"

namespace echoloop {

// Flow that fails leaves the stream as it is.
void Pipeline::feed_flow(Slot& slot) {
  try {
    if (flow_ == nullptr) flow_ = std::make_unique<FlowEngine>(backend_.make_flow_device(), *options_.flow);
    flow_->take(slot.plan, slot.lane->pixels(), slot.lease->frame().stamp, slot.reference_db);
    if (const std::string why = flow_->take_fault(); !why.empty()) throw std::runtime_error(why);
    note_flow_counts();
  } catch (const std::exception& error) {
    flow_.reset();
    flow_failed_ = true;
    refuse("No flow pictures: " + std::string(error.what()));
  }
}

// Turned off: gone as soon as that waits for nothing.
void Pipeline::retire_flow() {
  if (flow_ == nullptr || plan_->params.flow != FlowMode::off || flow_->busy()) return;
  note_flow_counts();
  flow_.reset();
}

// The stream's end. The ensemble in work is finished: who stops after so many frames finds the last one's picture.
void Pipeline::end_flow() {
  if (flow_ == nullptr) return;
  flow_->settle();
  note_flow_counts();
  flow_.reset();
}

void Pipeline::note_flow_counts() {
  const std::scoped_lock lock(text_mutex_);
  flow_counts_ = flow_->counts();
}

FlowCounts Pipeline::flow_counts() const {
  const std::scoped_lock lock(text_mutex_);
  return flow_counts_;
}

}  // namespace echoloop
