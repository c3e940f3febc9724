// What a Verasonics TX sends: the wave that Steer and focus name, when the delays of its elements agree with it, and
// otherwise the delays themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/number.h"
#include "formats/readers/geometry.h"
#include "formats/readers/verasonics_scheme.h"
#include "formats/readers/wave_fit.h"

namespace echoloop::verasonics {
namespace {

bool has_both_signs(const std::vector<double>& weights) {
  return std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; }) &&
         std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0.0; });
}

// `weights` of each transmit, by element. Nothing is coded when no transmit has weights of both signs. Throws Error
// when one has and the rows are no orthogonal code of as many transmits as elements.
Code code_of(const std::string& what, const std::vector<std::vector<double>>& weights) {
  const auto coded = std::find_if(weights.begin(), weights.end(), has_both_signs);
  if (coded == weights.end()) return {};
  const auto refuse = [&](const std::string& why) {
    throw Error(what, "TX.Apod of both signs, " + why,
                "elements of one sign, or an orthogonal code (Hadamard's) of as many transmits as elements");
  };
  const std::size_t n = weights.size();
  Code code;
  for (std::size_t e = 0; e < coded->size(); ++e) {
    if ((*coded)[e] != 0.0) code.elements.push_back(e);
  }
  if (code.elements.size() != n)
    refuse("of " + counted(code.elements.size(), "element") + " in " + counted(n, "transmit"));
  for (const auto& row : weights) {
    if (row.size() != coded->size()) refuse("and transmits without Apod");
  }
  const double square = static_cast<double>(n) * weights[0][code.elements[0]] * weights[0][code.elements[0]];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double product = 0.0;
      for (const std::size_t e : code.elements) product += weights[i][e] * weights[j][e];
      if (std::abs(product - (i == j ? square : 0.0)) > 1e-6 * square) refuse("without an orthogonal code");
    }
  }
  for (const std::size_t e : code.elements) {
    for (std::size_t k = 0; k < n; ++k) code.inverse.push_back(static_cast<float>(weights[k][e] / square));
  }
  return code;
}

constexpr double kTolerance_periods = 0.05;  // clocks of 250 MHz place firing times to 0.02 periods of 5 MHz

// FocalPt, or Steer and focus from Origin; all in wavelengths.
Transmit named_wave(const MatNode& tx, std::size_t k, const Scales& s, const ProbeParts& probe) {
  const std::vector<double> steer = tx.values("Steer", k);
  const std::vector<double> origin = tx.values("Origin", k);
  const std::vector<double> point = tx.values("FocalPt", k);
  const double focus_m = tx.number("focus", k).value_or(0.0) * s.wavelength_m;
  const double angle = steer.empty() ? 0.0 : steer[0];
  Transmit t;
  const bool placed = point.size() == 3 && point[2] != 0.0 && std::isfinite(point[0]) && std::isfinite(point[2]);
  if (!placed && (focus_m == 0.0 || !std::isfinite(focus_m))) {
    t.angle_rad = angle;
    return t;
  }
  const double x_m = origin.empty() ? 0.0 : origin[0] * s.wavelength_m;
  const double z_m = origin.size() < 3 ? 0.0 : origin[2] * s.wavelength_m;
  const double source_x_m = placed ? point[0] * s.wavelength_m : x_m + focus_m * std::sin(angle);
  t.source_x_m = source_x_m - probe.origin_x_m;
  t.source_z_m = placed ? point[2] * s.wavelength_m : z_m + focus_m * std::cos(angle);
  t.kind = (placed ? t.source_z_m : focus_m) < 0.0 ? TransmitKind::diverging : TransmitKind::focused;
  return t;
}

struct Sent {
  std::vector<double> weights;   // by element; empty without TX.Apod
  std::vector<bool> active;      // by element
  std::vector<double> delays_s;  // firing times, NaN: silent; empty without TX.Delay
};

// Numbers of TX are one an element, or one an element that its aperture connects.
Sent sent(const std::string& what, const MatNode& tx, std::size_t k, const Scales& s, const ProbeParts& probe) {
  const std::size_t n = probe.probe.elements.size();
  const std::size_t aperture = whole(what, "TX.aperture", tx.number("aperture", k).value_or(1.0), 1) - 1;
  const Columns& connected = probe.apertures[std::min(aperture, probe.apertures.size() - 1)];
  Sent sent{.weights = by_element(tx.values("Apod", k), connected, 0.0),
            .active = std::vector<bool>(n, true),
            .delays_s = by_element(tx.values("Delay", k), connected, 0.0)};
  for (std::size_t e = 0; e < sent.weights.size(); ++e) sent.active[e] = sent.weights[e] != 0.0;
  if (std::none_of(sent.active.begin(), sent.active.end(), [](bool on) { return on; }))
    throw Error(what, "TX(" + std::to_string(k + 1) + ") without a firing element", "at least one firing element");
  for (std::size_t e = 0; e < sent.delays_s.size(); ++e) {
    double& delay = sent.delays_s[e];
    delay = sent.active[e] ? delay / s.frequency_hz : std::numeric_limits<double>::quiet_NaN();
  }
  return sent;
}

// How much later than the program counts it an echo comes: the pulse's peak, and the lens on both ways.
class Lateness {
 public:
  Lateness(const MatTree& tree, const Scales& s, Acquisition& a) : tw_(tree.find("TW")), s_(s), a_(a) {
    const double lens = tree.find("Trans")->number("lensCorrection").value_or(0.0);
    lens_s_ = 2.0 * lens * s.element_unit_m / s.sound_speed_m_s;
  }

  double of(const MatNode& tx, std::size_t k) {
    const double waveform = tx.number("waveform", k).value_or(1.0);
    const bool known = waveform >= 1.0 && tw_ != nullptr && waveform <= static_cast<double>(tw_->rows.size());
    auto peak = known ? tw_->number("peak", static_cast<std::size_t>(waveform) - 1) : std::nullopt;
    if (!peak && tw_ != nullptr) peak = tw_->number("peak");
    peaks_told_ = peaks_told_ && peak.has_value();
    const double late_s = peak.value_or(0.0) / s_.frequency_hz;
    longest_s_ = std::max(longest_s_, late_s);
    return late_s + lens_s_;
  }

  void tell() {
    if (!peaks_told_) {
      a_.assumptions.emplace_back("no correction for the length of the transmitted pulse: the file has no TW.peak",
                                  "first_sample_s");
    }
    const auto microseconds = [](double seconds) { return std::to_string(seconds * 1e6).substr(0, 5) + " us"; };
    std::string text = longest_s_ > 0.0 ? "TW.peak, " + microseconds(longest_s_) : "";
    if (lens_s_ > 0.0)
      text += (text.empty() ? "" : ", and ") + std::string("twice Trans.lensCorrection, ") + microseconds(lens_s_);
    if (!text.empty())
      a_.assumptions.emplace_back("times are corrected by " + text + ", as in the scripts of the vendor",
                                  "first_sample_s");
  }

 private:
  const MatNode* tw_;
  const Scales& s_;
  Acquisition& a_;
  double lens_s_ = 0.0, longest_s_ = 0.0;
  bool peaks_told_ = true;
};

bool same_wave(const Transmit& x, const Transmit& y) {
  return x.kind == y.kind && x.angle_rad == y.angle_rad && x.source_x_m == y.source_x_m && x.source_z_m == y.source_z_m;
}

struct Count {  // of transmits
  int other_than_named = 0, no_wave = 0, without_delays = 0;
};

void tell(const Count& n, Acquisition& a) {
  if (n.without_delays > 0)
    a.assumptions.emplace_back("transmits from TX.Steer and TX.focus: the file has no TX.Delay for every element");
  if (n.other_than_named > 0)
    a.assumptions.emplace_back("TX.Steer and TX.focus do not agree with TX.Delay: the delays are used");
  if (n.no_wave > 0) {
    a.assumptions.emplace_back("TX.Delay of " + counted(n.no_wave, "transmit") +
                               " is neither a plane nor a spherical wave: the earliest arrival is used");
  }
}

// Each element of the code alone, on the clock that all of them share.
std::vector<Transmit> undone(const std::string& what, const Code& code, const std::vector<Sent>& all,
                             const std::vector<double>& t0_s, const std::vector<Shot>& shots, const ProbeParts& parts,
                             const Scales& s) {
  const std::vector<double>& first = all.front().delays_s;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool same = std::abs(t0_s[i] - t0_s[0]) < 1e-9 && !first.empty() && all[i].delays_s.size() == first.size() &&
                shots[i].aperture == shots[0].aperture;
    for (const std::size_t e : code.elements)
      same = same && std::abs(all[i].delays_s[e] - first[e]) <= kTolerance_periods / s.frequency_hz;
    if (!same)
      throw Error(what, "coded transmits with different delays, depths or apertures",
                  "the same delays, depths and apertures in each coded transmit");
  }
  std::vector<Transmit> transmits;
  for (const std::size_t e : code.elements) {
    std::vector<double> alone(first.size(), std::numeric_limits<double>::quiet_NaN());
    alone[e] = first[e];
    const WaveFit fit = fit_wave(alone, parts.probe, s.sound_speed_m_s, 0.0, {});
    transmits.push_back(fit.transmit);
    transmits.back().t0_s = t0_s[0] - fit.passage_s;
  }
  return transmits;
}

}  // namespace

Sending transmits(const std::string& what, const MatTree& tree, const Scales& s, const ProbeParts& parts,
                  const Scheme& scheme, Acquisition& a) {
  const MatNode& tx = *tree.find("TX");
  Lateness lateness(tree, s, a);
  std::vector<Sent> sent_all;
  std::vector<std::vector<double>> weights;
  std::vector<double> t0s;
  for (std::size_t i = 0; i < scheme.shots.size(); ++i) {
    const std::size_t k = scheme.shots[i].tx;
    t0s.push_back(2.0 * scheme.start_depth[i] / s.frequency_hz - lateness.of(tx, k));
    sent_all.push_back(sent(what, tx, k, s, parts));
    weights.push_back(sent_all.back().weights);
  }
  lateness.tell();
  Sending sending{.transmits = {}, .code = code_of(what, weights)};
  if (!sending.code.inverse.empty()) {
    sending.transmits = undone(what, sending.code, sent_all, t0s, scheme.shots, parts, s);
    a.assumptions.emplace_back("the coding in TX.Apod is decoded: one element per transmit");
    return sending;
  }
  Count count;
  for (std::size_t i = 0; i < scheme.shots.size(); ++i) {
    const std::size_t k = scheme.shots[i].tx;
    const double t0_s = t0s[i];
    const std::vector<bool>& active = sent_all[i].active;
    const std::vector<double>& delays_s = sent_all[i].delays_s;
    const bool named = tx.find("Steer", k) != nullptr || tx.find("focus", k) != nullptr;
    Transmit t = named_wave(tx, k, s, parts);
    if (delays_s.empty()) {
      t.t0_s = t0_s + first_firing_s(t, parts.probe, s.sound_speed_m_s, active);
      t.aperture_m = aperture_width_m(parts.probe, active);
      ++count.without_delays;
    } else {
      const WaveFit fit = fit_wave(delays_s, parts.probe, s.sound_speed_m_s, kTolerance_periods / s.frequency_hz,
                                   named ? std::vector<Transmit>{t} : std::vector<Transmit>{});
      const bool alone = std::count(active.begin(), active.end(), true) == 1;
      count.other_than_named += named && !alone && !same_wave(t, fit.transmit) ? 1 : 0;
      count.no_wave += fit.transmit.kind == TransmitKind::delays ? 1 : 0;
      t = fit.transmit;
      t.t0_s = t0_s - fit.passage_s;
    }
    sending.transmits.push_back(std::move(t));
  }
  tell(count, a);
  return sending;
}

}  // namespace echoloop::verasonics
