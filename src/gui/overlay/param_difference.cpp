#include "gui/overlay/param_difference.h"

#include "core/param_table.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

std::string value_text(const ImagingParams& p, const ParamSpec& spec, int decimals) {
  if (!spec.choices.empty()) return std::string(get_choice(p, spec).label);
  const double value = get_number(p, spec);
  if (spec.key == "f_number" && value == 0) return "full aperture";
  if ((spec.key == "grid_nx" || spec.key == "grid_nz") && value == 0) return "auto";
  if (spec.key == "reference_db" && value <= kAutoReference) return "auto";
  return fixed(value * spec.shown_per_si, decimals);
}

}  // namespace

std::vector<ParamDifference> differing_params(const ImagingParams& a, const ImagingParams& b) {
  std::vector<ParamDifference> list;
  for (const ParamSpec& spec : param_table()) {
    if (spec.part == ParamPart::display || get_number(a, spec) == get_number(b, spec)) continue;
    constexpr int kMoreDecimals = 4;
    for (int more = 0; more <= kMoreDecimals; ++more) {
      ParamDifference d{.label = std::string(spec.label),
                        .a = value_text(a, spec, spec.decimals + more),
                        .b = value_text(b, spec, spec.decimals + more),
                        .unit = std::string(spec.unit)};
      if (d.a == d.b && more < kMoreDecimals) continue;
      list.push_back(std::move(d));
      break;
    }
  }
  return list;
}

}  // namespace echoloop
