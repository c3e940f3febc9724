#include "formats/base/description_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::array kKeys{
    DescriptionKey{"file", "array", R"("scan.mat")", "the described file, if its name is not that of the description",
                   false},
    DescriptionKey{"data", "array", R"("acq.rf")", "name of the array with the samples; default: the largest one",
                   false},
    DescriptionKey{"imag", "array", R"("acq.rf_imag")", "name of a second array with the imaginary parts of `data`",
                   false},
    DescriptionKey{"axes", "array", R"(["time", "element", "transmit", "frame"])",
                   "each axis of the array in the order of MATLAB's `size` or numpy's `shape`: `time`, `element`, "
                   "`transmit`, `frame`, `iq` (I, Q), or `line` in place of `element` for lines that are beamformed "
                   "already, or `trace` in place of `transmit` and `element` for a list of A-scans; `one` for a "
                   "further axis of length 1",
                   false},
    DescriptionKey{"offset", "array", "128", "value of zero in unsigned samples, subtracted", true},
    DescriptionKey{"dtype", "raw bytes", R"("int16")",
                   "raw files (.bin .raw .dat .rf): int8 to int64, uint8 to uint64, float32, float64, complex64, "
                   "complex128",
                   false},
    DescriptionKey{"byte_order", "raw bytes", R"("little")", "`little` (default) or `big`", false},
    DescriptionKey{"header_bytes", "raw bytes", "512", "bytes before the first sample; default 0", false},
    DescriptionKey{"frame_header_bytes", "raw bytes", "8", "bytes before each frame; default 0", false},
    DescriptionKey{"shape", "raw bytes", "[0, 7, 128, 2688]",
                   "length of each axis, the slowest first; 0 for the first: as many as the file holds. Of an array "
                   "whose axes are to be split: all lengths as in MATLAB's or numpy's `reshape`, `[1024, 64, 5]` of "
                   "`[1024, 320]`",
                   false},
    DescriptionKey{"fs_hz", "time", "40e6", "sampling frequency", true},
    DescriptionKey{"time_s", "time", R"("acq.t")",
                   "times of all samples, in place of `fs_hz` and `t0_s`: evenly spaced, one for each sample", true},
    DescriptionKey{"fc_hz", "time", "5e6", "centre frequency of the transmitted pulse; of RF measured without it",
                   true},
    DescriptionKey{"bandwidth_hz", "time", "3e6", "full width of the echo spectrum", true},
    DescriptionKey{"demod_hz", "time", "5e6", "demodulation frequency of IQ samples", true},
    DescriptionKey{"c_m_s", "time", "1540", "speed of sound; default 1540", true},
    DescriptionKey{"t0_s", "time", "0",
                   "time of the first sample after `t_zero`; one number, or one a transmit; of "
                   "`line`s one a line",
                   true},
    DescriptionKey{"t_zero", "time", R"("first_firing")",
                   "event at time 0: `first_firing` (the first element fires), `origin` (the wave passes x = 0, z = 0 "
                   "of the element positions), `centre` (the wave passes the middle of the array at z = 0; the same "
                   "where positions are centred or come from a pitch) or `delays` (the zero of explicit delays)",
                   false},
    DescriptionKey{"frame_rate_hz", "time", "25", "frames a second", true},
    DescriptionKey{"prf_hz", "time", "3000", "transmits a second, in place of `frame_rate_hz`", true},
    DescriptionKey{"pitch_m", "elements", "0.3e-3",
                   "distance of neighbouring elements of a linear array, or of neighbouring lines", true},
    DescriptionKey{"n_elements", "elements", "128", "number of elements, checked against the array", true},
    DescriptionKey{"radius_m", "elements", "0.05", "radius of a convex array, whose ends lie at z = 0", true},
    DescriptionKey{"element_x_m", "elements", "[-0.5e-3, 0, 0.5e-3]",
                   "lateral position of each element, in place of `pitch_m`; of each line with `line`", true},
    DescriptionKey{"element_z_m", "elements", "[0, 0, 0]", "depth of each element; default 0", true},
    DescriptionKey{"element_normal_rad", "elements", "[-0.1, 0, 0.1]",
                   "direction of each element, or of each line, from z towards x; default: across the array", true},
    DescriptionKey{
        "element_pos_m", "elements", R"("probe.geometry")",
        "all positions as a matrix, elements x (x, z) or (x, y, z), or transposed; in place of `element_x_m`", true},
    DescriptionKey{"element_width_m", "elements", "0.27e-3", "width of an element", true},
    DescriptionKey{"name", "elements", R"("L11-4v")", "name of the probe", false},
    DescriptionKey{
        "tx", "transmits", R"([{"kind": "plane", "angle_rad": 0.1}])",
        "one entry a transmit: `{\"kind\": \"plane\", \"angle_rad\": a}`, `{\"kind\": \"diverging\", "
        "\"source_m\": [x, z]}`, `{\"kind\": \"focused\", \"focus_m\": [x, z]}`, `{\"kind\": \"delays\", "
        "\"delays_s\": [...]}` (null: silent), `{\"kind\": \"element\", \"element\": 1}` (fires alone, from "
        "1); `\"apod\": [...]` with 0 for silent elements, or `\"aperture_m\"`, the width of those that fire",
        false},
    DescriptionKey{"tx_angles_rad", "transmits", "[-0.1, 0, 0.1]",
                   "plane waves: angle of each, positive towards larger x", true},
    DescriptionKey{"virtual_source_m", "transmits", "[[-5e-3, -12e-3], [5e-3, -12e-3]]",
                   "diverging waves: (x, z) of each virtual source, z below 0", true},
    DescriptionKey{"tx_foci_m", "transmits", "[[-5e-3, 40e-3], [5e-3, 40e-3]]",
                   "focused beams: (x, z) of each focus, z above 0", true},
    DescriptionKey{"tx_delays_s", "transmits", "[[0, 1e-7, null], [null, 1e-7, 0]]",
                   "firing time of each element for each transmit, null or NaN: silent; times of a plane, diverging or "
                   "focused wave count as this wave",
                   true},
    DescriptionKey{"element_delays_s", "transmits", "[0, 1e-7, 2e-7]", "as `tx_delays_s`", true},
    DescriptionKey{"tx_apod", "transmits", "[[1, 1, 0], [0, 1, 1]]",
                   "beside one of the keys above: weight of each element for each transmit, or for all; 0: silent",
                   true},
    DescriptionKey{"tx_elements", "transmits", R"("all")",
                   "single elements: number of the element that fires in each transmit, from 1; `all`: one after "
                   "another",
                   true},
    DescriptionKey{"tx_of_trace", "traces", "[1, 1, 2]",
                   "with the axis `trace`: number of the element that fires, for each trace, from 1 (from 0 where one "
                   "of both lists has a 0); traces may be in any order and any part of a full matrix",
                   true},
    DescriptionKey{"rx_of_trace", "traces", "[1, 2, 2]",
                   "number of the element that receives, for each trace; the opposite direction takes the place of a "
                   "pair that is not there",
                   true},
    DescriptionKey{"tx_mirrored", "transmits", "true",
                   "left and right of the transmits are exchanged: angles and x of the opposite sign, delays and "
                   "weights in the opposite order",
                   false},
    DescriptionKey{"assumed", "open questions", R"(["t0_s"])",
                   "keys above whose values are assumed, not known: listed as assumptions each time the file opens",
                   false},
};

std::string lower(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += c;
  }
  return lower_case(std::move(plain));
}

// The name most like `key`; empty when none is.
std::string_view nearest_name(std::string_view key, std::span<const std::string_view> names) {
  if (key.size() > 64) return {};
  const std::string wanted = lower(key);
  const std::string cased = lower_case(std::string(key));
  const std::string_view stem = without_unit(cased);
  std::string_view nearest;
  std::size_t least = wanted.size() <= 4 ? 2 : 3;  // fewer changes than that
  for (const std::string_view name : names) {
    const bool other_unit = stem.size() < cased.size() && stem == without_unit(name);
    const std::size_t distance = other_unit ? 1 : edit_distance(wanted, lower(name));
    if (distance < least) least = distance, nearest = name;
  }
  return nearest;
}

// Without the marks of Markdown.
std::string unmarked(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '`') plain += c;
  }
  return plain;
}

// Lines of at most `width` characters, each behind `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

}  // namespace

std::span<const DescriptionKey> description_keys() { return kKeys; }

const DescriptionKey* find_description_key(std::string_view key) {
  const auto* const found = std::ranges::find_if(kKeys, [&](const DescriptionKey& row) { return key == row.key; });
  return found == kKeys.end() ? nullptr : found;
}

const DescriptionKey* nearest_description_key(std::string_view key) {
  std::array<std::string_view, kKeys.size()> names;
  std::ranges::transform(kKeys, names.begin(), [](const DescriptionKey& row) { return std::string_view(row.key); });
  return find_description_key(nearest_name(key, names));
}

std::string_view nearest_transmit_key(std::string_view key) { return nearest_name(key, kTransmitKeys); }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t above = row[k];
      row[k] = std::min({row[k] + 1, row[k - 1] + 1, corner + (a[i - 1] == b[k - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

std::string_view without_unit(std::string_view key) {
  for (const std::string_view unit :
       {"_m", "_mm", "_um", "_s", "_ms", "_us", "_ns", "_hz", "_khz", "_mhz", "_rad", "_deg", "_bytes"}) {
    if (key.size() > unit.size() && key.ends_with(unit)) return without_unit(key.substr(0, key.size() - unit.size()));
  }
  return key;
}

std::string without_spaces(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

VariableExpression parse_variable(std::string_view text) {
  for (const char sign : {'*', '/'}) {
    const std::size_t at = text.find(std::string(" ") + sign + " ");
    if (at == std::string_view::npos) continue;
    const std::string left = without_spaces(text.substr(0, at)), right = without_spaces(text.substr(at + 3));
    if (const auto number = finite_number(right); number && *number != 0.0)
      return {.name = left, .factor = sign == '*' ? *number : 1.0 / *number, .has_factor = true};
    if (const auto number = finite_number(left))
      return {.name = right, .factor = *number, .inverse = sign == '/', .has_factor = true};
  }
  return {.name = without_spaces(text)};
}

std::string description_help() {
  std::string text =
      "echoloop describe FILE           arrays of a file, and a JSON description of it to complete\n"
      "echoloop describe FILE > F.json  FILE opens with it from then on, if F.json lies beside F.mat, F.h5, F.bin ...\n"
      "\n"
      "A description beside .mat, .h5, .npz, .npy, .pkl, .mha and raw files (.bin .raw .dat .rf). Wherever a number\n"
      "or a list of numbers belongs, the name of a variable of the file may stand, with a factor: \"acq.fs\",\n"
      "\"probe.pitch_mm * 1e-3\", \"1 / acq.dt\". Lines may end in // comments.\n";
  std::string_view group;
  for (const DescriptionKey& row : kKeys) {
    if (row.group != group) {
      group = row.group;
      text += "\n" + std::string(group) + "\n";
    }
    text += "  \"" + std::string(row.key) + "\": " + row.example + "\n" + wrapped(unmarked(row.help), 6, 110);
  }
  return text;
}

std::string description_markdown() {
  std::string text;
  for (const DescriptionKey& row : kKeys) {
    text += "| `" + std::string(row.key) + "` | `" + row.example + "` | " + row.help +
            (row.numbers ? " (or a variable)" : "") + " |\n";
  }
  return text;
}

}  // namespace echoloop
