#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/facts.h"
#include "formats/import/guess.h"

namespace echoloop {
namespace {

constexpr std::size_t kLeastSamples = 512;  // of a recording

// Compares names that differ only in this part: "I" and "Q", "rf_real" and "rf_imag".
bool is_pair(std::string_view a, std::string_view b, std::string_view real, std::string_view imaginary) {
  const bool at_end = a.ends_with(real) && b.ends_with(imaginary) &&
                      a.substr(0, a.size() - real.size()) == b.substr(0, b.size() - imaginary.size());
  const bool at_begin =
      a.starts_with(real) && b.starts_with(imaginary) && a.substr(real.size()) == b.substr(imaginary.size());
  return at_end || at_begin;
}

// Selects the in-phase array of the two, and the other one as `quadrature`.
void find_quadrature(const ArrayTree& tree, GuessedSamples& chosen) {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"i", "q"}, {"real", "imag"}, {"re", "im"}, {"inphase", "quadrature"}};
  const TreeEntry& first = tree.entries()[chosen.entry];
  const std::string name = plain_name(first.path);
  for (std::size_t k = 0; k < tree.entries().size(); ++k) {
    const TreeEntry& other = tree.entries()[k];
    if (k == chosen.entry || !other.numeric || other.shape != first.shape || other.type != first.type) continue;
    const std::string its = plain_name(other.path);
    for (const auto& [real, imaginary] : kParts) {
      const bool forwards = is_pair(name, its, real, imaginary);
      if (!forwards && !is_pair(its, name, real, imaginary)) continue;
      chosen.quadrature = forwards ? k : chosen.entry;
      if (!forwards) chosen.entry = k;
      chosen.reason = "in-phase part by name, " + shape_text(first.shape) + " " + first.type;
      return;
    }
  }
}

}  // namespace

std::vector<std::size_t> long_axes(const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> axes;
  std::ranges::copy_if(shape, std::back_inserter(axes), [](std::size_t n) { return n > 1; });
  return axes;
}

bool names_picture(const std::string& name) {
  for (const char* const word : {"bmode", "image", "img", "envelope", "beamformed", "rfbf", "bfdata", "bfrf", "iqbf",
                                 "scanline", "rfline", "lines"})
    if (name.find(word) != std::string::npos) return true;
  return name == "bf" || name == "das" || name == "b";
}

bool names_waveform(const std::string& name) {
  for (const char* const word : {"waveform", "wvfm", "excitation", "impulseresponse", "tristate"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

namespace {

bool names_photoacoustics(const std::string& name) {
  const auto rest = name.starts_with("pa") ? named_fact(std::string_view(name).substr(2)) : std::nullopt;
  if (rest && rest->fact == FactId("data")) return true;  // "PAdata"
  return std::ranges::any_of(
      std::array{"photoacoustic", "optoacoustic", "laserenergy", "laserwavelength", "acquisitionwavelength"},
      [&](const char* word) { return name.find(word) != std::string::npos; });
}

// Checks for elements x (x, z) or (x, y, z), or transposed, on a closed line: one per quarter turn about the centre.
bool is_ring(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  const auto dims = long_axes(shape);
  if (dims.size() != 2 || std::min(dims[0], dims[1]) > 3) return false;
  const std::size_t n_axes = std::min(dims[0], dims[1]), n = values.size() / n_axes;
  const bool rows = dims[1] == n_axes;
  const auto at = [&](std::size_t e, std::size_t axis) { return values[rows ? n_axes * e + axis : axis * n + e]; };
  std::vector<double> directions;
  double x = 0.0, y = 0.0;
  for (std::size_t e = 0; e < n; ++e)
    x += at(e, 0) / static_cast<double>(n), y += at(e, n_axes - 1) / static_cast<double>(n);
  for (std::size_t e = 0; e < n; ++e) directions.push_back(std::atan2(at(e, n_axes - 1) - y, at(e, 0) - x));
  std::ranges::sort(directions);
  double gap = directions.front() + 2.0 * std::numbers::pi - directions.back();
  for (std::size_t e = 1; e < n; ++e) gap = std::max(gap, directions[e] - directions[e - 1]);
  return n > 4 && gap < 0.5 * std::numbers::pi;
}

// Checks for elements x (x, y, z), or transposed, in several rows.
bool is_matrix_probe(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  const auto dims = long_axes(shape);
  if (dims.size() != 2 || std::min(dims[0], dims[1]) != 3) return false;
  const bool rows = shape.back() == 3;
  const std::size_t n = values.size() / 3;
  double least = HUGE_VAL, most = -HUGE_VAL, span = 0.0;
  for (std::size_t e = 0; e < n; ++e) {
    const double y = values[rows ? 3 * e + 1 : n + e];
    least = std::min(least, y), most = std::max(most, y);
    span = std::max(span, std::abs(values[rows ? 3 * e : e]));
  }
  return most - least > 0.05 * span && span > 0.0;
}

}  // namespace

std::string why_not_imaged(const ArrayTree& tree, const std::vector<FactNumbers>& positions) {
  for (const TreeEntry& entry : tree.entries()) {
    const std::string name = plain_name(entry.path);
    if (names_photoacoustics(name))
      return "photoacoustic data (" + entry.path + "): one-way travel times, which are not imaged";
  }
  for (const FactNumbers& c : positions) {
    if (is_matrix_probe(c.shape, c.values))
      return "a matrix probe (" + c.path + " with several rows of elements): volumes are not imaged";
    if (is_ring(c.shape, c.values)) return "a ring of elements (" + c.path + "): images from all sides are not formed";
  }
  return "";
}

std::optional<GuessedSamples> guess_samples(const ArrayTree& tree) {
  const std::vector<TreeEntry>& entries = tree.entries();
  std::vector<std::string> paths;
  for (const TreeEntry& entry : entries)
    if (entry.numeric && !entry.part) paths.push_back(entry.path);
  const std::string prefix = common_prefix(paths);
  double best = 0.0;
  GuessedSamples chosen;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const TreeEntry& entry = entries[k];
    const std::size_t n_axes = long_axes(entry.shape).size();
    if (!entry.numeric || entry.part || n_axes < 2 || n_axes > 5 || entry.count() < kLeastSamples) continue;
    const auto named = named_fact(entry.path, prefix);
    if (named ? named->fact != FactId("data") : names_waveform(plain_name(entry.path))) continue;
    double score = std::log2(static_cast<double>(entry.count()));
    if (named) score += 8.0 - 0.1 * static_cast<double>(named->rank);
    if (names_picture(plain_name(entry.path))) score -= 6.0;
    if (score <= best) continue;
    best = score;
    chosen = {.entry = k,
              .quadrature = std::nullopt,
              .reason = (named ? "by name, " : "the largest array, ") + shape_text(entry.shape) + " " + entry.type};
    chosen.named = named.has_value();
  }
  if (best <= 0.0) return std::nullopt;
  chosen.prefix = prefix;
  find_quadrature(tree, chosen);
  const TreeEntry& data = entries[chosen.entry];
  chosen.n_alike = static_cast<std::size_t>(std::ranges::count_if(entries, [&](const TreeEntry& e) {
    return e.numeric && e.shape == data.shape && e.type == data.type && plain_name(e.path) == plain_name(data.path);
  }));
  return chosen;
}

namespace {

double si_factor(const FactNumbers& c, Quantity quantity, double size, double reach) {
  return in_unit(c.named.unit, quantity) ? c.named.unit->si : unit_by_size(quantity, size, reach);
}

}  // namespace

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values)
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  return most;
}

double hertz(const FactNumbers& c) { return si_factor(c, Quantity::frequency, c.values[0], 0.0); }
double metres(const FactNumbers& c, double reach_m) {
  return si_factor(c, Quantity::length, largest(c.values), reach_m);
}
double seconds(const FactNumbers& c, double reach_s) {
  return si_factor(c, Quantity::duration, largest(c.values), reach_s);
}
double radians(const FactNumbers& c) { return si_factor(c, Quantity::angle, largest(c.values), 0.0); }

std::string unit_note(double factor, Quantity quantity) {
  const Unit* const unit = unit_of_factor(factor, quantity);
  return factor == 1.0 || unit == nullptr ? "" : words(", read as ", std::string(unit->word));
}

}  // namespace echoloop
