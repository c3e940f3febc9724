#include "app/outputs/patch_request.h"

#include <chrono>
#include <thread>
#include <utility>

namespace echoloop {
namespace {

using Clock = std::chrono::steady_clock;

// False: the device failed, or it is later than `end`.
template <class Done>
bool wait_for(const Session& session, Clock::time_point end, const Done& done) {
  while (!done()) {
    if (!session.fault().empty() || Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

bool runs(const Session* session) { return session != nullptr && session->running() && session->fault().empty(); }

FinePoint refine_point(PatchWork work, Session& session, Clock::time_point end) {
  work.ask(session);
  if (wait_for(session, end, [&] { return work.take(session); })) return work.result();
  FinePoint none = work.result();
  none.why_not = kNoAnswer;
  return none;
}

// Nothing that is made beside the image, no average of earlier frames.
ImagingParams of_one_frame(const Image& image) {
  ImagingParams p = without_analyses(without_display(image.params));
  p.refine.persistence_s = 0.0;
  return p;
}

std::shared_ptr<PatchAnswer> ask_for(Session& session, const KeptFrame& kept, const ImagingParams& params) {
  auto answer = std::make_shared<PatchAnswer>();
  session.review({.frame = kept.frame,
                  .owner = kept.owner,
                  .params = params,
                  .compare = {},
                  .deliver =
                      [answer](const Image* image, const FlowImage*) {
                        if (image != nullptr) {
                          answer->db.assign(image->host().begin(), image->host().end());
                          answer->image = *image;
                          answer->image.host_db = answer->image.device_db = nullptr;
                          answer->image.storage.reset();
                        }
                        answer->done = true;
                      },
                  .ensemble = {},
                  .acquisition = kept.acquisition});
  return answer;
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
  ImagingParams p = of_one_frame(image);
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
  configuration_ = session.configurations();
  answer_ = ask_for(session, kept_, patch_params(image_, patch_.grid()));
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

MadeAgain make_again(Session& session, const KeptFrame& kept, const ImagingParams& params) {
  if (!runs(&session)) return {};
  const auto answer = ask_for(session, kept, params);
  constexpr std::chrono::minutes kLongest(10);  // a method on the CPU takes its time
  if (!wait_for(session, Clock::now() + kLongest, [&] { return answer->done.load(); })) return {};
  return {.image = answer->image, .db = answer->db};
}

std::vector<float> levels_without_method(const Image& image, const PointsAgain& again) {
  if (!again.kept || !runs(again.session) || !why_not_of(image, *again.session).empty()) return {};
  ImagingParams params = of_one_frame(image);
  params.formation.adaptive = Adaptive::off;
  const auto answer = ask_for(*again.session, *again.kept, params);
  const bool answered = wait_for(*again.session, Clock::now() + again.longest, [&] { return answer->done.load(); });
  return answered ? answer->db : std::vector<float>();
}

void refine_points(Measured& measured, const PointsAgain& again) {
  std::string why_not = why_no_fine_grid(measured.image);
  if (why_not.empty() && !again.kept) why_not = "the image's frame is not in the history";
  if (why_not.empty() && !runs(again.session)) why_not = "no stream is running";
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
