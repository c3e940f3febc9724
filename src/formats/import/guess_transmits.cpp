#include "formats/import/guess_transmits.h"

#include <numbers>

#include "formats/import/guess_samples.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

constexpr double kWidestAngle = 0.55;  // of plane waves, rad; larger ones may be degrees
constexpr double kLongestDelay = 4.0;  // times that of sound along the array

}  // namespace

bool SentWaves::is_axis(std::size_t n) const { return n > 1 && std::ranges::find(shape_, n) != shape_.end(); }

void SentWaves::choose(const std::vector<std::size_t>& shape, AxisHints& hints) {
  shape_ = shape;
  const auto rows_fit = [&](const FactNumbers& c) {
    const auto dims = long_axes(c.shape);
    if (dims.size() == 1) return dims[0] <= 3 && !is_axis(dims[0]);  // one point
    return dims.size() == 2 && std::min(dims[0], dims[1]) <= 3 && is_axis(std::max(dims[0], dims[1]));
  };
  delays_ = facts_.first(Fact::delays, [&](const FactNumbers& c) {
    const auto dims = long_axes(c.shape);
    return (dims.size() == 1 && is_axis(dims[0])) || (dims.size() == 2 && is_axis(dims[0]) && is_axis(dims[1]));
  });
  sources_ = facts_.first(Fact::sources, rows_fit);
  foci_ = facts_.first(Fact::foci, rows_fit);
  angles_ = facts_.first(Fact::angles, [&](const FactNumbers& c) {
    return c.values.size() == 1 || (is_list(c.shape) && is_axis(c.values.size()));
  });
  fired_ = facts_.first(Fact::fired, [&](const FactNumbers& c) {
    const auto whole = [](double v) { return v >= 0.0 && v < 1e5 && v == std::floor(v); };
    return is_list(c.shape) && is_axis(c.values.size()) && std::ranges::all_of(c.values, whole);
  });
  if (const FactNumbers* const points = sources_ != nullptr ? sources_ : foci_; points != nullptr) {
    const auto dims = long_axes(points->shape);
    hints.n_transmits = dims.size() == 1 ? 1 : std::ranges::max(dims);
  } else if (delays_ != nullptr) {
    const auto dims = long_axes(delays_->shape);
    if (hints.n_elements == 0) hints.n_elements = std::ranges::max(dims);
    hints.n_transmits = dims.size() == 1 ? 1 : dims[0] == hints.n_elements ? dims[1] : dims[0];
  } else if (angles_ != nullptr) {
    hints.n_transmits = angles_->values.size();
  } else if (fired_ != nullptr) {
    hints.n_transmits = fired_->values.size();
  }
}

std::size_t SentWaves::rows_of(const FactNumbers& list, std::size_t n_elements) const {
  const auto dims = long_axes(list.shape);
  if (list.named.fact == Fact::delays) {
    if (dims.size() < 2) return 1;
    return dims[0] == n_elements ? dims[1] : dims[0];
  }
  const bool angles = list.named.fact == Fact::angles;
  if (!angles && dims.size() == 1 && dims[0] <= 3 && !is_axis(dims[0])) return 1;  // one point
  return dims.empty() ? 1 : std::ranges::max(dims);
}

const FactNumbers* SentWaves::list(std::size_t n_elements) const {
  for (const Fact fact : {Fact::angles, Fact::sources, Fact::foci, Fact::delays}) {
    if (const FactNumbers* const found =
            facts_.first(fact, [&](const FactNumbers& c) { return rows_of(c, n_elements) > 1; }))
      return found;
  }
  return nullptr;
}

bool SentWaves::describe(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const {
  const std::size_t n = std::max<std::size_t>(counts.n_transmits, 1);
  if (sources_ != nullptr || foci_ != nullptr) {
    points(sources_ != nullptr ? *sources_ : *foci_, n, out);
  } else if (delays_ != nullptr) {
    delays(counts, n, out);
  } else if (const FactNumbers* const focus = focal_depth();
             focus != nullptr && (n == 1 || (angles_ != nullptr && angles_->values.size() == n))) {
    if (angles_ != nullptr && angles_->values.size() == n) {
      angles(out);
    } else {
      out.assume("tx_angles_rad", Json::array({0.0}), "one transmit: a plane wave at 0 degrees");
    }
    out.miss("tx",
             words("transmits (", focus->path, " = ", focus->values[0], ": focused at that depth, or plane waves)"));
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
  } else {
    if (axes.open.empty()) out.miss("tx", "transmits (angles, sources, delays or single elements)");
    return false;
  }
  return true;
}

void SentWaves::delays(const ArrayCounts& counts, std::size_t n, GuessedDescription& out) const {
  const double factor = seconds(*delays_, 1e-3);
  out.say("tx_delays_s", named(*delays_, factor),
          words(delays_->path, ", ", n, " laws", unit_note(factor, Quantity::duration)));
  const double longest_s = largest(delays_->values) * factor;
  if (counts.reach_m > 0.0 && longest_s > kLongestDelay * counts.reach_m / counts.speed_m_s)
    out.miss("tx", words("unit of ", delays_->path, " (up to ", largest(delays_->values),
                         ": samples, or another unit than ", factor == 1.0 ? "seconds" : "microseconds", ")"));
}

void SentWaves::angles(GuessedDescription& out) const {
  const double factor = radians(*angles_);
  const bool degrees = factor != 1.0;
  if (angles_->named.unit == NamedUnit::none && !degrees && largest(angles_->values) > kWidestAngle)
    out.miss("tx", words("unit of ", angles_->path, " (up to ", largest(angles_->values), ": degrees or radians)"));
  const auto [least, most] = std::ranges::minmax(angles_->values);
  out.say(
      "tx_angles_rad", named(*angles_, factor),
      words(angles_->path, ", plane waves of ", least * factor * 180.0 / std::numbers::pi, " to ",
            most * factor * 180.0 / std::numbers::pi, " degrees", degrees ? ", read as degrees" : ", read as radians"));
}

// Counted from 1, or from 0 where there is a 0.
void SentWaves::elements(GuessedDescription& out) const {
  const bool from_zero = std::ranges::min(fired_->values) == 0.0;
  Json numbers = Json::array();
  for (const double value : fired_->values) numbers.push_back(value + 1.0);
  out.assume("tx_elements", from_zero ? std::move(numbers) : Json(named(*fired_, 1.0)),
             words(fired_->path, ", single elements, counted from ", from_zero ? "0" : "1"));
}

// One number for all transmits, neither 0 nor infinite as those of plane waves are.
const FactNumbers* SentWaves::focal_depth() const {
  const FactNumbers* const depth = facts_.scalar(Fact::foci);
  return depth != nullptr && depth->values[0] != 0.0 ? depth : nullptr;
}

// Virtual sources or foci: behind the array or in front of it.
void SentWaves::points(const FactNumbers& c, std::size_t n, GuessedDescription& out) const {
  const std::vector<std::size_t> dims = long_axes(c.shape);
  const bool rows = dims[0] == n;  // one a transmit
  const std::size_t n_axes = c.values.size() / n;
  double deepest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double z = rows ? c.values[k * n_axes + n_axes - 1] : c.values[(n_axes - 1) * n + k];
    if (std::abs(z) > std::abs(deepest)) deepest = z;
  }
  const double factor = metres(c, 0.5);
  out.say(deepest > 0.0 ? "tx_foci_m" : "virtual_source_m", named(c, factor),
          words(c.path, ", ", n, " ", deepest > 0.0 ? "foci" : "virtual sources", unit_note(factor, Quantity::length)));
  if (deepest > 0.0 && &c == sources_)
    out.miss("tx", words("side of ", c.path, " (z up to ", deepest * factor * 1e3,
                         " mm: foci in front of the array, or virtual sources behind it)"));
}

}  // namespace echoloop
