#include "gui/overlay/object_follower.h"

#include <algorithm>

#include "core/param_table.h"
#include "core/results/frame_time.h"
#include "core/units.h"

namespace echoloop {
namespace {

bool equal_but_for_display(const ImagingParams& a, const ImagingParams& b) { return with_display(a, b.display) == b; }

}  // namespace

std::string_view why_no_objects(const UiState& state) {
  if (state.source.acquisition == nullptr) return "No source.";
  if (state.cine.compare) return "No objects are shown while two images are compared.";
  if (state.params.color_flow.mode == FlowMode::low_rank && state.analyses.flow.image != nullptr)
    return "The low-rank image is displayed; objects refer to the B-mode image.";
  return {};
}

void ObjectFollower::clear(ObjectView& view) {
  view.image = nullptr;
  view.older_s = 0.0;
  view.ranked.clear();
  view.numbers.clear();
  view.outlines.clear();
  view.selected = view.hovered = view.hovered_on_picture = 0;
}

void ObjectFollower::take(UiState& state, const Image& shown) {
  ObjectView& view = state.analyses.objects;
  const bool off = state.params.objects.kind == ObjectKind::off;
  const bool frozen = state.run == RunState::frozen;
  if (off || frozen) from_ns_ = now_ns();
  if (off || !why_no_objects(state).empty()) {
    if (off) followed_.reset();
    number_ = 0;
    return clear(view);
  }
  const bool same = view.image != nullptr && view.image->number == number_;  // the mailbox was not emptied
  if (same && view.selected != selected_) {                                  // another one was selected
    followed_ = view.selected > 0 ? std::optional(view.object(view.selected)) : std::nullopt;
  }
  // What belongs to a kept frame stays in front, whatever comes behind it.
  if (!(frozen && belongs(box_.front(), state, shown))) box_.take();
  const ObjectImage& found = box_.front();
  if (!belongs(found, state, shown)) {
    number_ = 0;
    return clear(view);
  }
  if (view.image != &found || found.number != number_ || found.ready_ns != ready_ns_) look_at(view, found);
  view.older_s = std::max(0.0, stream_time_s(shown) - stream_time_s(found.stamp, found.acquisition));
  view.hovered = view.hovered_on_picture;
  selected_ = view.selected;
}

bool ObjectFollower::belongs(const ObjectImage& found, const UiState& state, const Image& shown) const {
  if (found.number == 0 || shown.number == 0 || found.acquisition != shown.acquisition) return false;
  if (!(found.grid == shown.grid) || found.labels.size() != found.grid.pixels()) return false;
  if (state.run == RunState::frozen) {
    // Of this very image: a live one of the same frame may have been an average over frames.
    return found.stamp.sequence == shown.stamp.sequence && found.ready_ns >= shown.ready_ns &&
           equal_but_for_display(found.params, shown.params);
  }
  return found.ready_ns >= from_ns_ && found.params.objects.kind == state.params.objects.kind;
}

void ObjectFollower::look_at(ObjectView& view, const ObjectImage& found) {
  show_objects(view, found);
  number_ = found.number;
  ready_ns_ = found.ready_ns;
  view.hovered_on_picture = 0;  // until the pointer is looked at again
  view.selected = followed_ ? same_object(view, *followed_) : 0;
  if (view.selected > 0) followed_ = view.object(view.selected);
}

}  // namespace echoloop
