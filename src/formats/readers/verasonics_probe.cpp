// Probe of a Verasonics workspace: Trans, and the units that everything else is counted in.
#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "formats/base/printable.h"
#include "formats/readers/placed_probe.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop::verasonics {
namespace {

// Element by element, the channel in `channels` (from 1, 0: none), or the element's own number.
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

// Connector and Aperture count channels of RcvData; their namesakes ending in ES are what older and newer scripts set.
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
  const bool told = std::any_of(table.begin(), table.end(), [](double v) { return v != 0.0; });
  const double declared = trans.number("numelements").value_or(static_cast<double>(n_columns));
  const std::size_t n = positions == nullptr      ? whole(what, "Trans.numelements", declared, 1)
                        : positions->dims.empty() ? 0
                                                  : positions->dims[0];
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
  for (std::size_t e = 0, k = 0; e < n; ++e) {
    if (aperture[e] != kNoColumn) all[e] = values[k++];
  }
  return all;
}

}  // namespace echoloop::verasonics
