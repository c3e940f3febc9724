#include "app/window/inspector_controller.h"

#include <algorithm>

namespace echoloop {
namespace {

constexpr double kInspectionShare = 1.0 / 100.0;  // most of the processing thread's time that it may take, live
constexpr std::int64_t kInspectionPeriod_ns =
    200'000'000;  // shortest time between two answers, live: faster cannot be read
constexpr std::size_t kPicturesAtOnce = 8;

}  // namespace

void InspectorController::forget(UiState& state) {
  open_ = waiting_ = false;
  asked_.reset();
  state.image.inspector.pixel.reset();
  state.image.inspector.pictures.clear();
  state.image.inspector.acquisition.reset();
  state.image.inspector.refusal.clear();
  state.image.inspector.transmit = -1;
}

void InspectorController::close(UiState& state, Session& session) {
  if (!open_) return;
  session.end_inspection();
  const int transmit = state.image.inspector.transmit;
  forget(state);
  state.image.inspector.transmit = transmit;  // of the same source, when it is opened again
}

void InspectorController::take(UiState& state) {
  if (!answers_.take()) return;
  const InspectionAnswer& answer = answers_.front();
  if (!waiting_ || answer.number != requests_) return;
  InspectorView& view = state.image.inspector;
  view.refusal = answer.refusal;
  if (answer.pixel != nullptr) view.pixel = answer.pixel;
  for (const auto& picture : answer.pictures) {
    if (static_cast<std::size_t>(picture->transmit) < view.pictures.size()) {
      view.pictures[static_cast<std::size_t>(picture->transmit)] = picture;
    }
  }
  work_s_ = answer.work_s;
  waiting_ = !answer.complete;
}

// Those in view that are of another frame, or not there at all.
std::vector<int> InspectorController::wanted_pictures(const InspectorView& view, std::uint64_t sequence) const {
  std::vector<int> list;
  for (const int k : view.pictures_seen) {
    if (k < 0 || static_cast<std::size_t>(k) >= view.pictures.size()) continue;
    const auto& picture = view.pictures[static_cast<std::size_t>(k)];
    if (picture == nullptr || picture->stamp.sequence != sequence) list.push_back(k);
  }
  return list;
}

namespace {

void follow(InspectorView& view, const AcquisitionPtr& acquisition) {
  if (view.acquisition != acquisition) {
    view.acquisition = acquisition;
    view.pixel.reset();
    view.pictures.clear();
  }
  view.pictures.resize(acquisition->transmits.size());
  if (view.transmit >= static_cast<int>(acquisition->transmits.size())) view.transmit = -1;
}

}  // namespace

void InspectorController::update(UiState& state, Session& session, Moment moment, std::int64_t now_ns) {
  InspectorView& view = state.image.inspector;
  if (!view.wanted || !state.image.inspected || !session.running() || state.source.acquisition == nullptr) {
    if (session.running() && !view.wanted) close(state, session);
    return;
  }
  open_ = true;
  take(state);
  if (configuration_ != session.configurations()) waiting_ = false;  // it went with the lanes
  if (waiting_) return;
  const std::size_t frames = history_.extent().frames;
  if (frames == 0) {
    view.refusal = state.cine.why_not.empty() ? "No frames in history yet." : state.cine.why_not;
    return;
  }
  const bool frozen = moment == Moment::frozen;
  const auto kept = history_.at(frozen ? std::min(state.cine.index, frames - 1) : frames - 1);
  if (!kept.has_value()) return;
  // Kept frames may be of an earlier description of a scanner.
  const AcquisitionPtr& acquisition = kept->acquisition != nullptr ? kept->acquisition : state.source.acquisition;
  if (view.acquisition != acquisition) asked_.reset();
  follow(view, acquisition);
  const std::uint64_t sequence = kept->frame.stamp.sequence;
  const Key key{*state.image.inspected, view.transmit, without_display(state.params)};
  const bool same = asked_ == key;
  // Frozen, another parameter makes all images of single transmits wrong. Live, they are renewed one by one anyway.
  if (frozen && asked_.has_value() && asked_->params != key.params)
    std::fill(view.pictures.begin(), view.pictures.end(), nullptr);
  std::vector<int> pictures = wanted_pictures(view, sequence);
  const bool empty = std::any_of(pictures.begin(), pictures.end(), [&view](int k) {
    return view.pictures[static_cast<std::size_t>(k)] == nullptr && view.refusal.empty();
  });
  if (frozen) {
    if (same && asked_sequence_ == sequence && (pictures.empty() || !view.refusal.empty())) return;
  } else {
    // A click is answered at once, and so is a pixel that has not been shown yet.
    const bool clicked = !asked_.has_value() || !asked_->same_place(key);
    if (same && asked_sequence_ == sequence) return;
    if (!clicked && !empty && now_ns < not_before_ns_) return;
  }
  if (!frozen && !empty && pictures.size() > 1) {  // one more each time
    std::rotate(pictures.begin(), pictures.begin() + next_picture_++ % static_cast<int>(pictures.size()),
                pictures.end());
    pictures.resize(1);
  }
  pictures.resize(std::min(pictures.size(), kPicturesAtOnce));
  session.inspect({.frame = kept->frame,
                   .owner = kept->owner,
                   .params = key.params,
                   .at = key.at,
                   .transmit = key.transmit,
                   .pictures = std::move(pictures),
                   .number = ++requests_,
                   .acquisition = kept->acquisition});
  asked_ = key;
  asked_sequence_ = sequence;
  configuration_ = session.configurations();
  waiting_ = true;
  not_before_ns_ = now_ns + std::max(kInspectionPeriod_ns, static_cast<std::int64_t>(work_s_ / kInspectionShare * 1e9));
}

}  // namespace echoloop
