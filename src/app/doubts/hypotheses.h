// Other facts of a recording, by the mistakes of the field: each is a change of the stated facts, tested by the
// agreement of the channels (agreement.h) and described by keys of a description. Any thread.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/doubts/agreement.h"
#include "core/acquisition.h"

namespace echoloop {

// Elements, and samples of a line, of which agreement says something.
inline constexpr int kLeastTested = 8, kMostTestedSamples = 1 << 17;
// Elements whose order, polarity and axes show without delays.
inline constexpr int kLeastOrdered = 12, kMostOrdered = 256;

enum class TimeEvent { first_firing, origin, centre };  // as "t_zero" of a description
[[nodiscard]] const char* event_key(TimeEvent event);
[[nodiscard]] const char* event_words(TimeEvent event);

// Facts as stated, with the times of the file.
struct StatedFacts {
  Acquisition a;
  TimeEvent event = TimeEvent::origin;
  std::vector<double> t0_s = {};  // of each transmit, relative to its event

  StatedFacts(Acquisition facts, TimeEvent counted_from);
};

enum class Family { none, scale, rate, pitch, t0, event, side, order, angles, kind, samples, polarity, demod };

// Change of facts; members compose.
struct Change {
  Family family = Family::none;
  double scale = 1.0;    // of pitch x sampling frequency / sound speed, inverse: factor on the sound speed
  double rate = 1.0;     // factor on the sampling frequency
  double pitch = 1.0;    // factor on the positions of the elements
  double shift_s = 0.0;  // of all t0
  std::optional<TimeEvent> event = {};
  bool mirrored = false;                // left and right of the transmits
  std::vector<std::size_t> order = {};  // stated transmit of each event
  double angle_factor = 1.0, angle_offset_rad = 0.0;
  std::vector<double> angles_rad = {};  // of plane waves; other transmits are turned to them
  bool single_elements = false;         // transmit i is element i
  std::optional<TransmitKind> kind = {};
  double distance_factor = 1.0;  // of foci and sources
  double demod_hz = 0.0;         // 0: as stated
  SampleReading reading = {};
  std::string words = {};  // "the angles times 2"

  [[nodiscard]] Acquisition apply(const StatedFacts& stated) const;
  // Returns the keys of a description with these facts; the scale is left out.
  [[nodiscard]] nlohmann::json patch(const StatedFacts& stated) const;
  [[nodiscard]] Change with(const Change& other) const;
};

[[nodiscard]] double event_s(TimeEvent event, const Transmit& t, const Acquisition& a);

// Returns the changes to try first, from all families but that of the kind to and from focused beams. `ratio`: of the
// measured to the stated centre frequency.
[[nodiscard]] std::vector<Change> first_changes(const StatedFacts& stated, double ratio);
// Returns fans of one transmit from one side to the other, to frames that are transmits.
[[nodiscard]] std::vector<Change> fan_changes(const StatedFacts& all);
// Returns changes between focused beams and waves.
[[nodiscard]] std::vector<Change> beam_changes(const StatedFacts& stated);

// Facts that the samples of a recording test, by their keys, and those that they cannot test, with the reason.
struct TestedFacts {
  std::vector<std::string> tested;
  std::map<std::string, std::string> untested;
};
[[nodiscard]] TestedFacts tested_facts(const Acquisition& a);

}  // namespace echoloop
