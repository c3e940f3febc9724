// Scanned objects: scatterers at rest and in motion, without wave physics. One scene per phantom. Motion (scenes) and
// echo formation (EchoSynth) are separate for independent changes and tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/contents.h"
#include "core/units.h"
#include "source/phantom_settings.h"

namespace echoloop {

// Structure of arrays, one entry per scatterer; float metres resolve 4 nm at 40 mm.
struct Scatterers {
  std::vector<float> x_m;
  std::vector<float> z_m;
  std::vector<float> amplitude;  // 1/sqrt(n) each gives fully developed speckle of level 1 with n per resolution cell

  [[nodiscard]] std::size_t size() const { return x_m.size(); }
  void resize(std::size_t n);
  void add(double x, double z, double strength);
};

// Field of view of a probe, and measures for speckle.
struct Field {
  double half_width_m = 0.0;  // of the array
  double depth_m = 0.0;       // reach of the samples
  double margin_m = 0.0;      // scatterers extend this far beyond the array's ends
  double scale = 1.0;         // of the anatomy, drawn for 19.2 x 36 mm (the default probe)
  double cell_area_m2 = 0.0;  // resolution cell: 1.5 wavelengths (F/1.5) by the pulse's two-way half-amplitude length
  bool sector = false;        // phased array: 45 degrees to each side, up to the depth

  // Returns the lateral end of the scatterers.
  [[nodiscard]] double x1_m() const { return (sector ? depth_m * kSectorSlope : half_width_m) + margin_m; }

  // Returns the share of a cell's scatterers that is needed at a point: 0 outside a sector. Below F/1.5 the resolution
  // cell of a sector's fixed aperture grows with depth: fewer scatterers make fully developed speckle there.
  [[nodiscard]] double density_at(double x_m, double z_m) const;

  static constexpr double kSectorSlope = 0.70710678;  // sin 45 degrees
};

struct SceneSetup {
  Field field;
  double frame_rate_hz = 50.0;
  std::uint64_t seed = 1;
  FlowSettings flow = {};
  HeartSettings heart = {};
  double aliasing_m_s = 0.0;  // largest axial speed without aliasing at the frame rate
};

Field field_of(const PhantomSettings& settings);
SceneSetup scene_setup(const PhantomSettings& settings);

class Scene {
 public:
  virtual ~Scene() = default;

  // Returns the scatterers that never move: rendered once.
  [[nodiscard]] virtual const Scatterers& fixed() const = 0;

  // Returns the number of different frames of a periodic motion: frame `index` shows state(index) < n_states(). 0 = not
  // periodic, every frame is its own state.
  [[nodiscard]] virtual std::uint64_t n_states() const { return 0; }
  [[nodiscard]] virtual std::uint64_t state(std::uint64_t index) const { return index; }

  [[nodiscard]] virtual SourceContentsPtr contents() const { return nullptr; }

  // Writes the moving scatterers at `state`; `out` keeps its capacity between frames. A pure function of `state`.
  virtual void moving(std::uint64_t state, Scatterers& out) const = 0;
};

// Returns a smooth step from 0 at or below a to 1 at or above b, with zero slope at both ends.
[[nodiscard]] double smoothstep(double a, double b, double value);

// Speckle: scatterers at random positions in an area of given echogenicity, and their random generator, which gives the
// same numbers on every platform and standard library (unlike std distributions), so that frames are the same
// everywhere. For set-up only.

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double uniform();  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

struct Tissue {
  double amplitude = 0.0;  // of the speckle; 1 = reference, 0 = echo-free
  double density = 1.0;    // kept fraction of the area's scatterers; their level is unchanged
};

struct SpeckleArea {
  double x0_m = 0.0;
  double x1_m = 0.0;
  double z0_m = 0.0;
  double z1_m = 0.0;
  double per_cell = 6.0;  // scatterers per resolution cell of `field`
};

// Appends one scatterer per box of a fine grid to `out`, at a random position in its box (about half a wavelength:
// phases are uniform), of random sign. In order of depth, shuffled over short stretches so that neighbours in memory do
// not hit the same sample.
void add_speckle(Scatterers& out, const Field& field, const SpeckleArea& area, Random& random,
                 const std::function<Tissue(double x_m, double z_m)>& tissue);

// Shuffles over stretches of the size of an EchoSynth block.
void shuffle_locally(Scatterers& scatterers, Random& random);

// Received pulse: a cosine with a Gaussian window, centred on the geometric two-way time.

// Ratio of a Gaussian's full width at half maximum to its standard deviation: 2 sqrt(2 ln 2).
inline const double kFullWidthPerSigma = 2.0 * std::sqrt(2.0 * std::log(2.0));

// Returns the standard deviation in time of the envelope whose spectrum has the given full width at half amplitude.
inline double pulse_sigma_s(double center_hz, double fractional_bandwidth) {
  const double sigma_hz = fractional_bandwidth * center_hz / kFullWidthPerSigma;
  return 1.0 / (2.0 * kPi * sigma_hz);
}

// Returns the value at t seconds from the centre; 1 at t = 0.
inline double pulse_value(double t_s, double center_hz, double sigma_s) {
  const double u = t_s / sigma_s;
  return std::exp(-0.5 * u * u) * std::cos(2.0 * kPi * center_hz * t_s);
}

// Truncation of the pulse: exp(-8) = -69 dB.
inline constexpr double kPulseSigmas = 4.0;

}  // namespace echoloop

namespace echoloop::kernels {

// Hot loops of the phantoms: two-way times, accumulation on a fine time axis, pulse filter, quantisation, noise. Plain
// pointers and simple loops that the compiler vectorises, built for AVX2 and the base machine. Included by
// echo_kernels.cpp and phantom.cpp only. All functions: [any thread], no state.

// Fine samples per RF sample. A scatterer is two weights on the fine axis (linear interpolation): its centre of gravity
// is exact and at 4 x 4 samples per period the amplitude error is below 2 %.
inline constexpr int kOversampling = 4;

// out[i] = offset + x[i] kx + z[i] kz: arrival of the plane wave at the scatterers, in fine samples.
void plane_wave_positions(const float* x, const float* z, std::size_t n, float kx, float kz, float offset, float* out);

// out[i] = offset + |(x[i], z[i]) - source| samples_per_m: arrival of a wave from a virtual source, in fine samples.
void diverging_wave_positions(const float* x, const float* z, std::size_t n, float source_x_m, float source_z_m,
                              float samples_per_m, float offset, float* out);

struct ElementGeometry {
  float x_m = 0.0F;
  float samples_per_m = 0.0F;  // fine samples per metre of one-way path
  // sinc(pi w s / lambda) as a polynomial in s^2, s = sine of the angle: c0 + c1 s^2 + ... (c0 = 1)
  float directivity[5] = {1.0F, 0.0F, 0.0F, 0.0F, 0.0F};
};

// position[i] = fine samples of the path back to the element, weight[i] = amplitude[i] times directivity.
void element_echoes(const float* x, const float* z, const float* amplitude, std::size_t n,
                    const ElementGeometry& element, float* position, float* weight);

// line[p], line[p + 1] += weight split at p = there[i] + back[i]. Positions outside [0, limit) go to line[limit],
// line[limit + 1], which must exist and are not read. n <= kBlock.
inline constexpr std::size_t kBlock = 512;
void accumulate(const float* there, const float* back, const float* weight, std::size_t n, int limit, float* line);

// phases[k][m] = line[4 m + k], m < n: phases is kOversampling rows of `stride` floats.
void split_phases(const float* line, std::size_t n, std::size_t stride, float* phases);

// out[m] = sum_k taps[k] fine[4 m + k] with fine = the line of split_phases, for m < n; n_taps a multiple of kTapBlock.
inline constexpr std::size_t kTapBlock = 2 * kOversampling;
void pulse_filter(const float* phases, std::size_t stride, const float* taps, std::size_t n_taps, std::size_t n,
                  float* out);

// out[m] = (moving[m] + fixed[m]) gain[m], rounded and saturated at +-32767.
void quantise(const float* moving, const float* fixed, const float* gain, std::size_t n, std::int16_t* out);

// out[i] = in[i] + noise of standard deviation sigma, saturated; the noise is a function of (key, i) alone: the sum of
// the four bytes of a hash (Irwin-Hall: Gaussian up to 3.5 sigma). Not in place.
void add_noise(const std::int16_t* in, std::size_t n, std::uint32_t key, float sigma, std::int16_t* out);

}  // namespace echoloop::kernels
