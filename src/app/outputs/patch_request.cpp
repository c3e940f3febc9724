#include "app/outputs/patch_request.h"

#include <chrono>
#include <thread>
#include <utility>

#include "core/param_table.h"

namespace echoloop {
namespace {

using Clock = std::chrono::steady_clock;

FinePoint refine_point(PatchWork work, Session& session, Clock::time_point end) {
  work.ask(session);
  while (!work.take(session)) {
    if (!session.fault().empty() || Clock::now() > end) {
      FinePoint none = work.result();
      none.why_not = kNoAnswer;
      return none;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return work.result();
}

}  // namespace

FinePoint no_fine_point(const Measured& m, const MeasuredPoint& point, const std::string& why) {
  return {.mark = point.mark,
          .at = point.at,
          .params = without_display(m.image.params),
          .frame = m.image.stamp.sequence,
          .spread = {},
          .why_not = why};
}

std::string why_no_fine_grid(const Image& image) {
  const ImagingParams& p = image.params;
  if (image.acquisition == nullptr || image.acquisition->data == DataKind::beamformed) return "beamformed recording";
  if (p.formation.recipe == Recipe::course) return "course recipe";
  return p.refine.filters() ? "image filters act on its pixels" : "";
}

ImagingParams patch_params(const Image& image, const Grid& patch) {
  ImagingParams p = without_display(image.params);
  p.color_flow.mode = FlowMode::off;
  p.doppler.gate = Gate::off;
  p.objects.kind = Structure::off;
  p.refine.persistence_s = 0.0;
  p.formation.grid_nx = patch.nx;
  p.formation.grid_nz = patch.nz;
  if (patch.polar()) {
    p.formation.grid_kind = GridChoice::polar;
    p.formation.sector_min_rad = patch.sector.angle0_rad;
    p.formation.sector_max_rad = patch.sector.angle1_rad;
    p.formation.depth_min_m = patch.sector.r0_m + patch.sector.apex_z_m;
    p.formation.depth_max_m = patch.sector.r1_m + patch.sector.apex_z_m;
  } else {
    p.formation.grid_kind = GridChoice::cartesian;
    p.formation.lateral_min_m = patch.x0_m;
    p.formation.lateral_max_m = patch.x1_m;
    p.formation.depth_min_m = patch.z0_m;
    p.formation.depth_max_m = patch.z1_m;
  }
  return p;
}

PatchWork::PatchWork(Image image, const MeasuredPoint& point, KeptFrame kept)
    : image_(std::move(image)),
      kept_(std::move(kept)),
      patch_(image_.grid, *point.echo.spread),
      result_{.mark = point.mark,
              .at = point.at,
              .params = without_display(image_.params),
              .frame = kept_.frame.stamp.sequence} {}

void PatchWork::ask(Session& session) {
  answer_ = std::make_shared<PatchAnswer>();
  configuration_ = session.configurations();
  session.review({.frame = kept_.frame,
                  .owner = kept_.owner,
                  .params = patch_params(image_, patch_.grid()),
                  .compare = {},
                  .deliver =
                      [answer = answer_](const Image* image, const FlowImage*) {
                        if (image != nullptr) {
                          answer->db.assign(image->host().begin(), image->host().end());
                          answer->grid = image->grid;
                        }
                        answer->done = true;
                      },
                  .ensemble = {},
                  .acquisition = kept_.acquisition});
}

bool PatchWork::take(Session& session) {
  if (!answer_->done) return false;
  if (answer_->db.empty()) {  // a frame of a lost file, or a device that failed
    result_.why_not = "the frame could not be read or processed";
    return true;
  }
  const PointPatch::Next next = patch_.take(answer_->picture());
  if (next == PointPatch::Next::again) {
    ask(session);
    return false;
  }
  result_.spread = patch_.spread();
  if (next == PointPatch::Next::failed) result_.why_not = "no peak on the fine grid";
  return true;
}

std::string why_not_of(const Image& image, const Session& session) {
  return image.acquisition == session.acquisition() ? "" : "A is another recording";
}

std::vector<float> levels_without_method(const Image& image, const PointsAgain& again) {
  const bool runs = again.session != nullptr && again.session->running() && again.session->fault().empty();
  if (!again.kept || !runs || !why_not_of(image, *again.session).empty()) return {};
  ImagingParams params = without_display(image.params);
  params.formation.adaptive = Adaptive::off;
  params.color_flow.mode = FlowMode::off;
  params.doppler.gate = Gate::off;
  params.objects.kind = Structure::off;
  params.refine.persistence_s = 0.0;
  const auto answer = std::make_shared<PatchAnswer>();
  again.session->review({.frame = again.kept->frame,
                         .owner = again.kept->owner,
                         .params = params,
                         .compare = {},
                         .deliver =
                             [answer](const Image* made, const FlowImage*) {
                               if (made != nullptr) answer->db.assign(made->host().begin(), made->host().end());
                               answer->done = true;
                             },
                         .ensemble = {}});
  const Clock::time_point end = Clock::now() + again.longest;
  while (!answer->done) {
    if (!again.session->fault().empty() || Clock::now() > end) return {};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return answer->db;
}

void refine_points(Measured& measured, const PointsAgain& again) {
  std::string why_not = why_no_fine_grid(measured.image);
  if (why_not.empty() && !again.kept) why_not = "the image's frame is not in the history";
  const bool runs = again.session != nullptr && again.session->running() && again.session->fault().empty();
  if (why_not.empty() && !runs) why_not = "no stream is running";
  if (why_not.empty()) why_not = why_not_of(measured.image, *again.session);
  const Clock::time_point end = Clock::now() + again.longest;
  measured.fine = again.known;
  std::vector<FinePoint> fine;
  for (const MeasuredPoint& point : measured.points) {
    if (!point.echo.spread) continue;
    const FinePoint* known = measured.fine_of(point);
    if (known != nullptr && known->spread && known->frame == measured.image.stamp.sequence) {
      fine.push_back(*known);
    } else if (why_not.empty()) {
      fine.push_back(refine_point(PatchWork(measured.image, point, *again.kept), *again.session, end));
    } else {
      fine.push_back(no_fine_point(measured, point, why_not));
    }
  }
  measured.fine = std::move(fine);
}

}  // namespace echoloop
