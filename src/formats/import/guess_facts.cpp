#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/import/guess.h"

namespace echoloop {
namespace {

// Returns true if the fact may have the unit: samples for delays only; wavelengths for lengths and delays.
bool may_have_unit(FactId fact, const Unit& unit) {
  if (unit.quantity == Quantity::samples) return fact == FactId("tx_delays_s");
  return unit.quantity != Quantity::wavelengths || (fact->traits & kInWaves) != 0;
}

std::string_view last_part(std::string_view path) {
  const std::size_t last = path.find_last_of("./@");
  return last == std::string_view::npos ? path : path.substr(last + 1);
}

std::optional<NamedFact> exact(std::string_view name) {
  std::optional<NamedFact> found;
  for (const FactRow& row : kFacts) {
    any_word(row.spellings, [&](std::string_view word, std::size_t rank) {
      if (word == name) found = {.fact = FactId(row), .rank = rank};
      return word == name;
    });
  }
  return found;
}

}  // namespace

std::string plain_name(std::string_view path) {
  std::string name;
  for (const char c : last_part(path))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return lower_case(std::move(name));
}

const Unit* unit_of_text(std::string_view text, FactId fact) {
  std::string name(text);
  std::erase_if(name, [](char c) { return std::string_view("[]() ").find(c) != std::string_view::npos; });
  const Unit* const unit = find_unit(name);
  return unit != nullptr && may_have_unit(fact, *unit) ? unit : nullptr;
}

std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix) {
  const std::string name = plain_name(path);
  std::optional<NamedFact> found = exact(name);
  for (const Unit& unit : kUnits) {
    if (found) return found;
    any_word(unit.spellings, [&](std::string_view ending, std::size_t) {
      if (name.ends_with(ending)) found = exact(std::string_view(name).substr(0, name.size() - ending.size()));
      if (found && !may_have_unit(found->fact, unit)) found.reset();
      return found.has_value();
    });
    if (found && unit.quantity != Quantity::plain) found->unit = &unit;
  }
  if (found) return found;
  const std::string_view last = last_part(path);
  if (!prefix.empty() && last.starts_with(prefix)) return named_fact(last.substr(prefix.size()));
  return std::nullopt;
}

std::string common_prefix(const std::vector<std::string>& paths) {
  constexpr std::ptrdiff_t kLeastShared = 3;
  constexpr std::string_view kMeaning[] = {"tx", "rx", "transmit", "receive", "element", "elem", "bf", "beam", "image"};
  for (const std::string& path : paths) {
    const std::string_view name = last_part(path);
    for (std::size_t at = 1; at + 1 < name.size(); ++at) {
      const bool underscore = name[at - 1] == '_';
      const bool capital = std::islower(static_cast<unsigned char>(name[at - 1])) != 0 &&
                           std::isupper(static_cast<unsigned char>(name[at])) != 0;
      if (!underscore && !capital) continue;
      const std::string_view prefix = name.substr(0, at);
      const auto samples = named_fact(name.substr(at));
      if (!samples || samples->fact != FactId("data") ||
          std::ranges::find(kMeaning, plain_name(prefix)) != std::end(kMeaning))
        continue;
      const auto shares = [&](const std::string& other) { return last_part(other).starts_with(prefix); };
      if (std::ranges::count_if(paths, shares) >= kLeastShared) return std::string(prefix);
    }
  }
  return {};
}

namespace {

constexpr std::size_t kMostValues = 65'536;  // of a fact

// Returns "fs" for "fs/value".
std::string fact_path(const std::string& path) {
  const std::size_t last = path.find_last_of("./@");
  return last != std::string::npos && last > 0 && plain_name(path) == "value" ? path.substr(0, last) : path;
}

// Returns the number of a text "40 MHz", "0.3 mm", "1540 m/s" or "5e6", with its unit in `named`; that of a speed is
// found by size.
std::vector<double> number_of_text(const std::string& text, NamedFact& named) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.+-eE"), text.size());
  const auto value = finite_number(std::string_view(text).substr(0, end));
  const std::string_view rest = std::string_view(text).substr(std::min(text.find_first_not_of(' ', end), text.size()));
  const Unit* const unit = unit_of_text(rest, named.fact);
  if (!value ||
      (!rest.empty() && unit == nullptr && !(named.fact == FactId("c_m_s") && (rest == "m/s" || rest == "mm/us"))))
    return {};
  if (unit != nullptr) named.unit = unit;
  return {*value};
}

// Checks for numbers named velocity in a group `material`, of longitudinal waves; and texts there that end in m/s
// ("steel, 5850 m/s").
bool is_material_speed(const TreeEntry& entry) {
  std::string path = lower_case(entry.path);
  std::erase_if(path, [](char c) { return c == '_' || c == ' '; });
  if (path.find("material") == std::string::npos && path.find("specimen") == std::string::npos) return false;
  const std::string name = plain_name(entry.path);
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("shear") || has("trans")) return false;
  if (!entry.text.empty()) return entry.text.find("m/s") != std::string::npos;
  return entry.numeric && (has("vel") || has("speed") || name == "material");
}

// Returns the number before "m/s" in a text.
std::vector<double> speed_in(const std::string& text) {
  std::size_t end = text.find("m/s");
  while (end > 0 && end != std::string::npos && text[end - 1] == ' ') --end;
  const std::size_t before = end == 0 || end == std::string::npos ? end : text.find_last_not_of("0123456789.", end - 1);
  if (end == 0 || end == std::string::npos) return {};
  const auto value = finite_number(std::string_view(text).substr(before == std::string::npos ? 0 : before + 1,
                                                                 end - (before == std::string::npos ? 0 : before + 1)));
  return value ? std::vector{*value} : std::vector<double>();
}

// Returns the azimuths if all elevations of (azimuth, elevation), as rows or columns, are 0; otherwise empty.
std::vector<double> level_azimuths(const FactNumbers& c) {
  const auto dims = long_axes(c.shape);
  if (dims.size() != 2 || std::min(dims[0], dims[1]) != 2) return {};
  std::vector<double> azimuths;
  for (std::size_t k = 0; k < c.values.size(); ++k) {
    const bool azimuth = dims[1] == 2 ? k % 2 == 0 : k < dims[1];
    if (azimuth) azimuths.push_back(c.values[k]);
    if (!azimuth && c.values[k] != 0.0) return {};
  }
  return azimuths;
}

// Returns (y, z) of elements x (x, y, z), or transposed, that are arranged along y; otherwise empty.
std::vector<double> places_along_y(const FactNumbers& c) {
  const auto dims = long_axes(c.shape);
  if (dims.size() != 2 || std::min(dims[0], dims[1]) != 3 || std::max(dims[0], dims[1]) < 4) return {};
  const bool rows = dims[1] == 3;
  const std::size_t n = c.values.size() / 3;
  const auto at = [&](std::size_t e, std::size_t axis) { return c.values[rows ? 3 * e + axis : axis * n + e]; };
  std::vector<double> places;
  for (std::size_t e = 0; e < n; ++e) {
    if (at(e, 0) != at(0, 0) || (e > 0 && at(e, 1) == at(e - 1, 1))) return {};
    places.push_back(at(e, 1));
    places.push_back(at(e, 2));
  }
  return places;
}

}  // namespace

void ask_unknown_units(const GuessFacts& facts, GuessedDescription& out) {
  for (const auto& [path, unit] : facts.unknown_units()) {
    for (const Guess& guess : out.guesses)
      if (guess.reason == path || guess.reason.starts_with(path + ","))
        out.missing.push_back({guess.key, words("unit of ", path, " (\"", unit, "\" is not known)")});
  }
}

bool is_list(const std::vector<std::size_t>& shape) { return long_axes(shape).size() == 1; }

Json named(const FactNumbers& c, double factor) {
  if (!c.literal) return factor == 1.0 ? c.path : words(c.path, " * ", exact_number(factor));
  if (c.shape.empty()) return c.values[0] * factor;
  const std::size_t width = c.shape.size() > 1 ? c.shape.back() : 1;
  Json list = Json::array();
  for (std::size_t k = 0; k < c.values.size(); k += width) {
    Json row = Json::array();
    for (std::size_t i = 0; i < width; ++i) row.push_back(c.values[k + i] * factor);
    list.push_back(c.shape.size() > 1 ? std::move(row) : std::move(row[0]));
  }
  return list;
}

GuessFacts::GuessFacts(const ArrayTree& tree, std::size_t samples, const std::string& prefix) {
  collect(tree, samples, prefix);
  take_units(tree);
  simplify();
  add_points("source_x_m", "source_z_m", "virtual_source_m");
  add_points("focus_x_m", "focus_z_m", "tx_foci_m");
  add_arc(tree.entries()[samples]);
}

const std::vector<FactNumbers>& GuessFacts::all(FactId fact) const {
  static const std::vector<FactNumbers> kNone;
  const auto found = all_.find(fact);
  return found == all_.end() ? kNone : found->second;
}

// Sets units not in the names of facts: a text "fs/@units" or "fs_unit" for fs, "fs/unit" for fs/value, "units" in the
// group of positions. TX.Delay of Verasonics is in wavelengths.
void GuessFacts::take_units(const ArrayTree& tree) {
  for (FactNumbers& c : all_["tx_delays_s"])
    if (tree.find("TX.Delay") == c.entry && tree.find("Trans.frequency")) c.named.unit = find_unit("wavelengths");
  for (const TreeEntry& entry : tree.entries()) {
    if (entry.text.empty()) continue;
    for (auto& [fact, list] : all_) {
      for (FactNumbers& c : list) {
        const std::string of = fact_path(c.path), group = c.path.substr(0, c.path.find_last_of("./@") + 1);
        std::string rest = entry.path.starts_with(of) ? entry.path.substr(of.size()) : "";
        std::erase_if(rest, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; });
        rest = lower_case(std::move(rest));
        const bool of_group = fact == "element_pos_m" && entry.path == group + "units";
        if (c.named.unit != nullptr || !(rest == "unit" || rest == "units" || of_group)) continue;
        const Unit* const unit = unit_of_text(entry.text, fact);
        c.named.unit = unit;
        if (unit == nullptr && (fact->traits & kUnitAsked) != 0) unknown_units_.emplace(c.path, entry.text);
      }
    }
  }
}

void GuessFacts::collect(const ArrayTree& tree, std::size_t samples, const std::string& prefix) {
  const std::string data = plain_name(tree.entries()[samples].path);
  for (std::size_t k = 0; k < tree.entries().size(); ++k) {
    const TreeEntry& entry = tree.entries()[k];
    const bool text = !entry.text.empty();
    if (k == samples || entry.part || (!entry.numeric && !text) || entry.complex || entry.count() > kMostValues)
      continue;
    constexpr std::size_t kLastRank = 1000;
    auto named = named_fact(fact_path(entry.path), prefix);
    const bool material = !named && is_material_speed(entry);
    if (material) named = NamedFact{.fact = "c_m_s", .rank = kLastRank};
    if (!named || named->fact == FactId("data")) continue;
    const std::string name = plain_name(entry.path);
    if ((name == "dx" || name == "dy") && data != "sensordata" && data != "p") continue;  // of pixels
    FactNumbers numbers{.entry = k, .named = *named, .values = {}, .shape = entry.shape, .path = entry.path};
    try {
      numbers.values = !text      ? tree.numbers(k, kMostValues)
                       : material ? speed_in(entry.text)
                                  : number_of_text(entry.text, numbers.named);
    } catch (const Error&) {
      continue;
    }
    if (text) numbers.shape.clear(), numbers.literal = true;
    if (!numbers.values.empty()) all_[named->fact].push_back(std::move(numbers));
  }
  for (auto& [fact, list] : all_) std::ranges::stable_sort(list, {}, [](const FactNumbers& c) { return c.named.rank; });
}

// Reduces a constant stored many times, directions without elevation to azimuths, and elements along y.
void GuessFacts::simplify() {
  for (FactNumbers& c : all_["element_pos_m"]) {
    std::vector<double> places = places_along_y(c);
    if (places.empty()) continue;
    c.shape = {places.size() / 2, 2};
    c.values = std::move(places);
    c.path += ", along y";
    c.literal = true;
  }
  for (auto& [fact, list] : all_) {
    for (FactNumbers& c : list) {
      std::vector<double> simple = fact == "tx_angles_rad" ? level_azimuths(c) : std::vector<double>();
      if ((fact->traits & kSingle) != 0 && c.values.size() > 1 &&
          std::ranges::count(c.values, c.values[0]) == std::ssize(c.values))
        simple = {c.values[0]};
      if (fact == "first_index" && c.values.size() == 2 && plain_name(c.path).ends_with("samplerange"))
        simple = {c.values[0]};  // first and last sample
      if (simple.empty()) continue;
      c.shape = simple.size() == 1 ? std::vector<std::size_t>() : std::vector{simple.size()};
      c.values = std::move(simple);
      c.literal = true;
    }
  }
}

// Computes positions (x, z) of a convex array from its radius and the angles of its elements, z = 0 at the apex. A list
// only named "theta" or "angles" applies to elements if the samples have no other axis for them, or if another list is
// that of the waves.
void GuessFacts::add_arc(const TreeEntry& samples) {
  constexpr double kLeastStep_m = 0.05e-3, kMostStep_m = 3e-3;
  const FactNumbers* const radius = scalar("radius_m");
  if (radius == nullptr || !std::isfinite(radius->values[0]) || !(radius->values[0] > 0.0)) return;
  const double radius_m = radius->values[0] * metres(*radius, 1.0);
  for (const FactId fact : {FactId("element_normal_rad"), FactId("tx_angles_rad")}) {
    if (fact == "tx_angles_rad" && !all("element_pos_m").empty()) continue;
    const FactNumbers* const angles = first(fact, [&](const FactNumbers& c) {
      const std::size_t n = c.values.size();
      if (n < 4 || !is_list(c.shape) || std::ranges::find(samples.shape, n) == samples.shape.end()) return false;
      const double step_m = radius_m * radians(c) * std::abs(c.values[1] - c.values[0]);
      const bool of_waves = std::ranges::any_of(all("tx_angles_rad"), [&](const FactNumbers& other) {
        return other.values.size() > 1 && other.values.size() != n;
      });
      return step_m >= kLeastStep_m && step_m <= kMostStep_m &&
             (fact == "element_normal_rad" || of_waves || long_axes(samples.shape).size() == 2);
    });
    if (angles == nullptr) continue;
    const double factor = radians(*angles);
    const std::size_t n = angles->values.size();
    FactNumbers both{.entry = angles->entry,
                     .named = {.fact = "element_pos_m", .rank = 0, .unit = find_unit("m")},
                     .values = {},
                     .shape = {n, 2},
                     .path = angles->path + " and " + radius->path + ", z = 0 at the apex",
                     .literal = true};
    for (const double value : angles->values) {
      both.values.push_back(radius_m * std::sin(value * factor));
      both.values.push_back(radius_m * (std::cos(value * factor) - 1.0));
    }
    const std::size_t used = angles->entry;
    std::erase_if(all_[fact], [&](const FactNumbers& c) { return c.entry == used; });
    all_["element_pos_m"].push_back(std::move(both));
    return;
  }
}

// Makes points from two lists, or from a list of x and one depth for all.
void GuessFacts::add_points(FactId of_x, FactId of_z, FactId points) {
  std::vector<FactNumbers> depths = all(of_z);
  std::ranges::copy_if(all(points), std::back_inserter(depths),
                       [](const FactNumbers& c) { return c.values.size() == 1; });
  for (const FactNumbers& x : all(of_x)) {
    for (const FactNumbers& z : depths) {
      const std::size_t n = x.values.size();
      if ((z.values.size() != n && z.values.size() != 1) || x.named.unit != z.named.unit) continue;
      FactNumbers both{.entry = x.entry, .named = x.named, .values = {}, .shape = {n, 2}, .path = {}, .literal = true};
      both.path = x.path + ", " + z.path;
      for (std::size_t k = 0; k < n; ++k) {
        both.values.push_back(x.values[k]);
        both.values.push_back(z.values[z.values.size() == 1 ? 0 : k]);
      }
      all_[points].push_back(std::move(both));
      return;
    }
  }
}

}  // namespace echoloop
