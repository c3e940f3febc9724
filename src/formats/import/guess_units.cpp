#include "formats/import/guess_units.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/base/quantity.h"

namespace echoloop {
namespace {

struct UnitRow {
  NamedUnit unit;
  Quantity quantity;
  double si;
  const char* name;
};
constexpr UnitRow kUnitRows[] = {
    {NamedUnit::hertz, Quantity::frequency, 1.0, "Hz"},
    {NamedUnit::kilohertz, Quantity::frequency, 1e3, "kHz"},
    {NamedUnit::megahertz, Quantity::frequency, 1e6, "MHz"},
    {NamedUnit::gigahertz, Quantity::frequency, 1e9, "GHz"},
    {NamedUnit::metre, Quantity::length, 1.0, "metres"},
    {NamedUnit::centimetre, Quantity::length, 1e-2, "centimetres"},
    {NamedUnit::millimetre, Quantity::length, 1e-3, "millimetres"},
    {NamedUnit::micrometre, Quantity::length, 1e-6, "micrometres"},
    {NamedUnit::second, Quantity::duration, 1.0, "seconds"},
    {NamedUnit::millisecond, Quantity::duration, 1e-3, "milliseconds"},
    {NamedUnit::microsecond, Quantity::duration, 1e-6, "microseconds"},
    {NamedUnit::nanosecond, Quantity::duration, 1e-9, "nanoseconds"},
    {NamedUnit::radian, Quantity::angle, 1.0, "radians"},
    {NamedUnit::milliradian, Quantity::angle, 1e-3, "milliradians"},
    {NamedUnit::degree, Quantity::angle, std::numbers::pi / 180.0, "degrees"},
};

double si_factor(const FactNumbers& c, Quantity quantity, double size, double reach) {
  const auto* const row = std::ranges::find_if(
      kUnitRows, [&](const UnitRow& r) { return r.unit == c.named.unit && r.quantity == quantity; });
  return row != std::end(kUnitRows) ? row->si : unit_by_size(quantity, size, reach);
}

}  // namespace

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
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
  const auto* const row = std::ranges::find_if(
      kUnitRows, [&](const UnitRow& r) { return r.quantity == quantity && std::abs(r.si / factor - 1.0) < 1e-6; });
  return factor == 1.0 || row == std::end(kUnitRows) ? "" : std::string(", read as ") + row->name;
}

}  // namespace echoloop
