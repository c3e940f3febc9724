#include "gui/state/marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/units.h"
#include "gui/state/number_text.h"
#include "measure/region.h"

namespace echoloop {
namespace {

constexpr int kRoundPieces = 72;

bool complete(const Mark& mark) {
  const std::size_t needed = points_of(mark.kind);
  return needed == 0 ? mark.points.size() >= 3 : mark.points.size() >= needed;
}

std::vector<PlanePoint> ellipse_line(const EllipseAxes& e) {
  std::vector<PlanePoint> line;
  const double c = std::cos(e.tilt_rad), s = std::sin(e.tilt_rad);
  for (int i = 0; i <= kRoundPieces; ++i) {
    const double t = 2.0 * kPi * i / kRoundPieces;
    const double a = e.half_a_m * std::cos(t), b = e.half_b_m * std::sin(t);
    line.push_back({e.centre.x_m + a * c - b * s, e.centre.z_m + a * s + b * c});
  }
  return line;
}

PlanePoint corner(const Mark& m, std::size_t i) { return {m.points[i % 2].x_m, m.points[i / 2].z_m}; }

// Moves the third point of an ellipse to the normal of the drawn axis, `half_b_m` away, on its previous side.
void square_up(Mark& m, double half_b_m) {
  const EllipseAxes e = ellipse_axes(m.points[0], m.points[1], m.points[2]);
  const double nx = -std::sin(e.tilt_rad), nz = std::cos(e.tilt_rad);
  const double side = (m.points[2].x_m - e.centre.x_m) * nx + (m.points[2].z_m - e.centre.z_m) * nz;
  const double by_m = std::copysign(half_b_m, side);
  m.points[2] = {e.centre.x_m + nx * by_m, e.centre.z_m + nz * by_m};
}

}  // namespace

bool is_region(MarkKind kind) {
  return kind == MarkKind::rectangle || kind == MarkKind::circle || kind == MarkKind::ellipse ||
         kind == MarkKind::outline;
}

std::string_view name_of(MarkKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"Distance", "Angle",   "Ellipse", "Rectangle",
                                                      "Circle",   "Outline", "Profile", "Point"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::size_t points_of(MarkKind kind) {
  constexpr std::array<std::size_t, 8> kPoints = {2, 3, 3, 2, 2, 0, 2, 1};
  return kPoints[static_cast<std::size_t>(kind)];
}

std::string mark_label(const Mark& mark) {
  if (mark.role == RegionRole::none) return std::to_string(mark.number);
  return std::to_string(mark.pair) + (mark.role == RegionRole::target ? " target" : " background");
}

std::optional<double> length_m(const Mark& m) {
  if (!complete(m) || (m.kind != MarkKind::distance && m.kind != MarkKind::profile)) return std::nullopt;
  return distance_m(m.points[0], m.points[1]);
}

std::optional<double> angle_rad(const Mark& m) {
  if (!complete(m) || m.kind != MarkKind::angle) return std::nullopt;
  return angle_rad(m.points[0], m.points[1], m.points[2]);
}

std::optional<double> area_m2(const Mark& m) {
  if (!complete(m)) return std::nullopt;
  switch (m.kind) {
    case MarkKind::ellipse:
      return ellipse_area_m2(ellipse_axes(m.points[0], m.points[1], m.points[2]));
    case MarkKind::rectangle:
      return std::abs((m.points[1].x_m - m.points[0].x_m) * (m.points[1].z_m - m.points[0].z_m));
    case MarkKind::circle:
      return kPi * std::pow(distance_m(m.points[0], m.points[1]), 2);
    case MarkKind::outline:
      return outline_area_m2(m.points);
    default:
      return std::nullopt;
  }
}

std::string mark_value(const Mark& m, int decimals) {
  if (const auto length = length_m(m)) return fixed(*length / kMetresPerMillimetre, decimals) + " mm";
  if (const auto angle = angle_rad(m)) return fixed(*angle / kRadiansPerDegree, 1) + "°";
  if (const auto area = area_m2(m)) {
    return fixed(*area / (kMetresPerMillimetre * kMetresPerMillimetre), decimals) + " mm²";
  }
  if (m.kind == MarkKind::point && complete(m)) {
    return fmt::format("x {}  z {} mm", fixed(m.points[0].x_m / kMetresPerMillimetre, decimals),
                       fixed(m.points[0].z_m / kMetresPerMillimetre, decimals));
  }
  // Two of three points: length of the first leg or axis.
  if (m.points.size() == 2) return fixed(distance_m(m.points[0], m.points[1]) / kMetresPerMillimetre, decimals) + " mm";
  return {};
}

std::vector<PlanePoint> mark_line(const Mark& m) {
  std::vector<PlanePoint> line = m.points;
  if (m.kind == MarkKind::outline && m.points.size() > 2) line.push_back(m.points.front());
  if (!complete(m)) return line;
  if (m.kind == MarkKind::ellipse) return ellipse_line(ellipse_axes(m.points[0], m.points[1], m.points[2]));
  if (m.kind == MarkKind::circle) {
    const double r = distance_m(m.points[0], m.points[1]);
    return ellipse_line({.centre = m.points[0], .half_a_m = r, .half_b_m = r, .tilt_rad = 0.0});
  }
  if (m.kind == MarkKind::rectangle) return {corner(m, 0), corner(m, 1), corner(m, 3), corner(m, 2), corner(m, 0)};
  return line;
}

std::vector<PlanePoint> mark_handles(const Mark& m) {
  if (!complete(m) || m.kind == MarkKind::outline) return {};
  if (m.kind == MarkKind::rectangle) return {corner(m, 0), corner(m, 1), corner(m, 2), corner(m, 3)};
  return m.points;
}

void move_handle(Mark& m, std::size_t handle, PlanePoint to) {
  if (m.kind == MarkKind::rectangle) {
    m.points[handle % 2].x_m = to.x_m;
    m.points[handle / 2].z_m = to.z_m;
    return;
  }
  if (m.kind == MarkKind::circle && handle == 0) {
    return move_mark(m, to.x_m - m.points[0].x_m, to.z_m - m.points[0].z_m);
  }
  const bool axis = m.kind == MarkKind::ellipse && handle < 2;
  const double half_b_m =
      m.kind == MarkKind::ellipse ? ellipse_axes(m.points[0], m.points[1], m.points[2]).half_b_m : 0.0;
  m.points[handle] = to;
  if (m.kind != MarkKind::ellipse) return;
  square_up(m, axis ? half_b_m : ellipse_axes(m.points[0], m.points[1], to).half_b_m);
}

void move_mark(Mark& m, double dx_m, double dz_m) {
  for (PlanePoint& p : m.points) p = {p.x_m + dx_m, p.z_m + dz_m};
}

PlanePoint label_place(const Mark& m) {
  if (m.points.empty()) return {0.0, 0.0};
  if (m.kind == MarkKind::angle && m.points.size() == 3) return m.points[1];
  if (!is_region(m.kind)) return m.points.back();
  PlanePoint corner = m.points.front();
  for (const PlanePoint p : mark_line(m)) corner = {std::min(corner.x_m, p.x_m), std::min(corner.z_m, p.z_m)};
  return corner;
}

double distance_to_line_m(const std::vector<PlanePoint>& line, PlanePoint p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const PlanePoint a = line[i], b = line[std::min(i + 1, line.size() - 1)];
    const double dx = b.x_m - a.x_m, dz = b.z_m - a.z_m, square = dx * dx + dz * dz;
    const double along = square > 0.0 ? ((p.x_m - a.x_m) * dx + (p.z_m - a.z_m) * dz) / square : 0.0;
    const double t = std::clamp(along, 0.0, 1.0);
    least = std::min(least, distance_m(p, {a.x_m + t * dx, a.z_m + t * dz}));
  }
  return least;
}

namespace {

constexpr double kSmallest_m = 1e-6;
constexpr std::size_t kMostPoints = 2000;  // largest number of points of an outline

bool draws(MarkTool tool) { return tool != MarkTool::pointer && tool < MarkTool::inspect; }
MarkKind kind_of(MarkTool tool) { return static_cast<MarkKind>(static_cast<int>(tool) - 1); }

// Sets the first free role: target 1, background 1, target 2 and so on.
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
  // Ignores the jitter of a click: nothing moves until the pointer is half the reach away.
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
