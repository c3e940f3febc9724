#include "gui/figure/figure_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/overlay/image_sampler.h"
#include "gui/overlay/image_scales.h"
#include "gui/overlay/mark_drawing.h"

namespace echoloop {
namespace {

using namespace figure;

constexpr double kStripHalo = 0.67, kStripChip = 0.82, kTick = 3.0;
constexpr double kNameAway = 1.6 * kEm;  // distance of title and unit from the levels

// Returns the part of a line within the box; empty: none (Liang and Barsky 1984).
CanvasLine clipped(CanvasPoint a, CanvasPoint b, const CanvasRect& box) {
  double from = 0.0, to = 1.0;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto keep = [&](double step, double room) {
    if (step == 0.0) return room >= 0.0;
    (step < 0.0 ? from : to) = step < 0.0 ? std::max(from, room / step) : std::min(to, room / step);
    return from <= to;
  };
  if (!keep(-dx, a.x - box.x0) || !keep(dx, box.x1 - a.x) || !keep(-dy, a.y - box.y0) || !keep(dy, box.y1 - a.y)) {
    return {};
  }
  return {{a.x + from * dx, a.y + from * dy}, {a.x + to * dx, a.y + to * dy}};
}

struct StripPlace {
  const FigureStrip& strip;
  CanvasRect box;
  [[nodiscard]] CanvasPoint at(CanvasPoint p) const {
    return {box.x0 + strip.x.share(p.x) * box.width(), box.y0 + strip.y.share(p.y) * box.height()};
  }
};

void draw_levels(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, Rgb edge) {
  RgbImage pixels{.width = static_cast<int>(std::lround(box.width() * canvas.pixels_per_unit())),
                  .height = static_cast<int>(std::lround(box.height() * canvas.pixels_per_unit())),
                  .rgb = {}};
  pixels.rgb.resize(3 * static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
  Image levels;
  levels.grid = {.x0_m = 0.0, .x1_m = 1.0, .z0_m = 0.0, .z1_m = 1.0, .nx = strip.columns, .nz = strip.rows};
  levels.host_db = const_cast<float*>(strip.levels_db.data());  // Image has writable pixels, these are const
  ImagingParams display = strip.display;
  display.display.mirrored = Mirrored::off;  // time goes to the right
  ImageSampler(display).draw(pixels, {0, 0, pixels.width, pixels.height}, levels, {});
  canvas.fill(box.grown(1.0 / std::max(canvas.pixels_per_unit(), 1.0)), {edge});
  canvas.image(box, pixels);
}

void draw_axes(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, const ScaleLook& look) {
  const TextLook numbers = look.label(look.text2), unit = look.label(look.muted);
  const double wide = canvas.text_width(numbers, "\u221200.0") + kEm;
  strip.x.each_tick(strip.x.step(box.width(), wide), [&](double v, const std::string& text) {
    const double x = canvas.snap(box.x0 + strip.x.share(v) * box.width());
    canvas.fill({x - 0.4, box.y1 + 1.0, x + 0.4, box.y1 + 1.0 + kTick}, {look.text2});
    canvas.text({x, box.y1 + 1.2 * kEm}, numbers, TextAlign::centre, text);
  });
  canvas.text({box.x1 + 1.2 * kEm, box.y1 + 1.2 * kEm}, unit, TextAlign::left, strip.x.unit);
  strip.y.each_tick(strip.y.step(box.height(), 1.8 * kEm), [&](double v, const std::string& text) {
    const double y = canvas.snap(box.y0 + strip.y.share(v) * box.height());
    canvas.fill({box.x0 - 1.0 - kTick, y - 0.4, box.x0 - 1.0, y + 0.4}, {look.text2});
    canvas.text({box.x0 - 0.7 * kEm, y}, numbers, TextAlign::right, text);
  });
  canvas.text({box.x0 - 0.7 * kEm, box.y0 - kNameAway}, unit, TextAlign::right, strip.y.unit);
}

void draw_title(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, const ScaleLook& look) {
  const TextLook strong = look.label(look.text, Weight::strong), plain = look.label(look.text2);
  const double y = box.y0 - kNameAway;
  double x = canvas.text({box.x0, y}, strong, TextAlign::left, strip.title);
  for (const std::string& fact : strip.facts) {
    if (x + kEm + canvas.text_width(plain, fact) > box.x1) break;
    x = canvas.text({x + kEm, y}, plain, TextAlign::left, fact);
  }
}

// Draws the text at the caliper's second end, within the box, where no other text is.
void draw_caliper_text(Canvas& canvas, const StripCaliper& caliper, CanvasPoint at, const CanvasRect& box,
                       std::vector<CanvasRect>& taken) {
  const TextLook look{.em = static_cast<float>(kNumberEm), .color = kWhite};
  const std::string text = caliper.rates.empty() ? caliper.lengths : caliper.lengths + "   " + caliper.rates;
  const double w = canvas.text_width(look, text) + kEm, h = 1.5 * kNumberEm, gap = 5.0;
  const double x0 =
      std::clamp(at.x + gap + w > box.x1 ? at.x - gap - w : at.x + gap, box.x0, std::max(box.x0, box.x1 - w));
  const double from = std::clamp(at.y - h - 2.0, box.y0, box.y1 - h);
  CanvasRect chip{x0, from, x0 + w, from + h};
  const auto free = [&] { return std::ranges::none_of(taken, [&](const CanvasRect& r) { return r.overlaps(chip); }); };
  for (double y = box.y0; y + h <= box.y1 && !free(); y += h + 1.0) chip = {x0, y, x0 + w, y + h};
  taken.push_back(chip);
  canvas.fill(chip, {kBlack, kStripChip});
  canvas.text({chip.x0 + 0.5 * kEm, 0.5 * (chip.y0 + chip.y1)}, look, TextAlign::left, text);
}

void draw_calipers(Canvas& canvas, const FigureStrip& strip, const StripPlace& place) {
  constexpr double kArm = 3.5;
  std::vector<CanvasRect> taken;
  std::vector<const StripCaliper*> seen;
  for (const StripCaliper& caliper : strip.calipers) {
    const CanvasPoint a = place.at(caliper.from), b = place.at(caliper.to);
    if (clipped(a, b, place.box).empty()) continue;
    std::vector<CanvasLine> lines = {clipped(a, b, place.box)};
    for (const CanvasPoint p : {a, b}) {
      lines.push_back(clipped({p.x - kArm, p.y}, {p.x + kArm, p.y}, place.box));
      lines.push_back(clipped({p.x, p.y - kArm}, {p.x, p.y + kArm}, place.box));
    }
    std::erase_if(lines, [](const CanvasLine& line) { return line.empty(); });
    canvas.lines(lines, 2.6, {kBlack, kStripHalo});
    canvas.lines(lines, 1.0, {ink::kAccent});
    seen.push_back(&caliper);
  }
  for (const StripCaliper* caliper : seen) {
    draw_caliper_text(canvas, *caliper, place.at(caliper->to), place.box, taken);
  }
}

constexpr int kColumns = 2000;  // of a Doppler strip

// Writes a spectrum, largest velocity first, with zero shifted by the baseline: [n_bins + 1], as both ends are shown.
void put_spectrum(const Spectrogram& s, std::uint64_t k, double baseline, double white_db, float* column, int step) {
  const auto spectrum = s.column(k);
  for (int row = 0; row <= s.n_bins; ++row) {
    const double up = 1.0 - static_cast<double>(row) / s.n_bins + 0.5 * baseline;  // 0 to 1: within limits
    const double bin = (up - std::floor(up)) * s.n_bins, below = std::floor(bin);
    const auto i = static_cast<std::size_t>(below) % spectrum.size();
    const double a = static_cast<double>(spectrum[i]), b = static_cast<double>(spectrum[(i + 1) % spectrum.size()]);
    column[row * step] = static_cast<float>(a + (bin - below) * (b - a) - white_db);
  }
}

std::vector<float> spectra(const Spectrogram& s, const ImagingParams& params, double span_s) {
  const double white_db = spectrogram_white_db(s, params);
  std::vector<float> levels_db(static_cast<std::size_t>(s.n_bins + 1) * kColumns,
                               std::numeric_limits<float>::quiet_NaN());
  for (int i = 0; i < kColumns; ++i) {
    const auto back = static_cast<std::uint64_t>((kColumns - i - 0.5) * span_s / kColumns / s.step_s());
    if (back >= s.end - s.first()) continue;
    put_spectrum(s, s.end - 1 - back, params.doppler.baseline, white_db, &levels_db[static_cast<std::size_t>(i)],
                 kColumns);
  }
  return levels_db;
}

// Adds a curve; missing values interrupt it.
void add_curve(const SpectrogramCurve& curve, double step_s, double per_m_s, std::vector<StripLine>& lines) {
  CanvasLine line;
  const auto end = [&] {
    if (line.size() > 1) lines.push_back({.points = line, .ink = {curve.color}});
    line.clear();
  };
  for (std::size_t i = 0; i < curve.m_s.size(); ++i) {
    const double time_s = curve.first_s + static_cast<double>(i) * step_s;
    if (!std::isfinite(curve.m_s[i])) end();
    if (std::isfinite(curve.m_s[i])) line.push_back({time_s, static_cast<double>(curve.m_s[i]) * per_m_s});
  }
  end();
}

}  // namespace

void draw_strip(Canvas& canvas, const FigureStrip& strip, const CanvasRect& box, PageGround ground) {
  const ScaleLook look = scales(ground);
  const StripPlace place{strip, box};
  draw_levels(canvas, strip, box, look.edge);
  for (const StripLine& line : strip.lines) {
    CanvasLine points;
    for (const CanvasPoint p : line.points) points.push_back(place.at(p));
    canvas.lines({points}, line.width, line.ink);
  }
  draw_calipers(canvas, strip, place);
  draw_axes(canvas, strip, box, look);
  draw_title(canvas, strip, box, look);
  const double x0 = canvas.snap(box.x1 + kBarAway);
  draw_level_bar(canvas, {x0, box.y0, canvas.snap(x0 + kBar), box.y1}, strip.display, look);
}

void draw_guides(Canvas& canvas, const FigureStrip& strip, const ImagePlace& place) {
  const auto& [image, grid, mirrored] = place;
  std::vector<GuideLine> guides;
  if (strip.m_mode_line) guides.push_back(m_mode_guide(grid, *strip.m_mode_line));
  if (strip.gate) {
    const double unit_m = (grid.x1_m - grid.x0_m) / std::max(image.width(), 1.0);
    for (const GuideLine& line : gate_guides(grid, *strip.gate, unit_m)) guides.push_back(line);
  }
  for (const GuideLine& guide : guides) {
    const CanvasLine line = clipped(place.at(guide.from), place.at(guide.to), image);
    if (line.empty()) continue;
    canvas.lines({line}, guide.thickness + 1.2, {kBlack, kStripHalo});
    canvas.lines({line}, guide.thickness, {guide.color, guide.opacity});
  }
}

FigureStrip figure_doppler(const Spectrogram& s, const ImagingParams& params, double span_s, DopplerCurves curves,
                           std::optional<double> shown_s) {
  const VelocityUnit unit = velocity_unit(s.aliasing_m_s);
  const double limit = s.aliasing_m_s * unit.per_m_s, baseline = params.doppler.baseline;
  FigureStrip f{.title = "Spectral Doppler",
                .facts = spectrogram_facts(s),
                .x = {-span_s, 0.0, "s"},
                .y = {limit * (1.0 + baseline), -limit * (1.0 - baseline), unit.name},
                .columns = kColumns,
                .rows = s.n_bins + 1,
                .levels_db = spectra(s, params, span_s),
                .gate = params};
  f.facts.insert(f.facts.begin(), peak_text(s, span_s));
  for (const CaptionItem& i : pulse_items(s, span_s)) {
    if (i.value != "—") f.facts.push_back(fmt::format("{} {} {}", i.key, i.value, i.unit));
  }
  f.display.display.dynamic_range_db = params.doppler.range_db;  // 0 dB is white
  f.lines.push_back({.points = {{-span_s, 0.0}, {0.0, 0.0}}, .ink = {{255, 255, 255}, 0.43}});
  if (shown_s) {
    f.lines.push_back({.points = {{*shown_s, f.y.first}, {*shown_s, f.y.last}}, .ink = {{255, 255, 255}, 0.6}});
  }
  if (curves == DopplerCurves::none) return f;
  for (const SpectrogramCurve& curve : spectrogram_curves(s, params, span_s)) {
    add_curve(curve, s.step_s(), unit.per_m_s, f.lines);
  }
  return f;
}

}  // namespace echoloop
