#include "gui/toolkit/painter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>

#include "gui/toolkit/theme.h"

namespace echoloop {

ImDrawList* Painter::swap_list(ImDrawList* list) { return std::exchange(list_, list); }

float Painter::px(float length) const { return std::round(length * scale_); }
float Painter::hairline() const { return std::max(1.0F, std::round(scale_)); }

void Painter::fill(const Rect& r, ImU32 color, float radius) const {
  if (r.x1 <= r.x0 || r.y1 <= r.y0) return;
  list_->AddRectFilled({r.x0, r.y0}, {r.x1, r.y1}, color, radius * scale_);
}

void Painter::outline(const Rect& r, ImU32 color, float radius, float thickness) const {
  compat::add_rect(*list_, {r.x0, r.y0}, {r.x1, r.y1}, color, radius * scale_, std::max(1.0F, thickness * scale_));
}

void Painter::horizontal(float x0, float x1, float y, ImU32 color) const {
  list_->AddRectFilled({x0, y}, {x1, y + hairline()}, color);
}

void Painter::vertical(float x, float y0, float y1, ImU32 color) const {
  list_->AddRectFilled({x, y0}, {x + hairline(), y1}, color);
}

void Painter::disc(float x, float y, float radius, ImU32 color) const {
  list_->AddCircleFilled({x, y}, radius * scale_, color, 0);
}

void Painter::ring(float x, float y, float radius, ImU32 color, float thickness) const {
  list_->AddCircle({x, y}, radius * scale_, color, 0, std::max(1.0F, thickness * scale_));
}

void Painter::stroke(ImVec2 a, ImVec2 b, ImU32 color, float thickness) const {
  list_->AddLine(a, b, color, std::max(1.0F, thickness * scale_));
}

void Painter::crosshair(ImVec2 at, float gap, float reach, ImU32 color, float halo) const {
  for (const auto& [thickness, ink] : {std::pair{halo, theme::kHalo}, std::pair{1.5F, color}}) {
    stroke({at.x - reach, at.y}, {at.x - gap, at.y}, ink, thickness);
    stroke({at.x + gap, at.y}, {at.x + reach, at.y}, ink, thickness);
    stroke({at.x, at.y - reach}, {at.x, at.y - gap}, ink, thickness);
    stroke({at.x, at.y + gap}, {at.x, at.y + reach}, ink, thickness);
  }
}

float Painter::width(Type type, std::string_view text) const {
  if (text.empty()) return 0.0F;
  return fonts_->font(type)->CalcTextSizeA(fonts_->size(type), FLT_MAX, 0.0F, text.data(), text.data() + text.size()).x;
}

float Painter::text(Type type, float x, float y, float height, ImU32 color, std::string_view text) const {
  if (text.empty()) return std::round(x);
  const float size = fonts_->size(type);
  const ImVec2 at{std::round(x), std::round(y + 0.5F * (height - size))};
  list_->AddText(fonts_->font(type), size, at, color, text.data(), text.data() + text.size());
  return std::round(x) + width(type, text);
}

float Painter::text(Type type, const Rect& row, ImU32 color, std::string_view line) const {
  return text(type, row.x0, row.y0, row.height(), color, line);
}

void Painter::text_right(Type type, float right, float y, float height, ImU32 color, std::string_view line) const {
  text(type, right - width(type, line), y, height, color, line);
}

void Painter::text_centred(Type type, const Rect& r, ImU32 color, std::string_view line) const {
  text(type, r.cx() - 0.5F * width(type, line), r.y0, r.height(), color, line);
}

float Painter::text_fitted(Type type, float x, float right, float y, float height, ImU32 color,
                           std::string_view line) const {
  return text(type, x, y, height, color, fitted(type, right - x, line));
}

std::string Painter::fitted(Type type, float wide, std::string_view line) const {
  if (width(type, line) <= wide) return std::string(line);
  const float room = wide - width(type, "…");
  std::size_t end = line.size();
  while (end > 0 && width(type, line.substr(0, end)) > room) {
    do {
      --end;
    } while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80);  // stays out of UTF-8 sequences
  }
  return std::string(line.substr(0, end)) + "…";
}

namespace {

// Returns the end of the longest piece of `text` from `begin` that fits; at least one letter of a word that does not.
std::size_t break_line(const Painter& p, Type type, std::string_view text, std::size_t begin, float wrap) {
  std::size_t end = begin;
  while (end < text.size()) {
    const std::size_t next = std::min(text.find(' ', end + (end > begin ? 1 : 0)), text.size());
    if (end > begin && p.width(type, text.substr(begin, next - begin)) > wrap) break;
    end = next;
    if (end == begin) ++end;
  }
  const auto letter_after = [text](std::size_t at) {  // skips a whole UTF-8 sequence
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    return at;
  };
  constexpr float kNarrow = 40;  // below this a word may overflow instead of breaking into single letters
  if (wrap < p.px(kNarrow) || p.width(type, text.substr(begin, end - begin)) <= wrap) return end;
  std::size_t cut = letter_after(begin);
  for (std::size_t next = letter_after(cut); next < end; next = letter_after(cut)) {
    if (p.width(type, text.substr(begin, next - begin)) > wrap) break;
    cut = next;
  }
  return cut;
}

}  // namespace

float Painter::paragraph(Type type, float x, float y, float wrap, float line, ImU32 color,
                         std::string_view words) const {
  float used = 0;
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = break_line(*this, type, words, begin, wrap);
    if ((color & IM_COL32_A_MASK) != 0) text(type, x, y + used, line, color, words.substr(begin, end - begin));
    used += line;
    begin = end;
    while (begin < words.size() && words[begin] == ' ') ++begin;
  }
  return used;
}

float Painter::paragraph_height(Type type, float wrap, float line, std::string_view words) const {
  return paragraph(type, 0, 0, wrap, line, 0, words);
}

void Painter::chevron(float cx, float cy, Direction direction, ImU32 color, float size) const {
  const float a = 0.5F * size * scale_;
  const float b = 0.5F * a;
  ImVec2 points[3];
  switch (direction) {
    case Direction::down:
      points[0] = {cx - a, cy - b};
      points[1] = {cx, cy + b};
      points[2] = {cx + a, cy - b};
      break;
    case Direction::up:
      points[0] = {cx - a, cy + b};
      points[1] = {cx, cy - b};
      points[2] = {cx + a, cy + b};
      break;
    case Direction::right:
      points[0] = {cx - b, cy - a};
      points[1] = {cx + b, cy};
      points[2] = {cx - b, cy + a};
      break;
    case Direction::left:
      points[0] = {cx + b, cy - a};
      points[1] = {cx - b, cy};
      points[2] = {cx + b, cy + a};
      break;
  }
  compat::add_polyline(*list_, points, 3, color, 1.5F * scale_);
}

void Painter::triangle(float x, float y, Direction direction, ImU32 color, float size) const {
  const float l = size * scale_;
  const float h = 0.6F * l;
  switch (direction) {
    case Direction::left:
      list_->AddTriangleFilled({x, y}, {x + l, y - h}, {x + l, y + h}, color);
      break;
    case Direction::right:
      list_->AddTriangleFilled({x, y}, {x - l, y + h}, {x - l, y - h}, color);
      break;
    case Direction::up:
      list_->AddTriangleFilled({x, y}, {x + h, y + l}, {x - h, y + l}, color);
      break;
    case Direction::down:
      list_->AddTriangleFilled({x, y}, {x - h, y - l}, {x + h, y - l}, color);
      break;
  }
}

void Painter::check(const Rect& r, ImU32 color) const {
  const float s = r.width();
  const ImVec2 points[3] = {
      {r.x0 + 0.22F * s, r.y0 + 0.52F * s}, {r.x0 + 0.43F * s, r.y0 + 0.72F * s}, {r.x0 + 0.78F * s, r.y0 + 0.30F * s}};
  compat::add_polyline(*list_, points, 3, color, 2.0F * scale_);
}

void Painter::cross(float cx, float cy, ImU32 color) const {
  const float a = 4.5F * scale_;
  stroke({cx - a, cy - a}, {cx + a, cy + a}, color, 1.5F);
  stroke({cx - a, cy + a}, {cx + a, cy - a}, color, 1.5F);
}

void Painter::pause(float cx, float cy, ImU32 color) const {
  const float h = px(5);
  fill({cx - px(4), cy - h, cx - px(1), cy + h}, color);
  fill({cx + px(1), cy - h, cx + px(4), cy + h}, color);
}

void Painter::play(float cx, float cy, ImU32 color) const {
  list_->AddTriangleFilled({cx - px(3), cy - px(5)}, {cx + px(5), cy}, {cx - px(3), cy + px(5)}, color);
}

}  // namespace echoloop
