// The Pipeline's part in flow and in the sonogram: hands each beamformed frame to their engines. Processing thread,
// unless said.
#include <stdexcept>

#include "backend/pipeline.h"

namespace echoloop {

bool Pipeline::wants_flow() const {
  return options_.flow != nullptr && plan_->params.flow != FlowMode::off && !flow_failed_;
}

bool Pipeline::wants_sonogram() const {
  return options_.sonogram != nullptr && plan_->params.gate != Gate::off && !sonogram_failed_;
}

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

void Pipeline::feed_sonogram(Slot& slot) {
  try {
    if (sonogram_ == nullptr) {
      sonogram_ = std::make_unique<SonogramEngine>(backend_.make_gate_device(), *options_.sonogram);
    }
    sonogram_->take(slot.plan, slot.lane->pixels(), slot.lease->frame().stamp, slot.reference_db);
    if (const std::string why = sonogram_->take_fault(); !why.empty()) throw std::runtime_error(why);
    note_flow_counts();
  } catch (const std::exception& error) {
    sonogram_.reset();
    sonogram_failed_ = true;
    refuse("No sonogram: " + std::string(error.what()));
  }
}

// Turned off: gone as soon as that waits for nothing.
void Pipeline::retire_flow() {
  if (flow_ != nullptr && plan_->params.flow == FlowMode::off && !flow_->busy()) {
    note_flow_counts();
    flow_.reset();
  }
  if (sonogram_ != nullptr && plan_->params.gate == Gate::off && !sonogram_->busy()) {
    note_flow_counts();
    sonogram_.reset();
  }
}

// The stream's end. What is in work is finished: who stops after so many frames finds the last one's picture.
void Pipeline::end_flow() {
  if (flow_ != nullptr) flow_->settle();
  try {
    if (sonogram_ != nullptr) sonogram_->settle();
  } catch (const std::exception&) {  // the device is lost: what it had not given never comes
  }
  note_flow_counts();
  flow_.reset();
  sonogram_.reset();
}

void Pipeline::note_flow_counts() {
  const std::scoped_lock lock(text_mutex_);
  if (flow_ != nullptr) flow_counts_ = flow_->counts();
  if (sonogram_ != nullptr) sonogram_counts_ = sonogram_->counts();
}

FlowCounts Pipeline::flow_counts() const {
  const std::scoped_lock lock(text_mutex_);
  return flow_counts_;
}

SonogramCounts Pipeline::sonogram_counts() const {
  const std::scoped_lock lock(text_mutex_);
  return sonogram_counts_;
}

}  // namespace echoloop
