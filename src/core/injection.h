// Faults on purpose, to see what a policy does about them: a slow pipeline, a restless source, lost and doubled frames,
// a device that fails. Plain values, part of StreamSettings; --inject and the panel are made from the same table.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace echoloop {

// Zero everywhere: nothing is injected. Numbers of frames are whole.
struct Injection {
  double load_ms = 0.0;       // extra processing of every frame
  double jitter_ms = 0.0;     // a frame comes up to this much after it is due
  double burst_frames = 0.0;  // frames come in groups of this many; the mean rate stays
  double stall_ms = 0.0;      // the source stops for so long, stall_every_s after the last stall
  double stall_every_s = 2.0;
  double duplicate_every = 0.0;  // every so manyth frame comes twice, with the same number
  double missing_every = 0.0;    // every so manyth number never comes
  double error_at = 0.0;         // at the frame of this number (or the next one) the device refuses work, once
  double lost_at = 0.0;          // the same, but the device is lost for good: only the CPU can go on
  friend bool operator==(const Injection&, const Injection&) = default;
};

struct InjectionSpec {
  std::string_view key;    // "load_ms", as in --inject
  std::string_view label;  // "Extra load"
  std::string_view unit;
  std::string_view help;
  double step = 0.0;  // of the panel's control; 1 for whole numbers
  double max = 0.0;   // the smallest value is 0 = off, except for stall_every_s, which starts at one step
  double Injection::*member = nullptr;
};

std::span<const InjectionSpec> injection_specs();

// "load_ms=2,missing_every=100": the named faults, all others off. Throws Error that names key, value and range.
Injection parse_injection(const std::string& text);

// What is on, in the form that parse_injection() reads; empty = nothing.
std::string to_text(const Injection& injection);

}  // namespace echoloop
