#include "backend/sound_speed.h"

#include <algorithm>
#include <sstream>

#include "backend/frame_processor.h"
#include "core/error.h"
#include "dsp/methods/channel_sums.h"

namespace echoloop {
namespace {

// Fewer columns and rows than beams and pulses fill miss echoes, and the peak moves by tens of m/s with the grid.
constexpr int kMostColumns = 256;
constexpr int kMostRows = 512;
constexpr double kLeastFNumber = 1.5;

ImagingParams params_at(const SoundSpeedTask& task, AdaptiveAxis axis, double speed_m_s) {
  ImagingParams p = without_analyses(task.params);
  FormationParams& f = p.formation;
  const double scale = speed_m_s / f.sound_speed_m_s;
  f.sound_speed_m_s = speed_m_s;
  f.depth_min_m *= scale;
  f.depth_max_m *= scale;
  f.grid_nx = task.grid.nx;
  f.grid_nz = task.grid.nz;
  f.f_number = search_f_number(task.params);
  f.apodization = Apodization::boxcar;
  f.directivity = Directivity::off;
  f.adaptive = Adaptive::coherence;
  f.adaptive_axis = axis;
  f.adaptive_order = AdaptiveOrder::compounded;
  f.adaptive_strength = 1.0;
  f.adaptive_show = AdaptiveShow::weight;
  p.transmits.window = Apodization::boxcar;
  if (axis == AdaptiveAxis::transmits) {  // equally many at every pixel
    f.compounding = Compounding::coherent;
    p.transmits.cone = TransmitCone::off;
  }
  p.refine = {};
  return p;
}

// Returns Phi of one speed, from the sums and factors in the lane.
double phi_of(const std::vector<float>& sums, const std::vector<float>& factors,
              const std::vector<std::uint32_t>& pixels, double n_channels) {
  double coherent = 0.0;
  double total = 0.0;
  // Undoes the fading of few channels towards 1 (dsp/methods/channel_sums.h).
  const double full = static_cast<double>(kFullWeightChannels) - 1.0;
  const double unfade = n_channels < full + 1.0 ? full / (n_channels - 1.0) : 1.0;
  const std::size_t count = pixels.empty() ? factors.size() : pixels.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = pixels.empty() ? k : pixels[k];
    const double factor = 1.0 - (1.0 - static_cast<double>(factors[i])) * unfade;
    const double re = static_cast<double>(sums[2 * i]);
    const double im = static_cast<double>(sums[2 * i + 1]);
    const double energy = re * re + im * im;
    if (!(factor > 0.0) || !(energy > 0.0)) continue;
    coherent += energy;
    total += energy / factor;
  }
  return total > 0.0 ? coherent / total : 0.0;
}

struct Refusal {
  const char* found = nullptr;  // null: none
  const char* accepted = nullptr;
};

Refusal refusal_of(const ImagingParams& params, const Acquisition& acquisition) {
  if (params.formation.recipe == Recipe::course)
    return {"Not available with recipe=course, which has no complex channels", "recipe=analytic"};
  if (acquisition.data != DataKind::channels || acquisition.n_elements() < 2)
    return {"The recording has no channels to compare", "channel data of at least two elements"};
  if (forms_lines(params, acquisition)) {
    return {"Not available with scan lines, which have one transmit each",
            "compounding=coherent, or transmits that cover the image"};
  }
  return {};
}

}  // namespace

std::vector<double> speeds_around(double speed_m_s) {
  std::vector<double> speeds;
  for (int i = 0; i < kSpeeds; ++i) speeds.push_back(speed_m_s + kSpeedReach_m_s * (2.0 * i / (kSpeeds - 1) - 1.0));
  return speeds;
}

double search_f_number(const ImagingParams& params) { return std::max(params.formation.f_number, kLeastFNumber); }

std::string search_f_number_note(const ImagingParams& params) {
  const double own = params.formation.f_number;
  if (own >= kLeastFNumber) return {};
  std::ostringstream text;
  text << "Searched with F " << kLeastFNumber << "; the image has ";
  own > 0.0 ? text << "F " << own << "." : text << "the full aperture.";
  return text.str();
}

std::string why_no_sound_speed(const ImagingParams& params, const Acquisition& acquisition) {
  const Refusal why = refusal_of(params, acquisition);
  return why.found == nullptr ? "" : std::string(why.found) + ".";
}

Grid sound_speed_grid(const ImagingParams& params, const Acquisition& acquisition) {
  const Refusal why = refusal_of(params, acquisition);
  if (why.found != nullptr) throw Error("sound speed", why.found, why.accepted);
  ImagingParams own = params;
  own.formation.grid_nx = own.formation.grid_nz = 0;
  const Grid grid = make_grid(own, acquisition);
  own.formation.grid_nx = std::min(grid.nx, kMostColumns);
  own.formation.grid_nz = std::min(grid.nz, kMostRows);
  return make_grid(own, acquisition);
}

void judge_curve(SoundSpeedCurve& curve, const std::vector<double>& speeds_m_s) {
  const auto highest = std::ranges::max_element(curve.phi);
  const auto at = static_cast<std::size_t>(highest - curve.phi.begin());
  const double lowest = *std::ranges::min_element(curve.phi);
  curve.prominence = *highest > 0.0 ? (*highest - lowest) / *highest : 0.0;
  curve.peak_m_s = speeds_m_s[at];
  if (at == 0 || at + 1 == curve.phi.size()) {
    curve.warnings.emplace_back("The peak is at an end of the range: the speed of sound may be outside the range.");
  } else {
    const double before = curve.phi[at - 1], after = curve.phi[at + 1];
    const double bend = before - 2.0 * *highest + after;
    if (bend < 0.0) curve.peak_m_s += 0.5 * (before - after) / bend * (speeds_m_s[at + 1] - speeds_m_s[at]);
  }
  constexpr double kFlat = 0.02;
  if (curve.prominence < kFlat)
    curve.warnings.emplace_back("The curve is flat (less than 2 %): the region does not determine the speed of sound.");
}

SoundSpeedResult find_sound_speed(Backend& backend, const SoundSpeedTask& task, const RfFrame& frame,
                                  const std::function<bool(double)>& go_on) {
  SoundSpeedResult result;
  const bool both = picked_transmits(task.params, *task.acquisition).count > 1;
  const double n_images = static_cast<double>(task.speeds_m_s.size()) * (both ? 2.0 : 1.0);
  double made = 0.0;
  const std::unique_ptr<Lane> lane = backend.make_lane(0, StreamMode::serial);
  const auto run = [&](AdaptiveAxis axis, SoundSpeedCurve& curve) {
    std::shared_ptr<const Plan> plan;
    for (const double speed : task.speeds_m_s) {
      if (go_on && !go_on(made++ / n_images)) return false;
      plan = make_plan(task.acquisition, params_at(task, axis, speed), plan);
      lane->set_plan(plan);
      form_frame(*lane, plan, frame);
      make_image(*lane, *plan, {.copy = HostCopy::none});
      lane->wait();
      const double n = axis == AdaptiveAxis::transmits ? plan->pick.count : task.acquisition->n_elements();
      curve.phi.push_back(
          phi_of(lane->read_back(Lane::Tap::beamformed), lane->read_back(Lane::Tap::envelope), task.pixels, n));
    }
    judge_curve(curve, task.speeds_m_s);
    return true;
  };
  if (!run(AdaptiveAxis::elements, result.elements)) return {};
  if (both && !run(AdaptiveAxis::transmits, result.transmits)) return {};
  return result;
}

}  // namespace echoloop
