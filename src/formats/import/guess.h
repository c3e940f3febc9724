// Selection of a tree's array of samples, by name and size. Internal to src/formats/import.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "core/facts.h"
#include "formats/containers/array_view.h"
#include "formats/import/array_tree.h"
#include "formats/readers/description_json.h"

namespace echoloop {

// Facts of a recording from the names in a file, by the spellings of core/facts.h. Names are compared without case,
// underscores and groups; a unit may follow ("fs_MHz"). Internal to src/formats/import.
struct NamedFact {
  FactId fact;
  std::size_t rank = 0;        // among the spellings of the fact; 0 is the clearest
  const Unit* unit = nullptr;  // from kUnits; null: none
};
inline bool in_unit(const Unit* unit, Quantity quantity) { return unit != nullptr && unit->quantity == quantity; }

// Returns the fact named by the last part of a path, as it is or without `prefix`; nullopt if unknown.
std::optional<NamedFact> named_fact(std::string_view path, std::string_view prefix = {});
// Returns the unit in a text for a fact, "MHz", "degrees", "um"; null: no unit, or one impossible for the fact.
const Unit* unit_of_text(std::string_view text, FactId fact);
std::string plain_name(std::string_view path);  // last part, lower case, letters and digits only
// Returns the common start of names of one file, including the samples, up to an underscore or a capital letter: "us_"
// for us_rf, us_fs and us_pitch; empty: none, or a word with a meaning ("tx_").
std::string common_prefix(const std::vector<std::string>& paths);

// Numbers in sentences. Internal to src/formats/import.

inline std::string exact_number(double value) {  // restores the same number
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  if (std::stod(text) != value) std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

inline std::string word(const std::string& text) { return text; }
inline std::string word(const char* text) { return text; }
inline std::string word(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}
inline std::string word(std::size_t value) { return std::to_string(value); }

template <class... Parts>
std::string words(const Parts&... parts) {
  return (std::string() + ... + word(parts));
}

// Numbers of a file that are interpreted as a fact, with their unit: by name, or by size. Internal to src/formats.
struct FactNumbers {
  std::size_t entry = 0;
  NamedFact named;
  std::vector<double> values;      // last axis fastest
  std::vector<std::size_t> shape;  // of the values
  std::string path;                // of the entry, or of all entries that they are made from
  bool literal = false;            // the entry does not contain them in this form
};

double largest(const std::vector<double>& values);  // magnitude, finite ones only

// Return the factor to SI units: by the unit in the name, else by size.
double hertz(const FactNumbers& c);
double metres(const FactNumbers& c, double reach_m);
double seconds(const FactNumbers& c, double reach_s);
double radians(const FactNumbers& c);
// Returns ", read as MHz"; empty for a factor of 1.
std::string unit_note(double factor, Quantity quantity);

struct GuessedSamples {
  std::size_t entry = 0;                  // of the tree
  std::optional<std::size_t> quadrature;  // entry of the quadrature part, if it is a separate array
  std::string reason;
  std::string prefix = {};  // start of its name shared with others: common_prefix()
  bool named = false;       // known name, else the largest
  std::size_t n_alike = 1;  // arrays of that name, shape and type
};
std::optional<GuessedSamples> guess_samples(const ArrayTree& tree);  // nullopt: no array could be samples

// Returns the kind of data that cannot be shown, and advice; empty: none. `positions`: all element positions found.
std::string why_not_imaged(const ArrayTree& tree, const std::vector<FactNumbers>& positions);
// Checks a name without case and underscores: "bmode", "rflines" ... are already beamformed.
bool names_picture(const std::string& name);
bool names_waveform(const std::string& name);  // "twoway_waveform": a transmitted signal in settings
std::vector<std::size_t> long_axes(const std::vector<std::size_t>& shape);  // lengths above 1

// Guessed description, with a reason for each value, and missing keys. Internal to src/formats/import.
struct Guess {
  std::string key;       // of the description
  std::string reason;    // "acq.fs, 10.88 MHz"
  bool assumed = false;  // not based on the file
};

struct Missing {
  std::string key;
  std::string text;  // "sampling frequency"
};

struct GuessedDescription {
  Json meta;                     // possibly incomplete
  std::vector<Guess> guesses;    // in the order of the table of keys
  std::vector<Missing> missing;  // most important first; empty: the file opens
  bool has_samples = false;
  bool named_samples = false;   // by a known name
  bool measure_center = false;  // fc_hz is measured in the spectrum of the first frame
  std::string refusal;          // kind of data that cannot be shown, and advice

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

// Interprets a file of arrays with plain names, by the spellings of names, sizes and values. All is uncertain and
// reported: as assumptions of the recording, and by `echoloop describe`.
GuessedDescription guess_description(const ArrayTree& tree);

// Numbers of a file named as facts, in any form of storage: as one list, as a list for each coordinate, as a map of a
// constant. Internal to src/formats/import.
class GuessFacts {
 public:
  // `prefix`: as in GuessedSamples.
  GuessFacts(const ArrayTree& tree, std::size_t samples, const std::string& prefix);

  // Returns the numbers of a fact, clearest spelling first.
  [[nodiscard]] const std::vector<FactNumbers>& all(FactId fact) const;
  // Returns the first one for which `fits` is true; null: none.
  template <class Fits>
  [[nodiscard]] const FactNumbers* first(FactId fact, Fits&& fits) const {
    const std::vector<FactNumbers>& list = all(fact);
    const auto found = std::ranges::find_if(list, fits);
    return found == list.end() ? nullptr : &*found;
  }
  // Returns texts of unknown units, by the path of the numbers.
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

// Asks for unknown units of numbers in use.
void ask_unknown_units(const GuessFacts& facts, GuessedDescription& out);

bool is_list(const std::vector<std::size_t>& shape);  // exactly one axis is longer than 1
// Returns the value for a description: the name with a factor to SI units, or the numbers themselves.
Json named(const FactNumbers& c, double factor);

// Assignment of an array's axes from lengths alone. Internal to src/formats/import.
struct AxisHints {  // 0: unknown
  std::size_t n_times = 0, n_elements = 0, n_transmits = 0;
  bool first_fastest = false;  // MATLAB
  bool complex = false;
  bool named_iq = false;  // by the name of the samples, or by a demodulation frequency
};

struct AxesGuess {
  std::vector<std::string> axes;  // a name for each axis
  std::string open;               // ambiguity of the lengths: "axis 3 of length 7: transmits or frames"
  std::string undecided;          // also: "axes 1 and 2 of lengths 64 and 64: transmit and element, or the reverse"
};

// Returns nullopt if no assignment fits.
std::optional<AxesGuess> guess_axes(const std::vector<std::size_t>& shape, const AxisHints& hints);

// Adjacent waves in a matrix, samples x (elements of all waves) or (samples of all waves) x elements: its shape with
// that axis split, as for split_axes().
struct SplitGuess {
  std::vector<std::size_t> shape;
  std::size_t n_parts = 0;   // length of a part
  bool certain = false;      // confirmed by the number of elements
  bool of_elements = false;  // the element axis was split, else time
};
// `n_elements` 0: unknown. Returns nullopt if no axis of a matrix is a multiple of `n_waves`.
std::optional<SplitGuess> guess_split(const std::vector<std::size_t>& shape, std::size_t n_waves,
                                      std::size_t n_elements, MemoryOrder order);

// Lists for the samples with the firing and the receiving element of each A-scan. Internal to src/formats/import.
struct TraceGuess {
  std::vector<double> tx, rx;  // elements of each trace, from 1
  std::size_t n_elements = 0;  // lower limit
  std::string names;           // "tx and rx"
  // Positions of each trace in the file, instead of numbers: those of the elements (x or (x, z)).
  std::optional<FactNumbers> places;
  std::string question = {};                                // another equally likely interpretation; empty: none
  [[nodiscard]] bool is_alone() const { return tx == rx; }  // one element per shot
  // Returns true for all pairs, receiving element fastest: a full matrix as columns.
  [[nodiscard]] bool is_full() const;
};

// Finds lists as long as an axis of the array `data` other than time; nullopt: none.
std::optional<TraceGuess> guess_traces(const ArrayTree& tree, std::size_t data);

// Lists of angles, virtual sources, foci and delays, and the transmits that they describe. Internal to
// src/formats/import.
struct ArrayCounts {
  std::size_t n_elements = 0, n_transmits = 0;  // of the samples; 0: unknown
  double reach_m = 0.0;                         // from the first to the last element; 0: unknown
  double speed_m_s = 0.0;
  double sampling_hz = 0.0;   // 0: unknown
  double wavelength_m = 0.0;  // 0: unknown
};

class SentWaves {
 public:
  explicit SentWaves(const GuessFacts& facts) : facts_(facts) {}

  // Selects the lists that fit the axes of the samples; sets their number, and that of elements of delays, in `hints`.
  void choose(const std::vector<std::size_t>& shape, AxisHints& hints);
  // Returns a list that describes several transmits; null: none.
  [[nodiscard]] const FactNumbers* list(std::size_t n_elements) const;
  [[nodiscard]] std::size_t rows_of(const FactNumbers& list, std::size_t n_elements) const;  // number of transmits
  // Returns the angles of plane waves; null: other waves, or none listed.
  [[nodiscard]] const FactNumbers* plane_angles() const {
    return sources_ == nullptr && foci_ == nullptr && delays_ == nullptr ? angles_ : nullptr;
  }
  // Returns true if the transmits are delay laws of which one starts at a time other than zero.
  [[nodiscard]] bool delays_have_zero() const;
  // Describes the transmits, or what is missing. `axes`: as guessed. Returns false if nothing is known of them.
  bool describe(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;

 private:
  [[nodiscard]] bool is_axis(std::size_t n) const;
  [[nodiscard]] const FactNumbers* fired_element(std::size_t n_elements) const;
  [[nodiscard]] const FactNumbers* focal_depth() const;
  void delays(const ArrayCounts& counts, std::size_t n, GuessedDescription& out) const;
  // Returns the values of each law, in the file's unit.
  [[nodiscard]] std::vector<std::vector<double>> laws() const;
  void angles(GuessedDescription& out) const;
  void elements(GuessedDescription& out) const;
  // Selects weights that show which elements fire; `hints` as in choose().
  void choose_apodization(AxisHints& hints);
  bool waves(const ArrayCounts& counts, const AxesGuess& axes, GuessedDescription& out) const;
  void points(const FactNumbers& c, const ArrayCounts& counts, GuessedDescription& out) const;

  const GuessFacts& facts_;
  std::vector<std::size_t> shape_;
  std::size_t n_laws_ = 0;  // of delays
  const FactNumbers *delays_ = nullptr, *sources_ = nullptr, *foci_ = nullptr, *angles_ = nullptr, *fired_ = nullptr;
  const FactNumbers* apodization_ = nullptr;  // with silent or inverted elements
  FactNumbers alone_;                         // elements of `fired_`, from weights
};

// Time of the first sample, and the event at time zero. Internal to src/formats/import.
struct TimeFacts {
  const ArrayTree& tree;
  const GuessFacts& facts;
  const SentWaves& sent;
  const FactNumbers* times = nullptr;  // of all samples; null: none
  std::size_t n_times = 1;             // number of first samples: one per transmit, or line
  bool lines = false;                  // beamformed
  double sampling_hz = 0.0;            // 0: unknown
  double center_hz = 0.0;              // 0: unknown
  double reach_m = 0.0;                // as in ArrayCounts
  double speed_m_s = 0.0;
};

// Guesses t0_s and t_zero, after the transmits.
void guess_first_sample(const TimeFacts& of, GuessedDescription& out);
// Return the seconds of one unit of `times`, of all samples, or of a `step` between two. Microseconds too long for the
// pulse are nanoseconds; `center_hz`: 0 if unknown.
double times_factor(const FactNumbers& times, double center_hz);
double step_factor(const FactNumbers& named, double step, double center_hz);

// Sampling and centre frequency, speed of sound, bandwidth and frame rate of a file of arrays with plain names.
// Internal to src/formats/import.
struct Sampling {
  double fs_hz = 0.0, center_hz = 0.0;  // 0: unknown
  double speed_m_s = 1540.0;
};

// Adds the facts to `out`, and returns numbers. `times`: those of the samples; null: not in the file.
Sampling guess_sampling(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out);

}  // namespace echoloop
