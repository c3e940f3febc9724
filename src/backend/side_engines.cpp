#include "backend/side_engines.h"

#include <stdexcept>
#include <utility>

namespace echoloop {
namespace {

// Works with an engine, which is made first where there is none. What throws is its end, and why is returned.
template <class Engine, class Make, class Work>
std::string attempt(std::unique_ptr<Engine>& engine, const Make& make, const Work& work) {
  try {
    if (engine == nullptr) engine = make();
    work(*engine);
    if (std::string why = engine->take_fault(); !why.empty()) throw std::runtime_error(why);
    return {};
  } catch (const std::exception& error) {
    engine.reset();
    return error.what();
  }
}

}  // namespace

bool SideEngines::wants_flow(const ImagingParams& params) const {
  return mailboxes_.flow != nullptr && params.color_flow.mode != FlowMode::off && !flow_failed_;
}

bool SideEngines::wants_sonogram(const ImagingParams& params) const {
  return mailboxes_.sonogram != nullptr && params.doppler.gate != Gate::off && !sonogram_failed_;
}

bool SideEngines::wants_pixels(const ImagingParams& params) const {
  return wants_flow(params) || wants_sonogram(params);
}

void SideEngines::take_pixels(const std::shared_ptr<const Plan>& plan, const PixelView& pixels, const FrameStamp& stamp,
                              double reference_db) {
  if (wants_flow(plan->params)) {
    const std::string why = attempt(
        flow_, [this] { return std::make_unique<FlowEngine>(backend_.make_flow_device(), *mailboxes_.flow); },
        [&](FlowEngine& engine) { engine.take(plan, pixels, stamp, reference_db); });
    flow_failed_ = !why.empty();
    if (flow_failed_) refuse_("No flow images: " + why);
  }
  if (wants_sonogram(plan->params)) {
    const std::string why = attempt(
        sonogram_,
        [this] { return std::make_unique<SonogramEngine>(backend_.make_gate_device(), *mailboxes_.sonogram); },
        [&](SonogramEngine& engine) { engine.take(plan, pixels, stamp, reference_db); });
    sonogram_failed_ = !why.empty();
    if (sonogram_failed_) refuse_("No Doppler spectrum: " + why);
  }
  note_counts();
}

void SideEngines::take_live(const Image& image) {
  late_image_ = {};
  if (image.params.objects.kind == Structure::off || looking_ == Looking::back || structure_failed_) return;
  if (!take_picture(image, Claim::live)) late_image_ = image;
}

void SideEngines::take_kept(const Image& image) {
  if (image.params.objects.kind == Structure::off) {
    retire_structure();
  } else {
    take_picture(image, Claim::wanted);
  }
}

// False: the engine is still busy with an earlier image.
bool SideEngines::take_picture(const Image& image, Claim claim) {
  if (mailboxes_.structure == nullptr) return true;
  bool taken = true;
  const std::string why = attempt(
      structure_,
      [this] { return std::make_unique<StructureEngine>(backend_.make_structure_device(), *mailboxes_.structure); },
      [&](StructureEngine& engine) { taken = engine.take(image, claim); });
  note_counts();
  if (why.empty()) return taken;
  structure_failed_ = true;
  refuse_("No objects: " + why);
  return true;
}

void SideEngines::retire(const ImagingParams& params) {
  if (flow_ != nullptr && params.color_flow.mode == FlowMode::off && !flow_->busy()) {
    note_counts();
    flow_.reset();
  }
  if (sonogram_ != nullptr && params.doppler.gate == Gate::off && !sonogram_->busy()) {
    note_counts();
    sonogram_.reset();
  }
  if (params.objects.kind == Structure::off && looking_ == Looking::at_live) retire_structure();
}

void SideEngines::retire_structure() {
  if (structure_ == nullptr || structure_->busy()) return;
  note_counts();
  structure_.reset();
}

void SideEngines::end_stream(StreamEnd how) {
  if (flow_ != nullptr) flow_->settle();
  try {
    if (sonogram_ != nullptr) sonogram_->settle();
  } catch (const std::exception&) {  // the device is lost: what it had not given never comes
  }
  note_counts();
  flow_.reset();
  sonogram_.reset();

  const Image last = std::exchange(late_image_, {});
  if (structure_ == nullptr) return;
  if (last.number != 0 && how == StreamEnd::regular && looking_ == Looking::at_live) take_picture(last, Claim::wanted);
  if (structure_ == nullptr) return;
  structure_->settle();
  note_counts();
  if (const std::string why = structure_->take_fault(); !why.empty()) refuse_("No objects: " + why);
}

// Those of an engine that is gone stay.
void SideEngines::note_counts() {
  const std::scoped_lock lock(mutex_);
  if (flow_ != nullptr) counts_.flow = flow_->counts();
  if (sonogram_ != nullptr) counts_.sonogram = sonogram_->counts();
  if (structure_ != nullptr) counts_.structure = structure_->counts();
}

SideCounts SideEngines::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace echoloop
