#include "app/window/fine_points.h"

#include <algorithm>

#include "core/sequence.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::int64_t kShare = 20;               // live, at most one part in so many of the processing thread's time
constexpr std::int64_t kPeriod_ns = 200'000'000;  // shortest time between two answers, live: faster cannot be read

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
    if (is_before(found, sequence)) {
      low = middle + 1;
    } else {
      high = middle;
    }
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
  if (work_->configuration() != session.configurations()) return work_.reset();  // the request went with its lanes
  if (!work_->take(session)) return;
  put(m, work_->result());
  work_.reset();
  not_before_ns_ = now_ns + std::max(kPeriod_ns, kShare * (now_ns - asked_ns_));
}

// Without numbers of the fine grid first, then, when it is time, those of the oldest frame.
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
