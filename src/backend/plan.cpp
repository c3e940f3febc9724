#include "backend/plan.h"

#include <algorithm>

#include "core/grid.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

std::size_t size(int n) { return static_cast<std::size_t>(std::max(n, 0)); }

// Returns the bytes of one line: its filters' mixer and turns, and each thread's signals between them, or transforms.
std::size_t line_bytes(const BandPlan& band, std::size_t threads) {
  const std::size_t in = size(band.n_samples), out = size(band.n_out),
                    values = in * size(values_per_sample(band.input));
  const std::size_t filters = 4 * values + 16 * (in + out) + 8 * std::max(in, out);
  const std::size_t transforms = 24 * size(band.n_in) + 16 * out;
  return 8 * in + 8 * out + threads * std::max(filters, transforms);
}

}  // namespace

StreamBytes estimate_stream(const Acquisition& acquisition, const ImagingParams& params, int threads) {
  check_params(acquisition, params);
  const TransmitPick pick = picked_transmits(params, acquisition);
  const std::size_t lines = size(pick.count) * size(acquisition.n_elements());
  const Grid grid = make_grid(params, acquisition), beams = make_beam_grid(params, acquisition, grid);
  const bool forms = forms_lines(params, acquisition);
  const std::size_t sums = forms ? size(find_scan_lines(acquisition)->per_line) : size(pick.count);
  StreamBytes bytes{.plan = sums * (4 * beams.pixels() + 8 * size(beams.nz)),
                    .lane = 24 * grid.pixels() + 16 * beams.pixels()};
  if (uses_cones(params, acquisition)) bytes.plan += sums * (4 * beams.pixels() + sizeof(PixelSpan) * size(beams.nz));
  if (pick.every > 1) bytes.lane += acquisition.frame_bytes() / acquisition.transmits.size() * size(pick.count);
  const Adaptive method = params.formation.adaptive;
  bytes.device_lane = acquisition.frame_bytes() / acquisition.transmits.size() * size(pick.count) +
                      2 * sizeof(float) * grid.pixels() + sizeof(Complex) * beams.pixels();  // envelope, dB, pixels
  if (method != Adaptive::off) bytes.device_lane += sizeof(float) * beams.pixels();          // weights
  if (reads_rows(method))
    bytes.device_lane +=
        std::min(kMostMethodScratch, sizeof(Complex) * beams.pixels() * size(acquisition.n_elements()));
  if (params.formation.recipe == Recipe::course) {
    bytes.lane += lines * size(acquisition.n_samples) * sizeof(float);
    return bytes;
  }
  const BandPlan band = band_rates(acquisition, params);
  bytes.plan += size(band.n_out) * sizeof(float);
  bytes.lane += line_bytes(band, size(threads)) +
                lines * (size(band.n_out) * sizeof(Complex) + size(band.n_valid) * sizeof(std::uint32_t));
  bytes.device_lane += params.formation.precision == Precision::fp16
                           ? lines * size(band.n_valid) * sizeof(std::uint32_t)
                           : lines * (4 * size(band.n_in) + 8 * size(band.n_out));
  return bytes;
}

}  // namespace echoloop
