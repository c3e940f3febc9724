#include "app/review/history_requests.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/grid.h"
#include "core/params.h"
#include "core/stream_settings.h"
#include "core/units.h"
#include "gui/overlay/m_mode_columns.h"

namespace echoloop {
namespace {

constexpr std::size_t kAhead = 2;  // a next one is always ready for the lane

// Returns true if `made` gives the same levels as `wanted`; an automatic level of 0 dB is equal to the one in use.
bool makes_same(const ImagingParams& made, const ImagingParams& wanted) {
  const bool level =
      wanted.level.reference_db <= kAutoReference || made.level.reference_db == wanted.level.reference_db;
  return level && same_pixels(made, wanted) && made.refine == wanted.refine;
}

}  // namespace

void MModeReview::begin(WindowState& state, const Key& key) {
  key_ = key;
  stamps_ = history_.stamps();
  answers_ = std::make_shared<Answers>();
  next_ = stamps_.size();
  first_ = had_ = asked_ = 0;
  state.view.m_mode.cancelled = false;
}

// Returns true for a column on this line, made with the parameters in the panels.
bool MModeReview::has(const WindowState& state, const FrameStamp& stamp) const {
  const LineColumn* found = state.image.m_mode.columns == nullptr ? nullptr : state.image.m_mode.columns->find(stamp);
  return found != nullptr && makes_same(found->origin->params, key_->params) &&
         line_column(found->origin->grid, key_->at) == found->origin->column;
}

void MModeReview::update(WindowState& state, Session& session, Moment moment) {
  const MModeEdits& view = state.view.m_mode;
  MModeProgress& progress = state.image.m_mode.progress;
  if (moment == Moment::live || !view.wanted || !state.view.inspected || !session.running()) {
    key_.reset();
    progress = {};
    return;
  }
  const Key key{*state.view.inspected, without_display(state.params), session.configurations()};
  const bool goes_on = key_.has_value() && key_->at == key.at && key_->configuration == key.configuration &&
                       makes_same(key_->params, key.params) &&
                       key_->params.level.reference_db == key.params.level.reference_db;
  if (!goes_on) begin(state, key);
  if (!view.cancelled && !answers_->failed) ask(state, session);
  const std::size_t came = answers_->came;
  progress = {.done = had_ + came,
              .all = stamps_.size() - first_,
              .under_way = !view.cancelled && !answers_->failed && (next_ > first_ || came < asked_),
              .failed = answers_->failed};
}

void MModeReview::ask(WindowState& state, Session& session) {
  if (state.image.m_mode.columns != nullptr && state.image.m_mode.columns->line() != nullptr) {
    const std::size_t room = MModeColumns::capacity(state.image.m_mode.columns->line()->grid);
    first_ = stamps_.size() - std::min(stamps_.size(), room);
  }
  const std::size_t came = answers_->came;  // limits the requests of a turn, even if answers arrive meanwhile
  for (; next_ > first_ && asked_ - came < kAhead; --next_) {
    if (has(state, stamps_[next_ - 1])) {
      ++had_;
      continue;
    }
    const std::optional<KeptFrame> kept = history_.at(next_ - 1);
    if (!kept.has_value() || kept->acquisition != session.acquisition()) continue;  // one line per description
    session.review({.frame = kept->frame,
                    .owner = kept->owner,
                    .params = key_->params,
                    .compare = {},
                    .deliver =
                        [to = answers_, writer = writer_, at = key_->at](const Image* image, const FlowImage*) {
                          if (image == nullptr) {
                            to->failed = true;
                            return;
                          }
                          writer->write(*image, at);
                          ++to->came;
                        },
                    .acquisition = kept->acquisition});
    ++asked_;
  }
}

namespace {

constexpr double kInspectionShare = 1.0 / 100.0;  // maximum share of the processing thread's time, live
constexpr std::int64_t kPeriod_ns = 200'000'000;  // minimum time between two answers, live: faster is not readable
constexpr std::size_t kPicturesAtOnce = 8;

}  // namespace

void InspectorController::forget(WindowState& state) {
  open_ = waiting_ = false;
  asked_.reset();
  state.image.inspector.pixel.reset();
  state.image.inspector.pictures.clear();
  state.image.inspector.acquisition.reset();
  state.image.inspector.refusal.clear();
  state.view.inspector.transmit = -1;
}

void InspectorController::close(WindowState& state, Session& session) {
  if (!open_) return;
  session.end_inspection();
  const int transmit = state.view.inspector.transmit;
  forget(state);
  state.view.inspector.transmit = transmit;  // for the same source, when opened again
}

void InspectorController::take(WindowState& state) {
  if (!answers_.take()) return;
  const InspectionAnswer& answer = answers_.front();
  if (!waiting_ || answer.number != requests_) return;
  InspectorView& view = state.image.inspector;
  view.refusal = answer.refusal;
  if (answer.pixel != nullptr) view.pixel = answer.pixel;
  for (const auto& picture : answer.pictures)
    if (static_cast<std::size_t>(picture->transmit) < view.pictures.size())
      view.pictures[static_cast<std::size_t>(picture->transmit)] = picture;
  work_s_ = answer.work_s;
  waiting_ = !answer.complete;
}

// Returns the images in view that are missing or from another frame.
std::vector<int> InspectorController::wanted_pictures(const WindowState& state, std::uint64_t sequence) const {
  const InspectorView& view = state.image.inspector;
  std::vector<int> list;
  for (const int k : state.view.inspector.pictures_seen) {
    if (k < 0 || static_cast<std::size_t>(k) >= view.pictures.size()) continue;
    const auto& picture = view.pictures[static_cast<std::size_t>(k)];
    if (picture == nullptr || picture->stamp.sequence != sequence) list.push_back(k);
  }
  return list;
}

namespace {

void follow(InspectorView& view, int& transmit, const AcquisitionPtr& acquisition) {
  if (view.acquisition != acquisition) {
    view.acquisition = acquisition;
    view.pixel.reset();
    view.pictures.clear();
  }
  view.pictures.resize(acquisition->transmits.size());
  if (transmit >= static_cast<int>(acquisition->transmits.size())) transmit = -1;
}

}  // namespace

// Returns the frame at the playhead, or the newest one; states the reason if there is none.
std::optional<KeptFrame> InspectorController::frame_of(WindowState& state, Moment moment) {
  const std::size_t frames = history_.extent().frames;
  if (frames > 0) return history_.at(moment == Moment::frozen ? std::min(state.cine.index, frames - 1) : frames - 1);
  state.image.inspector.refusal = state.kept.why_not.empty() ? "No frames in history yet." : state.kept.why_not;
  return std::nullopt;
}

void InspectorController::update(WindowState& state, Session& session, Moment moment, std::int64_t now_ns) {
  InspectorView& view = state.image.inspector;
  InspectorEdits& edits = state.view.inspector;
  if (!edits.wanted || !state.view.inspected || !session.running() || state.source.acquisition == nullptr) {
    if (session.running() && !edits.wanted) close(state, session);
    return;
  }
  open_ = true;
  take(state);
  if (configuration_ != session.configurations()) waiting_ = false;  // its lanes are gone
  if (waiting_) return;
  const bool frozen = moment == Moment::frozen;
  const std::optional<KeptFrame> kept = frame_of(state, moment);
  if (!kept.has_value()) return;
  // History frames may be from an earlier description of a scanner.
  const AcquisitionPtr& acquisition = kept->acquisition != nullptr ? kept->acquisition : state.source.acquisition;
  if (view.acquisition != acquisition) asked_.reset();
  follow(view, edits.transmit, acquisition);
  const std::uint64_t sequence = kept->frame.stamp.sequence;
  const Key key{*state.view.inspected, edits.transmit, without_display(state.params)};
  const bool same = asked_ == key;
  // Frozen, a changed parameter invalidates all images of single transmits. Live, they are updated one by one anyway.
  if (frozen && asked_.has_value() && asked_->params != key.params)
    std::fill(view.pictures.begin(), view.pictures.end(), nullptr);
  std::vector<int> pictures = wanted_pictures(state, sequence);
  const bool empty = std::any_of(pictures.begin(), pictures.end(), [&view](int k) {
    return view.pictures[static_cast<std::size_t>(k)] == nullptr && view.refusal.empty();
  });
  if (frozen) {
    if (same && asked_sequence_ == sequence && (pictures.empty() || !view.refusal.empty())) return;
  } else {
    // A click is answered at once, as is a pixel not shown yet.
    const bool clicked = !asked_.has_value() || !asked_->same_place(key);
    if (same && asked_sequence_ == sequence) return;
    if (!clicked && !empty && now_ns < not_before_ns_) return;
  }
  if (!frozen && !empty && pictures.size() > 1) {  // the next one each time
    std::rotate(pictures.begin(), pictures.begin() + next_picture_++ % static_cast<int>(pictures.size()),
                pictures.end());
    pictures.resize(1);
  }
  pictures.resize(std::min(pictures.size(), kPicturesAtOnce));
  session.inspect({.frame = kept->frame,
                   .owner = kept->owner,
                   .params = key.params,
                   .at = key.at,
                   .transmit = key.transmit,
                   .pictures = std::move(pictures),
                   .number = ++requests_,
                   .acquisition = kept->acquisition});
  asked_ = key;
  asked_sequence_ = sequence;
  configuration_ = session.configurations();
  waiting_ = true;
  not_before_ns_ = now_ns + std::max(kPeriod_ns, static_cast<std::int64_t>(work_s_ / kInspectionShare * 1e9));
}

namespace {

constexpr std::int64_t kShare = 20;  // live, at most 1/20 of the processing thread's time

void put(Measured& m, FinePoint fine) {
  std::erase_if(m.fine, [&](const FinePoint& f) { return f.mark == fine.mark; });
  m.fine.push_back(std::move(fine));
  m.fine_came = true;
}

}  // namespace

std::optional<KeptFrame> find_kept(const RfHistory& history, std::uint64_t sequence) {
  std::size_t low = 0, high = history.extent().frames;  // numbers rise; live, indices may shift meanwhile
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    auto kept = history.at(middle);
    if (!kept) return std::nullopt;
    const std::uint64_t found = kept->frame.stamp.sequence;
    if (found == sequence) return kept;
    if (is_before(found, sequence))
      low = middle + 1;
    else
      high = middle;
  }
  return std::nullopt;
}

void FinePoints::forget(Measured& measured) {
  work_.reset();
  not_before_ns_ = 0;
  measured.fine_came = measured.fine_came || !measured.fine.empty();
  measured.fine.clear();
}

void FinePoints::take(Measured& m, Session& session, std::int64_t now_ns) {
  if (!work_) return;
  if (work_->configuration() != session.configurations()) return work_.reset();  // its lanes are gone
  if (!work_->take(session)) return;
  put(m, work_->result());
  work_.reset();
  not_before_ns_ = now_ns + std::max(kPeriod_ns, kShare * (now_ns - asked_ns_));
}

// Returns a point without fine-grid numbers first; then, after the interval, the one with the oldest frame.
const MeasuredPoint* FinePoints::next_point(const Measured& m, Moment moment, std::int64_t now_ns) const {
  const MeasuredPoint* next = nullptr;
  std::uint64_t oldest = 0;
  for (const MeasuredPoint& point : m.points) {
    if (!point.echo.spread) continue;
    const FinePoint* fine = m.fine_of(point);
    if (fine == nullptr) return &point;
    if (fine->frame == m.image.stamp.sequence) continue;
    if (next == nullptr || fine->frame < oldest) next = &point, oldest = fine->frame;
  }
  return moment == Moment::frozen || now_ns >= not_before_ns_ ? next : nullptr;
}

void FinePoints::begin(Measured& m, Session& session, const MeasuredPoint& point, std::int64_t now_ns) {
  std::string why = why_no_fine_grid(m.image);
  if (why.empty() && history_.budget_bytes() == 0) why = "no history";
  auto kept = why.empty() ? find_kept(history_, m.image.stamp.sequence) : std::nullopt;
  if (kept && kept->acquisition != m.image.acquisition) kept.reset();
  if (!kept && why.empty()) why = why_not_of(m.image, session);
  if (!kept) {
    not_before_ns_ = now_ns + kPeriod_ns;
    return put(m, no_fine_point(m, point, why.empty() ? "the image's frame is not in the history" : why));
  }
  work_.emplace(m.image, point, std::move(*kept));
  work_->ask(session);
  asked_ns_ = now_ns;
}

void FinePoints::update(Measured& m, Session& session, Moment moment, std::int64_t now_ns) {
  if (!session.running() || m.image.number == 0 || m.points.empty()) return work_.reset();
  take(m, session, now_ns);
  const bool frozen = moment == Moment::frozen;
  std::erase_if(m.fine, [&](const FinePoint& f) {
    const bool other_frame = frozen && f.frame != m.image.stamp.sequence;
    return other_frame || std::none_of(m.points.begin(), m.points.end(),
                                       [&](const MeasuredPoint& p) { return p.mark == f.mark && p.at == f.at; });
  });
  if (work_) return;
  if (const MeasuredPoint* point = next_point(m, moment, now_ns)) begin(m, session, *point, now_ns);
}

}  // namespace echoloop
