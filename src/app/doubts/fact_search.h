// Trials of other facts of a recording: each has the agreement of the channels under it (agreement.h). Any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "app/doubts/hypotheses.h"

namespace echoloop {

struct Trial {
  Change change;
  Agreement agreement;
  [[nodiscard]] double quality() const { return agreement.quality(); }
};

class FactSearch {
 public:
  FactSearch(const StatedFacts& stated, std::span<const std::byte> frame, double centre_hz,
             const SampleReading& reading)
      : FactSearch(stated, stated, frame, centre_hz, reading) {}
  // `aperture`: facts that apertures follow.
  FactSearch(const StatedFacts& stated, const StatedFacts& aperture, std::span<const std::byte> frame, double centre_hz,
             const SampleReading& reading)
      : stated_(stated),
        frame_(frame),
        centre_hz_(centre_hz),
        reading_(reading),
        lines_(stated.a, frame, centre_hz, reading),
        measure_(stated.a, stated.t0_s, lines_, aperture.a) {}

  [[nodiscard]] Trial trial(const Change& change) const {
    const Acquisition facts = change.apply(stated_);
    if (change.kind) {  // beams or waves: other transmits and pixels
      const ChannelLines lines(facts, frame_, centre_hz_, reading_);
      return {change, AgreementMeasure(stated_.a, stated_.t0_s, lines, facts).under(facts)};
    }
    if (change.reading == SampleReading{}) return {change, measure_.under(facts)};
    SampleReading both = change.reading;
    both.channel_of = reading_.channel_of;
    if (both.sign.empty()) both.sign = reading_.sign;
    const ChannelLines lines(stated_.a, frame_, centre_hz_, both);
    return {change, AgreementMeasure(stated_.a, stated_.t0_s, lines, stated_.a).under(facts)};
  }

  // Tries all, on two threads.
  void try_all(const std::vector<Change>& changes) {
    const std::size_t half = changes.size() / 2;
    const auto part = [&](std::size_t from, std::size_t to) {
      std::vector<Trial> done;
      for (std::size_t i = from; i < to; ++i) done.push_back(trial(changes[i]));
      return done;
    };
    auto second = std::async(std::launch::async, part, half, changes.size());
    for (Trial& t : part(0, half)) add(std::move(t));
    for (Trial& t : second.get()) add(std::move(t));
  }

  void add(Trial t) { trials_.push_back(std::move(t)); }

  // Best trial of a family; null: none.
  [[nodiscard]] const Trial* best_of(Family family) const {
    const Trial* best = nullptr;
    for (const Trial& t : trials_) {
      if (t.change.family == family && (best == nullptr || t.quality() > best->quality())) best = &t;
    }
    return best;
  }
  [[nodiscard]] const Trial* best() const {
    const Trial* best = nullptr;
    for (const Trial& t : trials_)
      if (t.change.family != Family::none && (best == nullptr || t.quality() > best->quality())) best = &t;
    return best;
  }
  // Returns the best trials of the families, the best one first.
  [[nodiscard]] std::vector<Trial> finalists() const {
    std::vector<Trial> all;
    for (int f = static_cast<int>(Family::none) + 1; f <= static_cast<int>(Family::demod); ++f)
      if (const Trial* const t = best_of(static_cast<Family>(f)); t != nullptr) all.push_back(*t);
    // Two changes have to be clearly better than one.
    constexpr double kOfTwo = 1.2;
    std::ranges::sort(all, std::greater<>(), [](const Trial& t) {
      return t.quality() / (t.change.mirrored && t.change.event ? kOfTwo : 1.0);
    });
    return all;
  }
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }

  // Tries the neighbours of the family's best trial, in ever smaller steps.
  void refine(Family family, const std::vector<double>& steps) {
    for (const double step : steps) {
      const Trial* const top = best_of(family);
      if (top == nullptr) return;
      const Change middle = top->change;
      std::vector<Change> around;
      for (const double by : {-step, step}) {
        Change c = middle;
        if (family == Family::scale) c.scale *= 1.0 + by;
        if (family == Family::rate) c.rate *= 1.0 + by;
        if (family == Family::pitch) c.pitch *= 1.0 + by;
        if (family == Family::t0) c.shift_s += by * 1e-6;
        if (family == Family::demod) c.demod_hz *= 1.0 + by;
        if (family == Family::angles) {
          if (c.angle_offset_rad != 0.0)
            c.angle_offset_rad *= 1.0 + 2.0 * by;
          else if (c.angles_rad.empty())
            c.angle_factor *= 1.0 + by;
          else
            for (double& angle : c.angles_rad) angle *= 1.0 + by;
        }
        if (family == Family::kind) c.distance_factor *= 1.0 + 4.0 * by;
        around.push_back(std::move(c));
      }
      try_all(around);
    }
  }

  // Tries the best of each family with small shifts of t0, which are no doubt by themselves.
  void shift_finalists() {
    std::vector<Change> shifted;
    const double limit = 0.2 * best()->quality();
    for (const Family family : {Family::scale, Family::rate, Family::pitch, Family::event, Family::side, Family::order,
                                Family::angles, Family::kind, Family::samples, Family::polarity, Family::demod}) {
      const Trial* const top = best_of(family);
      if (top == nullptr || top->quality() < limit) continue;
      for (const double us : {-1.0, -0.6, 0.6, 1.0}) {
        shifted.push_back(top->change);
        shifted.back().shift_s += us * 1e-6;
      }
    }
    try_all(shifted);
  }

  // Returns the vertex of a parabola through log Q about the family's best trial, which is steadier than the largest
  // value: `place` of a trial, within `reach`. The same if the curve has no maximum there.
  [[nodiscard]] double vertex(Family family, double (*place)(const Change&), double reach) const {
    const Trial& top = *best_of(family);
    const double middle = place(top.change);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    for (const Trial& t : trials_) {
      if (t.change.family != family && t.change.family != Family::none) continue;
      const double x = (place(t.change) - middle) / reach, w = t.quality() / top.quality();
      if (std::abs(x) > 1.0 || w < 0.5) continue;
      const double y = std::log(w), x2 = x * x;
      s0 += 1, s1 += x, s2 += x2, s3 += x * x2, s4 += x2 * x2, y0 += y, y1 += x * y, y2 += x2 * y;
    }
    if (s0 < 5) return middle;
    const double det = s4 * (s2 * s0 - s1 * s1) - s3 * (s3 * s0 - s1 * s2) + s2 * (s3 * s1 - s2 * s2);
    const double a = (y2 * (s2 * s0 - s1 * s1) - s3 * (y1 * s0 - s1 * y0) + s2 * (y1 * s1 - s2 * y0)) / det;
    const double b = (s4 * (y1 * s0 - y0 * s1) - y2 * (s3 * s0 - s1 * s2) + s2 * (s3 * y0 - y1 * s2)) / det;
    if (!(a < 0.0) || !std::isfinite(b)) return middle;
    return middle + reach * std::clamp(-0.5 * b / a, -0.7, 0.7);
  }

 private:
  const StatedFacts& stated_;
  std::span<const std::byte> frame_;
  double centre_hz_;
  SampleReading reading_;
  ChannelLines lines_;
  AgreementMeasure measure_;
  std::vector<Trial> trials_;
};

}  // namespace echoloop
