#include "backend/frame_processor.h"

#include <cmath>
#include <thread>
#include <utility>

#include "core/units.h"

namespace echoloop {
namespace {

// Estimates the seconds of an image to about a factor of 2. Terms a second: of an AVX-512 core and of an H200's
// multiprocessor as `bench` measures them; cost of a method relative to delay-and-sum: its rows "method".
double expected_s(const Acquisition& a, const ImagingParams& params, const Backend& backend) {
  if (a.data == DataKind::beamformed) return 0.0;
  const FormationParams& f = params.formation;
  const int transmits = forms_lines(params, a) ? 1 : picked_transmits(params, a).count;
  double terms = 1.0 * transmits * a.n_elements() * (f.adaptive == Adaptive::off ? 1.0 : 7.0);  // per pixel
  if (f.adaptive == Adaptive::minimum_variance) terms += 45e3 * std::pow(f.mv_elements / 32.0, 3.0);
  const double a_second = backend.computes_elsewhere() ? 7.5e9 * std::max(backend.multiprocessors().count, 1)
                                                       : 2.5e9 * std::thread::hardware_concurrency();
  return terms * static_cast<double>(make_beam_grid(params, a, make_grid(params, a)).pixels()) / a_second;
}

}  // namespace

std::optional<ImagingParams> coarse_params(const Acquisition& acquisition, const ImagingParams& params,
                                           const Backend& backend) {
  constexpr double kLong_s = 0.3, kAtOnce_s = 0.1;
  constexpr int kLeast = 32;  // pixels a side
  if (params.formation.recipe == Recipe::course || expected_s(acquisition, params, backend) < kLong_s) return {};
  ImagingParams coarse = params;
  coarse.formation.adaptive = Adaptive::off;
  coarse.formation.adaptive_show = AdaptiveShow::image;
  coarse.refine = {};
  const double step = std::ceil(std::sqrt(expected_s(acquisition, coarse, backend) / kAtOnce_s));
  if (step <= 1.0) return coarse;
  const Grid grid = make_grid(params, acquisition);
  coarse.formation.grid_nx = std::min(grid.nx, std::max(kLeast, static_cast<int>(grid.nx / step)));
  coarse.formation.grid_nz = std::min(grid.nz, std::max(kLeast, static_cast<int>(grid.nz / step)));
  return coarse;
}

bool make_coarse_image(Backend& backend, const CoarseTask& task, const RfFrame& frame, const ImageMaking& making,
                       Mailbox<Image>& to) try {
  const auto plan = make_plan(task.acquisition, task.params, task.previous, backend.multiprocessors());
  const std::unique_ptr<Lane> lane = backend.make_lane(kMaxLanes, StreamMode::serial);
  form_frame(*lane, plan, frame);
  double held_db = making.reference_db;
  if (holds_level(*plan) && held_db <= kAutoReference)
    held_db = measured_level_db(*lane, *plan).value_or(kAutoReference);
  const double reference_db = reference_level_db(*plan, held_db);
  make_image(*lane, *plan, {.reference_db = reference_db, .copy = making.copy});
  lane->wait();
  if (!backend.end_work()) return false;
  Image& image = lane->image();
  describe(image, *plan, reference_db, 0.0);
  image.number = 1;
  std::swap(image, to.back());
  to.publish();
  return true;
} catch (const std::exception&) {  // the image itself says what is wrong
  return backend.end_work();
}

void form_frame(Lane& lane, const std::shared_ptr<const Plan>& plan, const RfFrame& frame,
                const FrameForming& forming) {
  static_cast<void>(form_frames(lane, plan, {&frame, 1}, forming));
}

bool form_frames(Lane& lane, const std::shared_ptr<const Plan>& plan, std::span<const RfFrame> frames,
                 const FrameForming& forming) {
  lane.set_plan(plan);
  if (forming.missing_event) lane.miss_event();
  lane.upload(frames);
  if (forming.load_ms > 0.0) lane.load(forming.load_ms);
  if (forming.fault.has_value()) lane.fail(*forming.fault);
  lane.condition();
  if (forming.expected_db.has_value()) lane.expect_reference(*forming.expected_db);
  const bool written = forming.results.has_value() && lane.write_results(*forming.results);
  lane.beamform();
  lane.envelope();
  return written;
}

void make_image(Lane& lane, const Plan& plan, const ImageMaking& making) {
  lane.compress(making.reference_db);
  if (plan.refine != nullptr) lane.refine(making.average);
  if (making.line.has_value()) lane.keep_line(*making.line);
  if (making.pixels == HostCopy::made) lane.keep_pixels();
  lane.finish(making.copy);
}

void describe(Image& image, const Plan& plan, double reference_db, double averaged_frames) {
  image.ready_ns = now_ns();
  image.params = plan.params;
  image.params.level.reference_db = reference_db;
  image.acquisition = plan.acquisition;
  image.averaged_frames = averaged_frames;
}

}  // namespace echoloop
