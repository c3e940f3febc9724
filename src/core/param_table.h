// Parameter table, one row per parameter. Panels, --set, presets, captions, the report and the manual's table read it:
// a new number parameter is a member in params.h and a row in param_rows.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/adaptive.h"
#include "core/params.h"

namespace echoloop {

// Struct of ImagingParams that holds a parameter, i.e. the part of the program that reads it.
using ParamPart = const char*;
template <auto part>
inline constexpr char kPartTag = 0;
template <auto part>
inline constexpr ParamPart kPart = &kPartTag<part>;  // kPart<&ImagingParams::display>

enum class ParamKind { number, whole_number, choice };

// Access to one member; enumerations as the index of the value.
struct ParamMember {
  double (*get)(const ImagingParams&);
  void (*set)(ImagingParams&, double);
  ParamKind kind;
  ParamPart part;
};

// Facts that decide if a parameter currently has an effect.
struct ParamContext {
  const ImagingParams& params;
  const Acquisition* acquisition;           // null: no source
  std::string_view no_half_precision = {};  // reason for single precision on this device; empty: none
  bool frozen = false;                      // an image of the history is shown
};

enum class ParamScale { linear, logarithmic };
enum class ParamSign { negative_only, always };  // always: +6.0
enum class ParamPlace {
  always,
  wide,
  more,
  more_or_set
};  // in the panel: wide columns; under "more", or if not default

enum class TurnsOn { nothing, pixel_analysis, image_analysis };  // by its first choice it is off

// Control of a parameter in its panel. Numbers in the displayed unit.
struct ParamControl {
  double drag_min = 0.0, drag_max = 0.0;  // range of the slider; equal: the whole range
  ParamScale scale = ParamScale::linear;
  ParamSign sign = ParamSign::negative_only;
  ParamPlace place = ParamPlace::always;
  std::string_view text_at_min = {};                           // replaces number and unit at drag_min, e.g. "off"
  std::string_view short_label = {};                           // if the label is too long for the panel
  bool (*is_shown)(const ParamContext&) = nullptr;             // null: always
  std::string_view (*why_not)(const ParamContext&) = nullptr;  // reason for having no effect now; empty: it has one
  TurnsOn turns_on = TurnsOn::nothing;                         // what the parameter turns on
};

struct ParamSpec {
  std::string_view key;       // --set KEY=VALUE, SI units
  std::string_view label;     // on screen
  std::string_view unit;      // on screen, e.g. "mm"; empty for none
  double shown_per_si = 1.0;  // value on screen = SI value * this
  int decimals = 0;           // on screen
  double min = 0.0;           // SI, inclusive
  double max = 0.0;
  bool from_acquisition = false;  // the default depends on the source
  ParamMember member{};
  std::span<const ParamChoice> choices;  // values of an enumeration, in order
  std::string_view help;                 // one or two sentences: the effect on the image
  ParamControl control = {};
};

std::span<const ParamSpec> param_table();
const ParamSpec* find_param(std::string_view key);  // nullptr if unknown
const ParamSpec& param(std::string_view key);       // for keys named by the program itself; throws Error

double get_number(const ImagingParams& params, const ParamSpec& spec);              // enumerations: index
void set_number(ImagingParams& params, const ParamSpec& spec, double value);        // clamps to the range
std::string get_text(const ImagingParams& params, const ParamSpec& spec);           // SI value or the choice's name
const ParamChoice& get_choice(const ImagingParams& params, const ParamSpec& spec);  // of an enumeration

// Sets from "KEY=VALUE"; throws Error (unknown key, not a number, out of range, unknown choice).
void set_from_text(ImagingParams& params, std::string_view assignment);

// Returns why the parameter has no effect now, one sentence; empty: it has one.
std::string_view why_no_effect(const ParamSpec& spec, const ParamContext& context);

// Returns "default of KEY limited to ..." for parameters that a recording would set beyond the limits of param_table(),
// SI units. default_params() has the limited values.
std::vector<std::string> limited_defaults(const Acquisition& acquisition);

// Throws Error for contradictory parameters (empty band, empty depth range, grid too large ...).
void validate_params(const ImagingParams& params, const Acquisition& acquisition);

std::string params_markdown_table();  // for the manual and --list-params

}  // namespace echoloop
