#include "formats/time_zero.h"

#include <algorithm>

#include "formats/readers/geometry.h"

namespace echoloop {
namespace {

using Complex = LineEnvelopes::Complex;

constexpr std::size_t kMostElements = LineEnvelopes::kMostElements, kMostEchoes = 8, kSearchedEvery = 3;
constexpr int kMostRows = 360, kMostColumns = 72;
constexpr double kWidestAngle = 0.46;  // rad from the normal: F-number 1
constexpr double kLongestShift_s = 8e-6, kStep_s = 1e-6;
constexpr double kSearch_m = 1.8e-3;      // above and below, for an echo shifted by other times
constexpr double kLeastGain_db = 2.0;     // for the coherence
constexpr double kLeastCoherence = 0.55;  // of an echo at its best: speckle is less coherent
constexpr double kPointGain_db = 0.6;     // if only points are visible:
constexpr double kPointCoherence = 0.9;   // lenses, noise and an inexact speed of sound reduce it
constexpr int kRounds = 2;                // repeated searches for the echoes
constexpr double kSame_periods = 1e-6;
constexpr double kLeastStep_m = kSearch_m / 512.0;  // for very short waves
constexpr double kLeastShift_periods = 3.0;         // smaller ones do not blur
constexpr int kMostSamples = 1 << 17;               // of a line: the envelopes of all lines are in memory

struct Place {
  double x_m = 0.0, z_m = 0.0;
};

struct Sums {
  double coherent = 0.0;  // squared magnitude of the sum of all channels
  double apart = 0.0;     // sum over transmits of the same for each transmit
  double energy = 0.0, count = 0.0;
  [[nodiscard]] double power() const { return count > 0.0 ? coherent / (count * count) : 0.0; }
};

class Search {
 public:
  Search(const Acquisition& a, std::span<const std::byte> frame) : a_(a), lines_(a, frame) {
    std::vector<double> cycles;
    for (const std::size_t t : lines_.transmits())
      cycles.push_back(a.signal == SignalKind::iq ? lines_.mix_hz() * a.transmits[t].t0_s : 0.0);
    lines_.count_phase_from(std::move(cycles));
    stated_.assign(lines_.transmits().size(), 0.0);
    for (const std::size_t e : lines_.elements()) {
      const double normal_rad = a.probe.elements[e].normal_rad;
      normals_.push_back({std::sin(normal_rad), std::cos(normal_rad)});
    }
  }

  void conjugate() { lines_.conjugate(); }

  // Returns the best coherence for any event of the times relative to the array of `stated`; 0: no distinct echoes.
  double best_coherence(const Search& stated) {
    find_echoes(0.0);
    if (echoes_.empty()) return 0.0;
    std::vector<std::vector<double>> tried{stated_};
    double best = coherence(stated_);
    for (const TimeEvent made_for : kEvents) {
      for (const TimeEvent counted_from : kEvents) {
        std::vector<double> shifts;
        for (const std::size_t t : lines_.transmits())
          shifts.push_back(event_s(counted_from, a_.transmits[t]) - stated.event_s(made_for, stated.a_.transmits[t]));
        if (std::ranges::any_of(tried, [&](const auto& other) { return are_same(shifts, other); })) continue;
        best = std::max(best, coherence(shifts));
        tried.push_back(std::move(shifts));
      }
    }
    return best;
  }
  static bool is_sharper(double found, double stated) {
    const double gain_db = decibels(found / stated);
    return (gain_db >= kLeastGain_db && found >= kLeastCoherence) ||
           (gain_db >= kPointGain_db && found >= kPointCoherence);
  }

  std::optional<TimeZeroDoubt> run() {
    find_echoes(0.0);
    if (echoes_.empty()) return std::nullopt;
    TimeZeroDoubt stated{.stated_coherence = coherence(stated_)};
    stated.found_coherence = stated.stated_coherence;
    if (decibels(1.0 / stated.stated_coherence) < kPointGain_db) return std::nullopt;
    const auto other_time = other_times(stated);
    const TimeZeroDoubt& best = other_time ? *other_time : stated;
    const auto mirrored = best.found_coherence < kPointCoherence ? mirror(stated) : std::nullopt;
    return mirrored && decibels(mirrored->found_coherence / best.found_coherence) >= kPointGain_db ? mirrored
                                                                                                   : other_time;
  }

 private:
  static constexpr TimeEvent kEvents[] = {TimeEvent::first_firing, TimeEvent::origin, TimeEvent::centre};

  [[nodiscard]] std::optional<TimeZeroDoubt> other_times(TimeZeroDoubt best) {
    other_events(best);
    const double of_event = best.found_coherence;
    for (int k = 1; k * kStep_s <= kLongestShift_s; ++k)
      for (const double sign : {-1.0, 1.0}) consider_shift(best, sign * k * kStep_s);
    if (best.fault == TimeZeroFault::shift) {
      refine(best);
      if (of_event > best.stated_coherence && decibels(best.found_coherence / of_event) < kLeastGain_db)
        return std::nullopt;  // ambiguous
    }
    const bool far = best.fault != TimeZeroFault::shift || std::abs(best.shift_s) * a_.center_hz >= kLeastShift_periods;
    const bool inside = std::abs(best.shift_s) < kLongestShift_s - kStep_s;
    if (!far || !inside || !is_sharper(best)) return std::nullopt;
    return best;
  }

  // Tests mirrored transmits, whose echoes of single transmits are at other positions. A mirrored angle convention may
  // come with another event, too.
  [[nodiscard]] std::optional<TimeZeroDoubt> mirror(TimeZeroDoubt found) {
    side_ = -1.0;
    find_echoes(0.0);
    if (echoes_.empty()) return std::nullopt;
    found.found_coherence = coherence(stated_);
    if (found.found_coherence < kPointCoherence) other_events(found);
    found.mirrored = true;
    if (!is_sharper(found)) return std::nullopt;
    return found;
  }

  void other_events(TimeZeroDoubt& best) const {
    for (const TimeEvent stated : kEvents) {
      for (const TimeEvent found : kEvents) {
        const std::vector<double> shifts = event_shifts(stated, found);
        if (shifts.empty() || !consider(best, shifts)) continue;
        best.fault = TimeZeroFault::event;
        best.stated_event = stated;
        best.found_event = found;
      }
    }
  }

  static bool is_sharper(const TimeZeroDoubt& found) {
    return is_sharper(found.found_coherence, found.stated_coherence);
  }

  // Refines to a tenth of a step. Far from the right time the echoes are blurred and displaced: they are then searched
  // again with the better time.
  void refine(TimeZeroDoubt& best) {
    for (int round = 0;; ++round) {
      const double middle = best.shift_s;
      for (int k = -6; k <= 6; ++k) consider_shift(best, middle + 0.1 * k * kStep_s);
      const bool promising = decibels(best.found_coherence / best.stated_coherence) >= kLeastGain_db;
      if (round == kRounds || !promising || best.found_coherence >= kPointCoherence) return;
      find_echoes(best.shift_s);
      if (echoes_.empty()) return;
      const double base = best.shift_s;
      best.found_coherence = coherence(common(base));
      for (int k = -6; k <= 6; ++k) consider_shift(best, base + 0.5 * k * kStep_s);
    }
  }

  using Aperture = std::array<bool, kMostElements>;

  [[nodiscard]] Aperture aperture_of(const Place& p) const {
    static const double least = std::pow(std::cos(kWidestAngle), 2);
    Aperture seen{};
    for (std::size_t e = 0; e < lines_.elements().size(); ++e) {
      const Element& element = a_.probe.elements[lines_.elements()[e]];
      const double dx = p.x_m - element.x_m, dz = p.z_m - element.z_m;
      const double ahead = dx * normals_[e].x_m + dz * normals_[e].z_m;
      seen[e] = ahead > 0.0 && ahead * ahead >= (dx * dx + dz * dz) * least;
    }
    return seen;
  }

  [[nodiscard]] Sums sums_at(const Place& p, const std::vector<double>& shifts_s, const Aperture& seen,
                             std::size_t every = 1) const {
    Sums sums;
    std::complex<double> all;
    std::array<double, kMostElements> path_s{};
    for (std::size_t e = 0; e < lines_.elements().size(); ++e) {
      if (!seen[e]) continue;
      const Element& element = a_.probe.elements[lines_.elements()[e]];
      const double dx = p.x_m - element.x_m, dz = p.z_m - element.z_m;
      path_s[e] = std::sqrt(dx * dx + dz * dz) / a_.sound_speed_m_s;
    }
    for (std::size_t t = 0; t < lines_.transmits().size(); t += every) {
      const Transmit& transmit = a_.transmits[lines_.transmits()[t]];
      const double sent_s =
          arrival_s(transmit, a_.probe, side_ * p.x_m, p.z_m, a_.sound_speed_m_s) - transmit.t0_s - shifts_s[t];
      std::complex<double> one;
      for (std::size_t e = 0; e < lines_.elements().size(); ++e) {
        if (!seen[e]) continue;
        const Complex v = lines_.at(t, e, (sent_s + path_s[e]) * a_.sampling_hz);
        one += std::complex<double>(v);
        sums.energy += std::norm(v);
        sums.count += 1.0;
      }
      sums.apart += std::norm(one);
      all += one;
    }
    sums.coherent = std::norm(all);
    return sums;
  }

  // Finds the strongest echoes of single transmits, apart from each other: independent of the common time of transmits.
  void find_echoes(double shift_s) {
    echoes_.clear();
    echoes_at_s_ = shift_s;
    const std::vector<double> shifts = common(shift_s);
    const double wavelength = a_.sound_speed_m_s / a_.center_hz;
    const auto [left, right] = std::ranges::minmax(a_.probe.elements, {}, &Element::x_m);
    const double depth = 0.45 * a_.sound_speed_m_s * (a_.n_samples / a_.sampling_hz + a_.transmits[0].t0_s + shift_s);
    const double top = std::max(8.0 * wavelength, 3e-3), width = right.x_m - left.x_m;
    if (!(depth > top + 4.0 * wavelength) || !(width > 0.0)) return;
    const int rows = static_cast<int>(std::min<double>(kMostRows, (depth - top) / (0.5 * wavelength)));
    const int columns = static_cast<int>(std::clamp<double>(width / wavelength, 8.0, kMostColumns));
    struct Found {
      Place at;
      double strength;
    };
    std::vector<Found> all;
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) {
        const Place p{left.x_m + width * (j + 0.5) / columns, top + (depth - top) * i / rows};
        const Sums sums = sums_at(p, shifts, aperture_of(p), kSearchedEvery);
        const double strength = sums.apart / sums.count;
        if (std::isfinite(strength)) all.push_back({p, strength});  // no channels or an overflow
      }
    }
    std::ranges::sort(all, std::greater<>(), &Found::strength);
    for (const Found& one : all) {
      if (echoes_.size() == kMostEchoes || one.strength < 0.01 * all.front().strength) break;
      const bool apart = std::ranges::all_of(echoes_, [&](const Place& other) {
        return std::hypot(other.x_m - one.at.x_m, other.z_m - one.at.z_m) > 2.0 * kSearch_m;
      });
      if (apart) echoes_.push_back(one.at);
    }
    step_x_m_ = width / columns;
    step_z_m_ = std::max(0.5 * wavelength, kLeastStep_m);
  }

  // Returns the coherence with these times at the strongest point of each echo, weighted by power, so that side lobes
  // of a strong echo count little.
  [[nodiscard]] double coherence(const std::vector<double>& shifts_s) const {
    double middle = 0.0, coherent = 0.0, whole = 0.0;
    for (const double shift : shifts_s) middle += shift / static_cast<double>(shifts_s.size());
    for (const Place& echo : echoes_) {
      Sums strongest;
      const Aperture aperture = aperture_of(echo);  // the same for all times: fewer channels would be more coherent
      Place at{echo.x_m, echo.z_m + 0.5 * a_.sound_speed_m_s * (middle - echoes_at_s_)};
      const auto look = [&](const Place& p) {
        if (p.z_m <= 0.0) return;
        const Sums sums = sums_at(p, shifts_s, aperture);
        if (sums.power() > strongest.power()) strongest = sums, at = p;
      };
      const Place centre = at;
      for (double dz = -kSearch_m; dz <= kSearch_m; dz += step_z_m_)
        for (int ix = -1; ix <= 1; ++ix) look({centre.x_m + ix * step_x_m_, centre.z_m + dz});
      for (const double part : {0.5, 0.25}) {
        const Place rough = at;
        for (const double dx : {-part, 0.0, part}) {
          for (const double dz : {-part, 0.0, part})
            if (dx != 0.0 || dz != 0.0) look({rough.x_m + dx * step_x_m_, rough.z_m + dz * step_z_m_});
        }
      }
      coherent += strongest.power();
      if (strongest.count > 0.0) whole += strongest.energy / strongest.count;
    }
    return std::max(whole > 0.0 ? coherent / whole : 0.0, 1e-3);
  }

  bool consider(TimeZeroDoubt& best, const std::vector<double>& shifts_s) const {
    const double found = coherence(shifts_s);
    if (found <= best.found_coherence) return false;
    best.shift_s = shifts_s.front();
    best.found_coherence = found;
    return true;
  }
  void consider_shift(TimeZeroDoubt& best, double shift_s) const {
    if (consider(best, common(shift_s))) best.fault = TimeZeroFault::shift;
  }

  // Returns true for the same times, as of coinciding events: within a part of a period that does not affect coherence.
  [[nodiscard]] bool are_same(const std::vector<double>& a_s, const std::vector<double>& b_s) const {
    return std::ranges::equal(a_s, b_s,
                              [&](double a, double b) { return std::abs(a - b) * a_.center_hz < kSame_periods; });
  }

  [[nodiscard]] std::vector<double> common(double shift_s) const {
    return std::vector<double>(stated_.size(), shift_s);
  }
  static double decibels(double ratio) { return 10.0 * std::log10(ratio); }

  // Returns the event's time relative to the passage of the wave through the origin.
  [[nodiscard]] double event_s(TimeEvent event, const Transmit& t) const {
    switch (event) {
      case TimeEvent::first_firing:
        return first_firing_s(t, a_.probe, a_.sound_speed_m_s, {});
      case TimeEvent::centre: {
        const auto [left, right] = std::ranges::minmax(a_.probe.elements, {}, &Element::x_m);
        return side_ * arrival_s(t, a_.probe, 0.5 * (left.x_m + right.x_m), 0.0, a_.sound_speed_m_s);
      }
      case TimeEvent::origin:
        break;
    }
    return 0.0;
  }

  // Returns the shifts between two events; empty if they coincide for all transmits, or one is the same as the third.
  [[nodiscard]] std::vector<double> event_shifts(TimeEvent stated, TimeEvent found) const {
    std::vector<double> shifts;
    double most = 0.0;
    for (const std::size_t t : lines_.transmits()) {
      shifts.push_back(event_s(found, a_.transmits[t]) - event_s(stated, a_.transmits[t]));
      most = std::max(most, std::abs(shifts.back()));
    }
    const bool centred = std::ranges::all_of(lines_.transmits(), [&](std::size_t t) {
      return std::abs(event_s(TimeEvent::centre, a_.transmits[t])) * a_.center_hz < 0.5;
    });
    const bool same = centred && (stated == TimeEvent::centre || found == TimeEvent::centre);
    if (most * a_.center_hz < 0.5 || same) shifts.clear();
    return shifts;
  }

  const Acquisition& a_;
  LineEnvelopes lines_;
  std::vector<double> stated_;
  std::vector<Place> normals_;  // of the elements, unit length
  std::vector<Place> echoes_;
  double echoes_at_s_ = 0.0;  // shift of the search
  double side_ = 1.0;         // -1: the waves are sent mirrored, from right to left
  double step_x_m_ = 0.0, step_z_m_ = 0.0;
};

bool has_echoes_to_search(const Acquisition& a, std::span<const std::byte> frame) {
  const bool focused =
      std::ranges::any_of(a.transmits, [](const Transmit& t) { return t.kind == TransmitKind::focused; });
  const double band_hz = a.signal == SignalKind::rf ? 2.5 * a.center_hz : 0.0;
  const bool whole_periods = 4.0 * a.sampling_hz / a.center_hz < a.n_samples;  // twice the low-pass filter's length
  return !focused && a.data != DataKind::beamformed && a.sampling_hz >= band_hz && whole_periods && a.n_samples >= 64 &&
         a.n_samples <= kMostSamples && a.n_elements() >= 8 && frame.size() >= a.frame_bytes();
}

}  // namespace

std::optional<TimeZeroDoubt> measure_time_zero(const Acquisition& a, std::span<const std::byte> frame) {
  if (!has_echoes_to_search(a, frame)) return std::nullopt;
  return Search(a, frame).run();
}

std::optional<OtherFact> measure_other_fact(const Acquisition& a, std::span<const std::byte> frame, OtherFacts sought) {
  if (!has_echoes_to_search(a, frame)) return std::nullopt;
  Search stated(a, frame);
  const double stated_coherence = std::max(stated.best_coherence(stated), 1e-3);
  if (stated_coherence >= kPointCoherence) return std::nullopt;
  std::optional<OtherFact> best;
  for (OtherFact& other : other_facts(a, sought)) {
    Search search(other.acquisition, frame);
    if (other.kind == OtherFactKind::quadrature) search.conjugate();
    other.stated_coherence = stated_coherence;
    other.found_coherence = search.best_coherence(stated);
    if (Search::is_sharper(other.found_coherence, stated_coherence) &&
        (!best || other.found_coherence > best->found_coherence))
      best = std::move(other);
  }
  return best;
}

}  // namespace echoloop
