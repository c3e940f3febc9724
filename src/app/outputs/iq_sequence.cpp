#include "app/outputs/iq_sequence.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "app/outputs/provenance.h"
#include "core/error.h"
#include "history/export.h"

namespace echoloop {
namespace {

constexpr const char* kValues =
    "Sum over transmits and elements of the analytic signal at the two-way delay, with all weights of the parameters, "
    "in units of the samples; with an adaptive method its pixel, or the sum times its weight.";
constexpr const char* kPhase =
    "The carrier is kept: an echo A cos(2 pi f t + phi) gives A exp(i (2 pi f t + phi)) at the pixel's two-way delay "
    "t, and the real part is the beamformed RF signal. Below a plane wave the phase increases with depth by 4 pi f / c "
    "per metre.";
constexpr const char* kLevels =
    "20 log10(abs(iq)) - reference_db is the image in dB before scan conversion (where image_grid is another), before "
    "the temporal average (persistence_s) and before the image filters (median, smoothing, speckle reduction, edge "
    "enhancement). Gain, TGC and dynamic range act on the display only.";

nlohmann::json convention_json(const Image& last) {
  const double reference_db = last.params.level.reference_db;
  return {{"values", kValues},
          {"phase", kPhase},
          {"levels", kLevels},
          {"reference_db", reference_db},
          {"magnitude_of_0_db", std::pow(10.0, reference_db / 20.0)}};
}

}  // namespace

IqSequence::IqSequence(const std::filesystem::path& file, const Grid& grid)
    : grid_(grid),
      file_(file, {.type = "<c8",
                   .shape = std::to_string(grid.nz) + ", " + std::to_string(grid.nx),
                   .bytes = grid.pixels() * sizeof(Complex)}) {}

void IqSequence::take(const KeptPixels& pixels) {
  const std::size_t bytes = pixels.values.size_bytes();
  std::memcpy(file_.room(bytes).data(), pixels.values.data(), bytes);
  file_.put(pixels.image.stamp);
  last_.stamp = pixels.image.stamp;
  last_.grid = pixels.image.grid;
  last_.params = pixels.image.params;
  last_.acquisition = pixels.image.acquisition;
}

RecorderStatus IqSequence::end(const Backend& backend, const std::string& named) {
  return end(EndedImages{.last = &last_, .backend = backend, .named = named});
}

RecorderStatus IqSequence::end(EndedImages run) {
  const RecorderStatus ended = file_.end();
  if (!ended.problem.empty() || ended.frames == 0) return ended;
  run.last = &last_;
  nlohmann::json about = image_json(run.backend, run.named, last_);
  ImagingParams params = last_.params;
  params.refine.persistence_s = 0.0;  // acts after the pixels
  file_.add_command(about, run, params, "--iq-out iq.npy");
  if (run.doubts != nullptr) about["doubts"] = doubts_json(*run.doubts);
  about["order"] = std::string("iq[frame]") +
                   (grid_.polar() ? "[i_radius][i_line]: (frame, r, angle)" : "[iz][ix]: (frame, z, x)") +
                   ", complex64";
  about["grid"] = grid_json(grid_);
  if (last_.grid != grid_) about["image_grid"] = grid_json(last_.grid);
  about["parameters"] = params_json(last_.params);
  about["iq"] = convention_json(last_);
  file_.describe(std::move(about));
  return ended;
}

RecorderStatus IqSequence::discard() {
  RecorderStatus ended = file_.end();
  std::error_code ignored;
  if (ended.frames > 0) std::filesystem::remove(ended.path, ignored);
  return ended;
}

int IqSequence::finish(const EndedImages& run, RunTotals& totals) {
  const RecorderStatus ended = end(run);
  return say_ended(ended, totals);
}

// A row of output_rows().
std::unique_ptr<ImageSink> make_iq_sequence(const ImageSinkRequest& request) {
  require_pixels(request.params, "--iq-out");
  return std::make_unique<IqSequence>(request.options.files["--iq-out"],
                                      pixel_grid(request.params, *request.source.acquisition));
}

void require_pixels(const ImagingParams& params, const std::string& asked) {
  if (const std::string why = why_no_pixels(params); !why.empty())
    throw Error(asked, "no complex pixels: " + why, "delay-and-sum, or a method that forms or weighs complex pixels");
}

Grid pixel_grid(const ImagingParams& params, const Acquisition& acquisition) {
  return make_beam_grid(params, acquisition, make_grid(params, acquisition));
}

}  // namespace echoloop
