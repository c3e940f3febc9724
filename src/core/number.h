// Text to number, for everything that a user or a file writes as text. Any thread.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace echoloop {

// A finite number and nothing else, whatever the locale: no spaces, no unit, no "inf". Empty when the text is none.
[[nodiscard]] inline std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace echoloop
