// Facts of a stream of channel data: probe, transmits, sampling. Immutable once shared.
//
// Axes of the whole program: x lateral, z depth (down, into the tissue), origin at the centre of the array (of a curved
// one: at depth 0 of its file, its apex or the middle of its chord). Angles are measured from +z towards +x. Time zero
// of a transmit: the instant at which its wave passes the origin. Readers convert every other convention (first element
// fires, centre element fires).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace echoloop {

enum class ProbeKind { linear, convex, phased };

struct Element {
  double x_m = 0.0;
  double z_m = 0.0;
  double normal_rad = 0.0;  // direction that the element faces, from +z towards +x; 0 for a flat array
  double y_m = 0.0;         // distance from the image plane: matrix arrays
};

// Layer on the elements, of even thickness; 0: none, or not refracting.
struct Lens {
  double thickness_m = 0.0;
  double sound_speed_m_s = 0.0;
  [[nodiscard]] bool refracts() const { return thickness_m > 0.0; }
};

struct Probe {
  std::string name;
  ProbeKind kind = ProbeKind::linear;
  double pitch_m = 0.0;           // distance of adjacent element centres
  double element_width_m = 0.0;   // 0 when unknown
  std::vector<Element> elements;  // in the order of the channel data
  Lens lens = {};                 // paths are refracted at its front; depths are measured from the elements
};

// Returns true if an element lies outside the image plane.
bool leaves_plane(const Probe& probe);

// Returns true if the distances of adjacent elements differ by at most 5 % of their mean.
bool has_even_elements(const Probe& probe);

// Returns n elements on a line at z = 0, centred on the origin.
Probe make_linear_probe(std::string name, int n_elements, double pitch_m, double element_width_m = 0.0);

enum class TransmitKind { plane, diverging, focused, delays, none };  // none: receive only, sound from time zero on

struct Transmit {
  TransmitKind kind = TransmitKind::plane;
  double angle_rad = 0.0;   // plane: steering; positive towards +x
  double source_x_m = 0.0;  // diverging: virtual source (z < 0); focused: the focus (z > 0)
  double source_z_m = 0.0;
  // delays: firing time of each element, NaN = silent; relative to time zero
  std::vector<double> element_delays_s;
  double t0_s = 0.0;           // time of sample 0 after time zero
  double aperture_m = 0.0;     // width of the elements that fire, focused beams; 0 when unknown
  double elevation_rad = 0.0;  // plane: angle of the direction with the image plane; matrix arrays
};

// When the wave passes (x, z), before its focus, relative to time zero: plane (x sin a + z cos a)/c; diverging
// (|p - s| - |s|)/c; focused (|s| - |p - s|)/c; delays: min (delay + |p - element|/c); none: 0. A plane wave at an
// angle with the image plane passes slower, by the cosine of this angle.
double arrival_s(const Transmit& t, const Probe& probe, double x_m, double z_m, double c_m_s);

enum class SampleType { int16, float32 };
enum class SignalKind { rf, iq };  // iq: interleaved (I, Q) pairs, demodulated at demod_hz
[[nodiscard]] constexpr int values_per_sample(SignalKind signal) { return signal == SignalKind::iq ? 2 : 1; }

// beamformed: an image formed elsewhere. "Element" e is its column at that x, evenly spaced, its samples lie along z
// (time 2 z / c of a plane wave straight down), and columns are not combined.
enum class DataKind { channels, beamformed };

[[nodiscard]] constexpr std::size_t bytes_per_value(SampleType type) { return type == SampleType::int16 ? 2 : 4; }

// Something that a reader had to assume, in a researcher's words; `fact` is the key of what the user may know better
// (core/facts.h), empty when none can.
struct Assumption {
  std::string text;
  std::string fact;
  bool given = false;      // set by the user
  std::string value = {};  // given, of a property of reading (core/source_properties.h): as in --set

  Assumption(std::string words, std::string key = {}) : text(std::move(words)), fact(std::move(key)) {}  // NOLINT
  Assumption(const char* words, const char* key = "") : text(words), fact(key) {}                        // NOLINT
  friend bool operator==(const Assumption&, const Assumption&) = default;
};

struct Acquisition {
  Probe probe;
  std::vector<Transmit> transmits;
  int n_samples = 0;  // a channel line: real samples (rf) or complex pairs (iq)
  SampleType sample_type = SampleType::float32;
  SignalKind signal = SignalKind::rf;
  DataKind data = DataKind::channels;
  double sampling_hz = 0.0;
  double center_hz = 0.0;     // of the transmitted pulse
  double bandwidth_hz = 0.0;  // full width of the useful band about center_hz; 0 when unknown
  double demod_hz = 0.0;      // iq only: samples were mixed with exp(-i 2 pi demod_hz t), t counted from time zero
  double sound_speed_m_s = 1540.0;
  double frame_rate_hz = 0.0;  // 0 when unknown
  std::vector<Assumption> assumptions;

  [[nodiscard]] int n_elements() const { return static_cast<int>(probe.elements.size()); }
  [[nodiscard]] int n_transmits() const { return static_cast<int>(transmits.size()); }
  [[nodiscard]] int values_per_sample() const { return echoloop::values_per_sample(signal); }
  // Returns the values of a frame, laid out [transmit][element][sample], sample fastest (iq: pairs I, Q).
  [[nodiscard]] std::size_t frame_values() const;
  [[nodiscard]] std::size_t frame_bytes() const { return frame_values() * bytes_per_value(sample_type); }

  // Throws Error naming field, value and rule. `what` is the file or source to name in the message.
  void validate(const std::string& what) const;
};

using AcquisitionPtr = std::shared_ptr<const Acquisition>;

// Upper limits enforced by validate(); far above any real probe, low enough that products cannot overflow.
inline constexpr int kMaxElements = 16384;
inline constexpr int kMaxTransmits = 16384;
inline constexpr int kMaxSamples = 1 << 24;
inline constexpr double kMaxDepth_m = 10.0;  // of an image

// Probes for phantoms: a small table of real and teaching arrays by name, with matching element count, pitch, band and
// sampled depth. Numbers are the manufacturers' published nominal values, rounded.

struct ProbeModel {
  std::string_view name;
  ProbeKind kind = ProbeKind::linear;
  int n_elements = 0;
  double pitch_m = 0.0;
  double element_width_m = 0.0;
  double center_hz = 0.0;
  double fractional_bandwidth = 0.0;  // two-way, full width at half amplitude (-6 dB), over center_hz
  int n_samples = 0;                  // of a channel line, sampled at kSamplesPerPeriod times center_hz

  [[nodiscard]] double sampling_hz() const;
  [[nodiscard]] double width_m() const { return n_elements * pitch_m; }
};

// Four samples per period, as usual for research scanners: the band ends well below half the sampling frequency.
inline constexpr double kSamplesPerPeriod = 4.0;

// Returns all probes; the first is the default. [any thread]
std::span<const ProbeModel> probe_models();

// Returns the probe of that name (exact spelling). Throws Error listing the names. [any thread]
const ProbeModel& find_probe_model(std::string_view name);

}  // namespace echoloop
