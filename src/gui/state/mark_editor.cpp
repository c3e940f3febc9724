#include "gui/state/mark_editor.h"

#include <algorithm>
#include <utility>

#include "gui/state/mark_shape.h"
#include "measure/plane_geometry.h"

namespace echoloop {
namespace {

constexpr double kSmallest_m = 1e-6;
constexpr std::size_t kMostPoints = 2000;  // of an outline

bool draws(MarkTool tool) { return tool != MarkTool::pointer && tool < MarkTool::inspect; }
MarkKind kind_of(MarkTool tool) { return static_cast<MarkKind>(static_cast<int>(tool) - 1); }

// The first place in the pairs that is still free: target 1, background 1, target 2 and so on.
void give_role(const Marks& marks, Mark& region) {
  const auto taken = [&marks](int pair, RegionRole role) {
    return std::any_of(marks.list.begin(), marks.list.end(),
                       [&](const Mark& m) { return m.pair == pair && m.role == role; });
  };
  for (region.pair = 1;; ++region.pair) {
    for (const RegionRole role : {RegionRole::target, RegionRole::background}) {
      region.role = role;
      if (!taken(region.pair, role)) return;
    }
  }
}

bool too_small(const Mark& m) {
  if (m.kind == MarkKind::point) return false;
  if (m.kind == MarkKind::outline || m.kind == MarkKind::rectangle || m.kind == MarkKind::ellipse) {
    return area_m2(m).value_or(0.0) < kSmallest_m * kSmallest_m;
  }
  for (std::size_t i = 1; i < m.points.size(); ++i) {
    if (distance_m(m.points[i - 1], m.points[i]) < kSmallest_m) return true;
  }
  return false;
}

std::optional<std::size_t> handle_at(const Mark& mark, PlanePoint at, double reach_m) {
  const std::vector<PlanePoint> handles = mark_handles(mark);
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const double away = distance_m(handles[i], at);
    if (away <= reach_m && (!nearest || away < distance_m(handles[*nearest], at))) nearest = i;
  }
  return nearest;
}

}  // namespace

std::optional<MarkGrip> grip_at(const Marks& marks, PlanePoint at, double reach_m) {
  for (const bool selected : {true, false}) {
    for (auto mark = marks.list.rbegin(); mark != marks.list.rend(); ++mark) {
      if (selected != (mark->number == marks.selected)) continue;
      if (const auto handle = handle_at(*mark, at, reach_m)) return MarkGrip{mark->number, handle};
    }
  }
  for (auto mark = marks.list.rbegin(); mark != marks.list.rend(); ++mark) {
    if (distance_to_line_m(mark_line(*mark), at) <= reach_m) return MarkGrip{mark->number, std::nullopt};
  }
  return std::nullopt;
}

Mark* find_mark(Marks& marks, int number) {
  const auto found =
      std::find_if(marks.list.begin(), marks.list.end(), [number](const Mark& m) { return m.number == number; });
  return found == marks.list.end() ? nullptr : &*found;
}

void remove_mark(Marks& marks, int number) {
  std::erase_if(marks.list, [number](const Mark& m) { return m.number == number; });
  if (marks.selected == number) marks.selected = 0;
  if (marks.hovered == number) marks.hovered = 0;
}

void clear_marks(Marks& marks) {
  marks.list.clear();
  marks.selected = marks.hovered = 0;
}

void MarkEditor::begin(Marks& marks, PlanePoint at) {
  draft_ = Mark{.number = marks.last_number + 1, .kind = kind_of(marks.tool), .points = {at, at}};
  if (draft_->kind == MarkKind::outline || draft_->kind == MarkKind::point) draft_->points.pop_back();
  if (is_region(draft_->kind)) give_role(marks, *draft_);
  held_ = true;
  dragged_ = false;
  start_ = at;
  if (draft_->kind == MarkKind::point) finish(marks);
}

void MarkEditor::next_point(Marks& marks, PlanePoint at) {
  draft_->points.back() = at;
  if (draft_->points.size() == points_of(draft_->kind)) return finish(marks);
  draft_->points.push_back(at);
}

void MarkEditor::finish(Marks& marks) {
  if (draft_->kind == MarkKind::ellipse) move_handle(*draft_, 2, draft_->points[2]);
  if (!too_small(*draft_)) {
    marks.selected = marks.last_number = draft_->number;
    marks.list.push_back(std::move(*draft_));
  }
  draft_.reset();
  held_ = false;
}

bool MarkEditor::press(Marks& marks, PlanePoint at, double reach_m) {
  if (draft_ && (!draws(marks.tool) || draft_->kind != kind_of(marks.tool))) draft_.reset();
  if (draft_) {
    next_point(marks, at);
    return true;
  }
  if (draws(marks.tool)) {
    begin(marks, at);
    return true;
  }
  if (marks.tool != MarkTool::pointer) return false;
  grip_ = grip_at(marks, at, reach_m);
  if (!grip_) return false;
  marks.selected = grip_->number;
  start_ = last_ = at;
  dragged_ = false;
  return true;
}

void MarkEditor::move(Marks& marks, PlanePoint at, double reach_m) {
  if (draft_ && (!draws(marks.tool) || draft_->kind != kind_of(marks.tool))) draft_.reset();
  // A click shakes a little: until the pointer has gone somewhere nothing moves.
  if (held_ || grip_) dragged_ = dragged_ || distance_m(start_, at) > 0.5 * reach_m;
  if (draft_ && draft_->kind == MarkKind::outline) {
    if (held_ && distance_m(draft_->points.back(), at) > 0.25 * reach_m && draft_->points.size() < kMostPoints) {
      draft_->points.push_back(at);
    }
  } else if (draft_) {
    draft_->points.back() = at;
  }
  if (!grip_ || !dragged_) return;
  Mark* mark = find_mark(marks, grip_->number);
  if (mark == nullptr) {
    grip_.reset();
  } else if (grip_->handle) {
    move_handle(*mark, *grip_->handle, at);
  } else {
    move_mark(*mark, at.x_m - last_.x_m, at.z_m - last_.z_m);
  }
  last_ = at;
}

void MarkEditor::release(Marks& marks) {
  grip_.reset();
  if (!draft_ || !std::exchange(held_, false)) return;
  if (draft_->kind == MarkKind::outline) {
    if (dragged_ && draft_->points.size() > 2) return finish(marks);
    draft_.reset();
  } else if (dragged_) {
    next_point(marks, draft_->points.back());
  }
}

bool MarkEditor::escape(Marks& marks) {
  if (draft_) {
    draft_.reset();
    held_ = false;
  } else if (marks.tool != MarkTool::pointer) {
    marks.tool = MarkTool::pointer;
  } else if (marks.selected != 0) {
    marks.selected = 0;
  } else {
    return false;
  }
  return true;
}

}  // namespace echoloop
