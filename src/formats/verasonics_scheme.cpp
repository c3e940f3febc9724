#include "formats/verasonics_scheme.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/units.h"
#include "formats/placed_probe.h"
#include "formats/reader.h"
#include "formats/verasonics.h"

namespace echoloop::verasonics {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found) {
  throw Error(what, found, kVerasonicsAccepted);
}

// A count or index of the file: a whole number from `least`, below 1e9.
std::size_t whole(const std::string& what, const std::string& name, double value, double least) {
  if (!(value >= least && value < 1e9) || value != std::floor(value))
    refuse(what, name + " = " + std::to_string(value));
  return static_cast<std::size_t>(value);
}

std::vector<std::size_t> element_columns(const std::string& what, const MatNode& trans, std::size_t n_elements,
                                         std::size_t n_columns) {
  std::vector<double> connector = trans.values("Connector");
  if (connector.empty()) connector = trans.values("ConnectorES");
  std::vector<std::size_t> columns(n_elements);
  for (std::size_t e = 0; e < n_elements; ++e) {
    columns[e] = e < connector.size() ? whole(what, "Trans.Connector", connector[e], 1) - 1 : e;
    if (columns[e] >= n_columns) {
      refuse(what, "element " + std::to_string(e + 1) + " on channel " + std::to_string(columns[e] + 1) + " of " +
                       std::to_string(n_columns));
    }
  }
  return columns;
}

struct Row {  // of Receive
  std::size_t first, last, frame, buffer;
  bool adds;  // to samples that are there already
};

Row receive_row(const std::string& what, const MatNode& receive, std::size_t k) {
  const auto number = [&](const char* name, double otherwise) { return receive.number(name, k).value_or(otherwise); };
  const Row row{.first = whole(what, "Receive.startSample", number("startSample", 0), 1) - 1,
                .last = whole(what, "Receive.endSample", number("endSample", 0), 1),
                .frame = whole(what, "Receive.framenum", number("framenum", 1), 1) - 1,
                .buffer = whole(what, "Receive.bufnum", number("bufnum", 1), 1),
                .adds = number("mode", 0) == 1.0};
  if (row.last <= row.first) refuse(what, "Receive(" + std::to_string(k + 1) + ") with endSample before startSample");
  return row;
}

struct Action {
  std::size_t tx, rcv;  // from 0
};

// The order in which things were sent and received: the events, or without them Receive's own.
std::vector<Action> actions(const std::string& what, const MatTree& tree, const MatNode& receive, std::size_t n_tx) {
  std::vector<Action> all;
  const MatNode* events = tree.find("Event");
  if (events == nullptr || events->rows.empty()) {
    for (std::size_t k = 0; k < receive.rows.size(); ++k) {
      const double number = receive.number("acqNum", k).value_or(static_cast<double>(k % n_tx + 1));
      all.push_back({(whole(what, "Receive.acqNum", number, 1) - 1) % n_tx, k});
    }
    return all;
  }
  for (std::size_t k = 0; k < events->rows.size(); ++k) {
    const std::size_t rcv = whole(what, "Event.rcv", events->number("rcv", k).value_or(0), 0);
    const std::size_t tx = whole(what, "Event.tx", events->number("tx", k).value_or(0), 0);
    if (rcv == 0 || tx == 0) continue;
    if (rcv > receive.rows.size() || tx > n_tx) {
      refuse(what, "Event(" + std::to_string(k + 1) + ") of TX " + std::to_string(tx) + " and Receive " +
                       std::to_string(rcv));
    }
    all.push_back({tx - 1, rcv - 1});
  }
  return all;
}

// Samples a wavelength of the vendor's modes: four times the centre frequency, or as many as the bandwidth asks for.
std::optional<double> mode_samples(const std::string& mode) {
  for (const auto& [name, n] :
       {std::pair{"NS200BW", 4.0}, {"NS200BWI", 4.0}, {"BS100BW", 2.0}, {"BS67BW", 4.0 / 3.0}, {"BS50BW", 1.0}}) {
    if (mode == name) return n;
  }
  return std::nullopt;
}

double sampling_rate(const MatNode& receive, const Scales& s, Acquisition& a) {
  if (const auto rate = receive.number("decimSampleRate"))
    return *rate * kHertzPerMegahertz / receive.number("quadDecim").value_or(1.0);
  if (const auto per_wave = receive.number("samplesPerWave")) return *per_wave * s.frequency_hz;
  const std::string mode = receive.words("sampleMode");
  if (const auto per_wave = mode_samples(mode)) {
    a.assumptions.emplace_back("sampling frequency by Receive.sampleMode " + mode +
                               ": the file has neither decimSampleRate nor samplesPerWave");
    return *per_wave * s.frequency_hz;
  }
  a.assumptions.emplace_back("4 samples a wavelength: the file has neither decimSampleRate nor samplesPerWave");
  return 4.0 * s.frequency_hz;
}

// Without Receive: the rows are shared out evenly among the transmits.
Scheme even_scheme(const std::string& what, const Scales& s, const BufferSize& buffer, std::size_t n_tx,
                   Acquisition& a) {
  if (buffer.rows % n_tx != 0)
    refuse(what,
           std::to_string(buffer.rows) + " rows of RcvData for " + std::to_string(n_tx) + " transmits, and no Receive");
  a.assumptions.emplace_back("no Receive in the file: rows shared evenly among the transmits, 4 samples a wavelength");
  a.assumptions.emplace_back("no Receive in the file: the first sample is taken at the first firing", "first_sample_s");
  Scheme scheme;
  scheme.n_samples = buffer.rows / n_tx;
  scheme.sampling_hz = 4.0 * s.frequency_hz;
  for (std::size_t k = 0; k < n_tx; ++k) scheme.shots.push_back({.tx = k, .first_row = k * scheme.n_samples});
  scheme.start_depth.assign(n_tx, 0.0);
  for (std::size_t f = 0; f < buffer.pages; ++f) scheme.pages.push_back(f);
  return scheme;
}

// Whether the first two elements are spacingMm apart.
bool placed_in_mm(const MatNode& trans) {
  const MatNode* positions = trans.find("ElementPos");
  const std::vector<double> table = trans.values("ElementPos");
  const double spacing_mm = trans.number("spacingMm").value_or(0.0);
  const std::size_t n = positions == nullptr || positions->dims.empty() ? 0 : positions->dims[0];
  if (n < 2 || table.size() < 3 * n) return false;
  const double apart = std::hypot(table[1] - table[0], table[2 * n + 1] - table[2 * n]);
  return std::abs(apart - spacing_mm) < 0.02 * spacing_mm;
}

}  // namespace

std::vector<std::size_t> received_buffers(const std::string& what, const MatTree& tree) {
  std::vector<std::size_t> numbers;
  const MatNode* receive = tree.find("Receive");
  for (std::size_t k = 0; receive != nullptr && k < receive->rows.size(); ++k) {
    const std::size_t number = whole(what, "Receive.bufnum", receive->number("bufnum", k).value_or(1), 1);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  }
  if (numbers.empty()) numbers.push_back(1);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

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
                               (mm ? "mm, as Trans.spacingMm has them" : "wavelengths") +
                               ": the file has no Trans.units");
  }
  s.element_unit_m = mm ? kMetresPerMillimetre : s.wavelength_m;
  return s;
}

namespace {

Places places_from_spacing(const std::string& what, const MatNode& trans, const Scales& s, std::size_t n,
                           Acquisition& a) {
  const double spacing_m = trans.number("spacingMm") ? *trans.number("spacingMm") * kMetresPerMillimetre
                                                     : trans.number("spacing").value_or(0.0) * s.wavelength_m;
  if (!(spacing_m > 0.0)) refuse(what, "Trans with neither ElementPos nor spacing");
  a.assumptions.emplace_back("elements in a line, by Trans.spacing: the file has no positions in Trans.ElementPos");
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
  const bool told = std::any_of(table.begin(), table.end(), [](double v) { return v != 0.0; });
  const std::size_t n = told || positions != nullptr ? (positions->dims.empty() ? 0 : positions->dims[0]) : n_columns;
  if (n == 0 || n > static_cast<std::size_t>(kMaxElements)) refuse(what, std::to_string(n) + " elements");
  if (!told) return places_from_spacing(what, trans, s, n, a);
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

ProbeParts probe(const std::string& what, const MatTree& tree, const Scales& s, std::size_t n_columns, Acquisition& a) {
  const MatNode& trans = *tree.find("Trans");
  const Places places = element_places(what, trans, s, n_columns, a);
  const PlacedProbe placed = place_probe(what + " (Trans.ElementPos)", places);
  ProbeParts parts{.probe = placed.probe,
                   .origin_x_m = placed.origin_x_m,
                   .columns = element_columns(what, trans, places.x_m.size(), n_columns)};
  parts.probe.element_width_m = trans.number("elementWidth").value_or(0.0) * s.element_unit_m;
  if (const std::string name = trans.words("name"); !name.empty()) parts.probe.name = name;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.emplace_back(moved);
  return parts;
}

Scheme scheme(const std::string& what, const MatTree& tree, const Scales& s, const BufferSize& buffer, Acquisition& a) {
  const MatNode* tx = tree.find("TX");
  if (tx == nullptr || tx->rows.empty()) refuse(what, "no TX");
  const MatNode* receive = tree.find("Receive");
  if (receive == nullptr || receive->rows.empty()) return even_scheme(what, s, buffer, tx->rows.size(), a);
  std::map<std::size_t, std::vector<Action>> by_frame;
  Scheme scheme;
  for (const Action& action : actions(what, tree, *receive, tx->rows.size())) {
    const Row row = receive_row(what, *receive, action.rcv);
    if (row.buffer != buffer.number || row.adds) continue;
    if (row.last > buffer.rows)
      refuse(what, "Receive.endSample " + std::to_string(row.last) + " of " + std::to_string(buffer.rows) + " rows");
    if (row.frame < buffer.pages) by_frame[row.frame].push_back(action);
  }
  if (by_frame.empty()) refuse(what, "no event that receives into buffer " + std::to_string(buffer.number));
  const std::vector<Action>& first = by_frame.begin()->second;
  for (const Action& action : first) {
    const Row row = receive_row(what, *receive, action.rcv);
    scheme.shots.push_back({.tx = action.tx, .first_row = row.first});
    scheme.start_depth.push_back(receive->number("startDepth", action.rcv).value_or(0.0));
    const std::size_t n = row.last - row.first;
    scheme.n_samples = scheme.n_samples == 0 ? n : std::min(n, scheme.n_samples);
  }
  for (const auto& [page, done] : by_frame) {
    const bool same =
        std::equal(done.begin(), done.end(), first.begin(), first.end(), [&](const Action& x, const Action& y) {
          return x.tx == y.tx && receive_row(what, *receive, x.rcv).first == receive_row(what, *receive, y.rcv).first;
        });
    if (same) scheme.pages.push_back(page);
  }
  if (scheme.pages.size() < by_frame.size()) {
    a.assumptions.emplace_back(std::to_string(by_frame.size() - scheme.pages.size()) +
                               " frames are left out: their events differ from those of the first");
  }
  scheme.sampling_hz = sampling_rate(*receive, s, a);
  return scheme;
}

}  // namespace echoloop::verasonics
