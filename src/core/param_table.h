// One row a parameter. Panels, --set, presets, clamping, the report and the README's table all read this table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/params.h"

namespace echoloop {

enum class ParamGroup { formation, flow, structure, display };

struct ParamSpec {
  using Member = std::variant<double ImagingParams::*, int ImagingParams::*, Recipe ImagingParams::*,
                              Apodization ImagingParams::*, Directivity ImagingParams::*, Precision ImagingParams::*,
                              GridChoice ImagingParams::*, Compounding ImagingParams::*, Median ImagingParams::*,
                              FlowMode ImagingParams::*, WallFilter ImagingParams::*, Gate ImagingParams::*,
                              Structure ImagingParams::*, ColorMap ImagingParams::*>;
  std::string_view key;       // --set KEY=VALUE, SI units
  std::string_view label;     // on screen
  std::string_view unit;      // on screen, e.g. "mm"; empty for none
  double shown_per_si = 1.0;  // value on screen = SI value * this
  int decimals = 0;           // on screen
  double min = 0.0;           // SI, inclusive
  double max = 0.0;
  ParamGroup group = ParamGroup::formation;
  bool from_acquisition = false;  // the default depends on the source
  Member member;
  std::span<const std::string_view> choices;  // names of the values of an enumeration, in order
  std::string_view help;                      // one or two sentences: what it does to the picture
};

std::span<const ParamSpec> param_table();
const ParamSpec* find_param(std::string_view key);  // nullptr when there is none

// What a parameter acts on.
bool forms_pixels(const ParamSpec& spec);     // the complex pixels of a frame
bool is_refinement(const ParamSpec& spec);    // the formed picture, in the stage refine
bool finds_structure(const ParamSpec& spec);  // which objects are found in a picture

// Whether both have the same values of all parameters that act on it.
bool alike(const ImagingParams& a, const ImagingParams& b, bool (*acts)(const ParamSpec&));

double get_number(const ImagingParams& params, const ParamSpec& spec);        // enumerations: their index
void set_number(ImagingParams& params, const ParamSpec& spec, double value);  // clamps to the range
// Every parameter that acts on the screen only, as `from` has it; and all of them at their defaults: what is left makes
// the same pixels exactly where it is equal.
void take_display(ImagingParams& params, const ImagingParams& from);
ImagingParams without_display(ImagingParams params);
std::string get_text(const ImagingParams& params, const ParamSpec& spec);  // SI value or the choice's name

// "KEY=VALUE"; throws Error (unknown key, not a number, out of range, unknown choice).
void set_from_text(ImagingParams& params, std::string_view assignment);

// Throws Error when the parameters contradict each other (empty band, empty depth range, grid too large ...).
void validate_params(const ImagingParams& params, const Acquisition& acquisition);

std::string params_markdown_table();  // for the README and --list-params

}  // namespace echoloop
