// Probe and transmits of a JSON description (see description.h for the keys).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/facts.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/readers/description.h"
#include "formats/readers/geometry.h"

namespace echoloop {
namespace {

constexpr const char* kEntry = "a list of {kind: plane | diverging | focused | delays | element, ...}";
constexpr double kDescribedTolerance_periods = 0.02;  // of a delay; decimals and 250 MHz clocks round to less
// Limits for rounded delays: within a quarter of a period of each other they make the same wave (Rayleigh). Rounding
// adds half a sample, and the best fit may miss one by as much as half of that. Half-period codes are no wave.
constexpr double kRoundedTolerance_periods = 0.125, kRoundedTolerance_samples = 0.75, kCode_periods = 0.24;

std::vector<double> element_numbers(const std::string& what, const Json& meta, const char* key, std::size_t n) {
  std::vector<double> numbers = json_numbers(what, meta.at(key), key);
  if (numbers.size() == n) return numbers;
  throw Error(what, counted(numbers.size(), "value") + " of " + key + " for " + counted(n, "element"),
              "one for each element");
}

Probe elements_probe(const std::string& what, const Json& meta, std::size_t n) {
  const auto of_each = [&](const char* key, std::vector<double> otherwise) {
    return meta.contains(key) ? element_numbers(what, meta, key, n) : std::move(otherwise);
  };
  if (describes_lines(meta) && meta.contains("element_normal_rad")) {  // several may start at the same position
    const std::vector<double> x_m = element_numbers(what, meta, "element_x_m", n),
                              z_m = of_each("element_z_m", std::vector<double>(n, 0.0)),
                              normal_rad = element_numbers(what, meta, "element_normal_rad", n);
    Probe lines;
    lines.name = "lines";
    for (std::size_t e = 0; e < n; ++e)
      lines.elements.push_back({.x_m = x_m[e], .z_m = z_m[e], .normal_rad = normal_rad[e]});
    return lines;
  }
  Probe probe = listed_probe(what, element_numbers(what, meta, "element_x_m", n),
                             of_each("element_z_m", std::vector<double>(n, 0.0)), of_each("element_normal_rad", {}));
  if (meta.contains("pitch_m")) probe.pitch_m = json_number(what, meta.at("pitch_m"), "pitch_m");
  return probe;
}

// Reads element_pos_m: a matrix with one row or column per element, (x, z) or (x, y, z).
Probe matrix_probe(const std::string& what, const Json& rows, std::size_t n) {
  std::vector<std::vector<double>> table;
  if (!rows.is_array() || rows.empty() || rows.size() > static_cast<std::size_t>(kMaxElements))
    throw Error(what, "element_pos_m = " + json_excerpt(rows), "a list of [x, z] or [x, y, z]");
  for (const Json& row : rows) table.push_back(json_numbers(what, row, "element_pos_m"));
  const std::size_t width = table.front().size();
  for (const auto& row : table)
    if (row.size() != width) throw Error(what, "element_pos_m with rows of different lengths", "a matrix");
  const bool by_row = table.size() == n && width >= 2 && (width != n || width > 3);
  if (!by_row && !(width == n && table.size() >= 2)) {
    throw Error(what,
                "element_pos_m of " + std::to_string(table.size()) + " x " + std::to_string(width) + " numbers for " +
                    counted(n, "element"),
                "elements x (x, z) or (x, y, z), or transposed");
  }
  const std::size_t n_axes = by_row ? width : table.size();
  Places places;
  for (std::size_t e = 0; e < n; ++e) {
    const auto axis = [&](std::size_t k) { return by_row ? table[e][k] : table[k][e]; };
    places.x_m.push_back(axis(0));
    places.y_m.push_back(n_axes > 2 ? axis(1) : 0.0);
    places.z_m.push_back(axis(n_axes > 2 ? 2 : 1));
    if (n_axes > 3 && axis(3) != 0.0) places.normal_rad.resize(n, 0.0);
  }
  for (std::size_t e = 0; e < places.normal_rad.size(); ++e) places.normal_rad[e] = by_row ? table[e][3] : table[3][e];
  for (const double y_m : places.y_m) {
    if (!(std::abs(y_m - places.y_m[0]) < 1e-4))
      throw Error(what, "element_pos_m with several rows of elements", "elements in one row",
                  "matrix arrays are not supported");
  }
  return listed_probe(what, places.x_m, places.z_m, places.normal_rad);
}

Transmit element_transmit(const std::string& what, const Json& value, const Probe& probe) {
  const double number = json_number(what, value, "element");
  const double n = static_cast<double>(probe.elements.size());
  if (!(number >= 1.0 && number <= n && number == std::floor(number)))
    throw Error(what, "element " + json_excerpt(value), "1 to " + std::to_string(probe.elements.size()));
  const Element& element = probe.elements[static_cast<std::size_t>(number) - 1];
  Transmit transmit;
  transmit.kind = TransmitKind::diverging;
  transmit.source_x_m = element.x_m;
  transmit.source_z_m = element.z_m;
  return transmit;
}

Transmit delays_transmit(const std::string& what, const Json& list, std::size_t n_elements) {
  Transmit transmit;
  transmit.kind = TransmitKind::delays;
  transmit.element_delays_s = json_numbers(what, list, "delays");
  if (transmit.element_delays_s.size() != n_elements) {
    throw Error(what,
                counted(transmit.element_delays_s.size(), "transmit delay") + " for " + counted(n_elements, "element"),
                "one for each element, null for a silent element");
  }
  return transmit;
}

// Checks the source: behind the array, or an element that fires alone, for a diverging wave; z > 0 for a focused one.
Transmit from_source(const std::string& what, const Json& list, const char* key, TransmitKind kind,
                     const Probe& probe) {
  const auto point = json_numbers(what, list, key);
  const bool flat = point.size() == 2 || (point.size() == 3 && point[1] == 0.0);
  const double z = flat ? point.back() : 0.0;
  const bool diverging = kind == TransmitKind::diverging;
  double deepest = 0.0;
  for (const Element& element : probe.elements) deepest = std::max(deepest, element.z_m);
  if (!flat || !(diverging ? z <= deepest : z > 0.0)) {
    throw Error(what, std::string(key) + " = " + json_excerpt(list),
                diverging ? "[x, z] with z below 0, behind the array" : "[x, z] with z above 0");
  }
  Transmit transmit;
  transmit.kind = kind;
  transmit.source_x_m = point[0];
  transmit.source_z_m = z;
  return transmit;
}

// Returns "kind", or the kind implied by the other keys.
std::string entry_kind(const std::string& what, const Json& entry) {
  if (entry.contains("kind")) return json_text(what, entry.at("kind"), "kind");
  for (const auto& [key, kind] : {std::pair{"delays_s", "delays"},
                                  {"angle_rad", "plane"},
                                  {"source_m", "diverging"},
                                  {"focus_m", "focused"},
                                  {"element", "element"}})
    if (entry.contains(key)) return kind;
  throw Error(what, "tx entry " + json_excerpt(entry) + unknown_keys(entry), kEntry);
}

void check_entry_keys(const std::string& what, const Json& entry) {
  for (const auto& [key, value] : entry.items()) {
    if (std::ranges::find(kTransmitKeys, std::string_view(key)) != kTransmitKeys.end() || is_free_key(key)) continue;
    const std::string nearest(nearest_transmit_key(key));
    throw Error(what, "tx entry with the unknown key '" + printable(key, 40) + "'",
                nearest.empty() || entry.contains(nearest) ? kKnownKey : "'" + nearest + "'",
                "echoloop describe --help lists all keys");
  }
}

Transmit transmit_entry(const std::string& what, const Json& entry, const Probe& probe) {
  if (!entry.is_object()) throw Error(what, "tx entry " + json_excerpt(entry), kEntry);
  check_entry_keys(what, entry);
  const std::string kind = entry_kind(what, entry);
  if (kind == "delays") return delays_transmit(what, require_key(what, entry, "delays_s"), probe.elements.size());
  if (kind == "diverging")
    return from_source(what, require_key(what, entry, "source_m"), "source_m", TransmitKind::diverging, probe);
  if (kind == "focused")
    return from_source(what, require_key(what, entry, "focus_m"), "focus_m", TransmitKind::focused, probe);
  if (kind == "element") return element_transmit(what, require_key(what, entry, "element"), probe);
  if (kind != "plane") throw Error(what, "transmit kind '" + printable(kind) + "'", kEntry);
  Transmit transmit;
  transmit.angle_rad = json_number(what, require_key(what, entry, "angle_rad"), "angle_rad");
  return transmit;
}

// Makes elements with apodization 0 silent: they are not the first to fire, and explicit delays skip them.
void set_active_elements(const Probe& probe, const std::vector<double>& weights, DescribedTransmit& tx) {
  tx.active.assign(weights.size(), true);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    tx.active[e] = weights[e] != 0.0;
    if (!tx.active[e] && tx.transmit.kind == TransmitKind::delays)
      tx.transmit.element_delays_s[e] = std::numeric_limits<double>::quiet_NaN();
  }
  tx.transmit.aperture_m = aperture_width_m(probe, tx.active);
}

// Returns the weights of one transmit in "tx_apod".
std::vector<double> transmit_weights(const std::string& what, const Json& list, std::size_t n_elements) {
  std::vector<double> weights = element_numbers(what, Json{{"tx_apod", list}}, "tx_apod", n_elements);
  const auto below = std::ranges::count_if(weights, [](double w) { return w < 0.0; });
  if (below == 0) return weights;
  throw Error(what, "tx_apod with " + std::to_string(below) + " weights below 0 in a transmit (a code)",
              "weights from 0 on", "decode the samples first, for instance to one element a transmit");
}

bool is_mirrored(const std::string& what, const Json& meta) {
  const auto found = meta.find("tx_mirrored");
  if (found == meta.end()) return false;
  if (!found->is_boolean()) throw Error(what, "tx_mirrored = " + json_excerpt(*found), "true or false");
  return found->get<bool>();
}

// Exchanges left and right; explicit delays are reversed with the elements.
void mirror(DescribedTransmit& tx) {
  tx.transmit.angle_rad = -tx.transmit.angle_rad;
  tx.transmit.source_x_m = -tx.transmit.source_x_m;
  std::ranges::reverse(tx.transmit.element_delays_s);
  std::reverse(tx.active.begin(), tx.active.end());
}

// Replaces explicit delays by the wave that they make.
void name_wave(const std::string& what, std::size_t k, const Acquisition& a, DescribedTransmit& tx) {
  const std::vector<double> delays_s = tx.transmit.element_delays_s;
  tx.by_delays = true;
  for (const double delay_s : delays_s) {
    if (std::abs(delay_s) > 1.0)
      throw Error(what, "a transmit delay of " + std::to_string(delay_s) + " s",
                  "within 1 s, null for a silent element");
  }
  tx.first_s = first_firing_s(tx.transmit, a.probe, a.sound_speed_m_s, {});
  if (!std::isfinite(tx.first_s))
    throw Error(what, "transmit " + std::to_string(k) + " without a firing element", "at least one firing element");
  const double period_s = a.center_hz > 0.0 ? 1.0 / a.center_hz : 0.0;
  WaveFit fit = fit_wave(delays_s, a.probe, a.sound_speed_m_s, kDescribedTolerance_periods * period_s, {});
  if (fit.transmit.kind == TransmitKind::delays) {
    const bool samples = a.sampling_hz > 0.0 && std::ranges::all_of(delays_s, [&](double delay_s) {
                           const double n = delay_s * a.sampling_hz;
                           return std::isnan(n) || std::abs(n - std::round(n)) < 1e-3;
                         });
    const double rounded_s = samples ? kRoundedTolerance_samples / a.sampling_hz : 0.0;
    fit =
        fit_nearest_wave(delays_s, a.probe, a.sound_speed_m_s,
                         std::min(std::max(kRoundedTolerance_periods * period_s, rounded_s), kCode_periods * period_s));
  }
  tx.transmit = std::move(fit.transmit);
  tx.passage_s = fit.passage_s;
}

bool is_nested(const Json& list) { return list.is_array() && !list.empty() && list[0].is_array(); }

// Returns one row per transmit, transposing columns, which are recognised by their lengths.
Json by_transmit(const Json& list, std::size_t least, std::size_t most) {
  const auto is_row = [&](std::size_t n) { return n >= least && n <= most; };
  if (!is_nested(list) || list[0].empty() || is_row(list[0].size()) || !is_row(list.size())) return list;
  Json rows = Json::array();
  for (std::size_t k = 0; k < list[0].size(); ++k) {
    rows.push_back(Json::array());
    for (const Json& column : list)
      rows.back().push_back(column.is_array() && k < column.size() ? column.at(k) : Json());
  }
  return rows;
}

// Returns the rows of "tx_apod": one, or one per transmit; null: none.
Json apod_rows(const Json& meta, std::size_t n_elements) {
  if (!meta.contains("tx_apod")) return {};
  Json rows = by_transmit(meta.at("tx_apod"), n_elements, n_elements);
  return is_nested(rows) ? rows : Json::array({rows});
}

// Adds transmits in the order of the description: each one with its weights, mirrored, and as a wave.
struct TransmitList {
  const std::string& what;
  const Acquisition& a;
  const Json apod;
  const bool mirrored;
  std::vector<DescribedTransmit> made = {};

  void add(DescribedTransmit tx) {
    if (!apod.is_null() && tx.active.empty()) {
      const std::size_t k = apod.size() == 1 ? 0 : made.size();
      const Json& row = k < apod.size() ? apod[k] : Json::array();
      set_active_elements(a.probe, transmit_weights(what, row, a.probe.elements.size()), tx);
    }
    if (made.size() >= static_cast<std::size_t>(kMaxTransmits)) throw Error(what, "too many transmits", "up to 16384");
    if (mirrored) mirror(tx);
    if (tx.transmit.kind == TransmitKind::delays) name_wave(what, made.size(), a, tx);
    made.push_back(std::move(tx));
  }

  // Adds what `make` returns for each value of the list, or for the one value.
  template <class Make>
  void add_each(const Json& values, bool several, const Make& make) {
    if (!several) return add({.transmit = make(values)});
    for (const Json& value : values) add({.transmit = make(value)});
  }

  void add_entry(const Json& entry) {
    DescribedTransmit tx{.transmit = transmit_entry(what, entry, a.probe)};
    if (entry.contains("apod"))
      set_active_elements(a.probe, element_numbers(what, entry, "apod", a.probe.elements.size()), tx);
    if (entry.contains("aperture_m")) tx.transmit.aperture_m = json_number(what, entry.at("aperture_m"), "aperture_m");
    add(std::move(tx));
  }

  void add_points(const Json& meta, const char* key, TransmitKind kind) {
    const Json points = by_transmit(meta.at(key), 2, 3);
    add_each(points, is_nested(points),
             [&](const Json& point) { return from_source(what, point, key, kind, a.probe); });
  }
};

}  // namespace

Probe described_probe(const std::string& what, const Json& meta, int n_elements) {
  if (meta.contains("n_elements") && json_number(what, meta.at("n_elements"), "n_elements") != n_elements) {
    throw Error(
        what,
        "n_elements = " + json_excerpt(meta.at("n_elements")) + " for an array of " + counted(n_elements, "element"),
        "the same number in both");
  }
  const double width_m =
      meta.contains("element_width_m") ? json_number(what, meta.at("element_width_m"), "element_width_m") : 0.0;
  Probe probe;
  if (meta.contains("element_pos_m")) {
    probe = matrix_probe(what, meta.at("element_pos_m"), static_cast<std::size_t>(n_elements));
    probe.element_width_m = width_m;
  } else if (meta.contains("element_x_m")) {
    probe = elements_probe(what, meta, static_cast<std::size_t>(n_elements));
    probe.element_width_m = width_m;
  } else {
    if (!meta.contains("pitch_m"))
      throw Error(what, "neither element_x_m nor pitch_m", R"("pitch_m": 0.3e-3, or "element_x_m" with all positions)");
    const double pitch_m = json_number(what, meta.at("pitch_m"), "pitch_m");
    probe = meta.contains("radius_m") ? make_convex_probe(what, n_elements, pitch_m,
                                                          json_number(what, meta.at("radius_m"), "radius_m"), width_m)
                                      : make_pitch_probe(what, n_elements, pitch_m, width_m);
  }
  if (meta.contains("name")) probe.name = json_text(what, meta.at("name"), "name").substr(0, 80);
  return probe;
}

std::vector<DescribedTransmit> described_transmits(const std::string& what, const Json& meta, const Acquisition& a) {
  const std::size_t n_elements = a.probe.elements.size();
  const bool mirrored = is_mirrored(what, meta);
  TransmitList list{what, a, apod_rows(meta, n_elements), mirrored};
  std::string said;
  for (const char* const key : {"tx", "tx_angles_rad", "virtual_source_m", "tx_foci_m", "tx_delays_s", "tx_elements"}) {
    if (!meta.contains(key)) continue;
    if (!said.empty()) throw Error(what, "both " + said + " and " + key, "one key for the transmits");
    said = key;
  }
  const char* const delays = meta.contains("tx_delays_s") ? "tx_delays_s" : "element_delays_s";
  if (meta.contains("tx") && meta.at("tx").is_object()) {
    list.add_entry(meta.at("tx"));
  } else if (meta.contains("tx") && meta.at("tx").is_array()) {
    for (const Json& entry : meta.at("tx")) list.add_entry(entry);
  } else if (meta.contains("tx_angles_rad")) {
    const Json& angles = meta.at("tx_angles_rad");
    list.add_each(angles, angles.is_array(), [&](const Json& angle) {
      Transmit transmit;
      transmit.angle_rad = json_number(what, angle, "tx_angles_rad");
      return transmit;
    });
  } else if (meta.contains(delays)) {
    const Json laws = by_transmit(meta.at(delays), n_elements, n_elements);
    list.add_each(laws, is_nested(laws), [&](const Json& law) { return delays_transmit(what, law, n_elements); });
  } else if (meta.contains("virtual_source_m")) {
    list.add_points(meta, "virtual_source_m", TransmitKind::diverging);
  } else if (meta.contains("tx_foci_m")) {
    list.add_points(meta, "tx_foci_m", TransmitKind::focused);
  } else if (meta.contains("tx_elements")) {
    Json numbers = meta.at("tx_elements");
    if (numbers == "all") {
      numbers = Json::array();
      for (std::size_t e = 1; e <= n_elements; ++e) numbers.push_back(e);
    }
    list.add_each(numbers, numbers.is_array(),
                  [&](const Json& number) { return element_transmit(what, number, a.probe); });
  } else {
    throw Error(
        what, "no list of transmits",
        R"("tx": [{"kind": "plane", "angle_rad": 0}], one entry per transmit; other kinds: {"kind": "diverging", )"
        R"("source_m": [x, z]}, {"kind": "focused", "focus_m": [x, z]}, {"kind": "delays", "delays_s": [...]})");
  }
  return std::move(list.made);
}

}  // namespace echoloop
