// The JSON description of an array: key by key into an Acquisition. All keys: core/facts.h.
// axes and t_zero have no default: guessing them is the commonest error.
// (Explicit delays carry their own clock, so that t_zero may be absent when every transmit is one.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/readers/description_json.h"
#include "formats/readers/samples.h"

namespace echoloop {

struct Description {
  std::vector<Axis> axes;
  Acquisition acquisition;           // without what the samples decide
  std::vector<double> rotation_rad;  // see SampleSource
};

// `what` names the description in messages. Throws Error naming the key that is missing or wrong.
Description describe_array(const std::string& what, const Json& meta, const ArrayView& array);

struct ArrayExtents {  // of an array with the described axes
  std::size_t n_transmits = 1, n_elements = 1, n_samples = 1, n_values = 1;
};
Acquisition describe_acquisition(const std::string& what, const Json& meta, const ArrayExtents& extents,
                                 std::vector<double>& rotation_rad);

// One of the axes is "line": the columns are beamformed already.
bool describes_lines(const Json& meta);
// Error for a key that is none. A params.json may be another program's as well: there, and among members of an .npz,
// only keys that are nearly one are refused, and describe_acquisition() lists the others.
enum class OtherKeys { refused, listed };
void check_description_keys(const std::string& what, const Json& meta, OtherKeys others = OtherKeys::refused);

std::vector<Axis> described_axes(const std::string& what, const Json& meta);  // "axes"
// "shape": the lengths of the stored array's axes, some of them split (split_axes).
std::vector<std::size_t> described_shape(const std::string& what, const Json& meta,
                                         const std::vector<std::size_t>& stored);
ArrayView split_view(const std::string& what, const ArrayView& array, const std::vector<std::size_t>& shape,
                     MemoryOrder order);  // Error when it is no such split

// Probe and transmits (description_probe.cpp).
Probe described_probe(const std::string& what, const Json& meta, int n_elements);
struct DescribedTransmit {
  Transmit transmit;              // t0_s on the file's clock
  std::vector<bool> active = {};  // elements that fire, empty: all
  // Explicit delays only: when the first element fires and when the wave passes the origin, on their own clock. The
  // transmit is the wave that they make; a law that is none keeps kind delays, and its passage is 0.
  bool by_delays = false;
  double first_s = 0.0, passage_s = 0.0;
};
// `a` has probe, centre frequency and sound speed.
std::vector<DescribedTransmit> described_transmits(const std::string& what, const Json& meta, const Acquisition& a);

// A description that would do for an array of so many axes, in one line: for messages about one that is missing.
std::string whole_example(std::size_t n_axes);

// Typed access; Error when the key is missing or not of that type.
const Json& require_key(const std::string& what, const Json& meta, const char* key);
// ", but the unknown key 'angle'"; empty: every key is known.
std::string unknown_keys(const Json& object);
double json_number(const std::string& what, const Json& value, const std::string& key);
std::vector<double> json_numbers(const std::string& what, const Json& value, const std::string& key);  // null: NaN
std::string json_excerpt(const Json& value);  // its beginning, for messages
std::string json_text(const std::string& what, const Json& value, const std::string& key);

// A bare .npy array and the JSON file that describes it: X.npy.json or X.json beside X.npy, or params.json beside it
// whose "file" names X.npy. Opening the JSON file itself opens the array that it names. Internal to src/formats.

struct Sidecar {
  std::string what;  // its path, for messages
  Json meta;         // an object
};

std::optional<Sidecar> find_sidecar(const OpenRequest& request);
LibraryRecording read_sidecar_target(const OpenRequest& request);  // names the array

// The common end of .npy and .npz. `owner` keeps the bytes of `array` alive.
LibraryRecording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner);

}  // namespace echoloop
