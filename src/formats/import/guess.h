// Which array of a tree holds the samples, by name and size. Internal to src/formats/import.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "core/facts.h"
#include "formats/containers/array_view.h"
#include "formats/import/array_tree.h"
#include "formats/import/spellings.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// Numbers of a file that are taken for a fact, and the unit in which they are: by the name, or by their size. Internal
// to src/formats.

struct FactNumbers {
  std::size_t entry = 0;
  NamedFact named;
  std::vector<double> values;      // last axis fastest
  std::vector<std::size_t> shape;  // of the values
  std::string path;                // of the entry, or of all that they are made of
  bool literal = false;            // the entry does not hold them in this form
};

double largest(const std::vector<double>& values);  // magnitude of the finite ones

// What makes SI of the numbers: by the unit in the name, else by their size.
double hertz(const FactNumbers& c);
double metres(const FactNumbers& c, double reach_m);
double seconds(const FactNumbers& c, double reach_s);
double radians(const FactNumbers& c);
// ", read as MHz"; empty for a factor of 1.
std::string unit_note(double factor, Quantity quantity);

struct GuessedSamples {
  std::size_t entry = 0;                  // of the tree
  std::optional<std::size_t> quadrature;  // entry of the quadrature part, where it is an array of its own
  std::string reason;
  std::string prefix = {};  // that its name and others begin with: common_prefix()
  bool named = false;       // a known name, else the largest
  std::size_t n_alike = 1;  // arrays of that name, shape and type
};
std::optional<GuessedSamples> guess_samples(const ArrayTree& tree);  // nothing: no array could be samples

// What it is that cannot be shown, and what to do; empty: nothing. `positions`: of elements, all that there are.
std::string why_not_imaged(const ArrayTree& tree, const std::vector<FactNumbers>& positions);
// Of a name without case and underscores: "bmode", "rflines" ...: formed already.
bool names_picture(const std::string& name);
bool names_waveform(const std::string& name);  // "twoway_waveform": what is sent, of settings
std::vector<std::size_t> long_axes(const std::vector<std::size_t>& shape);  // lengths above 1

// A description as it is guessed, each value with its reason, and what is missing. Internal to src/formats/import.

struct Guess {
  std::string key;       // of the description
  std::string reason;    // "acq.fs, 10.88 MHz"
  bool assumed = false;  // nothing in the file says it
};

struct Missing {
  std::string key;
  std::string text;  // "sampling frequency"
};

struct GuessedDescription {
  Json meta;                     // as far as it goes
  std::vector<Guess> guesses;    // in the order of the table of keys
  std::vector<Missing> missing;  // most important first; empty: the file opens
  bool has_samples = false;
  bool named_samples = false;   // by a known name
  bool measure_center = false;  // the spectrum of the first frame says fc_hz
  std::string refusal;          // what it is that cannot be shown, and what to do

  void say(const std::string& key, Json value, std::string reason) {
    meta[key] = std::move(value);
    guesses.push_back({.key = key, .reason = std::move(reason), .assumed = false});
  }
  void assume(const std::string& key, Json value, std::string reason) {
    say(key, std::move(value), std::move(reason));
    guesses.back().assumed = true;
  }
  void miss(const char* key, std::string text) { missing.push_back({key, std::move(text)}); }
};

// What a file of arrays with plain names is taken for, by the spellings of names, sizes and values. Nothing here is
// certain, and everything is said: as assumptions of the recording, and by `echoloop describe`.
GuessedDescription guess_description(const ArrayTree& tree);

// The numbers of a file that have the name of a fact, in whatever form they are stored: as one list, as a list for each
// coordinate, as a map of a constant. Internal to src/formats/import.

class GuessFacts {
 public:
  // `prefix`: of the names, as GuessedSamples has it.
  GuessFacts(const ArrayTree& tree, std::size_t samples, const std::string& prefix);

  // Of a fact, the clearest spelling first.
  [[nodiscard]] const std::vector<FactNumbers>& all(FactId fact) const;
  // The first that `fits`; null: none.
  template <class Fits>
  [[nodiscard]] const FactNumbers* first(FactId fact, Fits&& fits) const {
    const std::vector<FactNumbers>& list = all(fact);
    const auto found = std::ranges::find_if(list, fits);
    return found == list.end() ? nullptr : &*found;
  }
  // Texts of units that are not known, by the path of the numbers.
  [[nodiscard]] const std::map<std::string, std::string>& unknown_units() const { return unknown_units_; }
  [[nodiscard]] const FactNumbers* scalar(FactId fact) const {
    return first(fact, [](const FactNumbers& c) { return c.values.size() == 1 && std::isfinite(c.values[0]); });
  }

 private:
  void collect(const ArrayTree& tree, std::size_t samples, const std::string& prefix);
  void take_units(const ArrayTree& tree);
  void simplify();
  void add_arc(const TreeEntry& samples);
  void add_points(FactId of_x, FactId of_z, FactId points);
  std::map<FactId, std::vector<FactNumbers>> all_;
  std::map<std::string, std::string> unknown_units_;
};

// Asks about the units of numbers that are used.
void ask_unknown_units(const GuessFacts& facts, GuessedDescription& out);

bool is_list(const std::vector<std::size_t>& shape);  // one axis is longer than 1
// What a description says of the numbers: the name with the factor that makes SI of it, or the numbers themselves.
Json named(const FactNumbers& c, double factor);

// Which axis of an array is which, from lengths alone. Internal to src/formats/import.

struct AxisHints {  // 0: unknown
  std::size_t n_times = 0, n_elements = 0, n_transmits = 0;
  bool first_fastest = false;  // MATLAB
  bool complex = false;
  bool named_iq = false;  // by the name of the samples, or a frequency of demodulation
};

struct AxesGuess {
  std::vector<std::string> axes;  // a name for each axis
  std::string open;               // what the lengths do not decide: "axis 3 of length 7: transmits or frames"
  std::string undecided;          // as well: "axes 1 and 2 of lengths 64 and 64: transmit and element, or the reverse"
};

// Nothing: no assignment fits.
std::optional<AxesGuess> guess_axes(const std::vector<std::size_t>& shape, const AxisHints& hints);

// Waves side by side in a matrix, samples x (elements of all waves) or (samples of all waves) x elements: its shape
// with that axis split, as split_axes() takes it.
struct SplitGuess {
  std::vector<std::size_t> shape;
  std::size_t n_parts = 0;   // length of a part
  bool certain = false;      // the number of elements says it
  bool of_elements = false;  // their axis was split, else time
};
// `n_elements` 0: unknown. Nothing: no axis of a matrix is `n_waves` times something.
std::optional<SplitGuess> guess_split(const std::vector<std::size_t>& shape, std::size_t n_waves,
                                      std::size_t n_elements, MemoryOrder order);

// Lists beside the samples that say of each A-scan which element fires and which one receives. Internal to
// src/formats/import.

struct TraceGuess {
  std::vector<double> tx, rx;  // elements of each trace, from 1
  std::size_t n_elements = 0;  // at least
  std::string names;           // "tx and rx"
  // Where the file has places of each trace in place of numbers: those of the elements (x or (x, z)).
  std::optional<FactNumbers> places;
  std::string question = {};                                // another reading that is as likely; empty: none
  [[nodiscard]] bool is_alone() const { return tx == rx; }  // one element a shot
  // All pairs, the element that receives fastest: a full matrix as columns.
  [[nodiscard]] bool is_full() const;
};

// Lists as long as an axis of the array `data`, which is not that of time. Nothing: there are none.
std::optional<TraceGuess> guess_traces(const ArrayTree& tree, std::size_t data);

// What was sent: lists of angles, virtual sources, foci and delays, and the transmits that they describe. Internal to
// src/formats/import.

struct ArrayCounts {
  std::size_t n_elements = 0, n_transmits = 0;  // of the samples; 0: not known
  double reach_m = 0.0;                         // from the first to the last element; 0: not known
  double speed_m_s = 0.0;
  double sampling_hz = 0.0;   // 0: not known
  double wavelength_m = 0.0;  // likewise
};

class SentWaves {
 public:
  explicit SentWaves(const GuessFacts& facts) : facts_(facts) {}

  // Those that fit the axes of the samples; how many there are, and elements of delays, to `hints`.
  void choose(const std::vector<std::size_t>& shape, AxisHints& hints);
  // A list that says of several transmits what was sent; null: there is none.
  [[nodiscard]] const FactNumbers* list(std::size_t n_elements) const;
  [[nodiscard]] std::size_t rows_of(const FactNumbers& list, std::size_t n_elements) const;  // transmits of it
  // Null: other waves, or nothing is said of them.
  [[nodiscard]] const FactNumbers* plane_angles() const {
    return sources_ == nullptr && foci_ == nullptr && delays_ == nullptr ? angles_ : nullptr;
  }
  // Whether the transmits are laws of delays of which one begins at another time than their zero.
  [[nodiscard]] bool delays_have_zero() const;
  // The transmits, or what is missing. `axes`: as they were guessed. False: nothing is known of them.
  bool describe(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;

 private:
  [[nodiscard]] bool is_axis(std::size_t n) const;
  [[nodiscard]] const FactNumbers* fired_element(std::size_t n_elements) const;
  [[nodiscard]] const FactNumbers* focal_depth() const;
  void delays(const ArrayCounts& counts, std::size_t n, GuessedDescription& out) const;
  // The values of each law, in the unit of the file.
  [[nodiscard]] std::vector<std::vector<double>> laws() const;
  void angles(GuessedDescription& out) const;
  void elements(GuessedDescription& out) const;
  // Weights of the elements that say which of them fire; `hints` as of choose().
  void choose_apodization(AxisHints& hints);
  bool waves(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;
  void points(const FactNumbers& c, const ArrayCounts& counts, GuessedDescription& out) const;

  const GuessFacts& facts_;
  std::vector<std::size_t> shape_;
  std::size_t n_laws_ = 0;  // of delays
  const FactNumbers *delays_ = nullptr, *sources_ = nullptr, *foci_ = nullptr, *angles_ = nullptr, *fired_ = nullptr;
  const FactNumbers* apodization_ = nullptr;  // of which some elements are silent, or inverted
  FactNumbers alone_;                         // the elements of `fired_`, from weights
};

// The time of the first sample, and the event that times count from. Internal to src/formats/import.

struct TimeFacts {
  const ArrayTree& tree;
  const GuessFacts& facts;
  const SentWaves& sent;
  const FactNumbers* times = nullptr;  // of all samples; null: none
  std::size_t n_times = 1;             // first samples: one a transmit, or a line
  bool lines = false;                  // beamformed
  double sampling_hz = 0.0;            // 0: not known
  double center_hz = 0.0;              // likewise
  double reach_m = 0.0;                // as of ArrayCounts
  double speed_m_s = 0.0;
};

// t0_s and t_zero, after the transmits.
void guess_first_sample(const TimeFacts& of, GuessedDescription& out);
// Seconds of one unit of `times`, of all samples, or of a `step` between two. Microseconds that are too long for the
// pulse are nanoseconds; `center_hz`: 0 where it is not known.
double times_factor(const FactNumbers& times, double center_hz);
double step_factor(const FactNumbers& named, double step, double center_hz);

// Sampling and centre frequency, speed of sound, band and rate of a file of arrays with plain names. Internal to
// src/formats/import.

struct Sampling {
  double fs_hz = 0.0, center_hz = 0.0;  // 0: not known
  double speed_m_s = 1540.0;
};

// To `out`, and as numbers. `times`: those of the samples; null: not in the file.
Sampling guess_sampling(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out);

}  // namespace echoloop
