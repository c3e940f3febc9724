#include "app/outputs/patch_request.h"

#include <chrono>
#include <thread>
#include <utility>

#include "gui/overlay/mark_drawing.h"

namespace echoloop {
namespace {

using Clock = std::chrono::steady_clock;

bool runs(const Session* session) { return session != nullptr && session->running() && session->fault().empty(); }

}  // namespace

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
  if (answer_->db.empty()) {  // frame of a lost file, or failed device
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
  const Clock::time_point end = Clock::now() + std::chrono::minutes(10);  // a method on the CPU may be slow
  while (!answer->done) {
    if (!session.fault().empty() || Clock::now() > end) return {};
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return {.image = answer->image, .db = answer->db};
}

ImageAgain::ImageAgain(const Measured& measured, PointsAgain again)
    : measured_(measured),
      again_(std::move(again)),
      end_(Clock::now() + again_.longest),
      wants_levels_(changed_by_method(measured.image.params) && !(measured.pairs.empty() && measured.regions.empty())) {
  measured_.fine = again_.known;
}

std::string ImageAgain::why_no_points(Session* session) const {
  if (std::string why = why_no_fine_grid(measured_.image); !why.empty()) return why;
  if (!again_.kept) return "the image's frame is not in the history";
  return runs(session) ? why_not_of(measured_.image, *session) : "no stream is running";
}

// Begins or continues the next point; a later step receives its answer.
void ImageAgain::refine(const MeasuredPoint& point, Session* session) {
  const FinePoint* known = measured_.fine_of(point);
  std::string why = why_no_points(session);
  if (known != nullptr && known->spread && known->frame == measured_.image.stamp.sequence) {
    points_.push_back(*known);
  } else if (!why.empty()) {
    points_.push_back(no_fine_point(measured_, point, why));
  } else if (!work_) {
    work_.emplace(measured_.image, point, *again_.kept);
    return work_->ask(*session);
  } else if (work_->configuration() != session->configurations() || Clock::now() > end_) {
    points_.push_back(no_fine_point(measured_, point, kNoAnswer));
  } else if (work_->take(*session)) {
    points_.push_back(work_->result());
  } else {
    return;
  }
  work_.reset();
  ++next_;
}

bool ImageAgain::step(Session* session) {
  while (next_ < measured_.points.size()) {
    const MeasuredPoint& point = measured_.points[next_];
    const std::size_t before = next_;
    if (point.echo.spread)
      refine(point, session);
    else
      ++next_;
    if (next_ == before) return false;
  }
  const bool can = again_.kept && runs(session) && why_not_of(measured_.image, *session).empty();
  if (!wants_levels_ || !can) return true;
  if (levels_ == nullptr) {
    ImagingParams params = of_one_frame(measured_.image);
    params.formation.adaptive = Adaptive::off;
    levels_ = ask_for(*session, *again_.kept, params);
  }
  return levels_->done || Clock::now() > end_;
}

std::vector<float> ImageAgain::take_levels() {
  return levels_ != nullptr && levels_->done ? std::move(levels_->db) : std::vector<float>();
}

}  // namespace echoloop
