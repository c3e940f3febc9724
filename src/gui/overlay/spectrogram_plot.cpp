#include "gui/overlay/spectrogram_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sequence.h"
#include "core/units.h"
#include "gui/overlay/flow_scale.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr Rgb kEnvelope = {76, 195, 224}, kMean = {242, 193, 78};

// The oldest column within the span.
std::uint64_t oldest(const Spectrogram& s, double span_s) {
  const auto columns = static_cast<std::uint64_t>(span_s / s.step_s());
  return std::max(s.first(), s.end > columns ? s.end - columns : 0);
}

float fastest(const Spectrogram& s, double span_s) {
  float most = std::numeric_limits<float>::quiet_NaN();
  for (std::uint64_t k = oldest(s, span_s); k < s.end; ++k) {
    const float v = s.envelope_m_s[Spectrogram::slot(k)];
    if (std::isfinite(v) && !(std::abs(v) <= std::abs(most))) most = v;
  }
  return most;
}

}  // namespace

bool only_gaps(const Spectrogram& s, double span_s) {
  for (std::uint64_t k = oldest(s, span_s); k < s.end; ++k) {
    const auto levels = s.column(k);
    if (std::any_of(levels.begin(), levels.end(), [](float db) { return std::isfinite(db); })) return false;
  }
  return true;
}

std::string peak_text(const Spectrogram& s, double span_s) {
  const float most = fastest(s, span_s);
  if (std::isfinite(most)) return "peak " + velocity_text(static_cast<double>(most), s.aliasing_m_s);
  return only_gaps(s, span_s) ? "no spectrum yet" : "no flow above the noise";
}

std::vector<std::string> spectrogram_facts(const Spectrogram& s) {
  return {fmt::format("limit \u00B1{}", velocity_text(s.aliasing_m_s, s.aliasing_m_s).substr(1)),
          fmt::format("angle {}°", fixed(s.params.color_flow.angle_rad / kRadiansPerDegree, 0)),
          fmt::format("PRF {} Hz", grouped(static_cast<std::uint64_t>(s.prf_hz + 0.5))),
          fmt::format("sample volume {} mm", fixed(s.length_m / kMetresPerMillimetre, 1)),
          fmt::format("at x {}, z {} mm", fixed(s.centre.x_m / kMetresPerMillimetre, 1),
                      fixed(s.centre.z_m / kMetresPerMillimetre, 1))};
}

std::optional<double> frame_place_s(const Spectrogram& s, const Image& image, double span_s) {
  if (s.acquisition == nullptr || !(s.acquisition->frame_rate_hz > 0.0) ||
      is_before(s.stamp.sequence, image.stamp.sequence)) {
    return std::nullopt;
  }
  const auto frames = static_cast<double>(s.stamp.sequence - image.stamp.sequence);
  const double half_window_s = 0.5 * s.frames / s.prf_hz;  // a column's time is its window's middle
  const double place_s = std::min(half_window_s - frames / s.acquisition->frame_rate_hz, 0.0);
  return place_s >= -span_s ? std::optional(place_s) : std::nullopt;
}

double mean_m_s(const Spectrogram& s, double place_s) {
  const auto back = static_cast<std::uint64_t>(std::max(0.0, -place_s / s.step_s()));
  if (back >= s.end - s.first()) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(s.mean_m_s[Spectrogram::slot(s.end - 1 - back)]);
}

std::vector<SpectrogramCurve> spectrogram_curves(const Spectrogram& s, const ImagingParams& params, double span_s) {
  const auto columns = static_cast<std::uint64_t>(span_s / s.step_s()) + 1;
  const std::uint64_t from = std::max(s.first(), s.end > columns ? s.end - columns : 0);
  const double limit = s.aliasing_m_s, shift = params.doppler.baseline * limit;
  std::vector<SpectrogramCurve> curves;
  for (const auto& [values, color] : {std::pair{&s.envelope_m_s, kEnvelope}, std::pair{&s.mean_m_s, kMean}}) {
    SpectrogramCurve curve{
        .color = color, .first_s = -(static_cast<double>(s.end - from) - 0.5) * s.step_s(), .m_s = {}};
    for (std::uint64_t k = from; k < s.end; ++k) {
      auto v = static_cast<double>((*values)[Spectrogram::slot(k)]);
      if (v > limit + shift) v -= 2.0 * limit;
      if (v < -limit + shift) v += 2.0 * limit;
      const bool jumps = !curve.m_s.empty() && std::abs(static_cast<double>(curve.m_s.back()) - v) > limit;
      curve.m_s.push_back(jumps ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(v));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace echoloop
