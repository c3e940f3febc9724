#include "gui/figure/figure_doppler.h"

#include <cmath>
#include <limits>

#include "gui/overlay/flow_scale.h"

namespace echoloop {
namespace {

constexpr int kColumns = 2000;  // of a Doppler strip

// A spectrum from the fastest velocity down, with zero moved by the baseline: [n_bins + 1], as both ends are shown.
void put_spectrum(const Spectrogram& s, std::uint64_t k, double baseline, double white_db, float* column, int step) {
  const auto spectrum = s.column(k);
  for (int row = 0; row <= s.n_bins; ++row) {
    const double up = 1.0 - static_cast<double>(row) / s.n_bins + 0.5 * baseline;  // 0 to 1: the limits
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
    const auto back = static_cast<std::uint64_t>((kColumns - i - 0.5) * span_s / kColumns / s.step_s);
    if (back >= s.end - s.first()) continue;
    put_spectrum(s, s.end - 1 - back, params.doppler.baseline, white_db, &levels_db[static_cast<std::size_t>(i)],
                 kColumns);
  }
  return levels_db;
}

// Broken where there is no value.
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

FigureStrip figure_doppler(const Spectrogram& s, const ImagingParams& params, double span_s, DopplerCurves curves) {
  const VelocityUnit unit = velocity_unit(s.aliasing_m_s);
  const double limit = s.aliasing_m_s * unit.per_m_s, baseline = params.doppler.baseline;
  FigureStrip f{.title = "Spectral Doppler",
                .facts = spectrogram_facts(s, params.color_flow.angle_rad),
                .x = {-span_s, 0.0, "s"},
                .y = {limit * (1.0 + baseline), -limit * (1.0 - baseline), unit.name},
                .columns = kColumns,
                .rows = s.n_bins + 1,
                .levels_db = spectra(s, params, span_s),
                .gate = params};
  f.facts.insert(f.facts.begin(), peak_text(s, span_s));
  f.display.display.dynamic_range_db = params.doppler.range_db;  // white is 0 dB
  f.lines.push_back({.points = {{-span_s, 0.0}, {0.0, 0.0}}, .ink = {{255, 255, 255}, 0.43}});
  if (curves == DopplerCurves::none) return f;
  for (const SpectrogramCurve& curve : spectrogram_curves(s, params, span_s)) {
    add_curve(curve, s.step_s, unit.per_m_s, f.lines);
  }
  return f;
}

}  // namespace echoloop
