#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/state/number_text.h"
#include "gui/toolkit/ui.h"

namespace echoloop {
namespace {

double to_fraction(const SliderLook& look, double value);  // share of the track, 0 to 1
double from_fraction(const SliderLook& look, double fraction);
double round_to(double value, int decimals);

// Value after all keys of this frame; Enter starts text input.
struct Keyed {
  double value;
  bool typing = false;
};
Keyed after_keys(const SliderLook& look, const Hit& h, double value, double normal);

// Returns the largest 1, 2 or 5 times a power of ten that is not above `value`.
double round_step(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
  for (const double part : {5.0, 2.0}) {
    if (value >= part * decade * (1 - 1e-9)) return part * decade;
  }
  return decade;
}

constexpr double kStepsOfTrack = 100;  // steps of an arrow key; Page moves ten at once

// Returns the value after a key: arrows move by a hundredth of the track, with Shift by the last digit; Page ten times
// an arrow; Home and End go to the ends of the track, Delete to the default.
double keyed(const SliderLook& look, const KeyPress& press, double value, double normal) {
  const double digit = std::pow(10.0, -look.decimals);
  const double arrow = std::max(digit, round_step((look.track_max - look.track_min) / kStepsOfTrack));
  const auto moved = [&](double steps) {
    const double one = std::copysign(digit, steps);
    if (press.shift) return value + one;
    if (look.track == Track::linear) return value + steps * arrow;
    const double next = from_fraction(look, to_fraction(look, value) + steps / kStepsOfTrack);
    return next == round_to(value, look.decimals) ? value + one : next;
  };
  switch (press.key) {
    case Key::left:
    case Key::down:
      return moved(-1);
    case Key::right:
    case Key::up:
      return moved(1);
    case Key::page_down:
      return moved(-10);
    case Key::page_up:
      return moved(10);
    case Key::home:
      return look.track_min;
    case Key::end:
      return look.track_max;
    case Key::remove:
      return normal;
    default:
      return value;
  }
}

double to_fraction(const SliderLook& look, double value) {
  const double v = std::clamp(value, look.track_min, look.track_max);
  if (look.track == Track::logarithmic) return std::log(v / look.track_min) / std::log(look.track_max / look.track_min);
  return look.track_max > look.track_min ? (v - look.track_min) / (look.track_max - look.track_min) : 0.0;
}

double round_to(double value, int decimals) {
  const double step = std::pow(10.0, decimals);
  return std::round(value * step) / step;
}

double from_fraction(const SliderLook& look, double fraction) {
  const double f = std::clamp(fraction, 0.0, 1.0);
  const double v = look.track == Track::logarithmic ? look.track_min * std::pow(look.track_max / look.track_min, f)
                                                    : look.track_min + f * (look.track_max - look.track_min);
  return std::clamp(round_to(v, look.decimals), look.track_min, look.track_max);
}

Keyed after_keys(const SliderLook& look, const Hit& h, double value, double normal) {
  Keyed k{value};
  for (const KeyPress& press : h.keys) {
    k.typing = k.typing || press.key == Key::enter;
    const double next = keyed(look, press, k.value, normal);
    const double least = std::min(look.track_min, k.value), most = std::max(look.track_max, k.value);
    if (next != k.value) k.value = std::clamp(round_to(next, look.decimals), least, most);
  }
  return k;
}

std::string value_text(const SliderLook& look, double value) {
  if (!look.text_at_most.empty() && value >= look.track_max) return std::string(look.text_at_most);
  if (!look.text_at_least.empty() && value <= look.track_min) return std::string(look.text_at_least);
  return look.sign == Sign::always ? signed_fixed(value, look.decimals) : fixed(value, look.decimals);
}

constexpr float kOneLine = 24;

// Draws label, value and unit on the first line.
void draw_head(const Ui& ui, const Rect& r, const SliderLook& look, std::string value, bool changed) {
  if (look.unknown) value = "—";
  const bool enabled = look.why_not.empty();
  const float h = look.lines == Lines::one ? r.height() : ui.px(20);
  const float end = ui.text(Type::body, r.x0, r.y0, h, enabled ? theme::kText2 : theme::kDisabled, look.label);
  if (changed && enabled) ui.disc(end + ui.px(8), r.y0 + 0.5F * h, 2, theme::kAccent);
  float right = r.x1;
  const bool least = !look.text_at_least.empty() && value == look.text_at_least;
  if (!look.unit.empty() && !least && !look.unknown) {
    ui.text_right(Type::body, right, r.y0, h, enabled ? theme::kMuted : theme::kDisabled, look.unit);
    right -= ui.width(Type::body, look.unit) + ui.px(4);
  }
  ui.text_right(Type::body, right, r.y0, h, enabled ? theme::kText : theme::kDisabled, value);
}

struct TrackGeometry {
  float y, left, right;  // y of the thumb centres, x of the track's ends
  [[nodiscard]] float at(double fraction) const { return left + static_cast<float>(fraction) * (right - left); }
  [[nodiscard]] double fraction(float x) const { return right > left ? (x - left) / (right - left) : 0.0; }
};

TrackGeometry geometry(const Ui& ui, const Rect& r) { return {r.y0 + ui.px(26), r.x0 + ui.px(6), r.x1 - ui.px(6)}; }

// Returns the track between label and value, with room for their widest texts.
TrackGeometry one_line_geometry(const Ui& ui, const Rect& r, const SliderLook& look) {
  const float value = std::max(ui.width(Type::body, fixed(look.track_max, look.decimals)), ui.px(36));
  const float left = r.x0 + ui.width(Type::body, look.label) + ui.px(24);
  return {r.cy(), left, std::max(left, r.x1 - value - ui.px(42))};
}

void draw_track(const Ui& ui, const TrackGeometry& g, float from, float to, float tick, bool enabled) {
  const float half = std::max(1.0F, 0.5F * ui.px(4));
  ui.fill({g.left - ui.px(6), g.y - half, g.right + ui.px(6), g.y + half}, theme::kLine, 2);
  ui.fill({from, g.y - half, to, g.y + half}, enabled ? theme::kAccent : theme::kDisabled, 2);
  if (tick >= 0)
    ui.fill({std::round(tick), g.y - ui.px(5), std::round(tick) + ui.hairline(), g.y + ui.px(5)}, theme::kLine2);
}

// Returns true if the press was on the track: a slider of one line has text on both sides.
bool on_track(const Ui& ui, const SliderLook& look, const TrackGeometry& g) {
  const float x = ImGui::GetIO().MouseClickedPos[0].x;
  return look.lines == Lines::two || (x >= g.left - ui.px(10) && x <= g.right + ui.px(10));
}

void draw_thumb(const Ui& ui, float x, float y, bool enabled) {
  ui.disc(x, y, 7.5F, theme::kPanel);
  ui.disc(x, y, 6.0F, enabled ? theme::kText : theme::kDisabled);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(std::string_view text, std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; }

// Returns true if three digits follow the character at `at`, and one precedes it.
bool parts_thousands(std::string_view text, std::size_t at) {
  return at > 0 && at < text.size() && is_digit(text, at - 1) && is_digit(text, at + 1) && is_digit(text, at + 2) &&
         is_digit(text, at + 3) && !is_digit(text, at + 4);
}

// Parses "4-6", "4 6 MHz", "−3,5 to 2": `count` numbers in common notations, including that of the window, with or
// without the unit. Returns empty for another count or other text.
std::vector<double> parse_numbers(std::string text, std::string_view unit, std::size_t count) {
  const auto trim = [&text] { text.erase(text.find_last_not_of(' ') + 1); };
  trim();
  if (text.ends_with(unit)) text.erase(text.size() - unit.size());
  trim();
  replace_all(text, "\u202F", "");  // thousands separator
  replace_all(text, "\u2212", "-");
  replace_all(text, "\u2013", "-");
  replace_all(text, "to", " ");
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] == ',' && is_digit(text, i - 1) && is_digit(text, i + 1)) text[i] = '.';
    if (count == 1 && text[i] == ' ' && parts_thousands(text, i)) text.erase(i, 1);
  }
  std::vector<double> numbers;
  const char* p = text.c_str();
  const char* const end = p + text.size();
  while (p < end && numbers.size() < count) {
    while (p < end && (*p == ' ' || *p == ',' || *p == ';' || *p == '+')) ++p;
    double value = 0;
    auto [next, error] = std::from_chars(p, end, value);
    if (error != std::errc() || !std::isfinite(value)) break;
    numbers.push_back(value);
    p = next;
    while (p < end && *p == ' ') ++p;
    if (numbers.size() < count && p < end && *p == '-') ++p;  // a dash between two numbers is no sign
  }
  return p == end && numbers.size() == count ? numbers : std::vector<double>();
}

// Returns the numbers once accepted. Until then shows the limits in red next to a text outside them.
std::vector<double> typed_numbers(Ui& ui, const Rect& r, const SliderLook& look, std::size_t count) {
  const auto within = [&](const std::vector<double>& numbers) {
    return !numbers.empty() &&
           std::ranges::all_of(numbers, [&](double v) { return v >= look.least && v <= look.most; });
  };
  const auto read = [&](std::string text) {
    if (count == 1 && !text.empty() && text == look.text_at_most) return std::vector<double>{look.track_max};
    if (count == 1 && !text.empty() && text == look.text_at_least) return std::vector<double>{look.track_min};
    const std::vector<double> numbers = parse_numbers(text, look.unit, count);
    const std::size_t comma = text.find(',');
    if (count != 1 || within(numbers) || !parts_thousands(text, comma)) return numbers;
    text.erase(comma, 1);  // "1,540": thousands separator if only that is within the limits
    const std::vector<double> whole = parse_numbers(text, look.unit, count);
    return within(whole) ? whole : numbers;
  };
  const auto text = ui.edit_field(r);
  if (text) return read(*text);
  const auto numbers = read(ui.edited_text());
  if (ui.is_editing(look.id) && !within(numbers)) {
    ui.text_right(Type::small, r.x1 - ui.px(8), r.y0, r.height(), theme::kRed,
                  fmt::format("{:g} to {:g} {}", look.least, look.most, look.unit));
  }
  return {};
}

Tip tip_of(const SliderLook& look) { return {look.title.empty() ? look.label : look.title, look.help, look.why_not}; }

}  // namespace

float thumb_x(const Ui& ui, const Rect& row, const SliderLook& look, double value) {
  return one_line_geometry(ui, row, look).at(to_fraction(look, value));
}

std::optional<double> slider(Ui& ui, Column& column, const SliderLook& look, double value, double normal) {
  const bool one = look.lines == Lines::one;
  const Rect r = ui.row(column, one ? kOneLine : theme::kSliderRow, 0);
  const bool enabled = look.why_not.empty();
  const TrackGeometry g = one ? one_line_geometry(ui, r, look) : geometry(ui, r);
  if (enabled && ui.is_editing(look.id)) {
    const float margin = ui.px(one ? 0 : 4);
    const auto numbers = typed_numbers(ui, {r.x0, r.y0 + margin, r.x1, r.y1 - margin}, look, 1);
    if (numbers.empty()) return std::nullopt;
    return std::clamp(numbers[0], look.least, look.most);
  }
  const Hit h = ui.control(look.id, r, FocusKind::slider, tip_of(look).title);
  ui.tip(look.id, h, r, tip_of(look));
  std::optional<double> result;
  const Keyed by_key = after_keys(look, h, value, normal);
  if (enabled && by_key.value != value) result = by_key.value;
  if (enabled && ((h.pressed && ImGui::GetIO().KeyCtrl) || by_key.typing)) {
    ui.start_editing(look.id, value_text(look, value));
  } else if (enabled && h.right) {
    result = normal;
  } else if (enabled && h.held && (h.pressed || ImGui::GetIO().MouseDelta.x != 0.0F) && on_track(ui, look, g)) {
    const double wanted = from_fraction(look, g.fraction(ImGui::GetIO().MousePos.x));
    if (wanted != value) result = wanted;
  }
  const double shown = result.value_or(value);
  const bool changed = std::abs(shown - normal) > 0.5 * std::pow(10.0, -look.decimals);
  draw_head(ui, r, look, value_text(look, shown), changed);
  if (look.unknown) {
    draw_track(ui, g, g.left, g.left, -1, false);
    return std::nullopt;
  }
  const float x = g.at(to_fraction(look, shown));
  const float from = look.fill == Fill::from_normal ? g.at(to_fraction(look, normal)) : g.left - ui.px(6);
  draw_track(ui, g, std::min(from, x), std::max(from, x), changed ? g.at(to_fraction(look, normal)) : -1, enabled);
  draw_thumb(ui, x, g.y, enabled);
  return result;
}

namespace {

// Handles the keys of both thumbs, each a focus stop; neither passes the other.
std::pair<Interval, bool> range_by_key(Ui& ui, const SliderLook& look, const TrackGeometry& g, Interval value,
                                       Interval normal, double least_width) {
  const auto thumb = [&](double at) {
    const float x = g.at(to_fraction(look, at));
    return Rect{x - ui.px(9), g.y - ui.px(9), x + ui.px(9), g.y + ui.px(9)};
  };
  const std::string id(look.id), name(tip_of(look).title);
  const std::string low_id = id + "/low", high_id = id + "/high";
  const Hit low = ui.key_stop(low_id.c_str(), thumb(value.low), FocusKind::slider, name + ", from");
  ui.tip(low_id.c_str(), low, thumb(value.low), tip_of(look));
  const Hit high = ui.key_stop(high_id.c_str(), thumb(value.high), FocusKind::slider, name + ", to");
  ui.tip(high_id.c_str(), high, thumb(value.high), tip_of(look));
  const Keyed from = after_keys(look, low, value.low, normal.low);
  const Keyed to = after_keys(look, high, value.high, normal.high);
  return {{std::min(from.value, value.high - least_width), std::max(to.value, value.low + least_width)},
          from.typing || to.typing};
}

}  // namespace

std::optional<Interval> range_slider(Ui& ui, Column& column, const SliderLook& look, Interval value, Interval normal,
                                     double least_width) {
  const Rect r = ui.row(column, theme::kSliderRow, 0);
  const bool enabled = look.why_not.empty();
  const TrackGeometry g = geometry(ui, r);
  const auto allowed = [&](Interval v) {
    v.low = std::clamp(v.low, look.least, look.most - least_width);
    v.high = std::clamp(v.high, v.low + least_width, look.most);
    return v;
  };
  if (enabled && ui.is_editing(look.id)) {
    const auto numbers = typed_numbers(ui, {r.x0, r.y0 + ui.px(4), r.x1, r.y1 - ui.px(4)}, look, 2);
    if (numbers.empty()) return std::nullopt;
    return allowed({std::min(numbers[0], numbers[1]), std::max(numbers[0], numbers[1])});
  }
  const Hit h = ui.hit(look.id, r, tip_of(look));
  const auto [keyed_value, typing] = range_by_key(ui, look, g, value, normal, least_width);
  std::optional<Interval> result;
  if (enabled && keyed_value != value) result = allowed(keyed_value);
  const float x = ImGui::GetIO().MousePos.x;
  static int held_thumb = 0;  // shared: only one control is held at a time
  if (h.pressed) {
    const float low = g.at(to_fraction(look, value.low));
    const float high = g.at(to_fraction(look, value.high));
    held_thumb = x < 0.5F * (low + high) ? 0 : 1;
  }
  if (enabled && ((h.pressed && ImGui::GetIO().KeyCtrl) || typing)) {
    ui.start_editing(look.id, span_text(value.low, value.high, look.decimals), std::string(look.id) + "/low");
  } else if (enabled && h.right) {
    result = normal;
  } else if (enabled && h.held && (h.pressed || ImGui::GetIO().MouseDelta.x != 0.0F)) {
    const double wanted = from_fraction(look, g.fraction(x));
    Interval next = value;
    if (held_thumb == 0) {
      next.low = std::min(wanted, value.high - least_width);
    } else {
      next.high = std::max(wanted, value.low + least_width);
    }
    if (next != value) result = allowed(next);
  }
  const Interval shown = result.value_or(value);
  const double tolerance = 0.5 * std::pow(10.0, -look.decimals);
  const bool changed = std::abs(shown.low - normal.low) > tolerance || std::abs(shown.high - normal.high) > tolerance;
  draw_head(ui, r, look, span_text(shown.low, shown.high, look.decimals), changed);
  if (look.unknown) {
    draw_track(ui, g, g.left, g.left, -1, false);
    return std::nullopt;
  }
  const float low = g.at(to_fraction(look, shown.low));
  const float high = g.at(to_fraction(look, shown.high));
  draw_track(ui, g, low, high, changed ? g.at(to_fraction(look, normal.low)) : -1, enabled);
  if (changed) {
    const float tick = std::round(g.at(to_fraction(look, normal.high)));
    ui.fill({tick, g.y - ui.px(5), tick + ui.hairline(), g.y + ui.px(5)}, theme::kLine2);
  }
  draw_thumb(ui, low, g.y, enabled);
  draw_thumb(ui, high, g.y, enabled);
  return result;
}

std::optional<double> slider_from_off(Ui& ui, Column& column, SliderLook look, double value, double step) {
  look.track = Track::logarithmic;
  look.track_min = 0.4 * step;  // below half a step: off
  look.least = 0.0;
  if (value <= 0.0) look.unit = "= off";
  const auto wanted = slider(ui, column, look, value, 0.0);
  if (!wanted) return std::nullopt;
  const double whole = std::round(*wanted / step) * step;
  const double kept = whole < step * 0.5 ? 0.0 : std::round(whole * 1e6) / 1e6;  // 0.1 x 3 is not exactly 0.3
  if (kept == value) return std::nullopt;
  return kept;
}

}  // namespace echoloop
