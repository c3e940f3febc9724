#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/params.h"
#include "core/units.h"
#include "gui/figure/figure_caption.h"
#include "gui/figure/figure_key.h"
#include "gui/figure/figure_parts.h"
#include "gui/overlay/flow_scale.h"

namespace echoloop {
namespace {

using namespace figure;

constexpr double kPtPerMm = 72.0 / 25.4;
constexpr double kLeastWidth = 85.0 * kPtPerMm;      // for a caption that can be read
constexpr double kMostHeight = 200.0 * kPtPerMm;     // of an image and its strips, where the width is given: a page
constexpr double kLeastHeight = 60.0 * kPtPerMm;     // of the image, however many strips there are
constexpr double kLeastBesideKey = 55.0 * kPtPerMm;  // of the images: narrower, the key goes below
constexpr double kLeastImage = 18.0 * kPtPerMm;      // for the numbers of a dozen marks
constexpr double kMostKey = 1.2;                     // of the height of the images: longer, it goes below
constexpr double kSlack = 0.98;                      // letters in whole pixels are up to 2 % wider

double width_m(const FigureImage& i) { return std::max(i.image.grid.x1_m - i.image.grid.x0_m, 1e-6); }
double height_m(const FigureImage& i) { return std::max(i.image.grid.z1_m - i.image.grid.z0_m, 1e-6); }

double step_m(const Grid& g) {
  if (g.polar()) return g.nz > 1 ? (g.sector.r1_m - g.sector.r0_m) / (g.nz - 1) : 1e-3;
  return std::min(g.nx > 1 ? g.dx_m() : 1.0, g.nz > 1 ? g.dz_m() : 1.0);
}

bool has_flow_bar(const Figure& f) {
  return std::any_of(f.images.begin(), f.images.end(), [](const FigureImage& i) {
    return i.over.flow != nullptr && is_overlay(i.display.color_flow.mode);
  });
}

bool has_a_bar(const Figure& f) {
  return shows_weight(f.images.front().display.formation) != shows_weight(f.images.back().display.formation);
}

// What stands beside the images, by the width.
struct Beside {
  double left, between, bars, key;
  [[nodiscard]] double all() const { return left + between + bars + key + kMargin; }
};

Beside beside(const Figure& f, const FigureLayout& l) {
  const double images = static_cast<double>(f.images.size());
  return {
      .left = kMargin + kLeft,
      .between = (images - 1.0) * (l.common_depth ? kBetween : kBetween + kLeft),
      .bars = (kBarAway + kBar + kBarLabels) * (1 + static_cast<int>(has_a_bar(f)) + static_cast<int>(has_flow_bar(f))),
      .key = l.key_place == KeyPlace::beside ? kKeyAway + kKeyWidth : 0.0};
}

// Title, levels and times of all strips below each other.
double strips_height(const Figure& f, double width) {
  return static_cast<double>(f.strips.size()) * (kStripAway + kStripTitle + strip_height(width) + kStripTimes);
}

// Points of a metre of the image plane. Decides where the key goes.
double choose_scale(const Figure& f, FigureLayout& l) {
  double across_m = 0.0, down_m = 0.0;
  for (const FigureImage& i : f.images) across_m += width_m(i), down_m = std::max(down_m, height_m(i));
  if (f.size.by == FigureSizing::factor) {
    return f.size.value / step_m(f.images[0].image.grid) * 72.0 / kScreenDpi;
  }
  if (f.size.by == FigureSizing::scale) return 0.1 * f.size.value * kPtPerMm / kMetresPerMillimetre;
  l.width = f.size.value * kPtPerMm;
  const double most_height = std::max(kMostHeight - strips_height(f, l.width), kLeastHeight);
  const auto fitting = [&] { return std::min((l.width - beside(f, l).all()) / across_m, most_height / down_m); };
  const bool narrow = l.width - beside(f, l).all() < kLeastBesideKey;
  if (l.key_place == KeyPlace::beside && (narrow || key_height(f, 1) > kMostKey * fitting() * down_m)) {
    l.key_place = KeyPlace::below;
  }
  const double room = (l.width - beside(f, l).all()) / static_cast<double>(f.images.size());
  if (room < kLeastImage) {
    throw Error("figure",
                "a width of " + std::to_string(std::lround(f.size.value)) + " mm leaves " +
                    std::to_string(std::max(std::lround(room / kPtPerMm), 0L)) + " mm for each image",
                "at least 18 mm: a wider figure");
  }
  return fitting();
}

std::string spaced(std::string text) {
  for (auto at = text.find(kNoBreak); at != std::string::npos; at = text.find(kNoBreak)) {
    text.replace(at, std::string_view(kNoBreak).size(), " ");
  }
  return text;
}

std::vector<std::string> wrapped(const std::string& text, TextRasterizer& rasterizer, double width) {
  const TextLook look{.em = static_cast<float>(kEm)};
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    const std::string longer = line.empty() ? word : line + " " + word;
    if (!line.empty() && static_cast<double>(rasterizer.width(look, spaced(longer))) > kSlack * width) {
      lines.push_back(word);
    } else {
      line = longer;
    }
  }
  for (std::string& line : lines) line = spaced(std::move(line));
  return lines;
}

void require_size(const FigureLayout& l, double pixels_per_pt) {
  const double w = l.width * pixels_per_pt, h = l.height * pixels_per_pt;
  if (w <= kMostFigurePixels && h <= kMostFigurePixels) return;
  throw Error("figure", std::to_string(std::lround(w)) + " x " + std::to_string(std::lround(h)) + " pixels",
              "at most " + std::to_string(kMostFigurePixels) + " a side: a smaller size or less dpi");
}

}  // namespace

FigureLayout lay_out(const Figure& f, TextRasterizer& rasterizer, double pixels_per_pt) {
  const auto snap = [&](double v) { return std::round(v * pixels_per_pt) / pixels_per_pt; };
  FigureLayout l;
  l.key_place = f.key.empty() ? KeyPlace::none : KeyPlace::beside;
  const Grid& first = f.images[0].image.grid;
  l.common_depth = std::all_of(f.images.begin(), f.images.end(), [&](const FigureImage& i) {
    return i.image.grid.z0_m == first.z0_m && i.image.grid.z1_m == first.z1_m;
  });
  const double scale = choose_scale(f, l);
  const Beside side = beside(f, l);
  const double top = snap(kMargin + (f.images.size() > 1 ? kTitle : 0.0) + kAxisName + kTop);
  double x = snap(side.left), bottom = top;
  for (const FigureImage& i : f.images) {
    const double w = std::max(snap(width_m(i) * scale), 1.0), h = std::max(snap(height_m(i) * scale), 1.0);
    l.images.push_back({x, top, x + w, top + h});
    bottom = std::max(bottom, top + h);
    x = snap(x + w + (l.common_depth ? kBetween : kBetween + kLeft));
  }
  x = snap(l.images.back().x1 + kBarAway);
  l.level_bar = {x, top, snap(x + kBar), bottom};
  x = l.level_bar.x1 + kBarLabels;
  for (CanvasRect* bar : {has_a_bar(f) ? &l.a_bar : nullptr, has_flow_bar(f) ? &l.flow_bar : nullptr}) {
    if (bar == nullptr) continue;
    *bar = {snap(x + kBarAway), top, snap(x + kBarAway + kBar), bottom};
    x = bar->x1 + kBarLabels;
  }
  if (l.key_place == KeyPlace::beside) {
    l.key = {x + kKeyAway, top, x + kKeyAway + kKeyWidth, top + key_height(f, 1)};
    x = l.key.x1;
    bottom = std::max(bottom, l.key.y1);
  }
  l.width = std::max({l.width, x + kMargin, kLeastWidth});
  for (std::size_t i = 0; i < f.strips.size(); ++i) {
    const double y0 = snap(bottom + kStripAway + kStripTitle), y1 = snap(y0 + strip_height(l.width));
    l.strips.push_back({snap(side.left), y0, snap(l.width - kMargin - kBarAway - kBar - kBarLabels), y1});
    bottom = y1 + kStripTimes;
  }
  if (l.key_place == KeyPlace::below) {
    const int columns = std::max(1, static_cast<int>((l.width - side.left - kMargin) / kKeyColumn));
    l.key = {side.left, bottom + kCaptionAway, l.width - kMargin, bottom + kCaptionAway + key_height(f, columns)};
    bottom = l.key.y1;
  }
  l.caption = {side.left, bottom + kCaptionAway};
  l.caption_lines = wrapped(f.caption, rasterizer, l.width - kMargin - side.left);
  l.height = l.caption.y + kCaptionLine * (static_cast<double>(l.caption_lines.size()) - 0.5) + kMargin;
  require_size(l, pixels_per_pt);
  return l;
}

}  // namespace echoloop
