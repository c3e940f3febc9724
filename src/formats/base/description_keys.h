// Every key of a JSON description, one row a key: refusals of unknown keys, `echoloop describe --help` and the manual's
// table are made from it. What the keys mean in numbers: readers/description.h. Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace echoloop {

struct DescriptionKey {
  const char* key;
  const char* group;    // rows of one group stand together: "array", "raw bytes", "time", "elements", "transmits"
  const char* example;  // JSON
  const char* help;     // Markdown
  bool numbers;         // a number or numbers: may also name a variable of the file, "acq.fs * 1e6"
};

std::span<const DescriptionKey> description_keys();
const DescriptionKey* find_description_key(std::string_view key);  // null: no such key

// Keys of the user's own, without effect. All others that are not known are refused.
[[nodiscard]] constexpr bool is_free_key(std::string_view key) { return key.starts_with("x_"); }
inline constexpr const char* kKnownKey = "a known key, or one of your own that begins with x_";

// Keys of one entry of "tx".
inline constexpr auto kTransmitKeys = std::to_array<std::string_view>(
    {"kind", "angle_rad", "source_m", "focus_m", "delays_s", "apod", "aperture_m", "element"});
// Keys of a live stream that describe the frames, beside those of the acquisition.
inline constexpr auto kFrameKeys = std::to_array<std::string_view>(
    {"axes", "shape", "dtype", "strides_bytes", "device_hz", "name", "acquisition", "channel_of_element", "offset"});

// The known key that is most like `key`; null when none is alike (two changed letters, upper and lower case, or another
// unit).
const DescriptionKey* nearest_description_key(std::string_view key);
std::string_view nearest_transmit_key(std::string_view key);  // empty: none

// Letters to add, leave out or change to make `b` of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b);
std::string_view without_unit(std::string_view key);  // "pitch" of "pitch_mm", "c" of "c_m_s"

std::string without_spaces(std::string_view text);  // at both ends

// What a description says in place of a number: "NAME", "NAME * number", "NAME / number", "number / NAME".
struct VariableExpression {
  std::string name;
  double factor = 1.0;
  bool inverse = false;     // factor / variable
  bool has_factor = false;  // as typed
};
VariableExpression parse_variable(std::string_view text);

// The one of `entries` with that path, '/' and '.' alike; else the only one whose path ends in `name`. Nothing when
// there is none, or several.
template <class Entries>
std::optional<std::size_t> find_path(const Entries& entries, std::string_view name) {
  const auto plain = [](std::string path) {
    std::ranges::replace(path, '/', '.');
    return path;
  };
  const std::string wanted = plain(std::string(name)), ending = "." + wanted;
  std::optional<std::size_t> found;
  std::size_t n_found = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::string path = plain(entries[k].path);
    if (path == wanted) return k;
    if (path.ends_with(ending)) found = k, ++n_found;
  }
  return n_found == 1 ? found : std::nullopt;
}

std::string description_help();      // for a terminal
std::string description_markdown();  // the rows of assets/manual/formats.md

// What makes SI of numbers whose unit nothing says: their size. Any thread.

enum class Quantity { frequency, length, duration, angle, plain };

// `largest`: the largest magnitude of the numbers. `reach`: of lengths (m) and durations (s), up to which they are
// taken for SI.
constexpr double unit_by_size(Quantity quantity, double largest, double reach) {
  switch (quantity) {
    case Quantity::frequency:
      return largest < 1e3 ? 1e6 : largest < 1e5 ? 1e3 : 1.0;
    case Quantity::length:
      return largest < reach ? 1.0 : largest < 1e3 * reach ? 1e-3 : 1e-6;
    case Quantity::duration:
      return largest <= reach ? 1.0 : 1e-6;
    case Quantity::angle:
      return largest > 0.5 * std::numbers::pi ? std::numbers::pi / 180.0 : 1.0;
    case Quantity::plain:
      break;
  }
  return 1.0;
}

}  // namespace echoloop
