#include "app/review/method_difference.h"

#include <algorithm>
#include <utility>

#include "app/review/history_requests.h"

namespace echoloop {
namespace {

constexpr std::int64_t kLeast_ns = 500'000'000, kPart = 20;  // at most 1/20 of the processing thread's time

bool compares(const WindowState& state) {
  return state.cine.compare && state.kept.a_recording.name.empty() && state.cine.a.formation.adaptive != Adaptive::own;
}

ImagingParams other_params(const WindowState& state, const Image& shown) {
  ImagingParams params = of_one_frame(shown);
  params.formation.adaptive = Adaptive::off;
  if (compares(state)) {
    params.formation = state.cine.a.formation;
    params.transmits = state.cine.a.transmits;
  }
  return params;
}

std::string name_of(const ImagingParams& params) {
  const Adaptive method = params.formation.adaptive;
  return method == Adaptive::off ? "delay-and-sum" : std::string(row_of(method).words.label);
}

// Returns why the levels of the image cannot be compared; empty: they can.
std::string why_not(const Image& shown, const std::optional<KeptFrame>& kept) {
  const ImagingParams& p = shown.params;
  if (p.formation.adaptive_show == AdaptiveShow::weight && has_factor(p.formation)) return "the image shows weights";
  if (p.refine.persistence_s > 0.0) return "persistence averages frames";
  return kept && kept->acquisition == shown.acquisition ? "" : "the frame is not in the history";
}

}  // namespace

void MethodDifference::take(OwnDifference& view, Session& session, std::int64_t now_ns) {
  if (work_->configuration != session.configurations()) return work_.reset();  // its lanes are gone
  PatchAnswer& other = *work_->other;
  if (!other.done) return;
  const std::unique_ptr<Work> work = std::move(work_);
  not_before_ns_ = now_ns + std::max(kLeast_ns, kPart * (now_ns - work->asked_ns));
  view = {.method = work->method, .levels = {}, .why_not = {}};
  if (other.image.grid != work->image.grid || other.db.empty()) {
    view.why_not = other.db.empty() ? "the frame could not be processed" : "A has another grid";
    return;
  }
  const auto by = static_cast<float>(other.image.params.level.reference_db - work->image.params.level.reference_db);
  for (float& level : other.db) level += by;
  view.levels = levels_apart({.db = work->db, .grid = work->image.grid}, other.picture(), kRange_db);
}

void MethodDifference::begin(WindowState& state, Session& session, const Image& shown, const std::vector<float>& db) {
  const std::optional<KeptFrame> kept = find_kept(history_, shown.stamp.sequence);
  if (std::string why = why_not(shown, kept); !why.empty()) {
    state.image.method.difference = {.method = {}, .levels = {}, .why_not = std::move(why)};
    return;
  }
  work_ = std::make_unique<Work>(Work{.image = shown,
                                      .db = db,
                                      .method = name_of(against_),
                                      .other = ask_for(session, *kept, against_),
                                      .configuration = session.configurations()});
  work_->image.host_db = work_->image.device_db = nullptr;
  work_->image.storage.reset();
}

void MethodDifference::update(WindowState& state, Session& session, const Image& shown,
                              const std::function<std::vector<float>()>& levels, std::int64_t now_ns) {
  const bool wanted = std::exchange(state.view.difference_wanted, false);
  if (!wanted || !session.running() || shown.number == 0) return work_.reset();
  if (work_ != nullptr) take(state.image.method.difference, session, now_ns);
  if (work_ != nullptr || now_ns < not_before_ns_) return;
  if (shown.params.formation.adaptive != Adaptive::own) return;  // delay-and-sum in place of a late answer
  ImagingParams against = other_params(state, shown);
  if (image_ == shown.number && against_ == against) return;  // frozen
  image_ = shown.number;
  against_ = std::move(against);
  not_before_ns_ = now_ns + kLeast_ns;
  begin(state, session, shown, levels());
  if (work_ != nullptr) work_->asked_ns = now_ns;
}

}  // namespace echoloop
