#include "core/transmits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/error.h"

namespace echoloop {
TransmitPick picked_transmits(const ImagingParams& p, const Acquisition& a) {
  const int n = a.n_transmits();
  if (forms_lines(p, a)) return {.first = 0, .every = 1, .count = n};
  const int first = std::clamp(p.transmits.first - 1, 0, n - 1);
  const int last = p.transmits.last == 0 ? n - 1 : std::clamp(p.transmits.last - 1, first, n - 1);
  const int count = (last - first) / p.transmits.every + 1;
  return {.first = first, .every = count > 1 ? p.transmits.every : 1, .count = count};
}

bool uses_cones(const ImagingParams& p, const Acquisition& a) {
  if (p.transmits.cone == TransmitCone::off || p.formation.recipe == Recipe::course) return false;
  return a.data == DataKind::channels && all_focused(a) && !forms_lines(p, a) && picked_transmits(p, a).count > 1;
}

AcquisitionPtr with_transmits(const AcquisitionPtr& acquisition, const TransmitPick& pick) {
  if (pick.count == acquisition->n_transmits()) return acquisition;
  auto picked = std::make_shared<Acquisition>(*acquisition);
  picked->transmits.clear();
  for (int i = 0; i < pick.count; ++i) {
    picked->transmits.push_back(acquisition->transmits[static_cast<std::size_t>(pick.first + i * pick.every)]);
  }
  return picked;
}

std::vector<BeamAxis> picked_axes(const Acquisition& acquisition, const TransmitPick& pick) {
  std::vector<BeamAxis> picked;
  if (!all_focused(acquisition)) return picked;
  const std::vector<BeamAxis> all = beam_axes(acquisition);
  for (int k = 0; k < pick.count; ++k) picked.push_back(all[static_cast<std::size_t>(pick.first + k * pick.every)]);
  return picked;
}

double transmit_level_db(const ImagingParams& p, const Acquisition& a) {
  return uses_cones(p, a) ? 0.0
                          : 20.0 * std::log10(static_cast<double>(picked_transmits(p, a).count) / a.n_transmits());
}

namespace {

// n_samples: 1024 samples at 20 MHz and 1540 m/s are a depth of 39 mm, of which all elements see about 36 mm; 2048 at
// 10.88 MHz are 145 mm.
constexpr std::array<ProbeModel, 5> kProbes{{
    {"L64", ProbeKind::linear, 64, 0.300e-3, 0.270e-3, 5.0e6, 0.60, 1024},
    {"L128", ProbeKind::linear, 128, 0.298e-3, 0.268e-3, 5.0e6, 0.60, 1024},
    {"L11-4v", ProbeKind::linear, 128, 0.300e-3, 0.270e-3, 6.25e6, 0.70, 1280},
    {"L22", ProbeKind::linear, 128, 0.100e-3, 0.080e-3, 15.625e6, 0.67, 2048},
    {"P4-2v", ProbeKind::phased, 64, 0.300e-3, 0.250e-3, 2.72e6, 0.60, 2048},
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
