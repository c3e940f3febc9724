#include "gui/state/number_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr const char* kThinSpace = "\u202F";
constexpr const char* kMinus = "\u2212";
constexpr double kColumn_ms = 9999.5;  // from this value on a time is written in seconds

std::string group(const std::string& digits) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += kThinSpace;
    text += digits[i];
  }
  return text;
}

}  // namespace

std::string grouped(std::uint64_t count) { return group(std::to_string(count)); }

std::string counted_grouped(std::uint64_t count, std::string_view noun) {
  return grouped(count) + " " + plural(count, noun);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "—";
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const std::size_t point = std::min(text.find('.'), text.size());
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !zero ? kMinus : "") + group(text.substr(0, point)) + text.substr(point);
}

std::string signed_fixed(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return value > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" + text : text;
}

std::string span_text(double low, double high, int decimals) {
  // A dash between negative numbers could be read as a minus.
  return fixed(low, decimals) + (high < 0 ? " to " : "–") + fixed(high, decimals);
}

std::string factor_text(double factor) { return fmt::format("{:g}", factor); }

std::string byte_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return fixed(value, unit == 0 || value >= 99.5 ? 0 : 1) + " " + units[unit];
}

std::string ms_text(double ms, bool known) {
  if (!known) return "—";
  if (ms >= kColumn_ms) return fixed(1e-3 * ms, ms < 99.95e3 ? 1 : 0) + " s";
  return fixed(ms, ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0);
}

std::string ms_words(double ms) { return ms_text(ms, true) + (ms < kColumn_ms ? " ms" : ""); }

double round_up_125(double value) {
  if (!(value > 0.0)) return 1.0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power * (1.0 + 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

int decimals_of_125(double value) {
  return value >= 1.0 || !(value > 0.0) ? 0 : static_cast<int>(std::ceil(-std::log10(value) - 1e-9));
}

}  // namespace echoloop
