// Transmits of a zea file: receive apertures joined, coded transmits decoded, and the wave of each. Their geometry is
// t0_delays and tx_apodizations; polar_angles and focus_distances (0 or infinite: plane, negative: diverging) are notes
// on the wave that the delays make.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/readers/coded_lines.h"
#include "formats/readers/geometry.h"
#include "formats/readers/zea.h"

namespace echoloop {
namespace {

constexpr double kZeaTolerance_periods = 0.05;  // of a delay; scanner clocks round to less

// Returns the wave of polar_angles and focus_distances for transmit k, relative to the file's origin.
std::optional<Transmit> noted_wave(const ZeaScan& laws, std::size_t k) {
  constexpr double kFarthest_m = 10.0;  // beyond it a wave is plane for any aperture
  if (laws.polar_rad.empty()) return std::nullopt;
  Transmit t;
  const double focus_m = laws.focus_m.empty() ? 0.0 : laws.focus_m[k];
  if (focus_m == 0.0 || !(std::abs(focus_m) < kFarthest_m)) {
    t.angle_rad = laws.polar_rad[k];
    return t;
  }
  t.kind = focus_m < 0.0 ? TransmitKind::diverging : TransmitKind::focused;
  t.source_x_m = focus_m * std::sin(laws.polar_rad[k]);
  t.source_z_m = focus_m * std::cos(laws.polar_rad[k]);
  return t;
}

// Returns the same relative to the file's beam origin, or to the centre of the firing elements (walking apertures).
std::optional<Transmit> noted_wave_from(const ZeaScan& laws, const PlacedProbe& placed, const std::vector<bool>& active,
                                        std::size_t k) {
  auto noted = noted_wave(laws, k);
  if (!noted || noted->kind == TransmitKind::plane) return std::nullopt;
  double x_m = 0.0, z_m = 0.0, n = 0.0;
  for (std::size_t e = 0; e < active.size(); ++e)
    if (active[e]) x_m += placed.probe.elements[e].x_m, z_m += placed.probe.elements[e].z_m, n += 1.0;
  const bool has_origins = !laws.origins_m.empty();
  noted->source_x_m += has_origins ? laws.origins_m[3 * k] - placed.origin_x_m : x_m / n;
  noted->source_z_m += has_origins ? laws.origins_m[3 * k + 2] : z_m / n;
  return noted;
}

// Returns the plane wave of delays of elements in space, by least squares; nullopt: none within `tolerance_s`.
std::optional<WaveFit> plane_in_space(const std::vector<double>& delays_s, const Probe& probe, double c_m_s,
                                      double tolerance_s) {
  double n = 0.0, x = 0.0, y = 0.0, t = 0.0;
  for (std::size_t e = 0; e < delays_s.size(); ++e)
    if (!std::isnan(delays_s[e])) n += 1.0, x += probe.elements[e].x_m, y += probe.elements[e].y_m, t += delays_s[e];
  x /= n, y /= n, t /= n;
  double xx = 0.0, xy = 0.0, yy = 0.0, xt = 0.0, yt = 0.0;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    if (std::isnan(delays_s[e])) continue;
    const double dx = probe.elements[e].x_m - x, dy = probe.elements[e].y_m - y, dt = delays_s[e] - t;
    xx += dx * dx, xy += dx * dy, yy += dy * dy, xt += dx * dt, yt += dy * dt;
  }
  const double spread = xx * yy - xy * xy;
  if (!(spread > 1e-6 * xx * yy)) return std::nullopt;
  const double slope_x = (xt * yy - yt * xy) / spread, slope_y = (yt * xx - xt * xy) / spread;  // s / m
  const double sine_x = slope_x * c_m_s, sine_y = slope_y * c_m_s;
  if (!(sine_x * sine_x + sine_y * sine_y < 1.0)) return std::nullopt;
  for (std::size_t e = 0; e < delays_s.size(); ++e) {
    const Element& element = probe.elements[e];
    const double expected_s = t + slope_x * (element.x_m - x) + slope_y * (element.y_m - y);
    if (!std::isnan(delays_s[e]) && !(std::abs(delays_s[e] - expected_s) <= tolerance_s)) return std::nullopt;
  }
  WaveFit fit;
  fit.transmit.elevation_rad = std::asin(sine_y);
  fit.transmit.angle_rad = std::asin(std::clamp(sine_x / std::cos(fit.transmit.elevation_rad), -1.0, 1.0));
  fit.passage_s = t - slope_x * x - slope_y * y;
  return fit;
}

// Returns transmit k relative to the array's centre; t0_s without initial_times.
Transmit zea_transmit(const ZeaScan& s, const PlacedProbe& placed, const Acquisition& a, std::size_t k) {
  std::vector<bool> active(s.n_el);
  bool any = false;
  for (std::size_t e = 0; e < s.n_el; ++e) any = (active[e] = s.fires(k, e)) || any;
  if (!any) return {.kind = TransmitKind::none, .element_delays_s = {}};
  std::optional<Transmit> noted = noted_wave(s, k);
  if (noted) move_origin(placed, a.sound_speed_m_s, *noted);
  if (s.delays_s.empty()) {
    noted->t0_s = first_firing_s(*noted, placed.probe, a.sound_speed_m_s, active);
    noted->aperture_m = aperture_width_m(placed.probe, active);
    return *noted;
  }
  std::vector<double> delays_s(s.n_el, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t e = 0; e < s.n_el; ++e)
    if (active[e]) delays_s[e] = s.delays_s[k * s.n_el + e];
  const double tolerance_s = kZeaTolerance_periods / a.center_hz;
  WaveFit fit;
  if (leaves_plane(a.probe)) {
    const auto plane = plane_in_space(delays_s, a.probe, a.sound_speed_m_s, tolerance_s);
    fit = plane ? *plane
                : WaveFit{.transmit = {.kind = TransmitKind::delays, .element_delays_s = delays_s}, .passage_s = 0.0};
  } else {
    std::vector<Transmit> hints;
    for (const auto& hint : {noted, noted_wave_from(s, placed, active, k)})
      if (hint) hints.push_back(*hint);
    fit = fit_wave(delays_s, placed.probe, a.sound_speed_m_s, tolerance_s, hints);
  }
  fit.transmit.t0_s = -fit.passage_s;
  return fit.transmit;
}

enum class Polarity { positive, negative, mixed };

Polarity polarity(const ZeaScan& s, std::size_t k) {
  bool positive = false, negative = false;
  for (std::size_t e = 0; e < s.n_el; ++e) {
    positive = positive || s.weight(k, e) > 0.0;
    negative = negative || s.weight(k, e) < 0.0;
  }
  return positive && negative ? Polarity::mixed : negative ? Polarity::negative : Polarity::positive;
}

// Compares two events but for the sign of their weights: `sign` times those of l are those of r.
bool same_law(const ZeaScan& s, std::size_t l, std::size_t r, double sign) {
  constexpr double kSame_s = 1e-10;
  if (s.center_hz[l] != s.center_hz[r] || std::abs(s.initial(l) - s.initial(r)) > kSame_s ||
      std::abs(s.late_s[l] - s.late_s[r]) > kSame_s)
    return false;
  for (std::size_t e = 0; e < s.n_el; ++e) {
    if (std::abs(sign * s.weight(l, e) - s.weight(r, e)) > 1e-6) return false;
    const bool delayed = s.fires(l, e) && !s.delays_s.empty();
    if (delayed && std::abs(s.delays_s[l * s.n_el + e] - s.delays_s[r * s.n_el + e]) > kSame_s) return false;
  }
  if (!s.delays_s.empty()) return true;
  const auto same = [&](const std::vector<double>& notes) { return notes.empty() || notes[l] == notes[r]; };
  return same(s.polar_rad) && same(s.focus_m);
}

// Joins events of the same law that received with different elements.
LineStep join_receivers(const LineShape& stored, ZeaScan& s, Acquisition& a) {
  std::vector<std::size_t> rows;                 // first event of each group
  std::vector<std::vector<std::size_t>> groups;  // line of each element
  const auto is_free = [&](const std::vector<std::size_t>& group, std::size_t k) {
    for (std::size_t c = 0; c < s.n_rx; ++c)
      if (group[s.receivers[k * s.n_rx + c]] != kNoLine) return false;
    return true;
  };
  for (std::size_t k = 0; k < s.n_tx; ++k) {
    std::size_t g = 0;
    while (g < groups.size() && !(same_law(s, rows[g], k, 1.0) && is_free(groups[g], k))) ++g;
    if (g == groups.size()) {
      rows.push_back(k);
      groups.emplace_back(s.n_el, kNoLine);
    }
    for (std::size_t c = 0; c < s.n_rx; ++c) groups[g][s.receivers[k * s.n_rx + c]] = k * s.n_rx + c;
  }
  std::vector<std::size_t> lines;
  std::size_t n_silent = 0;
  for (const auto& group : groups) {
    lines.insert(lines.end(), group.begin(), group.end());
    n_silent += std::ranges::find(group, kNoLine) != group.end() ? 1 : 0;
  }
  LineShape out = stored;
  out.n_transmits = groups.size();
  out.n_elements = s.n_el;
  if (groups.size() < s.n_tx) {
    a.assumptions.push_back("receive multiplex: " + counted(s.n_tx, "event") + " of " + counted(s.n_rx, "channel") +
                            " joined to " + counted(groups.size(), "transmit"));
  }
  if (n_silent > 0) {
    a.assumptions.push_back("receive multiplex: " + counted(n_silent, "transmit") +
                            " received with some of the elements; the others weigh 0");
  }
  s.keep(rows);
  s.receivers.clear();
  s.n_rx = s.n_el;
  return gather_lines(stored, out, std::move(lines));
}

// IQ that was demodulated at a frequency of each transmit: shifts all to that of the first.
LineStep retune(const LineShape& shape, ZeaScan& s, const Acquisition& a) {
  std::vector<double> turns;  // per sample
  for (const double demod_hz : s.demod_hz) turns.push_back((demod_hz - a.demod_hz) / a.sampling_hz);
  std::ranges::fill(s.demod_hz, a.demod_hz);
  return {.out = shape, .run = [turns, shape](auto from, auto to) {
            for (std::size_t k = 0; k < shape.n_transmits; ++k) {
              for (std::size_t i = 0; i < shape.n_samples; ++i) {
                const auto turn = std::complex<float>(std::polar(1.0, 2.0 * kPi * turns[k] * static_cast<double>(i)));
                for (std::size_t r = 0; r < shape.n_elements; ++r) {
                  const std::size_t at = ((k * shape.n_elements + r) * shape.n_samples + i) * 2;
                  const std::complex<float> value = std::complex<float>(from[at], from[at + 1]) * turn;
                  to[at] = value.real(), to[at + 1] = value.imag();
                }
              }
            }
          }};
}

std::vector<std::size_t> firing_elements(const ZeaScan& s) {
  std::vector<std::size_t> firing;
  for (std::size_t e = 0; e < s.n_el; ++e) {
    bool any = false;
    for (std::size_t k = 0; k < s.n_tx; ++k) any = any || s.fires(k, e);
    if (any) firing.push_back(e);
  }
  return firing;
}

// Returns the other member of each positive event's pair, of opposite sign; empty unless all events are in pairs.
std::vector<std::pair<std::size_t, std::size_t>> opposite_pairs(const ZeaScan& s) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<bool> taken(s.n_tx);
  for (std::size_t k = 0; k < s.n_tx; ++k) {
    if (taken[k]) continue;
    std::size_t j = k + 1;
    while (j < s.n_tx && (taken[j] || !same_law(s, k, j, -1.0))) ++j;
    if (j == s.n_tx) return {};
    taken[j] = true;
    const bool first_positive = polarity(s, k) == Polarity::positive;
    pairs.emplace_back(first_positive ? k : j, first_positive ? j : k);
  }
  return pairs;
}

class Decoder {
 public:
  Decoder(const ZeaPart& part, const LineShape& shape, ZeaScan& scan, Acquisition& a)
      : part_(part), shape_(shape), s_(scan), a_(a), firing_(firing_elements(scan)) {}

  std::optional<LineStep> run() {
    const std::string how = part_.request.word("transmit_decoding").value_or("auto");
    if (how == "off") {
      if (is_coded()) note("transmits are coded and, as set, not decoded");
      return std::nullopt;
    }
    if (how == "hadamard") return is_hadamard() ? hadamard() : refuse(how, "a matrix that is not orthogonal, of +-1");
    if (how == "refocus") return is_alike() ? refocus() : refuse(how, "transmits of different pulses");
    if (how != "auto") {
      const auto pairs = opposite_pairs(s_);
      return pairs.empty() ? refuse(how, "transmits not in pairs of opposite sign") : pair(pairs, how == "pair_sum");
    }
    return chosen();
  }

 private:
  // By the rules of `auto`.
  std::optional<LineStep> chosen() {
    bool inverted = false;
    for (std::size_t k = 0; k < s_.n_tx; ++k) inverted = inverted || polarity(s_, k) == Polarity::negative;
    if (inverted)
      if (const auto pairs = opposite_pairs(s_); !pairs.empty()) return pair(pairs, s_.harmonic);
    if (!is_coded()) return std::nullopt;
    if (is_hadamard()) return hadamard();
    if (!is_alike()) {
      note("coded transmits of different pulses: not decoded");
      return std::nullopt;
    }
    if (measure_rank() && rank_ == firing_.size()) return refocus();
    note("transmit matrix of " + (rank_ > 0 ? "rank " + std::to_string(rank_) : shape_text()) + " for " +
         counted(firing_.size(), "element") + ": not decoded; the earliest arrival is used");
    return std::nullopt;
  }

  // Returns true if a transmit has weights of both signs, or is neither a plane nor a spherical wave.
  [[nodiscard]] bool is_coded() const {
    const PlacedProbe placed{.probe = a_.probe};
    for (std::size_t k = 0; k < s_.n_tx; ++k) {
      if (polarity(s_, k) == Polarity::mixed) return true;
      if (!s_.delays_s.empty() && zea_transmit(s_, placed, a_, k).kind == TransmitKind::delays) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_alike() const {  // of one pulse
    for (std::size_t k = 1; k < s_.n_tx; ++k) {
      const double later_s = std::abs(s_.late_s[k] - s_.late_s[0]);
      if (s_.center_hz[k] != s_.center_hz[0] || later_s > 0.1 / s_.center_hz[0]) return false;
    }
    return !firing_.empty() && !s_.delays_s.empty();
  }

  // Returns true for +-w with H H^T = n w^2 I, where each element has one delay in all transmits.
  [[nodiscard]] bool is_hadamard() const {
    const std::size_t n = firing_.size();
    if (n < 2 || n != s_.n_tx || !is_alike()) return false;
    const double w = std::abs(s_.weight(0, firing_[0]));
    for (std::size_t k = 0; k < n; ++k) {
      if (std::abs(s_.initial(k) - s_.initial(0)) > 1e-10) return false;
      for (const std::size_t e : firing_) {
        if (std::abs(std::abs(s_.weight(k, e)) - w) > 1e-4 * w) return false;
        if (std::abs(s_.delays_s[k * s_.n_el + e] - s_.delays_s[e]) > 1e-10) return false;
      }
      for (std::size_t j = 0; j < k; ++j) {
        double product = 0.0;
        for (const std::size_t e : firing_) product += s_.weight(k, e) * s_.weight(j, e);
        if (std::abs(product) > 1e-3 * w * w * static_cast<double>(n)) return false;
      }
    }
    return true;
  }

  LineStep hadamard() {
    const std::size_t n = s_.n_tx;
    const double w = s_.weight(0, firing_[0]);
    std::vector<float> inverse(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        inverse[i * n + k] = static_cast<float>(s_.weight(k, firing_[i]) / (w * w * static_cast<double>(n)));
    LineStep step = mix_transmits(shape_, n, std::move(inverse));
    note_decoded("hadamard: ", n, 1.0);
    become_single_elements();
    return step;
  }

  LineStep refocus() {
    if (rank_ == 0) static_cast<void>(measure_rank());
    const double fc_hz = s_.center_hz[0];
    const Decoding how{.sampling_hz = a_.sampling_hz,
                       .demod_hz = a_.demod_hz,
                       .low_hz = 0.05 * fc_hz,
                       .high_hz = a_.demod_hz > 0.0 ? a_.demod_hz + a_.sampling_hz : 1.95 * fc_hz,
                       .loading = part_.request.number("decode_loading").value_or(1e-2),
                       .pulse_s = s_.late_s[0] + 4.0 / fc_hz};
    LineStep step = decode_transmits(part_.request, shape_, matrix(), how);
    note_decoded("refocus: ", rank_, condition_);
    become_single_elements();
    std::ranges::fill(s_.delays_s, 0.0);
    return step;
  }

  LineStep pair(const std::vector<std::pair<std::size_t, std::size_t>>& pairs, bool sum) {
    std::vector<float> matrix(pairs.size() * s_.n_tx);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      matrix[i * s_.n_tx + pairs[i].first] = sum ? 1.0F : 0.5F;
      matrix[i * s_.n_tx + pairs[i].second] = sum ? 1.0F : -0.5F;
      rows.push_back(pairs[i].first);
    }
    LineStep step = mix_transmits(shape_, pairs.size(), std::move(matrix));
    note("pulse inversion: " + counted(pairs.size(), "pair") +
         (sum ? " summed: the even harmonics" : " subtracted: the fundamental and odd harmonics"));
    s_.keep(rows);
    return step;
  }

  // Firing elements only; time counts from the first sample of transmit 0.
  [[nodiscard]] TransmitMatrix matrix() const {
    TransmitMatrix m{.n_tx = s_.n_tx, .n_el = firing_.size(), .weights = {}, .delays_s = {}};
    for (std::size_t k = 0; k < s_.n_tx; ++k) {
      for (const std::size_t e : firing_) {
        m.weights.push_back(s_.weight(k, e));
        m.delays_s.push_back(s_.delays_s[k * s_.n_el + e] - (s_.initial(k) - s_.initial(0)));
      }
    }
    return m;
  }

  // Sets rank and condition at the centre frequency; false: too large a matrix.
  bool measure_rank() {
    constexpr std::size_t kMost = 256;
    constexpr double kLeast = 1e-3;  // of the largest singular value
    if (s_.n_tx > 4 * kMost || firing_.size() > kMost) return false;
    const std::vector<double> values = singular_values(matrix().at(s_.center_hz[0]), s_.n_tx, firing_.size());
    rank_ = static_cast<std::size_t>(std::ranges::count_if(values, [&](double v) { return v > kLeast * values[0]; }));
    condition_ = values.size() == firing_.size() && values.back() > 0.0 ? values[0] / values.back() : 0.0;
    return true;
  }

  void become_single_elements() {
    const std::size_t n = firing_.size();
    const std::vector<double> delays_s(s_.delays_s.begin(), s_.delays_s.begin() + static_cast<std::ptrdiff_t>(s_.n_el));
    s_.keep(std::vector<std::size_t>(n, 0));
    s_.weights.assign(n * s_.n_el, 0.0);
    s_.delays_s.assign(n * s_.n_el, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      s_.weights[i * s_.n_el + firing_[i]] = 1.0;
      s_.delays_s[i * s_.n_el + firing_[i]] = delays_s[firing_[i]];
    }
    for (auto* const notes : {&s_.polar_rad, &s_.azimuth_rad, &s_.focus_m, &s_.origins_m}) notes->clear();
  }

  [[nodiscard]] std::string shape_text() const {
    return std::to_string(s_.n_tx) + " x " + std::to_string(firing_.size());
  }

  void note_decoded(const char* how, std::size_t rank, double condition) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", condition);
    note("transmits decoded to " + counted(firing_.size(), "single element") + " (" + how + "transmit matrix " +
         shape_text() + ", rank " + std::to_string(rank) + ", condition " + text + ")");
  }

  void note(const std::string& text) { a_.assumptions.emplace_back(text, "transmit_decoding"); }

  [[noreturn]] std::optional<LineStep> refuse(const std::string& how, const char* found) const {
    throw Error(part_.request.what(), "transmit_decoding = " + how + " for " + found, "auto, or one that fits");
  }

  const ZeaPart& part_;
  LineShape shape_;
  ZeaScan& s_;
  Acquisition& a_;
  std::vector<std::size_t> firing_;
  std::size_t rank_ = 0;  // 0: not measured
  double condition_ = 0.0;
};

// Sets the receive frequency from demodulation_frequency, which zea uses for RF as well: it differs from the pulse's in
// harmonic imaging.
void look_at_harmonic(const ZeaScan& s, Acquisition& a) {
  constexpr double kSame = 0.25;  // of the pulse's frequency; scanners tune receivers slightly off
  const double received_hz = s.demod_hz.empty() ? 0.0 : s.demod_hz.front();
  if (!(received_hz > 0.0) || std::abs(received_hz - a.center_hz) <= kSame * a.center_hz) return;
  a.assumptions.emplace_back("harmonic imaging: transmitted at " + fixed_text(1e-6 * a.center_hz, 2) +
                                 " MHz, received at " + fixed_text(1e-6 * received_hz, 2) +
                                 " MHz (demodulation_frequency)",
                             "center_hz");
  a.center_hz = received_hz;
}

void note_transmits(const ZeaPart& part, const ZeaScan& s, Acquisition& a) {
  std::size_t inverted = 0;
  for (std::size_t k = 0; k < s.n_tx; ++k) inverted += polarity(s, k) == Polarity::negative ? 1 : 0;
  if (inverted > 0 && inverted < s.n_tx) {
    a.assumptions.push_back("pulse inversion: " + std::to_string(inverted) + " of " + counted(s.n_tx, "transmit") +
                            " have the opposite polarity; their sum contains the even harmonics");
  }
  std::size_t n_laws = 0, n_received = 0;
  for (const Transmit& t : a.transmits) {
    n_laws += t.kind == TransmitKind::delays ? 1 : 0;
    n_received += t.kind == TransmitKind::none ? 1 : 0;
  }
  if (n_laws > 0) {
    a.assumptions.push_back("t0_delays of " + counted(n_laws, "transmit") +
                            " is neither a plane nor a spherical wave: the earliest arrival is used");
  }
  const bool given = part.request.word("emission_s").has_value();
  if (n_received == 0 && given)
    throw Error(part.request.what(), "emission_s for transmits that fire", "a receive-only recording");
  if (n_received > 0 && !given)
    a.assumptions.emplace_back("receive only: time of emission unknown, 0 is used", "emission_s");
}

}  // namespace

std::vector<LineStep> zea_steps(const ZeaPart& part, const LineShape& stored, ZeaScan& s, Acquisition& a) {
  std::vector<LineStep> steps;
  LineShape shape = stored;
  const auto add = [&](LineStep step) {
    shape = step.out;
    steps.push_back(std::move(step));
  };
  const auto differs = [&](double demod_hz) { return demod_hz != a.demod_hz; };
  if (stored.n_values == 2 && std::ranges::any_of(s.demod_hz, differs)) add(retune(shape, s, a));
  if (!s.receivers.empty()) add(join_receivers(shape, s, a));
  if (auto decoded = Decoder(part, shape, s, a).run()) add(std::move(*decoded));
  return steps;
}

void add_zea_transmits(const ZeaPart& part, const ZeaScan& s, const PlacedProbe& placed, Acquisition& a) {
  const double emission_s = part.request.number("emission_s").value_or(0.0);
  for (std::size_t k = 0; k < s.n_tx; ++k) {
    Transmit t = zea_transmit(s, placed, a, k);
    t.t0_s += s.initial(k) - s.late_s[k] - (t.kind == TransmitKind::none ? emission_s : 0.0);
    a.transmits.push_back(std::move(t));
  }
  note_transmits(part, s, a);
  look_at_harmonic(s, a);  // after all uses of the pulse's wavelength
}

}  // namespace echoloop
