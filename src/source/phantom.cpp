// Phantom as a source: acquisition, rendering frame by frame, cache of periodic states, noise.
#include "source/phantom.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

// Standard deviation of a channel's speckle of level 1 at mid depth without attenuation, in steps of the converter: the
// brightest structures in the near field stay well below 32767.
constexpr double kSpeckleSteps = 700.0;

// A periodic phantom caches the noise-free frames of its period if they fit; further periods only add noise.
constexpr std::size_t kCacheBytes = std::size_t{96} << 20;

// Depth (for the default probe's field) above which echoes grow no further: 1/sqrt(range) has no bound, and the image
// has no depth gain against a bright near field.
constexpr double kNearDepth_m = 8e-3;

AcquisitionPtr make_acquisition(const PhantomSettings& settings, const ProbeModel& model) {
  Acquisition a;
  a.probe = make_linear_probe(std::string(model.name), model.n_elements, model.pitch_m, model.element_width_m);
  a.probe.kind = model.kind;
  for (const double angle : angles_rad(settings)) {
    Transmit transmit;
    if (model.kind == ProbeKind::phased) {
      // From half the array's width behind it, the array subtends 90 degrees.
      transmit.kind = TransmitKind::diverging;
      transmit.source_x_m = -0.5 * model.width_m() * std::sin(angle);
      transmit.source_z_m = -0.5 * model.width_m() * std::cos(angle);
    } else {
      transmit.angle_rad = angle;
    }
    a.transmits.push_back(std::move(transmit));
  }
  a.n_samples = model.n_samples;
  a.sample_type = SampleType::int16;
  a.sampling_hz = model.sampling_hz();
  a.center_hz = model.center_hz;
  a.bandwidth_hz = model.fractional_bandwidth * model.center_hz;
  a.sound_speed_m_s = settings.sound_speed_m_s;
  a.frame_rate_hz = frame_rate_hz(settings);
  a.assumptions.emplace_back(std::string("simulated: two-dimensional, single scattering, ideal ") +
                             (model.kind == ProbeKind::phased ? "diverging" : "plane") + " waves");
  a.validate(std::string(kPhantomPrefix) + settings.name);
  return std::make_shared<const Acquisition>(std::move(a));
}

// Returns the gain of each sample: spreading as 1/sqrt(half the two-way path), 1 at mid depth; attenuation over the
// whole path at the centre frequency; `steps` converter steps for an amplitude of 1.
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
  [[nodiscard]] SourceContentsPtr contents() const override { return scene_->contents(); }
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
  std::unique_ptr<std::int16_t[]> clean_;  // [state][transmit][element][sample], or one frame without a cache
  std::vector<char> kept_;                 // [state] 1: in clean_; empty without a cache
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
  // Uninitialised: a state's memory is first touched when it is rendered.
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
  return std::make_unique<Phantom>(settings, probe_of(settings));
}

namespace {

std::size_t round_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Sets the polynomial of sin(q)/q, q = pi w sin(theta) / lambda, to q^8: within 0.01 up to w = 1.1 lambda.
void set_directivity(kernels::ElementGeometry& geometry, const Acquisition& a) {
  const double q = kPi * a.probe.element_width_m * a.center_hz / a.sound_speed_m_s;
  const double factorials[5] = {1.0, -6.0, 120.0, -5040.0, 362880.0};
  for (int k = 0; k < 5; ++k) geometry.directivity[k] = static_cast<float>(std::pow(q * q, k) / factorials[k]);
}

}  // namespace

EchoSynth::EchoSynth(const Acquisition& acquisition, double fractional_bandwidth)
    : acquisition_(acquisition),
      n_transmits_(acquisition.transmits.size()),
      n_samples_(static_cast<std::size_t>(acquisition.n_samples)) {
  const double fine_hz = acquisition.sampling_hz * kernels::kOversampling;
  const double sigma_s = pulse_sigma_s(acquisition.center_hz, fractional_bandwidth);
  const int half = static_cast<int>(std::ceil(kPulseSigmas * sigma_s * fine_hz));
  for (int k = -half; k <= half; ++k) {
    taps_.push_back(static_cast<float>(pulse_value(k / fine_hz, acquisition.center_hz, sigma_s)));
  }
  taps_.resize(round_up(taps_.size(), kernels::kTapBlock), 0.0F);
  // Output m is fine sample 4 m of the signal, whose taps reach `half` to both sides: the line starts `half` earlier.
  n_phase_ = n_samples_ + taps_.size() / kernels::kOversampling + 1;
  limit_ = static_cast<int>(kernels::kOversampling * n_phase_);
  line_stride_ = round_up(static_cast<std::size_t>(limit_) + 2, 16);
  offset_ = static_cast<float>(half);
  geometry_.samples_per_m = static_cast<float>(fine_hz / acquisition.sound_speed_m_s);
  set_directivity(geometry_, acquisition);
  lines_.resize(n_transmits_ * line_stride_);
  phases_.resize(kernels::kOversampling * n_phase_);
  rf_.resize(n_transmits_ * n_samples_);
}

void EchoSynth::begin(const Scatterers& scatterers) {
  scatterers_ = &scatterers;
  const std::size_t n = scatterers.size();
  there_.resize(n_transmits_ * n);
  const double fine_hz = acquisition_.sampling_hz * kernels::kOversampling;
  const double samples_per_m = fine_hz / acquisition_.sound_speed_m_s;
  for (std::size_t t = 0; t < n_transmits_; ++t) {
    const Transmit& transmit = acquisition_.transmits[t];
    const double offset = offset_ - transmit.t0_s * fine_hz;
    if (transmit.kind == TransmitKind::diverging) {
      const double ahead_m = std::hypot(transmit.source_x_m, transmit.source_z_m);
      kernels::diverging_wave_positions(scatterers.x_m.data(), scatterers.z_m.data(), n,
                                        static_cast<float>(transmit.source_x_m),
                                        static_cast<float>(transmit.source_z_m), static_cast<float>(samples_per_m),
                                        static_cast<float>(offset - samples_per_m * ahead_m), there_.data() + t * n);
      continue;
    }
    kernels::plane_wave_positions(scatterers.x_m.data(), scatterers.z_m.data(), n,
                                  static_cast<float>(samples_per_m * std::sin(transmit.angle_rad)),
                                  static_cast<float>(samples_per_m * std::cos(transmit.angle_rad)),
                                  static_cast<float>(offset), there_.data() + t * n);
  }
}

void EchoSynth::accumulate_element(int e) {
  const Scatterers& s = *scatterers_;
  const std::size_t n = s.size();
  geometry_.x_m = static_cast<float>(acquisition_.probe.elements[static_cast<std::size_t>(e)].x_m);
  alignas(64) float back[kernels::kBlock];
  alignas(64) float weight[kernels::kBlock];
  for (std::size_t first = 0; first < n; first += kernels::kBlock) {
    const std::size_t count = std::min(kernels::kBlock, n - first);
    kernels::element_echoes(s.x_m.data() + first, s.z_m.data() + first, s.amplitude.data() + first, count, geometry_,
                            back, weight);
    for (std::size_t t = 0; t < n_transmits_; ++t) {
      kernels::accumulate(there_.data() + t * n + first, back, weight, count, limit_, lines_.data() + t * line_stride_);
    }
  }
}

std::span<const float> EchoSynth::element(int e) {
  std::ranges::fill(lines_, 0.0F);
  accumulate_element(e);
  for (std::size_t t = 0; t < n_transmits_; ++t) {
    kernels::split_phases(lines_.data() + t * line_stride_, n_phase_, n_phase_, phases_.data());
    kernels::pulse_filter(phases_.data(), n_phase_, taps_.data(), taps_.size(), n_samples_,
                          rf_.data() + t * n_samples_);
  }
  return {rf_.data(), n_transmits_ * n_samples_};
}

// Speckle of level 1 has variance 1 per resolution cell. Echoes that coincide lie within a pulse's length of an arc
// about the element; integral of the squared pulse = sigma sqrt(pi) / 2 seconds, half of it in depth:
//   variance = (1 / cell) (c / 2) (sigma sqrt(pi) / 2) integral of directivity^2 dx, for the element in the middle.
double speckle_variance(const Acquisition& acquisition, double fractional_bandwidth, const Field& field,
                        double depth_m) {
  kernels::ElementGeometry geometry;
  set_directivity(geometry, acquisition);
  constexpr int kSteps = 256;
  const double dx_m = 2.0 * field.x1_m() / kSteps;
  double arc_m = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const auto x = static_cast<float>(-field.x1_m() + (i + 0.5) * dx_m);
    const auto z = static_cast<float>(depth_m);
    const float one = 1.0F;
    float position = 0.0F;
    float weight = 0.0F;
    kernels::element_echoes(&x, &z, &one, 1, geometry, &position, &weight);
    arc_m += static_cast<double>(weight * weight) * dx_m;
  }
  const double energy_s = 0.5 * std::sqrt(kPi) * pulse_sigma_s(acquisition.center_hz, fractional_bandwidth);
  return 0.5 * acquisition.sound_speed_m_s * energy_s * arc_m / field.cell_area_m2;
}

}  // namespace echoloop
