#include "formats/readers/must.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/library_recording.h"
#include "formats/readers/geometry.h"

namespace echoloop {
namespace {

constexpr double kMustTolerance_periods = 0.02;  // of a delay; single precision and 250 MHz clocks round to less

class Param {
 public:
  Param(const std::string& what, const std::map<std::string, MatField>& fields) : what_(what), fields_(fields) {}

  [[nodiscard]] const MatField* find(const char* name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::optional<double> number(const char* name) const {
    const MatField* const field = find(name);
    if (field == nullptr) return std::nullopt;
    if (field->values.size() != 1)
      throw Error(what_, std::string("param.") + name + " of shape " + shape_text(field->dims), "one number");
    return field->values[0];
  }
  [[nodiscard]] double required(const char* name) const {
    const auto value = number(name);
    if (!value) throw Error(what_, std::string("no number param.") + name, std::string("a param struct with ") + name);
    return *value;
  }

 private:
  const std::string& what_;
  const std::map<std::string, MatField>& fields_;
};

// Reads param.elements: x, or x and z, or x, y and z; one column or row per element.
Probe elements_probe(const std::string& what, const MatField& listed, std::size_t n) {
  const std::vector<std::size_t>& dims = listed.dims;
  const bool columns = dims.size() == 2 && dims[1] == n && dims[0] <= 3;
  const bool rows = !columns && dims.size() == 2 && dims[0] == n && dims[1] <= 3;
  const std::size_t n_axes = columns ? dims[0] : rows ? dims[1] : 1;
  if (listed.values.size() != n_axes * n) {
    throw Error(what, "param.elements of shape " + shape_text(dims) + " for " + counted(n, "element"),
                "x, or x and z, for each element");
  }
  std::vector<double> x_m(n), z_m(n, 0.0);
  for (std::size_t e = 0; e < n; ++e) {
    const auto axis = [&](std::size_t k) { return listed.values[columns ? e * n_axes + k : k * n + e]; };
    x_m[e] = axis(0);
    if (n_axes > 1) z_m[e] = axis(n_axes - 1);
  }
  return listed_probe(what + " (param.elements)", x_m, z_m, {});
}

Probe must_probe(const std::string& what, const Param& param, std::size_t n_elements) {
  if (n_elements > static_cast<std::size_t>(kMaxElements))
    throw Error(what, counted(n_elements, "element"), "up to 16384");
  const auto declared = param.number("nelements");
  if (declared && *declared != static_cast<double>(n_elements)) {
    throw Error(what,
                "param.Nelements = " + std::to_string(*declared) + " for samples of " + counted(n_elements, "element"),
                "the same number in both");
  }
  const int n = static_cast<int>(n_elements);
  const MatField* const listed = param.find("elements");
  if (listed == nullptr) static_cast<void>(param.required("pitch"));
  const auto pitch_m = param.number("pitch");
  Probe probe;
  if (listed != nullptr) {
    probe = elements_probe(what, *listed, n_elements);
    if (pitch_m) probe.pitch_m = *pitch_m;
  } else if (const double radius_m = param.number("radius").value_or(HUGE_VAL); std::isfinite(radius_m)) {
    probe = make_convex_probe(what, n, *pitch_m, radius_m, 0.0);
  } else {
    probe = make_pitch_probe(what, n, *pitch_m, 0.0);
  }
  const auto kerf_m = param.number("kerf");
  probe.element_width_m = param.number("width").value_or(kerf_m ? probe.pitch_m - *kerf_m : 0.0);
  return probe;
}

struct MustShot {
  Transmit transmit;
  double shift_s = 0.0;  // converts the file's times to the program's time zero
};

// Returns the shot of TXangle, the older convention: the first element to fire fires at t = 0; for a positive angle
// this is element 1, so the wave is steered to +x. A plane wave passes the origin |sin a| * aperture / (2 c) later.
MustShot angle_shot(double angle_rad, const Probe& probe, double sound_speed_m_s) {
  MustShot shot;
  shot.transmit.angle_rad = angle_rad;
  shot.shift_s = first_firing_s(shot.transmit, probe, sound_speed_m_s, {});
  return shot;
}

// Returns the shot of TXdelay: times on the clock of the file, on which the wave passes the origin at fit.passage_s; a
// law that is no plane or spherical wave keeps that clock.
MustShot delay_shot(const std::vector<double>& delays_s, const Acquisition& a) {
  WaveFit fit = fit_wave(delays_s, a.probe, a.sound_speed_m_s, kMustTolerance_periods / a.center_hz, {});
  return {.transmit = std::move(fit.transmit), .shift_s = -fit.passage_s};
}

std::vector<MustShot> must_shots(const std::string& what, const Param& param, Acquisition& a) {
  const std::size_t n = a.probe.elements.size();
  std::vector<MustShot> shots;
  if (const MatField* const angles = param.find("txangle"); angles != nullptr && param.find("txdelay") == nullptr) {
    if (angles->values.size() > static_cast<std::size_t>(kMaxTransmits))
      throw Error(what, "too many angles in param.TXangle", "up to 16384");
    if (a.probe.kind != ProbeKind::linear) throw Error(what, "param.TXangle with a curved array", "param.TXdelay");
    for (const double angle : angles->values)
      if (!(std::abs(angle) < kPi / 2))
        throw Error(what, "param.TXangle with " + std::to_string(angle), "radians between -pi/2 and pi/2");
    for (const double angle : angles->values) shots.push_back(angle_shot(angle, a.probe, a.sound_speed_m_s));
    a.assumptions.push_back(
        "time is counted from the first firing, and a positive angle fires element 1 first, the definition of TXangle "
        "in MUST");
    return shots;
  }
  const MatField* const delays = param.find("txdelay");
  if (delays == nullptr) {
    a.assumptions.push_back("no TXdelay and no TXangle in the file: simultaneous firing of all elements assumed");
    shots.push_back(delay_shot(std::vector<double>(n, 0.0), a));
    return shots;
  }
  if (delays->values.size() == 1 && delays->values[0] == 0.0) {  // short form of simultaneous firing
    shots.push_back(delay_shot(std::vector<double>(n, 0.0), a));
    return shots;
  }
  const bool row_each = delays->dims.size() == 2 && delays->dims[1] == n;  // one row per transmit, or one column
  const std::size_t n_tx = delays->dims.size() != 2 ? 1 : delays->dims[row_each ? 0 : 1];
  if (delays->values.size() != n_tx * n || n_tx > static_cast<std::size_t>(kMaxTransmits)) {
    throw Error(what, "param.TXdelay of shape " + shape_text(delays->dims) + " for " + counted(n, "element"),
                "one row of delays for each transmit");
  }
  for (std::size_t k = 0; k < n_tx; ++k) {
    std::vector<double> law(n);
    for (std::size_t e = 0; e < n; ++e) law[e] = delays->values[row_each ? e * n_tx + k : k * n + e];
    if (std::all_of(law.begin(), law.end(), [](double delay) { return std::isnan(delay); }))
      throw Error(what, "param.TXdelay of transmit " + std::to_string(k + 1) + " all NaN",
                  "at least one firing element");
    shots.push_back(delay_shot(law, a));
  }
  return shots;
}

// Returns time x element [x frame], [x transmit] or [x transmit x frame].
std::vector<Axis> must_axes(const std::string& what, std::vector<std::size_t> dims, std::size_t n_tx) {
  std::vector<Axis> axes{Axis::time, Axis::element};
  if (dims.size() == 3) axes.push_back(n_tx > 1 ? Axis::transmit : Axis::frame);
  if (dims.size() == 4) axes.insert(axes.end(), {Axis::transmit, Axis::frame});
  if (dims.size() > 4 || (dims.size() == 2 && n_tx > 1) ||
      (axes.size() > 2 && axes[2] == Axis::transmit && dims[2] != n_tx)) {
    throw UnknownLayout(what,
                        "samples of shape " + shape_text(dims) + " with " + counted(n_tx, "transmit") + " in param",
                        "time x element [x transmit] [x frame]");
  }
  return axes;
}

// Throws UnknownLayout if no fact counts the elements and the shape suggests another order of axes than MUST's.
void refuse_other_order(const std::string& what, const Param& param, const std::vector<std::size_t>& dims) {
  const MatField* const delays = param.find("txdelay");
  if (param.find("nelements") != nullptr || param.find("elements") != nullptr ||
      (delays != nullptr && delays->values.size() > 1))
    return;
  const std::size_t n_third = dims.size() > 2 ? dims[2] : 1;
  const bool few = dims[1] < 16 && n_third > dims[1];
  if (2 * dims[0] >= std::max(dims[1], n_third) && !few) return;
  throw UnknownLayout(what, "samples of shape " + shape_text(dims), "time x element [x transmit] [x frame]");
}

void set_frequencies(const Param& param, Acquisition& a) {
  a.sampling_hz = param.required("fs");
  const auto center = param.number("fc");
  a.center_hz = center ? *center : param.number("f0").value_or(0.0);
  if (a.center_hz == 0.0) {
    a.center_hz = a.sampling_hz / 4.0;
    a.assumptions.emplace_back("centre frequency " + std::to_string(a.center_hz * 1e-6).substr(0, 5) +
                                   " MHz assumed (fs / 4): the file has no fc",
                               "center_hz");
  }
  if (!param.number("c")) a.assumptions.push_back("sound speed 1540 m/s assumed: the file has no c");
  a.sound_speed_m_s = param.number("c").value_or(1540.0);
}

}  // namespace

MustFacts must_facts(const std::string& what, const std::vector<std::size_t>& shape, SignalKind signal,
                     const std::map<std::string, MatField>& fields) {
  const Param param(what, fields);
  MustFacts facts{.acquisition = {}, .axes = {}, .rotation_rad = {}};
  Acquisition& a = facts.acquisition;
  set_frequencies(param, a);
  for (const auto& [name, value] : {std::pair{"fs", a.sampling_hz}, {"fc", a.center_hz}, {"c", a.sound_speed_m_s}})
    if (!(value > 0.0))
      throw Error(what, std::string("param.") + name + " = " + std::to_string(value), "above 0, in Hz and m/s");
  refuse_other_order(what, param, shape);
  a.probe = must_probe(what, param, shape.at(1));
  const std::vector<MustShot> shots = must_shots(what, param, a);
  facts.axes = must_axes(what, shape, shots.size());
  const bool iq = signal == SignalKind::iq;
  if (iq) {
    a.demod_hz = a.center_hz;
    a.assumptions.push_back("IQ assumed to be demodulated at the centre frequency, as by rf2iq of MUST");
  }
  const MatField* const t0 = param.find("t0");
  if (t0 != nullptr && t0->values.size() != 1 && t0->values.size() != shots.size())
    throw Error(what, "param.t0 of shape " + shape_text(t0->dims), "one number, or one for each transmit");
  bool rotated = false;
  for (std::size_t k = 0; k < shots.size(); ++k) {
    Transmit transmit = shots[k].transmit;
    const double t0_s = t0 == nullptr ? 0.0 : t0->values[t0->values.size() == 1 ? 0 : k];
    transmit.t0_s = t0_s + shots[k].shift_s;
    a.transmits.push_back(std::move(transmit));
    // rf2iq mixes with exp(-i 2 pi fc t) on the file's clock.
    facts.rotation_rad.push_back(-2.0 * kPi * a.demod_hz * shots[k].shift_s);
    rotated = rotated || facts.rotation_rad.back() != 0.0;
  }
  if (!iq || !rotated) facts.rotation_rad.clear();
  if (t0 == nullptr)
    a.assumptions.emplace_back("no t0 in the file: first sample assumed at the first firing", "first_sample_s");
  const auto prf_hz = param.number("prf");
  if (prf_hz) a.frame_rate_hz = *prf_hz / static_cast<double>(shots.size());
  if (!prf_hz) a.assumptions.emplace_back("frame rate unknown: the file has no PRF", "frame_rate_hz");
  return facts;
}

RecordingParts must_recording(const std::string& what, const OwnedArray& array,
                              const std::map<std::string, MatField>& fields) {
  const bool iq = !array.imaginary.bytes.empty();
  MustFacts facts = must_facts(what, array.real.shape, iq ? SignalKind::iq : SignalKind::rf, fields);
  RecordingParts parts{.acquisition = std::move(facts.acquisition),
                       .samples = sample_source(what, array.real, facts.axes),
                       .owner = array.owner,
                       .format = {}};
  parts.named.axes = axis_names(facts.axes);
  if (iq) {
    const SampleSource imaginary = sample_source(what, array.imaginary, facts.axes);
    parts.samples.n_values = 2;
    for (std::size_t f = 0; f < imaginary.frames.size(); ++f) parts.samples.frames[f][1] = imaginary.frames[f][0];
  }
  if (array.real.type == NumberType{NumberKind::unsigned_integer, 1, ByteOrder::little}) {
    parts.samples.offset = 128.0;
    parts.acquisition.assumptions.push_back("8-bit unsigned samples: 128 is assumed to be zero");
  }
  parts.samples.rotation_rad = std::move(facts.rotation_rad);
  return parts;
}

}  // namespace echoloop
