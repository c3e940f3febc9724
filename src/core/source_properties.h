// Properties of reading: choices that a reader needs before it makes an acquisition, one row each. Given as facts are
// (--set KEY=VALUE, sessions, saved commands), passed to the reader process. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace echoloop {

struct SourceProperty {
  std::string_view name;
  std::string_view label;
  std::string_view words;          // accepted, separated by spaces; empty: none; "*": any text of one line
  double least = 0.0, most = 0.0;  // accepted numbers, SI; equal: none
  std::string_view normal;         // value in force if none is given
  const char* help;
  // Of a slider for the number, in `unit`, which is `si` SI units; equal ends: none.
  double track_least = 0.0, track_most = 0.0;
  const char* unit = "";
  double si = 1.0;
};

inline constexpr std::array kSourceProperties{
    SourceProperty{"track", "Track", "*", 0.0, 0.0, "the first with channel data", "Acquisition of the file."},
    SourceProperty{"transmit_decoding", "Transmit decoding", "auto off hadamard refocus pair_sum pair_difference", 0.0,
                   0.0, "auto", "Coded transmits become single elements, or pairs are summed or subtracted."},
    SourceProperty{"decode_loading", "Decoding loading", "", 1e-4, 1.0, "0.01",
                   "Regularisation of the decoding, relative to the largest singular value.", 1e-4, 0.1},
    SourceProperty{"lens", "Lens", "auto refracted straight off", 0.0, 0.0, "auto",
                   "Paths through the lens: refracted at its front, straight, or as if absent."},
    SourceProperty{"pulse_peak_s", "Pulse peak", "", 0.0, 1e-4, "from the file",
                   "Time of the pulse's envelope maximum after the firing.", 0.0, 2.0, "µs", 1e-6},
    SourceProperty{"undo_gain", "Undo gain", "auto linear db off", 0.0, 0.0, "auto",
                   "Time gain compensation of the file: divided out as a factor or in dB, or left."},
    SourceProperty{"emission_s", "Time of emission", "", -1.0, 1.0, "0", "Of the sound, without a transmit.", -50.0,
                   50.0, "µs", 1e-6},
    SourceProperty{"plane_y_m", "Image plane y", "", -1.0, 1.0, "the middle of the array",
                   "Distance of the image plane from y = 0.", -30.0, 30.0, "mm", 1e-3},
    SourceProperty{"plane_turn_rad", "Image plane turn", "", -3.1415926535897936, 3.1415926535897936, "0",
                   "Turn of the image plane about z.", -90.0, 90.0, "°", 0.017453292519943295},
    SourceProperty{"wavelength", "Wavelength", "", 1.0, 4096.0, "1", "Number of the wavelength, from 1."},
};

// One of several acquisitions in a file.
struct RecordedTrack {
  std::string label;
  std::uint64_t transmits = 0, frames = 0;
  double begin_s = 0.0, end_s = 0.0;  // on the clock of all tracks; equal: unknown
  std::string why_not = {};           // reason for not being chosen: no channel data; empty: it can be chosen
  bool chosen = false;
};

[[nodiscard]] const SourceProperty* find_source_property(std::string_view name);  // null: none

// Returns "auto, off, hadamard" or "0.0001 to 1".
[[nodiscard]] std::string accepted_text(const SourceProperty& property);

// Throws Error of one line unless the value is accepted.
void require_value(const SourceProperty& property, std::string_view value);

}  // namespace echoloop
