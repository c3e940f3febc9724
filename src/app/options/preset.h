// A preset: a named TOML file of parameters. It changes what it names and nothing else. What only means something for
// one probe (band, depth, position) stands under [probe.parameters] and acts only where that probe is.
//   name = "Detail"            about = "Sharp points."        slot = 1        (all optional)
//   [parameters]               f_number = 1.0
//   [probe]                    name = "L128"  kind = "linear"  center_hz = 5e6  default = true
//   [probe.parameters]         depth_max_m = 0.04
// A flat table of parameters is a preset too. Any thread.
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

// Whom a preset belongs to; what is not given fits every probe.
struct PresetProbe {
  std::string name;
  std::optional<ProbeKind> kind;
  double center_hz = 0.0;  // fits within 5 %
  [[nodiscard]] bool any() const { return name.empty() && !kind && center_hz == 0.0; }
  [[nodiscard]] std::string words() const;  // "L128, linear, 5 MHz"
};

struct Preset {
  std::string name;
  std::string about;  // one or two sentences
  int slot = 0;       // key 1 to 9; 0 = none of its own
  PresetProbe probe;
  bool is_default = false;  // applied when a source with its probe is opened
  std::vector<PresetValue> values;
  std::vector<PresetValue> probe_values;
};

// Throw Error in one line that names `what` or the file.
Preset parse_preset(const std::string& what, std::string_view toml);
Preset read_preset(const std::filesystem::path& path);

// All it sets as KEY=VALUE, whatever the probe, for the command line.
std::vector<std::string> preset_settings(const Preset& preset);
std::vector<std::string> settings_of(const std::vector<PresetValue>& values);

// All parameters as they are, those that mean something for one probe apart.
Preset make_preset(const std::string& name, const ImagingParams& params, const Acquisition& acquisition);
std::string preset_toml(const Preset& preset);

bool belongs_to(const Preset& preset, const Acquisition& acquisition);
// "Preset Heart: [probe.parameters] not applied (depth_max_m): the preset is for phased, the probe is L7-4,
// linear, 5.21 MHz"; empty: all of it applies.
std::string why_not_whole(const Preset& preset, const Acquisition& acquisition);
ImagingParams apply_preset(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition);

// The first parameter that the preset sets to another value than the default and that has no effect on this source:
// "Transmit cone has no effect. Only for focused transmits."; empty: none.
std::string why_no_effect(const Preset& preset, const ImagingParams& params, const Acquisition& acquisition);

// How a window's stream starts where the user says nothing: to be in time where that matters more than every frame.

struct StartFacts {
  bool phantom = false;      // endless: no frame of it is worth waiting for
  bool every_frame = false;  // the run asks for them: a count of frames, a recording, a video
  bool on_cpu = false;
  bool slow_motion = false;  // played slower than it was acquired
};

// `settings` with policy and slots for this start. A phantom on the CPU that plays in real time drops what it cannot
// keep up with, and so does not come late; one that plays slower than it was acquired waits, as neither its time nor
// its ensembles gain by a loss. Both with the fewest slots: each that waits makes the image older by a frame.
StreamSettings start_settings(StreamSettings settings, const StartFacts& facts);

}  // namespace echoloop
