#include "gui/overlay/mark_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr int kDirections = 24;

double distance(CanvasPoint a, CanvasPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

CanvasPoint nearest_on(CanvasPoint a, CanvasPoint b, CanvasPoint p) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t = square > 0.0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0.0;
  return {a.x + t * dx, a.y + t * dy};
}

CanvasPoint nearest_of(const LabelledMark& mark, CanvasPoint p) {
  CanvasPoint best = mark.centre;
  double least = std::numeric_limits<double>::infinity();
  for (const CanvasLine& line : mark.lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const CanvasPoint on = nearest_on(line[i], line[std::min(i + 1, line.size() - 1)], p);
      if (const double away = distance(on, p); away < least) least = away, best = on;
    }
  }
  return best;
}

// Up and to the right first, then alternating to both sides.
CanvasPoint direction(int i) {
  const int turn = (i + 1) / 2 * (i % 2 == 0 ? 1 : -1);
  const double angle = -0.25 * kPi + 2.0 * kPi * turn / kDirections;
  return {std::cos(angle), std::sin(angle)};
}

// Between a point and the nearest one of a box around `at`.
double distance_to_box(CanvasPoint p, CanvasPoint at, CanvasPoint half) {
  return std::hypot(std::max(std::abs(p.x - at.x) - half.x, 0.0), std::max(std::abs(p.y - at.y) - half.y, 0.0));
}

class Placing {
 public:
  Placing(const std::vector<LabelledMark>& marks, const CanvasRect& within, const std::vector<CanvasRect>& taken,
          const LabelGaps& gaps)
      : marks_(marks), within_(within), taken_(taken), gaps_(gaps) {}

  // Close together where there is little room.
  PlacedLabel place(const LabelledMark& mark) {
    if (mark.wish && is_free(*mark.wish, mark.half, 0.0)) return put(mark, *mark.wish);
    for (const double gap : {gaps_.gap, 0.0}) {
      if (const auto at = find(mark, gap)) return put(mark, *at);
    }
    crowded_ = true;
    return put(mark, mark.wish.value_or(mark.centre));
  }

  [[nodiscard]] bool crowded() const { return crowded_; }  // a label found no room

  // In rows and columns, which hold the most of them; each mark in turn gets the nearest place.
  [[nodiscard]] std::vector<PlacedLabel> in_rows() {
    placed_.clear();
    std::vector<CanvasPoint> places = rows_and_columns();
    std::vector<PlacedLabel> labels;
    for (const LabelledMark& mark : marks_) {
      const auto nearest =
          std::ranges::min_element(places, {}, [&](CanvasPoint p) { return distance(p, nearest_of(mark, p)); });
      labels.push_back(put(mark, nearest != places.end() ? *nearest : mark.wish.value_or(mark.centre)));
      if (nearest != places.end()) places.erase(nearest);
    }
    return labels;
  }

 private:
  struct Box {
    CanvasPoint at, half;
  };

  [[nodiscard]] std::vector<CanvasPoint> rows_and_columns() const {
    constexpr double kApart = 0.05;  // so that neighbours do not touch
    CanvasPoint half;
    for (const LabelledMark& mark : marks_) half = {std::max(half.x, mark.half.x), std::max(half.y, mark.half.y)};
    const double width = within_.width() - 2.0 * half.x, height = within_.height() - 2.0 * half.y;
    const auto steps = [](double length, double least) { return std::max(std::floor(length / least), 1.0); };
    const double nx = steps(width, 2.0 * half.x + kApart), ny = steps(height, 2.0 * half.y + kApart);
    std::vector<CanvasPoint> places;
    for (double j = 0.0; j <= ny; ++j) {
      for (double i = 0.0; i <= nx; ++i) {
        const CanvasPoint at{within_.x0 + half.x + width * i / nx, within_.y0 + half.y + height * j / ny};
        if (!over_taken(at, half)) places.push_back(at);
      }
    }
    return places;
  }

  [[nodiscard]] bool over_taken(CanvasPoint at, CanvasPoint half) const {
    const CanvasRect box{at.x - half.x, at.y - half.y, at.x + half.x, at.y + half.y};
    return std::ranges::any_of(taken_, [&](const CanvasRect& r) { return r.overlaps(box); });
  }

  [[nodiscard]] std::optional<CanvasPoint> find(const LabelledMark& mark, double gap) const {
    const double reach = std::hypot(within_.width(), within_.height());
    std::optional<CanvasPoint> best;
    int least = std::numeric_limits<int>::max();
    for (double r = mark.radius + gaps_.gap; r < mark.radius + reach; r += 0.5 * mark.half.y) {
      for (int i = 0; i < kDirections; ++i) {
        const CanvasPoint d = direction(i);
        const CanvasPoint at{mark.centre.x + (r + mark.half.x) * d.x, mark.centre.y + (r + mark.half.y) * d.y};
        if (!is_free(at, mark.half, gap)) continue;
        const int crossed = lines_under(at, mark.half);
        if (crossed < least) least = crossed, best = at;
        if (crossed == 0) return best;
      }
    }
    return best;
  }

  [[nodiscard]] bool is_free(CanvasPoint at, CanvasPoint half, double gap) const {
    if (at.x - half.x < within_.x0 || at.x + half.x > within_.x1) return false;
    if (at.y - half.y < within_.y0 || at.y + half.y > within_.y1) return false;
    if (over_taken(at, half)) return false;
    return std::ranges::none_of(placed_, [&](const Box& b) {
      return std::abs(b.at.x - at.x) < b.half.x + half.x + gap && std::abs(b.at.y - at.y) < b.half.y + half.y + gap;
    });
  }

  // How many marks' lines a label there would cover.
  [[nodiscard]] int lines_under(CanvasPoint at, CanvasPoint half) const {
    return static_cast<int>(std::ranges::count_if(marks_, [&](const LabelledMark& mark) {
      return distance_to_box(nearest_of(mark, at), at, half) < 0.5 * gaps_.gap;
    }));
  }

  PlacedLabel put(const LabelledMark& mark, CanvasPoint at) {
    placed_.push_back({at, mark.half});
    const CanvasPoint foot = nearest_of(mark, at);
    return {at, foot, distance_to_box(foot, at, mark.half) > gaps_.leader_from};
  }

  const std::vector<LabelledMark>& marks_;
  const CanvasRect within_;
  const std::vector<CanvasRect>& taken_;
  const LabelGaps gaps_;
  std::vector<Box> placed_;
  bool crowded_ = false;
};

}  // namespace

std::vector<PlacedLabel> place_labels(const std::vector<LabelledMark>& marks, const CanvasRect& within,
                                      const std::vector<CanvasRect>& taken, const LabelGaps& gaps) {
  Placing placing(marks, within, taken, gaps);
  std::vector<PlacedLabel> placed;
  for (const LabelledMark& mark : marks) placed.push_back(placing.place(mark));
  return placing.crowded() ? placing.in_rows() : placed;
}

}  // namespace echoloop
