// Text to number, for everything that a user or a file writes as text; and a count with its noun. Any thread.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace echoloop {

// A finite number and nothing else, whatever the locale: no spaces, no unit, no "inf". Empty when the text is none.
[[nodiscard]] inline std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The noun as it follows that many: "frame" or "frames".
[[nodiscard]] std::string plural(std::integral auto n, std::string_view noun) {
  return std::string(noun) + (n == 1 ? "" : "s");
}

// "1 frame", "2 frames".
[[nodiscard]] std::string counted(std::integral auto n, std::string_view noun) {
  return std::to_string(n) + " " + plural(n, noun);
}

}  // namespace echoloop
