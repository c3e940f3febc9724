#include "core/stream_settings.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr std::array<InjectionSpec, 9> kInjections = {{
    {"load_ms", "Extra load", "ms", "Additional device time for every frame.", 0.1, 1000.0, &Injection::load_ms},
    {"jitter_ms", "Jitter", "ms", "Random delay of each frame, up to this value.", 0.1, 1000.0, &Injection::jitter_ms},
    {"burst_frames", "Bursts", "frames", "Frames arrive in groups of this size at an unchanged mean rate.", 1.0, 1000.0,
     &Injection::burst_frames},
    {"stall_ms", "Stalls", "ms", "Duration of the periodic stops of the source.", 1.0, 10000.0, &Injection::stall_ms},
    {"stall_every_s", "Stall interval", "s", "Time between the end of a stall and the next stall.", 0.1, 3600.0,
     &Injection::stall_every_s},
    {"duplicate_every", "Duplicates", "frames", "One frame in this many is sent twice, with the same number.", 1.0, 1e6,
     &Injection::duplicate_every},
    {"missing_every", "Missing", "frames", "One frame in this many is missing.", 1.0, 1e6, &Injection::missing_every},
    {"error_at", "Device error at", "frame", "The device rejects this frame once; a restart recovers.", 1.0, 1e15,
     &Injection::error_at},
    {"lost_at", "Device lost at", "frame", "The device fails permanently at this frame, as after a crashed kernel.",
     1.0, 1e15, &Injection::lost_at},
}};

bool is_whole(const InjectionSpec& spec) { return spec.step == 1.0 && spec.unit != "ms"; }

std::string range_text(const InjectionSpec& spec) {
  char text[96];
  std::snprintf(text, sizeof text, "%s%g to %g%s%s", is_whole(spec) ? "whole numbers from " : "",
                spec.member == &Injection::stall_every_s ? spec.step : 0.0, spec.max, spec.unit.empty() ? "" : " ",
                spec.unit.data());
  return spec.member == &Injection::missing_every ? std::string(text) + ", not 1" : text;
}

void set_from_pair(Injection& injection, std::string_view pair) {
  const std::size_t equals = pair.find('=');
  const std::string_view key = pair.substr(0, equals);
  std::string known;
  for (const InjectionSpec& spec : kInjections) {
    known += (known.empty() ? "" : ", ") + std::string(spec.key);
    if (spec.key != key) continue;
    const std::string_view text = equals == std::string_view::npos ? "" : pair.substr(equals + 1);
    const auto value = finite_number(text);
    const double least = spec.member == &Injection::stall_every_s ? spec.step : 0.0;
    const bool all_missing = spec.member == &Injection::missing_every && value == 1.0;  // no frame would ever come
    if (!value || all_missing || *value < least || *value > spec.max ||
        (is_whole(spec) && *value != std::floor(*value))) {
      if (value && !is_whole(spec))
        throw out_of_range("--inject " + std::string(key), std::string(text), range_text(spec));
      throw invalid_value("--inject " + std::string(key), std::string(text), range_text(spec));
    }
    injection.*spec.member = *value;
    return;
  }
  throw Error("--inject", "'" + std::string(pair) + "'", "KEY=VALUE,... with the keys " + known);
}

}  // namespace

std::span<const InjectionSpec> injection_specs() { return kInjections; }

Injection parse_injection(const std::string& text) {
  Injection injection;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    set_from_pair(injection, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  return injection;
}

std::string to_text(const Injection& injection) {
  const Injection none;
  std::string text;
  for (const InjectionSpec& spec : kInjections) {
    if (injection.*spec.member == none.*spec.member) continue;
    char pair[64];
    std::snprintf(pair, sizeof pair, "%s%s=%.15g", text.empty() ? "" : ",", spec.key.data(), injection.*spec.member);
    text += pair;
  }
  return text;
}

}  // namespace echoloop
