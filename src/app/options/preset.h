// Preset: a named TOML file of parameters. Changes only the parameters it names. Values specific to one probe (band,
// depth, position) are under [probe.parameters] and apply only to that probe.
//   name = "Detail"            about = "Sharp points."        slot = 1        organ = 1        (all optional)
//   [parameters]               f_number = 1.0
//   [probe]                    name = "L128"  kind = "linear"  center_hz = 5e6  default = true
//   [probe.parameters]         depth_max_m = 0.04
// A flat table of parameters is also a preset. Any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/acquisition.h"
#include "core/param_table.h"
#include "core/stream_settings.h"

namespace echoloop {

struct PresetValue {
  const ParamSpec* spec = nullptr;
  double value = 0.0;  // SI; a choice: its index
};

// Probe of a preset; missing fields match every probe.
struct PresetProbe {
  std::string name;
  std::optional<ProbeKind> kind;
  double center_hz = 0.0;  // matches within 5 %
  [[nodiscard]] bool any() const { return name.empty() && !kind && center_hz == 0.0; }
  [[nodiscard]] std::string words() const;  // "L128, linear, 5 MHz"
};

struct Preset {
  std::string name;
  std::string about;  // one or two sentences
  int slot = 0;       // key 1 to 9; 0 = none
  int organ = 0;      // place among those offered by organ in View, which have a key only if they name one; 0: none
  PresetProbe probe;
  bool is_default = false;  // applied when a source with its probe is opened
  std::vector<PresetValue> values;
  std::vector<PresetValue> probe_values;
};

// Throw Error in one line that names `what` or the file.
Preset parse_preset(const std::string& what, std::string_view toml);
Preset read_preset(const std::filesystem::path& path);

// Returns all settings as KEY=VALUE, for any probe, for the command line.
std::vector<std::string> preset_settings(const Preset& preset);
std::vector<std::string> settings_of(const std::vector<PresetValue>& values);

// Returns a preset of all current parameters, with those specific to the probe apart.
Preset make_preset(const std::string& name, const ImagingParams& params, const Acquisition& acquisition);
std::string preset_toml(const Preset& preset);

bool belongs_to(const Preset& preset, const Acquisition& acquisition);
// Returns "Preset Heart: [probe.parameters] not applied (depth_max_m): the preset is for phased, the probe is L7-4,
// linear, 5.21 MHz"; empty: all of it applies.
std::string why_not_whole(const Preset& preset, const Acquisition& acquisition);
ImagingParams apply_preset(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition);

// Returns a message for the first parameter of the preset that differs from the default and has no effect on this
// source: "Transmit cone has no effect. Only for focused transmits."; empty: none.
std::string why_no_effect(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition);

// Default stream settings of a window: in time where that matters more than every frame.

struct StartFacts {
  bool phantom = false;      // endless: its frames are expendable
  bool every_frame = false;  // needed by the run: a count of frames, a recording, a video
  bool on_cpu = false;
  bool slow_motion = false;  // played slower than acquired
  bool ensembles = false;    // of consecutive frames are needed
};

// Returns `settings` with policy and slots for this start. A phantom on the CPU that plays in real time drops frames it
// cannot process in time; one in slow motion or
// with Doppler waits, as neither its time nor its ensembles gain by a loss. Both use the
// fewest slots: each waiting slot delays the image by a frame.
StreamSettings start_settings(StreamSettings settings, const StartFacts& facts);

}  // namespace echoloop
