#include "gui/state/focus.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

bool is_press(Key key) { return key == Key::enter || key == Key::space; }

// Returns 1 for an arrow towards the end of the reading order, -1 towards its beginning, 0 for other keys.
int direction(Key key) {
  if (key == Key::right || key == Key::down) return 1;
  return key == Key::left || key == Key::up ? -1 : 0;
}

bool is_sliding(Key key) {
  switch (key) {
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down:
    case Key::home:
    case Key::end:
    case Key::page_up:
    case Key::page_down:
    case Key::enter:
    case Key::remove:
      return true;
    default:
      return false;
  }
}

// Returns true if the vertical centres differ by less than half the smaller height.
bool in_one_row(const Rect& first, const Rect& r) {
  return std::abs(r.cy() - first.cy()) < 0.5F * std::min(first.height(), r.height());
}

}  // namespace

void sort_for_reading(std::vector<FocusStop>& stops) {
  std::stable_sort(stops.begin(), stops.end(), [](const FocusStop& a, const FocusStop& b) {
    return std::pair(a.part, a.rect.cy()) < std::pair(b.part, b.rect.cy());
  });
  for (auto row = stops.begin(); row != stops.end();) {
    const auto end = std::find_if_not(
        row, stops.end(), [&](const FocusStop& s) { return s.part == row->part && in_one_row(row->rect, s.rect); });
    const auto next = end == row ? row + 1 : end;
    std::stable_sort(row, next, [](const FocusStop& a, const FocusStop& b) { return a.rect.x0 < b.rect.x0; });
    row = next;
  }
}

void Focus::begin_frame() {
  drawn_.clear();
  popups_.clear();
  popups_drawn_.clear();
  begin_at_.clear();
  scroll_.clear();
  part_ = WindowPart::status;
  moved_ = false;
  keys_.clear();
}

void Focus::end_frame() {
  std::size_t same = 0;  // popups that were open before
  while (same < popups_drawn_.size() && same + 1 < layers_.size() && layers_[same + 1].popup == popups_drawn_[same]) {
    ++same;
  }
  layers_.resize(same + 1);
  for (std::size_t i = same; i < popups_drawn_.size(); ++i) layers_.push_back({popups_drawn_[i], begin_at_});
  order_.clear();
  for (Drawn& d : drawn_) {
    if (d.layer + 1 == layers_.size()) order_.push_back(std::move(d.stop));
  }
  sort_for_reading(order_);
  if (same < popups_drawn_.size() && place_of(layers_.back().focused) < 0 && !order_.empty()) {
    layers_.back().focused = order_.front().id;
  }
}

void Focus::begin_popup(std::string_view id) {
  popups_.emplace_back(id);
  if (popups_.size() > popups_drawn_.size()) popups_drawn_.emplace_back(id);
}

void Focus::end_popup() { popups_.pop_back(); }

void Focus::add(std::string_view id, const Rect& r, FocusKind kind, std::string_view name) {
  if (r.width() < 1 || r.height() < 1) return;
  drawn_.push_back({{std::string(id), std::string(name), r, part_, kind, scroll_}, popups_.size()});
}

void Focus::name(std::string_view id, std::string_view name) {
  if (!drawn_.empty() && drawn_.back().stop.id == id && drawn_.back().stop.name.empty()) {
    drawn_.back().stop.name = name;
  }
}

void Focus::disable(std::string_view id) {
  if (!drawn_.empty() && drawn_.back().stop.id == id) drawn_.back().stop.disabled = true;
}

void Focus::begin_at(std::string_view id) { begin_at_ = id; }

void Focus::point_at(std::string_view id) { layers_.back().focused = id; }

std::ptrdiff_t Focus::place_of(std::string_view id) const {
  const auto found = std::find_if(order_.begin(), order_.end(), [&](const FocusStop& s) { return s.id == id; });
  return found == order_.end() ? -1 : found - order_.begin();
}

const FocusStop* Focus::focused() const {
  const std::ptrdiff_t place = shown_ ? place_of(layers_.back().focused) : -1;
  return place < 0 ? nullptr : &order_[static_cast<std::size_t>(place)];
}

const FocusStop* Focus::moved_to() const { return moved_ ? focused() : nullptr; }

void Focus::go_to(std::ptrdiff_t place) {
  layers_.back().focused = order_[static_cast<std::size_t>(place)].id;
  shown_ = moved_ = arrived_ = true;
}

// Shows the focus at the first Tab; each further one moves to the next stop, after the last to the first.
bool Focus::step(int by, Typing typing) {
  if (order_.empty()) return false;
  const auto count = static_cast<std::ptrdiff_t>(order_.size());
  const std::ptrdiff_t now = place_of(layers_.back().focused);
  if (now < 0) {
    go_to(by > 0 ? 0 : count - 1);
  } else {
    go_to(shown_ || typing == Typing::yes ? (now + by + count) % count : now);
  }
  return true;
}

// Moves to the first stop of the next part, or of the previous one.
bool Focus::step_part(int by) {
  if (order_.empty()) return false;
  std::vector<std::ptrdiff_t> firsts;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i == 0 || order_[i].part != order_[i - 1].part) firsts.push_back(static_cast<std::ptrdiff_t>(i));
  }
  const std::ptrdiff_t now = place_of(layers_.back().focused);
  const auto after = std::upper_bound(firsts.begin(), firsts.end(), now);  // first stop of the next part
  const auto count = static_cast<std::ptrdiff_t>(firsts.size());
  const std::ptrdiff_t part = now < 0 ? (by > 0 ? -1 : 0) : after - firsts.begin() - 1;
  go_to(firsts[static_cast<std::size_t>((part + by + count) % count)]);
  return true;
}

// Moves to the neighbour if it is of the same kind and part.
bool Focus::step_among(FocusKind kind, int by) {
  const std::ptrdiff_t now = place_of(layers_.back().focused);
  const std::ptrdiff_t to = now + by;
  if (to < 0 || to >= static_cast<std::ptrdiff_t>(order_.size())) return true;
  const FocusStop& next = order_[static_cast<std::size_t>(to)];
  if (next.kind != kind || next.part != order_[static_cast<std::size_t>(now)].part) return true;
  go_to(to);
  if (kind == FocusKind::radio) keys_.emplace_back(next.id, KeyPress{Key::enter});
  return true;
}

bool Focus::take(const KeyPress& press, Typing typing) {
  if (press.control) return false;
  if (press.key == Key::tab) return step(press.shift ? -1 : 1, typing);
  if (press.key == Key::f6) return step_part(press.shift ? -1 : 1);
  const FocusStop* stop = focused();
  if (stop == nullptr || typing == Typing::yes) return false;
  if (press.key == Key::escape && layers_.size() == 1) {
    shown_ = false;
    return true;
  }
  const int by = direction(press.key);
  if (by != 0 && stop->kind == FocusKind::radio) return step_among(stop->kind, by);
  if ((press.key == Key::up || press.key == Key::down) && stop->kind == FocusKind::line) {
    return step_among(stop->kind, by);
  }
  if (stop->disabled && (is_sliding(press.key) || is_press(press.key))) return true;
  const bool own = stop->kind == FocusKind::slider ? is_sliding(press.key)
                   : stop->kind == FocusKind::text ? false
                                                   : is_press(press.key);
  if (!own) return false;
  arrived_ = false;
  keys_.emplace_back(stop->id, press);
  return true;
}

std::vector<KeyPress> Focus::take_keys(std::string_view id) {
  std::vector<KeyPress> mine;
  for (const auto& [whose, press] : keys_) {
    if (whose == id) mine.push_back(press);
  }
  return mine;
}

}  // namespace echoloop
