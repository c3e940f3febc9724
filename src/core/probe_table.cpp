#include "core/probe_table.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.h"

namespace echoloop {
namespace {

// n_samples: 1024 samples at 20 MHz and 1540 m/s are a depth of 39 mm, of which about 36 mm are seen by all elements.
constexpr std::array<ProbeModel, 5> kProbes{{
    {"L64", ProbeKind::linear, 64, 0.300e-3, 0.270e-3, 5.0e6, 0.60, 1024},
    {"L128", ProbeKind::linear, 128, 0.298e-3, 0.268e-3, 5.0e6, 0.60, 1024},
    {"L11-4v", ProbeKind::linear, 128, 0.300e-3, 0.270e-3, 6.25e6, 0.70, 1280},
    {"L22", ProbeKind::linear, 128, 0.100e-3, 0.080e-3, 15.625e6, 0.67, 2048},
    {"P4-2v", ProbeKind::phased, 64, 0.300e-3, 0.250e-3, 2.72e6, 0.60, 1024},
}};

}  // namespace

double ProbeModel::sampling_hz() const { return kSamplesPerPeriod * center_hz; }

std::span<const ProbeModel> probe_models() { return kProbes; }

const ProbeModel& find_probe_model(std::string_view name) {
  const auto* const found = std::ranges::find(kProbes, name, &ProbeModel::name);
  if (found != kProbes.end()) return *found;
  std::string names;
  for (const ProbeModel& probe : kProbes) names += (names.empty() ? "" : ", ") + std::string(probe.name);
  throw Error("probe", "\"" + std::string(name) + "\"", names);
}

}  // namespace echoloop
