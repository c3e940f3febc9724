// Conversions between SI, used everywhere inside, and displayed units.
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

// Returns monotonic time in nanoseconds, the clock of every stamp and span in the program. [any thread]
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Conversion of text from users and files to numbers; and a count with its noun. Any thread.

// Parses a finite number and nothing else, in any locale: no spaces, unit or "inf". Returns nullopt for other text.
[[nodiscard]] inline std::optional<double> finite_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Returns the noun for that count: "frame" or "frames".
[[nodiscard]] std::string plural(std::integral auto n, std::string_view noun) {
  return std::string(noun) + (n == 1 ? "" : "s");
}

// Returns "1 frame", "2 frames".
[[nodiscard]] std::string counted(std::integral auto n, std::string_view noun) {
  return std::to_string(n) + " " + plural(n, noun);
}

// Text from outside (file names, texts in files) for a terminal, a message or a text file: valid UTF-8 without control
// characters. Pure.

[[nodiscard]] bool is_utf8(std::string_view text);

// Replaces control characters (start of escape sequences), bidirectional marks, and bytes that are not UTF-8 by '?';
// keeps tabs and line breaks.
[[nodiscard]] std::string plain_text(std::string_view text);

[[nodiscard]] std::string lower_case(std::string text);   // letters A to Z
[[nodiscard]] std::string capitalized(std::string text);  // first letter A to Z; not of a key: "fs_hz"

}  // namespace echoloop
