#include "gui/overlay/analysis_overlays.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/param_table.h"
#include "core/results/image.h"
#include "core/units.h"
#include "gui/overlay/mask_overlay.h"

namespace echoloop {
namespace {

// Draws a number at the upper right of its outline, if the space is free.
void draw_number(Canvas& canvas, int number, CanvasPoint at, const MarkLook& look, LabelRoom& room) {
  constexpr double kChip = 0.78;
  const TextLook text{.em = static_cast<float>(0.9 * look.em), .weight = Weight::strong, .color = ink::kAccent};
  const std::string digits = std::to_string(number);
  const double w = canvas.text_width(text, digits) + 0.5 * look.em, h = 1.3 * look.em;
  const auto inside = [](double v, double from, double to) { return std::clamp(v, from, std::max(from, to)); };
  const double x = canvas.snap(inside(at.x + look.halo, room.within.x0, room.within.x1 - w));
  const double y = canvas.snap(inside(at.y - 0.75 * h, room.within.y0, room.within.y1 - h));
  const CanvasRect box{x, y, x + w, y + h};
  if (std::any_of(room.taken.begin(), room.taken.end(), [&](const CanvasRect& r) { return r.overlaps(box); })) return;
  room.taken.push_back(box);
  canvas.fill(box, {kBlack, kChip});
  canvas.text({x + 0.25 * look.em, y + 0.5 * h}, text, TextAlign::left, digits);
}

void draw_object_outlines(Canvas& canvas, const ObjectView& objects, const ImagePlace& place, const MarkLook& look) {
  std::vector<CanvasLine> lines;
  for (const LabelOutline& o : objects.outlines) {
    CanvasLine line;
    for (const PlanePoint p : o.line) line.push_back(place.at(p));
    line.push_back(line.front());
    lines.push_back(std::move(line));
  }
  draw_outlined(canvas, lines, look);
}

void draw_object_numbers(Canvas& canvas, const ObjectView& objects, const ImagePlace& place, const MarkLook& look,
                         LabelRoom room) {
  std::vector<const LabelOutline*> outer(objects.ranked.size(), nullptr);  // the first line of an object
  for (const LabelOutline& o : objects.outlines) {
    const auto i = static_cast<std::size_t>(objects.numbers[static_cast<std::size_t>(o.label - 1)] - 1);
    if (outer[i] == nullptr) outer[i] = &o;
  }
  constexpr std::size_t kMostNumbers = 40;
  const double right = place.mirrored == Mirrored::on ? -1.0 : 1.0;
  for (std::size_t i = 0; i < std::min(outer.size(), kMostNumbers); ++i) {
    if (outer[i] == nullptr) continue;  // without an outline
    PlanePoint best = outer[i]->line.front();
    for (const PlanePoint p : outer[i]->line) {
      if (right * p.x_m - p.z_m > right * best.x_m - best.z_m) best = p;
    }
    draw_number(canvas, static_cast<int>(i) + 1, place.at(best), look, room);
  }
}

// Returns the overlays of all analyses.
template <class Act>
void each_overlay(const Act& act) {
  for_each_analysis([&]<class A>() {
    if constexpr (requires { A::kOverlay; }) act(A::kOverlay);
  });
}

std::string flow_words(const ImageOverlays& o, const ImagingParams& display) {
  if (o.flow == nullptr) return "";
  const FlowMode mode = display.color_flow.mode;
  const char* name = mode == FlowMode::velocity ? "velocity"
                     : mode == FlowMode::power  ? "flow power"
                                                : "low-rank image";
  return fmt::format("{} of {} frames", name, o.flow->frames);
}

void keep_last_flow(AnalysisViews& views, LiveImages& live, const Image& image) {
  live.of<FlowImage>().take();
  const FlowImage& flow = live.of<FlowImage>().front();
  if (is_on<FlowAnalysis>(image.params) && flow.number > 0) {
    views.of<FlowView>().image = std::make_shared<FlowImage>(flow);
  }
}

// Returns null without objects.
const ObjectView* objects_of(const ImageOverlays& o) {
  const ObjectView* const view = o.views != nullptr ? &o.views->of<ObjectView>() : nullptr;
  return view != nullptr && view->image != nullptr ? view : nullptr;
}

}  // namespace

constinit const AnalysisOverlay FlowAnalysis::kOverlay{.keep_last = keep_last_flow, .words = flow_words};

constinit const AnalysisOverlay ObjectAnalysis::kOverlay{
    .keep_last =
        [](AnalysisViews& views, LiveImages& live, const Image& image) {
          live.of<ObjectImage>().take();
          const ObjectImage& found = live.of<ObjectImage>().front();
          if (found.number == 0 || !(found.grid == image.grid)) return;
          show_objects(views.of<ObjectView>(), std::make_shared<ObjectImage>(found));
        },
    .words = [](const ImageOverlays& o, const ImagingParams&) -> std::string {
      const ObjectView* const objects = objects_of(o);
      return objects != nullptr ? counted(objects->count(), "object") : "";
    },
    // Live objects may belong to an earlier frame.
    .note = [](const ImageOverlays& o, const Image& shown, const FrameNumbers& numbers) -> std::string {
      const ObjectView* const objects = objects_of(o);
      if (objects == nullptr || objects->image->stamp.sequence == shown.stamp.sequence) return "";
      return fmt::format(", with the objects of frame {}", numbers.of(objects->image->stamp));
    },
    .draws =
        [](const ImageOverlays& o) {
          const ObjectView* const objects = objects_of(o);
          return objects != nullptr && !objects->outlines.empty();
        },
    .draw = [](Canvas& canvas, const ImageOverlays& o, const ImagePlace& place,
               const MarkLook& look) { draw_object_outlines(canvas, *objects_of(o), place, look); },
    .draw_labels = [](Canvas& canvas, const ImageOverlays& o, const ImagePlace& place, const MarkLook& look,
                      LabelRoom room) { draw_object_numbers(canvas, *objects_of(o), place, look, std::move(room)); },
    .follow = [](LiveImages& live) -> std::unique_ptr<AnalysisFollower> {
      return std::make_unique<ObjectFollower>(live.of<ObjectImage>());
    }};

ImageOverlays overlays_of(const AnalysisViews& views) {
  return {.flow = views.of<FlowView>().image.get(), .views = &views};
}

void take_last(AnalysisViews& views, LiveImages& live, const Image& image) {
  each_overlay([&](const AnalysisOverlay& row) { row.keep_last(views, live, image); });
}

std::vector<std::unique_ptr<AnalysisFollower>> make_followers(LiveImages& live) {
  std::vector<std::unique_ptr<AnalysisFollower>> followers;
  each_overlay([&](const AnalysisOverlay& row) {
    if (row.follow != nullptr) followers.push_back(row.follow(live));
  });
  return followers;
}

std::vector<std::string> overlay_words(const ImageOverlays& o, const ImagingParams& display) {
  std::vector<std::string> words;
  each_overlay([&](const AnalysisOverlay& row) {
    std::string text = row.words(o, display);
    if (!text.empty()) words.push_back(std::move(text));
  });
  if (o.map != nullptr) words.push_back("map " + map_words(o.map->map));
  return words;
}

std::string overlay_note(const ImageOverlays& o, const Image& shown, const FrameNumbers& numbers) {
  std::string note;
  each_overlay([&](const AnalysisOverlay& row) {
    if (row.note != nullptr) note += row.note(o, shown, numbers);
  });
  return note;
}

bool has_outlines(const ImageOverlays& o) {
  bool any = o.mask != nullptr;
  each_overlay([&](const AnalysisOverlay& row) { any = any || (row.draws != nullptr && row.draws(o)); });
  return any;
}

void draw_outlines(Canvas& canvas, const ImageOverlays& o, const ImagePlace& place, const MarkLook& look) {
  each_overlay([&](const AnalysisOverlay& row) {
    if (row.draws != nullptr && row.draws(o)) row.draw(canvas, o, place, look);
  });
}

void draw_labels(Canvas& canvas, const ImageOverlays& o, const ImagePlace& place, const MarkLook& look,
                 const LabelRoom& room) {
  if (o.mask != nullptr) draw_mask_legend(canvas, room.within, *o.mask, look.em);
  each_overlay([&](const AnalysisOverlay& row) {
    if (row.draw_labels != nullptr && row.draws(o)) row.draw_labels(canvas, o, place, look, room);
  });
}

namespace {

bool equal_but_for_display(const ImagingParams& a, const ImagingParams& b) { return with_display(a, b.display) == b; }

}  // namespace

std::string_view why_no_objects(const Model& model, const Edits& edits) {
  if (model.source.acquisition == nullptr) return "No source.";
  if (edits.cine.compare) return "No objects are shown while two images are compared.";
  if (edits.params.color_flow.mode == FlowMode::low_rank && model.analyses.of<FlowView>().image != nullptr)
    return "The low-rank image is displayed; objects refer to the B-mode image.";
  return {};
}

void ObjectFollower::clear(ObjectView& view, ObjectPick& picked) {
  view.image = nullptr;
  view.older_s = 0.0;
  view.ranked.clear();
  view.numbers.clear();
  view.outlines.clear();
  picked.selected = picked.hovered = picked.hovered_on_picture = 0;
}

void ObjectFollower::take(Model& model, Edits& edits, const Image& shown) {
  ObjectView& view = model.analyses.of<ObjectView>();
  ObjectPick& picked = edits.objects;
  const bool off = edits.params.objects.kind == ObjectKind::off;
  const bool frozen = model.run == RunState::frozen;
  if (off || frozen) from_ns_ = now_ns();
  if (off || !why_no_objects(model, edits).empty()) {
    if (off) followed_.reset();
    number_ = 0;
    return clear(view, picked);
  }
  const bool same = view.image != nullptr && view.image->number == number_;  // the mailbox was not emptied
  if (same && picked.selected != selected_) {                                // selection has changed
    followed_ = picked.selected > 0 ? std::optional(view.object(picked.selected)) : std::nullopt;
  }
  // Keeps the result of a kept frame in front; later results are not used.
  if (!(frozen && belongs(box_.front(), model, edits, shown))) box_.take();
  const ObjectImage& found = box_.front();
  if (!belongs(found, model, edits, shown)) {
    number_ = 0;
    return clear(view, picked);
  }
  if (view.image == nullptr || found.number != number_ || found.ready_ns != ready_ns_) look_at(view, picked, found);
  view.older_s = std::max(0.0, stream_time_s(shown) - stream_time_s(found.stamp, found.acquisition));
  picked.hovered = picked.hovered_on_picture;
  selected_ = picked.selected;
}

bool ObjectFollower::belongs(const ObjectImage& found, const Model& model, const Edits& edits,
                             const Image& shown) const {
  if (found.number == 0 || shown.number == 0 || found.acquisition != shown.acquisition) return false;
  if (!(found.grid == shown.grid) || found.labels.size() != found.grid.pixels()) return false;
  if (model.run == RunState::frozen) {
    // From this image: a live one of the same frame may be an average over frames.
    return found.stamp.sequence == shown.stamp.sequence && found.ready_ns >= shown.ready_ns &&
           equal_but_for_display(found.params, shown.params);
  }
  return found.ready_ns >= from_ns_ && found.params.objects.kind == edits.params.objects.kind;
}

void ObjectFollower::look_at(ObjectView& view, ObjectPick& picked, const ObjectImage& found) {
  show_objects(view, std::make_shared<ObjectImage>(found));
  number_ = found.number;
  ready_ns_ = found.ready_ns;
  picked.hovered_on_picture = 0;  // until the next hit test
  picked.selected = followed_ ? same_object(view, *followed_) : 0;
  if (picked.selected > 0) followed_ = view.object(picked.selected);
}

}  // namespace echoloop
