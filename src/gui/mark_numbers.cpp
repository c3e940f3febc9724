#include "gui/mark_numbers.h"

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

CanvasPoint nearest_of(const NumberedMark& mark, CanvasPoint p) {
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

// Up and to the right first, then by turns to both sides of it.
CanvasPoint direction(int i) {
  const int turn = (i + 1) / 2 * (i % 2 == 0 ? 1 : -1);
  const double angle = -0.25 * kPi + 2.0 * kPi * turn / kDirections;
  return {std::cos(angle), std::sin(angle)};
}

class Placing {
 public:
  Placing(const std::vector<NumberedMark>& marks, const CanvasRect& within, const std::vector<CanvasRect>& taken,
          const NumberSize& size)
      : marks_(marks), within_(within.grown(-size.radius)), taken_(taken), size_(size) {}

  // Close together where there is little room.
  PlacedNumber place(const NumberedMark& mark) {
    for (const double gap : {size_.gap, 0.0}) {
      if (const auto at = find(mark, gap)) return put(mark, *at);
    }
    crowded_ = true;
    return put(mark, mark.centre);
  }

  [[nodiscard]] bool crowded() const { return crowded_; }  // a number found no room

  // In rows and columns, which hold the most of them; each mark in turn gets the nearest place.
  [[nodiscard]] std::vector<PlacedNumber> in_rows() {
    placed_.clear();
    std::vector<CanvasPoint> places = lattice();
    std::vector<PlacedNumber> numbers;
    for (const NumberedMark& mark : marks_) {
      const auto nearest =
          std::ranges::min_element(places, {}, [&](CanvasPoint p) { return distance(p, nearest_of(mark, p)); });
      numbers.push_back(put(mark, nearest != places.end() ? *nearest : mark.centre));
      if (nearest != places.end()) places.erase(nearest);
    }
    return numbers;
  }

 private:
  [[nodiscard]] std::vector<CanvasPoint> lattice() const {
    constexpr double kApart = 0.05;  // so that neighbours do not touch
    const double least = 2.0 * size_.radius + kApart;
    const auto steps = [&](double length) { return std::max(std::floor(length / least), 1.0); };
    const double nx = steps(within_.width()), ny = steps(within_.height());
    std::vector<CanvasPoint> places;
    for (double j = 0.0; j <= ny; ++j) {
      for (double i = 0.0; i <= nx; ++i) {
        const CanvasPoint at{within_.x0 + within_.width() * i / nx, within_.y0 + within_.height() * j / ny};
        if (!over_taken(at)) places.push_back(at);
      }
    }
    return places;
  }

  [[nodiscard]] bool over_taken(CanvasPoint at) const {
    return std::ranges::any_of(taken_, [&](const CanvasRect& r) { return r.grown(size_.radius).contains(at); });
  }

  [[nodiscard]] std::optional<CanvasPoint> find(const NumberedMark& mark, double gap) const {
    const double reach = std::hypot(within_.width(), within_.height());
    std::optional<CanvasPoint> best;
    int least = std::numeric_limits<int>::max();
    for (double r = mark.radius + size_.gap + size_.radius; r < mark.radius + reach; r += 0.5 * size_.radius) {
      for (int i = 0; i < kDirections; ++i) {
        const CanvasPoint d = direction(i), at{mark.centre.x + r * d.x, mark.centre.y + r * d.y};
        if (!free(at, gap)) continue;
        const int crossed = lines_under(at);
        if (crossed < least) least = crossed, best = at;
        if (crossed == 0) return best;
      }
    }
    return best;
  }

  [[nodiscard]] bool free(CanvasPoint at, double gap) const {
    if (!within_.contains(at)) return false;
    if (over_taken(at)) return false;
    return std::none_of(placed_.begin(), placed_.end(),
                        [&](CanvasPoint p) { return distance(p, at) < 2.0 * size_.radius + gap; });
  }

  // How many marks' lines a number there would cover.
  [[nodiscard]] int lines_under(CanvasPoint at) const {
    return static_cast<int>(std::ranges::count_if(marks_, [&](const NumberedMark& mark) {
      return distance(nearest_of(mark, at), at) < size_.radius + 0.5 * size_.gap;
    }));
  }

  PlacedNumber put(const NumberedMark& mark, CanvasPoint at) {
    placed_.push_back(at);
    const CanvasPoint foot = nearest_of(mark, at);
    return {at, foot, distance(foot, at) - size_.radius > size_.leader_from};
  }

  const std::vector<NumberedMark>& marks_;
  const CanvasRect within_;
  const std::vector<CanvasRect>& taken_;
  const NumberSize size_;
  std::vector<CanvasPoint> placed_;
  bool crowded_ = false;
};

}  // namespace

std::vector<PlacedNumber> place_numbers(const std::vector<NumberedMark>& marks, const CanvasRect& within,
                                        const std::vector<CanvasRect>& taken, const NumberSize& size) {
  Placing placing(marks, within, taken, size);
  std::vector<PlacedNumber> placed;
  for (const NumberedMark& mark : marks) placed.push_back(placing.place(mark));
  return placing.crowded() ? placing.in_rows() : placed;
}

}  // namespace echoloop
