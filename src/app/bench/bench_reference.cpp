// Delay-and-sum in double precision, straight from the acquisition's geometry: no table of the plan is used.
#include <algorithm>
#include <cmath>
#include <complex>

#include "app/bench/bench_measure.h"
#include "backend/fp16/packed_plan.h"
#include "backend/frame_processor.h"
#include "core/transmits.h"
#include "dsp/delays.h"

namespace echoloop {
namespace {

using Value = std::complex<double>;
constexpr std::size_t kPixels = 1500;      // at most,
constexpr std::size_t kPairs = 2'500'000;  // and so many of them with lines

struct Lines {
  const std::vector<float>& values;  // (re, im) [n_tx][n_el][n_line]
  const BandPlan& band;
  [[nodiscard]] Value at(std::size_t line, double position) const {
    const double whole = std::floor(position);
    if (whole < 0.0 || whole >= band.n_valid - 1) return {};
    const std::size_t i = 2 * (line * static_cast<std::size_t>(band.n_out) + static_cast<std::size_t>(whole));
    const double w = position - whole;
    return {values[i] + w * (static_cast<double>(values[i + 2]) - values[i]),
            values[i + 1] + w * (static_cast<double>(values[i + 3]) - values[i + 1])};
  }
};

// Which of its two paths a lane has taken, by the number of values in its lines; the tuned one where both make the same
// number, for a plan holds it only where the backend has it.
Precision precision_of(const Plan& plan, std::size_t line_values) {
  const auto n_lines = static_cast<std::size_t>(plan.acquisition->n_transmits() * plan.acquisition->n_elements());
  const auto values = [&](const BandPlan& band) { return 2 * n_lines * static_cast<std::size_t>(band.n_out); };
  return plan.packed == nullptr || line_values != values(*plan.packed->band) ? Precision::fp32 : Precision::fp16;
}

Value pixel_reference(const Plan& plan, const Lines& lines, double x, double z) {
  const Acquisition& a = *plan.acquisition;
  const ImagingParams& p = plan.params;
  const auto axes = picked_axes(a, {.count = a.n_transmits()});
  Value sum{};
  std::size_t line = 0;
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const Transmit& t = a.transmits[k];
    const BeamAxis* const axis = axes.empty() ? nullptr : &axes[k];
    const double there_s = transmit_delay_s(t, a.probe, x, z, p.formation.sound_speed_m_s, axis) - t.t0_s;
    for (const Element& e : a.probe.elements) {
      const double dx = x - e.x_m;
      const double dz = z - e.z_m;
      const std::size_t here = line++;
      if (p.formation.f_number > 0.0 && std::abs(dx) > dz / (2.0 * p.formation.f_number) * (1.0 + 1e-6)) continue;
      const double time_s = there_s + std::hypot(dx, dz) / p.formation.sound_speed_m_s;
      sum += std::polar(1.0, 2.0 * M_PI * std::fmod(lines.band.demod_hz * time_s, 1.0)) *
             lines.at(here, time_s * lines.band.line_rate_hz);
    }
  }
  return sum;
}

}  // namespace

BeamformCheck check_beamform(const BenchRun& run, SeekableSource& source) {
  const auto lane = run.backend.make_lane(0, StreamMode::overlap);
  const Plan& plan = *run.plan;
  form_frame(*lane, run.plan, {.stamp = {}, .samples = source.at(0, {})});
  make_image(*lane, plan, {.copy = HostCopy::none});
  lane->wait();
  const std::vector<float> conditioned = lane->read_back(Lane::Tap::conditioned);
  const std::vector<float> pixels = lane->read_back(Lane::Tap::beamformed);
  const Precision precision = precision_of(plan, conditioned.size());
  const Lines lines{conditioned, precision == Precision::fp16 ? *plan.packed->band : *plan.band};
  const Grid& grid = plan.grid;
  double difference = 0.0;
  double energy = 0.0;
  const auto n_lines = static_cast<std::size_t>(plan.acquisition->n_transmits() * plan.acquisition->n_elements());
  const std::size_t n_pixels = std::clamp<std::size_t>(kPairs / n_lines, 1, kPixels);
  const std::size_t step = std::max<std::size_t>(1, grid.pixels() / n_pixels) | 1;
  for (std::size_t i = 0; i < grid.pixels(); i += step) {
    const auto nx = static_cast<std::size_t>(grid.nx);
    const PlanePoint at = grid.point(static_cast<int>(i % nx), static_cast<int>(i / nx));
    const Value want = pixel_reference(plan, lines, at.x_m, at.z_m);
    const Value found{pixels[2 * i], pixels[2 * i + 1]};
    difference += std::norm(found - want);
    energy += std::norm(want);
  }
  return {.precision = precision,
          .line_rate_hz = lines.band.line_rate_hz,
          .rel_l2 = energy > 0.0 ? std::sqrt(difference / energy) : 0.0};
}

}  // namespace echoloop
