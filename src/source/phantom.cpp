// The phantom as a source: acquisition, frame by frame rendering, cache of periodic states, noise.
#include "source/phantom.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/probe_table.h"
#include "source/echo_kernels.h"
#include "source/echo_synth.h"
#include "source/phantom_list.h"
#include "source/phantom_scene.h"
#include "source/phantom_speckle.h"
#include "source/phantom_text.h"

namespace echoloop {
namespace {

// Standard deviation of a channel's speckle of level 1 at mid depth without attenuation, in steps of the converter:
// the brightest structures in the near field then stay well below 32767.
constexpr double kSpeckleSteps = 700.0;

// A periodic phantom keeps the noise-free frames of its period when they fit; the second period costs only noise.
constexpr std::size_t kCacheBytes = std::size_t{96} << 20;

// Nearer than this depth (for the default probe's field) echoes grow no further: 1/sqrt(range) has no bound, and the
// image has no depth gain against a bright near field.
constexpr double kNearDepth_m = 8e-3;

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
  a.frame_rate_hz = frame_rate_hz(settings);
  a.assumptions.emplace_back("simulated: two-dimensional, single scattering, ideal plane waves");
  a.validate(std::string(kPhantomPrefix) + settings.name);
  return std::make_shared<const Acquisition>(std::move(a));
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

class Phantom final : public SeekableSource {
 public:
  Phantom(const PhantomSettings& settings, const ProbeModel& model);

  [[nodiscard]] const AcquisitionPtr& acquisition() const override { return acquisition_; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::uint64_t frame_count() const override { return 0; }

 private:
  std::span<const std::byte> read(std::uint64_t index, FrameMemory& slot, const std::stop_token& stop) override;
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
  const PhantomRow& row = *find_phantom(settings.name);
  name_ = std::string(row.title) + " phantom";
  scene_ = row.make(scene_setup(settings));
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

std::span<const std::byte> Phantom::read(std::uint64_t index, FrameMemory& slot, const std::stop_token& /*stop*/) {
  const std::size_t bytes = frame_values_ * sizeof(std::int16_t);
  if (slot.bytes.size() < bytes) {
    throw Error(name_, "a slot of " + std::to_string(slot.bytes.size()) + " bytes", std::to_string(bytes) + " bytes");
  }
  const std::int16_t* const clean = clean_frame(index);
  Random key(seed_ * 0x9e3779b97f4a7c15ULL + index);
  kernels::add_noise(clean, frame_values_, static_cast<std::uint32_t>(key.bits() >> 32), noise_steps_,
                     reinterpret_cast<std::int16_t*>(slot.bytes.data()));
  return slot.bytes.first(bytes);
}

}  // namespace

std::unique_ptr<SeekableSource> make_phantom(const PhantomSettings& settings) {
  check_phantom(settings);
  return std::make_unique<Phantom>(settings, find_probe_model(settings.probe));
}

}  // namespace echoloop
