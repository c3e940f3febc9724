// The phantom as a source: acquisition, frame by frame rendering, cache of periodic states, noise.
#include "source/phantom.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/value_error.h"
#include "source/echo_kernels.h"
#include "source/echo_synth.h"
#include "source/phantom_scene.h"
#include "source/phantom_speckle.h"
#include "source/probe_table.h"

namespace echoloop {
namespace {

constexpr std::array<std::string_view, 4> kNames{"points", "cyst", "flow", "heart"};

// Standard deviation of a channel's speckle of level 1 at mid depth without attenuation, in steps of the converter:
// the brightest structures in the near field then stay well below 32767.
constexpr double kSpeckleSteps = 700.0;

// A periodic phantom keeps the noise-free frames of its period when they fit; the second period costs only noise.
constexpr std::size_t kCacheBytes = std::size_t{96} << 20;

// Nearer than this depth (for the default probe's field) echoes grow no further: 1/sqrt(range) has no bound, and the
// image has no depth gain against a bright near field.
constexpr double kNearDepth_m = 8e-3;

void require(bool ok, const PhantomSettings& s, const std::string& found, const std::string& accepted) {
  if (!ok) throw Error("sim:" + s.name, found, accepted);
}

void require_range(const PhantomSettings& s, const std::string& field, double value, double low, double high,
                   const std::string& accepted) {
  if (std::isfinite(value) && value >= low && value <= high) return;
  throw out_of_range("sim:" + s.name + ": " + field, std::to_string(value), accepted);
}

void check(const PhantomSettings& s) {
  if (std::ranges::find(kNames, s.name) == kNames.end()) {
    std::string names;
    for (const std::string_view name : kNames) names += (names.empty() ? "" : ", ") + std::string(name);
    throw Error("phantom", "\"" + s.name + "\"", names);
  }
  require(!s.angles_rad.empty() && s.angles_rad.size() <= 256, s,
          std::to_string(s.angles_rad.size()) + " transmit angles", "1 to 256");
  for (const double angle : s.angles_rad) {
    require_range(s, "transmit angle (rad)", angle, -45.0 * kRadiansPerDegree, 45.0 * kRadiansPerDegree,
                  "-45 to 45 degrees");
  }
  require_range(s, "frame rate", s.frame_rate_hz, 0.1, 1e5, "0.1 Hz to 100 kHz");
  require_range(s, "noise level", s.noise_db, -300.0, 40.0, "-300 to 40 dB");
  require_range(s, "attenuation", s.attenuation_db_cm_mhz, 0.0, 10.0, "0 to 10 dB/cm/MHz");
  require_range(s, "peak speed", s.flow.peak_m_s, 0.0, 10.0, "0 to 10000 mm/s");
  require_range(s, "pulsation", s.flow.pulsation, 0.0, 1.0, "0 to 1");
  require_range(s, "vessel angle (rad)", s.flow.angle_rad, -60.0 * kRadiansPerDegree, 60.0 * kRadiansPerDegree,
                "-60 to 60 degrees");
  require_range(s, "vessel radius (m)", s.flow.radius_m, 0.0, 10e-3, "0 to 10 mm; 0 = default");
  require_range(s, "tissue motion", s.flow.motion_m_s, 0.0, 1.0, "0 to 1000 mm/s");
  require_range(s, "sound speed", s.sound_speed_m_s, 1000.0, 2500.0, "1000 to 2500 m/s");
}

AcquisitionPtr make_acquisition(const PhantomSettings& settings, const ProbeModel& model) {
  Acquisition a;
  a.probe = make_linear_probe(std::string(model.name), model.n_elements, model.pitch_m, model.element_width_m);
  a.probe.kind = model.kind;
  for (const double angle : settings.angles_rad) {
    Transmit transmit;
    transmit.angle_rad = angle;
    a.transmits.push_back(std::move(transmit));
  }
  a.n_samples = model.n_samples;
  a.sample_type = SampleType::int16;
  a.sampling_hz = model.sampling_hz();
  a.center_hz = model.center_hz;
  a.bandwidth_hz = model.fractional_bandwidth * model.center_hz;
  a.sound_speed_m_s = settings.sound_speed_m_s;
  a.frame_rate_hz = settings.frame_rate_hz;
  a.assumptions.emplace_back("simulated: two-dimensional, single scattering, ideal plane waves");
  a.validate("sim:" + settings.name);
  return std::make_shared<const Acquisition>(std::move(a));
}

std::unique_ptr<Scene> make_scene(const PhantomSettings& settings) {
  const SceneSetup setup = scene_setup(settings);
  if (settings.name == "points") return make_points_scene(setup);
  if (settings.name == "cyst") return make_cyst_scene(setup);
  if (settings.name == "flow") return make_flow_scene(setup);
  return make_heart_scene(setup);
}

// Gain of each sample: spreading as 1/sqrt(half the two-way path), 1 at mid depth; attenuation over the whole path at
// the centre frequency; `steps` converter steps for an amplitude of 1.
std::vector<float> depth_gain(const Acquisition& a, const PhantomSettings& s, const Field& field, double steps) {
  std::vector<float> gain(static_cast<std::size_t>(a.n_samples));
  const double db_per_m = s.attenuation_db_cm_mhz * 100.0 * a.center_hz / kHertzPerMegahertz;
  for (int m = 0; m < a.n_samples; ++m) {
    const double path_m = m / a.sampling_hz * a.sound_speed_m_s;
    const double spreading = std::sqrt(0.5 * field.depth_m / std::max(0.5 * path_m, kNearDepth_m * field.scale));
    gain[static_cast<std::size_t>(m)] =
        static_cast<float>(steps * spreading * std::pow(10.0, -db_per_m * path_m / 20.0));
  }
  return gain;
}

class Phantom final : public Source {
 public:
  Phantom(const PhantomSettings& settings, const ProbeModel& model);

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }
  std::span<const std::byte> produce(std::uint64_t index, std::span<std::byte> slot) override;

 private:
  const std::int16_t* clean_frame(std::uint64_t index);
  void render(std::uint64_t state, std::int16_t* out);
  void render_fixed();

  AcquisitionPtr acquisition_;
  std::string name_;
  std::uint64_t seed_;
  float noise_steps_ = 0.0F;
  std::unique_ptr<Scene> scene_;
  EchoSynth synth_;
  Scatterers moving_;
  std::size_t frame_values_;
  std::vector<float> gain_;                // [sample]
  std::vector<float> fixed_rf_;            // [transmit][element][sample] of the stationary scatterers, before the gain
  std::unique_ptr<std::int16_t[]> clean_;  // [state][transmit][element][sample], or one frame when nothing is kept
  std::vector<char> kept_;                 // [state] 1: clean_ holds it; empty when nothing is kept
};

Phantom::Phantom(const PhantomSettings& settings, const ProbeModel& model)
    : acquisition_(make_acquisition(settings, model)),
      seed_(settings.seed),
      synth_(*acquisition_, model.fractional_bandwidth) {
  const Field field = field_of(settings);
  name_ = settings.name + " phantom";
  name_.front() = static_cast<char>(name_.front() - 'a' + 'A');
  scene_ = make_scene(settings);
  const double variance = speckle_variance(*acquisition_, model.fractional_bandwidth, field, 0.5 * field.depth_m);
  gain_ = depth_gain(*acquisition_, settings, field, kSpeckleSteps / std::sqrt(variance));
  noise_steps_ = static_cast<float>(kSpeckleSteps * std::pow(10.0, settings.noise_db / 20.0));
  frame_values_ = acquisition_->frame_values();
  const std::uint64_t n_states = scene_->n_states();
  if (n_states > 0 && n_states * acquisition_->frame_bytes() <= kCacheBytes) kept_.assign(n_states, 0);
  // Left uninitialised: a state's memory is first touched when the state is rendered.
  clean_.reset(new std::int16_t[frame_values_ * std::max<std::size_t>(1, kept_.size())]);
  render_fixed();
}

void Phantom::render_fixed() {
  fixed_rf_.resize(frame_values_);
  synth_.begin(scene_->fixed());
  const auto n_samples = static_cast<std::size_t>(acquisition_->n_samples);
  const int n_elements = acquisition_->n_elements();
  for (int e = 0; e < n_elements; ++e) {
    const std::span<const float> rf = synth_.element(e);
    for (int t = 0; t < acquisition_->n_transmits(); ++t) {
      const auto line = static_cast<std::size_t>(t * n_elements + e);
      std::copy_n(rf.data() + static_cast<std::size_t>(t) * n_samples, n_samples, fixed_rf_.data() + line * n_samples);
    }
  }
}

void Phantom::render(std::uint64_t state, std::int16_t* out) {
  scene_->moving(state, moving_);
  synth_.begin(moving_);
  const auto n_samples = static_cast<std::size_t>(acquisition_->n_samples);
  const int n_elements = acquisition_->n_elements();
  for (int e = 0; e < n_elements; ++e) {
    const std::span<const float> rf = synth_.element(e);
    for (int t = 0; t < acquisition_->n_transmits(); ++t) {
      const std::size_t at = static_cast<std::size_t>(t * n_elements + e) * n_samples;
      kernels::quantise(rf.data() + static_cast<std::size_t>(t) * n_samples, fixed_rf_.data() + at, gain_.data(),
                        n_samples, out + at);
    }
  }
}

const std::int16_t* Phantom::clean_frame(std::uint64_t index) {
  const std::uint64_t state = scene_->state(index);
  if (kept_.empty()) {
    render(state, clean_.get());
    return clean_.get();
  }
  std::int16_t* const frame = clean_.get() + state * frame_values_;
  if (!std::exchange(kept_[state], char{1})) render(state, frame);
  return frame;
}

std::span<const std::byte> Phantom::produce(std::uint64_t index, std::span<std::byte> slot) {
  const std::size_t bytes = frame_values_ * sizeof(std::int16_t);
  if (slot.size() < bytes) {
    throw Error(name_, "a slot of " + std::to_string(slot.size()) + " bytes", std::to_string(bytes) + " bytes");
  }
  const std::int16_t* const clean = clean_frame(index);
  Random key(seed_ * 0x9e3779b97f4a7c15ULL + index);
  kernels::add_noise(clean, frame_values_, static_cast<std::uint32_t>(key.bits() >> 32), noise_steps_,
                     reinterpret_cast<std::int16_t*>(slot.data()));
  return slot.first(bytes);
}

}  // namespace

std::span<const std::string_view> phantom_names() { return kNames; }

std::unique_ptr<Source> make_phantom(const PhantomSettings& settings) {
  check(settings);
  return std::make_unique<Phantom>(settings, find_probe_model(settings.probe));
}

}  // namespace echoloop
