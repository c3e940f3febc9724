// Transmits of a Verasonics TX: the wave given by Steer and focus if the delays of its elements agree with it,
// otherwise one fitted to the delays, or the delays themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/readers/geometry.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop::verasonics {
namespace {

bool has_both_signs(const std::vector<double>& weights) {
  return std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; }) &&
         std::any_of(weights.begin(), weights.end(), [](double w) { return w < 0.0; });
}

// Returns the code for `weights` of each transmit, by element; empty if no transmit has weights of both signs. Throws
// Error if one has and the rows are no orthogonal code of as many transmits as elements.
Code code_of(const std::string& what, const std::vector<std::vector<double>>& weights) {
  const auto coded = std::find_if(weights.begin(), weights.end(), has_both_signs);
  if (coded == weights.end()) return {};
  const auto refuse = [&](const std::string& why) {
    throw Error(what, "TX.Apod of both signs, " + why,
                "elements of one sign, or an orthogonal code (Hadamard's) of as many transmits as elements");
  };
  const std::size_t n = weights.size();
  Code code;
  for (std::size_t e = 0; e < coded->size(); ++e)
    if ((*coded)[e] != 0.0) code.elements.push_back(e);
  if (code.elements.size() != n)
    refuse("of " + counted(code.elements.size(), "element") + " in " + counted(n, "transmit"));
  for (const auto& row : weights)
    if (row.size() != coded->size()) refuse("and transmits without Apod");
  const double square = static_cast<double>(n) * weights[0][code.elements[0]] * weights[0][code.elements[0]];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double product = 0.0;
      for (const std::size_t e : code.elements) product += weights[i][e] * weights[j][e];
      if (std::abs(product - (i == j ? square : 0.0)) > 1e-6 * square) refuse("without an orthogonal code");
    }
  }
  for (const std::size_t e : code.elements)
    for (std::size_t k = 0; k < n; ++k) code.inverse.push_back(static_cast<float>(weights[k][e] / square));
  return code;
}

constexpr double kTolerance_periods = 0.05;  // 250 MHz clocks round firing times to 0.02 periods of 5 MHz

// Returns the wave of FocalPt, or of Steer and focus from Origin; all in wavelengths.
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
  std::vector<double> weights;   // per element; empty without TX.Apod
  std::vector<bool> active;      // per element
  std::vector<double> delays_s;  // firing times, NaN: silent; empty without TX.Delay
};

// Reads numbers of TX: one per element, or one per element connected by its aperture.
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

// Delay of echoes beyond the program's model: the pulse's peak, and the two-way path through the lens.
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

struct Count {  // numbers of transmits
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

// Returns a transmit for each single element of the code, on their common clock.
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

// Probe of a Verasonics workspace: Trans, and the units of all other quantities.

namespace {

// Returns per element its channel in `channels` (from 1, 0: none), or its own number.
Columns columns_of(const std::string& what, const std::vector<double>& channels, std::size_t n_elements,
                   std::size_t n_columns) {
  Columns columns(n_elements, kNoColumn);
  for (std::size_t e = 0; e < n_elements; ++e) {
    const std::size_t channel = e < channels.size() ? whole(what, "Trans.Connector", channels[e], 0) : e + 1;
    if (channel > n_columns) {
      refuse(what, "element " + std::to_string(e + 1) + " on channel " + std::to_string(channel) + " of " +
                       std::to_string(n_columns));
    }
    if (channel > 0) columns[e] = channel - 1;
  }
  return columns;
}

// Reads Connector and Aperture, indices of channels in RcvData; in some script versions their names end in ES.
std::vector<Columns> apertures(const std::string& what, const MatNode& trans, std::size_t n_elements,
                               std::size_t n_columns, Acquisition& a) {
  const MatNode* mux = trans.find("HVMux");
  for (const char* const name : {"Aperture", "ApertureES"}) {
    const MatNode* const table = mux == nullptr ? nullptr : mux->find(name);
    if (table == nullptr || table->dims.size() != 2 || table->dims[0] != n_elements) continue;
    const std::vector<double> channels = mux->values(name);
    std::vector<Columns> all;
    for (std::size_t k = 0; k * n_elements < channels.size(); ++k) {
      const auto first = channels.begin() + static_cast<std::ptrdiff_t>(k * n_elements);
      all.push_back(columns_of(what, {first, first + static_cast<std::ptrdiff_t>(n_elements)}, n_elements, n_columns));
    }
    if (!all.empty()) return all;
  }
  std::vector<double> connector = trans.values("Connector");
  if (connector.empty()) connector = trans.values("ConnectorES");
  const bool beyond = std::any_of(connector.begin(), connector.end(),
                                  [&](double channel) { return channel > static_cast<double>(n_columns); });
  if (beyond && n_columns == n_elements) {
    connector.clear();
    a.assumptions.emplace_back(
        "columns assumed in the order of the elements: their number is the same, but Trans.Connector has larger "
        "indices");
  }
  return {columns_of(what, connector, n_elements, n_columns)};
}

// Returns true if the first two elements are spacingMm apart.
bool placed_in_mm(const MatNode& trans) {
  const MatNode* positions = trans.find("ElementPos");
  const std::vector<double> table = trans.values("ElementPos");
  const double spacing_mm = trans.number("spacingMm").value_or(0.0);
  const std::size_t n = positions == nullptr || positions->dims.empty() ? 0 : positions->dims[0];
  if (n < 2 || table.size() < 3 * n) return false;
  const double apart = std::hypot(table[1] - table[0], table[2 * n + 1] - table[2 * n]);
  return std::abs(apart - spacing_mm) < 0.02 * spacing_mm;
}

Places places_from_spacing(const std::string& what, const MatNode& trans, const Scales& s, std::size_t n,
                           Acquisition& a) {
  const double spacing_m = trans.number("spacingMm") ? *trans.number("spacingMm") * kMetresPerMillimetre
                                                     : trans.number("spacing").value_or(0.0) * s.wavelength_m;
  if (!(spacing_m > 0.0)) refuse(what, "Trans with neither ElementPos nor spacing");
  a.assumptions.emplace_back("elements in a line spaced by Trans.spacing: the file has no Trans.ElementPos");
  Places places;
  for (std::size_t e = 0; e < n; ++e) {
    places.x_m.push_back((static_cast<double>(e) - 0.5 * static_cast<double>(n - 1)) * spacing_m);
    places.y_m.push_back(0.0);
    places.z_m.push_back(0.0);
  }
  return places;
}

Places element_places(const std::string& what, const MatNode& trans, const Scales& s, std::size_t n_columns,
                      Acquisition& a) {
  const MatNode* positions = trans.find("ElementPos");
  const std::vector<double> table = trans.values("ElementPos");
  const bool stated = std::any_of(table.begin(), table.end(), [](double v) { return v != 0.0; });
  const double declared = trans.number("numelements").value_or(static_cast<double>(n_columns));
  const std::size_t n = positions == nullptr      ? whole(what, "Trans.numelements", declared, 1)
                        : positions->dims.empty() ? 0
                                                  : positions->dims[0];
  if (n == 0 || n > static_cast<std::size_t>(kMaxElements)) refuse(what, std::to_string(n) + " elements");
  if (!stated) return places_from_spacing(what, trans, s, n, a);
  if (positions->dims.size() != 2 || positions->dims[1] < 3)
    refuse(what, "Trans.ElementPos that is not elements x [x y z azimuth elevation]");
  Places places;
  for (std::size_t e = 0; e < n; ++e) {
    places.x_m.push_back(table[e] * s.element_unit_m);
    places.y_m.push_back(table[n + e] * s.element_unit_m);
    places.z_m.push_back(table[2 * n + e] * s.element_unit_m);
  }
  return places;
}

}  // namespace

Scales scales(const std::string& what, const MatTree& tree, Acquisition& a) {
  const MatNode* trans = tree.find("Trans");
  if (trans == nullptr) refuse(what, "no Trans");
  Scales s;
  s.frequency_hz = trans->number("frequency").value_or(0.0) * kHertzPerMegahertz;
  if (!trans->number("frequency")) refuse(what, "no Trans.frequency");
  if (!(s.frequency_hz > 0.0 && s.frequency_hz < 1e9))
    refuse(what, "Trans.frequency = " + std::to_string(s.frequency_hz * 1e-6) + " MHz");
  const MatNode* resource = tree.find("Resource");
  const MatNode* parameters = resource == nullptr ? nullptr : resource->find("Parameters");
  const auto speed = parameters == nullptr ? std::nullopt : parameters->number("speedOfSound");
  if (!speed)
    a.assumptions.emplace_back("sound speed 1540 m/s assumed: the file has no Resource.Parameters.speedOfSound");
  s.sound_speed_m_s = speed.value_or(1540.0);
  if (!(s.sound_speed_m_s > 100.0 && s.sound_speed_m_s < 10'000.0))
    refuse(what, "speedOfSound = " + std::to_string(s.sound_speed_m_s) + " m/s");
  s.wavelength_m = s.sound_speed_m_s / s.frequency_hz;
  const std::string units = trans->words("units");
  if (!units.empty() && units != "mm" && units != "wavelengths") refuse(what, "Trans.units '" + printable(units) + "'");
  const bool mm = units == "mm" || (units.empty() && placed_in_mm(*trans));
  if (units.empty()) {
    a.assumptions.emplace_back(std::string("element positions in ") +
                               (mm ? "mm assumed, consistent with Trans.spacingMm" : "wavelengths assumed") +
                               ": the file has no Trans.units");
  }
  s.element_unit_m = mm ? kMetresPerMillimetre : s.wavelength_m;
  return s;
}

ProbeParts probe(const std::string& what, const MatTree& tree, const Scales& s, std::size_t n_columns, Acquisition& a) {
  const MatNode& trans = *tree.find("Trans");
  const Places places = element_places(what, trans, s, n_columns, a);
  const PlacedProbe placed = place_probe(what + " (Trans.ElementPos)", places);
  ProbeParts parts{.probe = placed.probe,
                   .origin_x_m = placed.origin_x_m,
                   .apertures = apertures(what, trans, places.x_m.size(), n_columns, a)};
  parts.probe.element_width_m = trans.number("elementWidth").value_or(0.0) * s.element_unit_m;
  if (const std::string name = trans.words("name"); !name.empty()) parts.probe.name = name;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.emplace_back(moved);
  return parts;
}

std::vector<double> by_element(const std::vector<double>& values, const Columns& aperture, double otherwise) {
  const std::size_t n = aperture.size();
  if (values.size() >= n) return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)};
  const auto connected = std::count_if(aperture.begin(), aperture.end(), [](std::size_t c) { return c != kNoColumn; });
  if (values.empty() || static_cast<std::ptrdiff_t>(values.size()) != connected) return {};
  std::vector<double> all(n, otherwise);
  for (std::size_t e = 0, k = 0; e < n; ++e)
    if (aperture[e] != kNoColumn) all[e] = values[k++];
  return all;
}

}  // namespace echoloop::verasonics
