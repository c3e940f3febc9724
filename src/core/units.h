// Conversions between SI, which is used everywhere inside, and the units shown to people.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

namespace echoloop {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kMetresPerMillimetre = 1e-3;
inline constexpr double kHertzPerMegahertz = 1e6;
inline constexpr double kRadiansPerDegree = kPi / 180.0;

// Monotonic time in nanoseconds; the clock of every stamp and span in the program. [any thread]
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Text to number, for everything that a user or a file writes as text; and a count with its noun. Any thread.

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

// Text from outside (names of files, texts in them) for a terminal, a message or a file of text: valid UTF-8 without
// characters that act instead of being shown. Pure.

[[nodiscard]] bool is_utf8(std::string_view text);

// Control characters (escape sequences begin with one), marks that reverse the direction of writing, and bytes that are
// not UTF-8 become '?'; tabs and line breaks stay.
[[nodiscard]] std::string plain_text(std::string_view text);

[[nodiscard]] std::string lower_case(std::string text);   // letters A to Z
[[nodiscard]] std::string capitalized(std::string text);  // its first letter, likewise; not of a key: "fs_hz"

}  // namespace echoloop
