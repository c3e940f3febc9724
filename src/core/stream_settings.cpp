#include "core/stream_settings.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::array<InjectionSpec, 10> kInjections = {{
    {"load_ms", "Extra load", "ms", "Additional device time for every frame.", 0.1, 1000.0, &Injection::load_ms},
    {"jitter_ms", "Jitter", "ms", "Random delay of each frame, up to this value.", 0.1, 1000.0, &Injection::jitter_ms},
    {"burst_frames", "Bursts", "frames", "Frames arrive in groups of this size at an unchanged mean rate.", 1.0, 1000.0,
     &Injection::burst_frames},
    {"stall_ms", "Stalls", "ms", "Duration of the periodic stops of the source.", 1.0, 10000.0, &Injection::stall_ms},
    {"stall_every_s", "Stall interval", "s", "Time between the end of a stall and the next stall.", 0.1, 3600.0,
     &Injection::stall_every_s, 0.1},
    {"duplicate_every", "Duplicates", "frames", "One frame in this many is sent twice, with the same number.", 1.0, 1e6,
     &Injection::duplicate_every},
    {"missing_every", "Missing", "frames", "One frame in this many is missing.", 1.0, 1e6, &Injection::missing_every},
    {"error_at", "Device error at", "frame", "The device rejects this frame once; a restart recovers.", 1.0, 1e15,
     &Injection::error_at},
    {"lost_at", "Device lost at", "frame", "The device fails permanently at this frame, as after a crashed kernel.",
     1.0, 1e15, &Injection::lost_at},
    {"missing_event", "Missing event", "",
     "1: kernels do not wait for the copy. Samples not yet copied are those of an earlier frame. The image is torn.",
     1.0, 1.0, &Injection::missing_event},
}};

constexpr std::array<CopySpec, 5> kCopies = {{
    {"chunks", "Chunks", "", "Pieces of a frame's copy.", 1.0, 64.0, &CopySettings::chunks, 1.0},
    {"streams", "Copy streams", "", "Streams for the pieces, in turn.", 1.0, 32.0, &CopySettings::streams, 1.0},
    {"device_sync", "Device synchronise", "",
     "1: after each frame the host waits for all work of the device, so that the next copy starts later.", 1.0, 1.0,
     &CopySettings::device_sync},
    {"bus_gbps", "Simulated bus", "GB/s",
     "CPU only: each frame waits as for a copy at this rate. Results are unchanged. 0: no bus.", 0.01, 64.0,
     &CopySettings::bus_gbps},
    {"bus_latency_us", "Bus latency", "µs", "Of each piece on the simulated bus.", 1.0, 10000.0,
     &CopySettings::bus_latency_us},
}};

template <class Settings>
bool is_whole(const SettingSpec<Settings>& spec) {
  return spec.step == 1.0 && spec.unit != "ms";
}

template <class Settings>
std::string range_text(const SettingSpec<Settings>& spec) {
  char text[96];
  std::snprintf(text, sizeof text, "%s%g to %g%s%s", is_whole(spec) ? "whole numbers from " : "", spec.least, spec.max,
                spec.unit.empty() ? "" : " ", spec.unit.data());
  return spec.key == "missing_every" ? std::string(text) + ", not 1" : text;
}

// Returns true for a value that leaves no frame.
template <class Settings>
bool leaves_none(const SettingSpec<Settings>& spec, double value) {
  return spec.key == "missing_every" && value == 1.0;
}

template <class Settings>
void set_from_pair(Settings& settings, std::span<const SettingSpec<Settings>> specs, const std::string& option,
                   std::string_view pair) {
  const std::size_t equals = pair.find('=');
  const std::string_view key = pair.substr(0, equals);
  std::string known;
  for (const SettingSpec<Settings>& spec : specs) {
    known += (known.empty() ? "" : ", ") + std::string(spec.key);
    if (spec.key != key) continue;
    const std::string_view text = equals == std::string_view::npos ? "" : pair.substr(equals + 1);
    const auto value = finite_number(text);
    if (!value || leaves_none(spec, *value) || *value < spec.least || *value > spec.max ||
        (is_whole(spec) && *value != std::floor(*value))) {
      const std::string name = option + " " + std::string(key);
      if (value && !is_whole(spec)) throw out_of_range(name, std::string(text), range_text(spec));
      throw invalid_value(name, std::string(text), range_text(spec));
    }
    settings.*spec.member = *value;
    return;
  }
  throw Error(option, "'" + std::string(pair) + "'", "KEY=VALUE,... with the keys " + known);
}

template <class Settings>
Settings parse_settings(std::span<const SettingSpec<Settings>> specs, const std::string& option,
                        const std::string& text) {
  Settings settings;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    set_from_pair(settings, specs, option, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return settings;
}

// Returns the values other than the initial ones in the form of parse_settings().
template <class Settings>
std::string settings_text(std::span<const SettingSpec<Settings>> specs, const Settings& settings) {
  const Settings none;
  std::string text;
  for (const SettingSpec<Settings>& spec : specs) {
    if (settings.*spec.member == none.*spec.member) continue;
    char pair[64];
    std::snprintf(pair, sizeof pair, "%s%s=%.15g", text.empty() ? "" : ",", spec.key.data(), settings.*spec.member);
    text += pair;
  }
  return text;
}

}  // namespace

std::span<const InjectionSpec> injection_specs() { return kInjections; }
std::span<const CopySpec> copy_specs() { return kCopies; }

Injection parse_injection(const std::string& text) { return parse_settings(injection_specs(), "--inject", text); }
CopySettings parse_copy(const std::string& text) { return parse_settings(copy_specs(), "--copy", text); }

std::string to_text(const Injection& injection) { return settings_text(injection_specs(), injection); }
std::string to_text(const CopySettings& copy) { return settings_text(copy_specs(), copy); }

}  // namespace echoloop
