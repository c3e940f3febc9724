#include <algorithm>
#include <numbers>
#include <utility>

#include "formats/import/guess.h"

namespace echoloop {
namespace {

constexpr double kWidestAngle = 0.55;                      // of plane waves, rad; larger ones may be degrees
constexpr double kLongestDelay = 4.0;                      // relative to the travel time of sound along the array
constexpr double kLongestLaw = 1.05, kShortestLaw = 0.05;  // of one wave, relative to the same time
constexpr double kNearestPoint_m = 1e-4;

// Returns the time from the first to the last firing.
double duration(const std::vector<double>& law) {
  double least = HUGE_VAL, most = -HUGE_VAL;
  for (const double delay : law)
    if (std::isfinite(delay)) least = std::min(least, delay), most = std::max(most, delay);
  return most < least ? 0.0 : most - least;
}

// Returns true for delays of 0 at both ends, more than in a law of all elements, with others between them.
bool may_have_silent_ends(const std::vector<double>& law) {
  const auto waits = [](double delay) { return delay != 0.0; };
  const auto first = std::ranges::find_if(law, waits);
  const auto last = std::find_if(law.rbegin(), law.rend(), waits);
  if (first == law.begin() || first == law.end() || last == law.rbegin()) return false;
  return 8 * ((first - law.begin()) + (last - law.rbegin())) > std::ssize(law);
}

}  // namespace

bool SentWaves::is_axis(std::size_t n) const { return n > 1 && std::ranges::find(shape_, n) != shape_.end(); }

void SentWaves::choose(const std::vector<std::size_t>& shape, AxisHints& hints) {
  shape_ = shape;
  const auto rows_fit = [&](const FactNumbers& c) {
    const auto dims = long_axes(c.shape);
    if (largest(c.values) * metres(c, 0.5) < kNearestPoint_m) return false;  // not points: infinite, or delays
    if (dims.size() == 1) return dims[0] <= 3 && !is_axis(dims[0]);          // single point
    return dims.size() == 2 && std::min(dims[0], dims[1]) <= 3 && is_axis(std::max(dims[0], dims[1]));
  };
  delays_ = facts_.first("tx_delays_s", [&](const FactNumbers& c) {
    const auto dims = long_axes(c.shape);
    return (dims.size() == 1 && is_axis(dims[0])) || (dims.size() == 2 && is_axis(dims[0]) && is_axis(dims[1]));
  });
  sources_ = facts_.first("virtual_source_m", rows_fit);
  foci_ = facts_.first("tx_foci_m", rows_fit);
  const FactNumbers* const given = sources_ != nullptr ? sources_ : foci_;
  if (delays_ != nullptr && given != nullptr && long_axes(delays_->shape).size() > long_axes(given->shape).size())
    sources_ = foci_ = nullptr;  // single point and a law per transmit
  angles_ = facts_.first("tx_angles_rad", [&](const FactNumbers& c) {
    return c.values.size() == 1 || (is_list(c.shape) && is_axis(c.values.size()));
  });
  fired_ = facts_.first("tx_elements", [&](const FactNumbers& c) {
    const auto whole = [](double v) { return v >= 0.0 && v < 1e5 && v == std::floor(v); };
    return is_list(c.shape) && is_axis(c.values.size()) && std::ranges::all_of(c.values, whole);
  });
  choose_apodization(hints);
  if (const FactNumbers* const points = sources_ != nullptr ? sources_ : foci_; points != nullptr) {
    const auto dims = long_axes(points->shape);
    hints.n_transmits = dims.size() == 1 ? 1 : std::ranges::max(dims);
  } else if (delays_ != nullptr) {
    const auto dims = long_axes(delays_->shape);
    if (hints.n_elements == 0) hints.n_elements = std::ranges::max(dims);
    n_laws_ = dims.size() == 1 ? 1 : dims[0] == hints.n_elements ? dims[1] : dims[0];
    hints.n_transmits = n_laws_;
  } else if (angles_ != nullptr) {
    hints.n_transmits = angles_->values.size();
  } else if (fired_ != nullptr) {
    hints.n_transmits = fired_->values.size();
  }
  // Checks for all elements in order: a full matrix, which is symmetric.
  const auto all_in_order = [&] {
    if (fired_->values.size() != hints.n_elements) return false;
    for (std::size_t k = 1; k < fired_->values.size(); ++k)
      if (fired_->values[k] != fired_->values[k - 1] + 1.0) return false;
    return fired_->values[0] == 0.0 || fired_->values[0] == 1.0;
  };
  const bool fired_alone = sources_ == nullptr && foci_ == nullptr && delays_ == nullptr && angles_ == nullptr;
  if (fired_ != nullptr && fired_alone && all_in_order()) hints.n_transmits = 0;
}

// Selects rows or columns as transmits; if each has one firing element, these elements replace all other lists.
void SentWaves::choose_apodization(AxisHints& hints) {
  apodization_ = facts_.first("tx_apod", [&](const FactNumbers& c) {
    const auto dims = long_axes(c.shape);
    const bool of_all =
        dims.size() == 1 && is_axis(dims[0]) && plain_name(c.path).find('t') == 0;  // tx..., transmit...
    const bool of_each = dims.size() == 2 && is_axis(dims[0]) && is_axis(dims[1]);
    return (of_all || of_each) && std::ranges::any_of(c.values, [](double w) { return !(w > 0.0); });
  });
  if (apodization_ == nullptr) return;
  const auto dims = long_axes(apodization_->shape);
  if (dims.size() == 1) {
    if (hints.n_elements == 0) hints.n_elements = dims[0];
    return;
  }
  const std::vector<double>& weights = apodization_->values;
  const auto element_alone = [&](std::size_t axis) {  // per line along the other axis, from 1; empty: not of all
    std::vector<double> alone(dims[axis], 0.0);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::size_t row = k / dims[1], column = k % dims[1];
      if (weights[k] == 0.0) continue;
      double& element = alone[axis == 0 ? row : column];
      if (element != 0.0) return std::vector<double>();
      element = static_cast<double>(axis == 0 ? column : row) + 1.0;
    }
    return std::ranges::count(alone, 0.0) == 0 ? alone : std::vector<double>();
  };
  const bool by_columns = hints.n_elements > 0 ? dims[0] == hints.n_elements && dims[1] != hints.n_elements
                                               : element_alone(0).empty() && dims[0] > dims[1];
  const std::size_t transmits = by_columns ? 1 : 0;
  hints.n_elements = dims[1 - transmits];
  hints.n_transmits = dims[transmits];
  const std::vector<double> alone = element_alone(transmits);
  const bool zero = delays_ == nullptr || largest(delays_->values) == 0.0;
  if (alone.empty() || !zero || largest(weights) != 1.0) return;
  alone_ = {.entry = apodization_->entry,
            .named = apodization_->named,
            .values = alone,
            .shape = {alone.size()},
            .path = apodization_->path,
            .literal = true};
  delays_ = sources_ = foci_ = angles_ = apodization_ = nullptr;
  fired_ = &alone_;
}

std::size_t SentWaves::rows_of(const FactNumbers& list, std::size_t n_elements) const {
  const auto dims = long_axes(list.shape);
  if (list.named.fact == FactId("tx_delays_s")) {
    if (dims.size() < 2) return 1;
    return dims[0] == n_elements ? dims[1] : dims[0];
  }
  const bool angles = list.named.fact == FactId("tx_angles_rad");
  if (!angles && dims.size() == 1 && dims[0] <= 3 && !is_axis(dims[0])) return 1;  // single point
  return dims.empty() ? 1 : std::ranges::max(dims);
}

const FactNumbers* SentWaves::list(std::size_t n_elements) const {
  for (const FactId fact :
       {FactId("tx_angles_rad"), FactId("virtual_source_m"), FactId("tx_foci_m"), FactId("tx_delays_s")})
    if (const FactNumbers* const found =
            facts_.first(fact, [&](const FactNumbers& c) { return rows_of(c, n_elements) > 1; }))
      return found;
  return nullptr;
}

bool SentWaves::describe(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const {
  if (apodization_ == nullptr) return waves(counts, axes, out);
  const std::string& weights = apodization_->path;
  if (std::ranges::any_of(apodization_->values, [](double w) { return w < 0.0; })) {
    out.miss("tx", words("transmits (", weights,
                         " has weights below 0: a code, which is not decoded; decoded samples are single elements)"));
    return true;
  }
  if (delays_ == nullptr && sources_ == nullptr && foci_ == nullptr && angles_ == nullptr) {
    out.miss("tx", words("transmits (", weights, " has the firing elements only: delays, angles, sources or foci)"));
    return true;
  }
  const bool known = waves(counts, axes, out);
  out.say("tx_apod", named(*apodization_, 1.0), words(weights, ", elements of weight 0 are silent"));
  return known;
}

bool SentWaves::waves(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const {
  const std::size_t n = std::max<std::size_t>(counts.n_transmits, 1);
  if (sources_ != nullptr || foci_ != nullptr) {
    points(sources_ != nullptr ? *sources_ : *foci_, counts, out);
  } else if (delays_ != nullptr) {
    delays(counts, n, out);
  } else if (const FactNumbers* const focus = focal_depth();
             focus != nullptr && (n == 1 || (angles_ != nullptr && angles_->values.size() == n))) {
    if (angles_ != nullptr && angles_->values.size() == n)
      angles(out);
    else
      out.assume("tx_angles_rad", Json::array({0.0}), "one transmit: a plane wave at 0 degrees");
    out.miss("tx", focus->values[0] < 0.0
                       ? words("transmits (", focus->path, " = ", focus->values[0],
                               ": virtual sources so far behind the array, along the angles, or plane waves)")
                       : words("transmits (", focus->path, " = ", focus->values[0],
                               ": focused at that depth, or plane waves)"));
  } else if (angles_ != nullptr && angles_->values.size() == n) {
    angles(out);
  } else if (fired_ != nullptr && fired_->values.size() == n) {
    elements(out);
  } else if (const FactNumbers* const lost = list(counts.n_elements); lost != nullptr) {
    out.miss("tx",
             words("transmits (", lost->path, " has ", rows_of(*lost, counts.n_elements), " values, the samples ",
                   n == 1 ? "one transmit" : words(n, " transmits"), axes.open.empty() ? "" : "; ", axes.open, ")"));
  } else if (n > 1 && n == counts.n_elements) {
    out.assume("tx_elements", "all", "as many transmits as elements: single elements, one after another");
  } else if (n == 1 && axes.open.empty()) {
    out.assume("tx_angles_rad", Json::array({0.0}), "one transmit: a plane wave at 0 degrees");
    if (const FactNumbers* const fired = fired_element(counts.n_elements); fired != nullptr)
      out.miss("tx", words("transmits (", fired->path, " = ", fired->values[0],
                           ": this element fires alone, or a plane wave at 0 degrees)"));
  } else {
    if (axes.open.empty()) out.miss("tx", "transmits (angles, sources, delays or single elements)");
    return false;
  }
  return true;
}

std::vector<std::vector<double>> SentWaves::laws() const {
  const auto dims = long_axes(delays_->shape);
  if (dims.size() < 2) return {delays_->values};
  std::vector<std::vector<double>> laws(n_laws_);
  const bool rows = dims[0] == n_laws_;
  for (std::size_t k = 0; k < delays_->values.size(); ++k)
    laws[rows ? k / dims[1] : k % dims[1]].push_back(delays_->values[k]);
  return laws;
}

bool SentWaves::delays_have_zero() const {
  if (sources_ != nullptr || foci_ != nullptr || delays_ == nullptr) return false;
  constexpr double kAtZero = 1e-3;  // relative to the duration
  return std::ranges::any_of(laws(), [](const std::vector<double>& law) {
    double first = HUGE_VAL;
    for (const double delay : law)
      if (std::isfinite(delay)) first = std::min(first, delay);
    return std::isfinite(first) && std::abs(first) > kAtZero * std::max(duration(law), std::abs(first));
  });
}

// Finds seconds and microseconds by size. Whole numbers, and numbers too long as microseconds, are samples or
// nanoseconds if the longest law then has a duration possible for a wave.
void SentWaves::delays(const ArrayCounts& counts, std::size_t n, GuessedDescription& out) const {
  double factor = seconds(*delays_, 1e-3);
  std::string note = unit_note(factor, Quantity::duration);
  const double along_s = counts.reach_m / counts.speed_m_s;
  double longest = 0.0;
  for (const std::vector<double>& law : laws()) longest = std::max(longest, duration(law));
  if (in_unit(delays_->named.unit, Quantity::samples) && counts.sampling_hz > 0.0) {
    factor = 1.0 / counts.sampling_hz;
    note = ", samples";
  } else if (in_unit(delays_->named.unit, Quantity::wavelengths)) {
    const bool known = counts.wavelength_m > 0.0;
    factor = known ? counts.wavelength_m / counts.speed_m_s : 1.0;
    note = ", wavelengths";
    if (!known) out.miss("fc_hz", words("centre frequency (", delays_->path, " is in wavelengths)"));
  }
  const bool whole = std::ranges::all_of(delays_->values, [](double v) { return std::isnan(v) || v == std::round(v); });
  if (factor != 1.0 && delays_->named.unit == nullptr && along_s > 0.0 &&
      (whole || longest * factor > kLongestDelay * along_s)) {
    using Unit = std::pair<double, const char*>;
    for (const auto& [unit_s, name] :
         {Unit{counts.sampling_hz > 0.0 ? 1.0 / counts.sampling_hz : 0.0, "samples"}, Unit{1e-9, "nanoseconds"}}) {
      const double takes_s = longest * unit_s;
      if (unit_s == 0.0 || takes_s > kLongestLaw * along_s || takes_s < kShortestLaw * along_s) continue;
      factor = unit_s;
      note = words(", read as ", name);
      break;
    }
  }
  out.say("tx_delays_s", named(*delays_, factor), words(delays_->path, ", ", n, " laws", note));
  if (apodization_ == nullptr && std::ranges::any_of(laws(), may_have_silent_ends))
    out.miss("tx", words("elements that fire (", delays_->path,
                         " is 0 from both ends on: silent, with \"tx_apod\" 0, or fired first, with 1)"));
  if (along_s > 0.0 && longest * factor > kLongestDelay * along_s)
    out.miss("tx", words("unit of ", delays_->path, " (up to ", largest(delays_->values),
                         ": samples, or another unit than ", factor == 1.0 ? "seconds" : "microseconds", ")"));
}

void SentWaves::angles(GuessedDescription& out) const {
  const double factor = radians(*angles_);
  const bool degrees = factor != 1.0;
  if (angles_->named.unit == nullptr && !degrees && largest(angles_->values) > kWidestAngle)
    out.miss("tx", words("unit of ", angles_->path, " (up to ", largest(angles_->values), ": degrees or radians)"));
  const auto [least, most] = std::ranges::minmax(angles_->values);
  out.say(
      "tx_angles_rad", named(*angles_, factor),
      words(angles_->path, ", plane waves of ", least * factor * 180.0 / std::numbers::pi, " to ",
            most * factor * 180.0 / std::numbers::pi, " degrees", degrees ? ", read as degrees" : ", read as radians",
            angles_->values.size() == 1 && least != 0.0
                ? "; positive towards larger x, which one wave alone does not show"
                : ""));
}

// Reads numbers counted from 1, or from 0 if there is a 0.
void SentWaves::elements(GuessedDescription& out) const {
  const bool from_zero = std::ranges::min(fired_->values) == 0.0;
  Json numbers = Json::array();
  for (const double value : fired_->values) numbers.push_back(value + 1.0);
  out.assume("tx_elements", from_zero ? std::move(numbers) : Json(named(*fired_, 1.0)),
             words(fired_->path, ", single elements, counted from ", from_zero ? "0" : "1"));
}

// Returns a single number other than the count of elements; null: none.
const FactNumbers* SentWaves::fired_element(std::size_t n_elements) const {
  const FactNumbers* const fired = facts_.scalar("tx_elements");
  const bool of_elements = fired != nullptr && plain_name(fired->path).find("el") != std::string::npos;
  return of_elements && fired->values[0] != static_cast<double>(n_elements) ? fired : nullptr;
}

// Returns a depth for all transmits other than 0; null: none. Plane waves have 0 or infinity.
const FactNumbers* SentWaves::focal_depth() const {
  const FactNumbers* const depth = facts_.scalar("tx_foci_m");
  return depth != nullptr && depth->values[0] != 0.0 ? depth : nullptr;
}

// Describes virtual sources behind the array or foci in front of it.
void SentWaves::points(const FactNumbers& c, const ArrayCounts& counts, GuessedDescription& out) const {
  const std::size_t n = std::max<std::size_t>(counts.n_transmits, 1);
  const std::vector<std::size_t> dims = long_axes(c.shape);
  const bool rows = dims[0] == n;  // one per transmit
  const std::size_t n_axes = c.values.size() / n;
  double deepest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double z = rows ? c.values[k * n_axes + n_axes - 1] : c.values[(n_axes - 1) * n + k];
    if (std::abs(z) > std::abs(deepest)) deepest = z;
  }
  const bool of_waves = in_unit(c.named.unit, Quantity::wavelengths) && counts.wavelength_m > 0.0;
  const double factor = of_waves ? counts.wavelength_m : metres(c, 0.5);
  out.say(deepest > 0.0 ? "tx_foci_m" : "virtual_source_m", named(c, factor),
          words(c.path, ", ", n, " ", deepest > 0.0 ? "foci" : "virtual sources", unit_note(factor, Quantity::length)));
  if (deepest > 0.0 && &c == sources_)
    out.miss("tx", words("side of ", c.path, " (z up to ", deepest * factor * 1e3,
                         " mm: foci in front of the array, or virtual sources behind it)"));
}

}  // namespace echoloop
