// Converts the JSON description of an array into an Acquisition, key by key. All keys: core/facts.h. axes and t_zero
// have no default: wrong guesses of them are the most common error. (Explicit delays define their own clock, so t_zero
// is optional if all transmits are explicit delays.)
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
  Acquisition acquisition;           // without the facts given by the samples
  std::vector<double> rotation_rad;  // see SampleSource
};

// `what` names the description in messages. Throws Error naming the missing or wrong key.
Description describe_array(const std::string& what, const Json& meta, const ArrayView& array);

struct ArrayExtents {  // of an array with the described axes
  std::size_t n_transmits = 1, n_elements = 1, n_samples = 1, n_values = 1;
};
Acquisition describe_acquisition(const std::string& what, const Json& meta, const ArrayExtents& extents,
                                 std::vector<double>& rotation_rad);

// Returns true if one of the axes is "line": the columns are already beamformed.
bool describes_lines(const Json& meta);
// Throws Error for an unknown key. A params.json may also serve another program: there, and among members of an .npz,
// only keys similar to a known one are refused, and describe_acquisition() lists the others.
enum class OtherKeys { refused, listed };
void check_description_keys(const std::string& what, const Json& meta, OtherKeys others = OtherKeys::refused);

std::vector<Axis> described_axes(const std::string& what, const Json& meta);  // "axes"
// Returns "shape", the lengths of the array's axes, some of them split (split_axes); `stored` if absent.
std::vector<std::size_t> described_shape(const std::string& what, const Json& meta,
                                         const std::vector<std::size_t>& stored);
ArrayView split_view(const std::string& what, const ArrayView& array, const std::vector<std::size_t>& shape,
                     MemoryOrder order);  // throws Error if not such a split

// Probe and transmits (description_probe.cpp).
Probe described_probe(const std::string& what, const Json& meta, int n_elements);
struct DescribedTransmit {
  Transmit transmit;              // t0_s on the file's clock
  std::vector<bool> active = {};  // firing elements; empty: all
  // Set for explicit delays only: times of the first firing and of the wave's passage of the origin, on their own
  // clock. The transmit is the wave fitted to them; without a fit it keeps kind delays, with passage 0.
  bool by_delays = false;
  double first_s = 0.0, passage_s = 0.0;
};
// `a` must have probe, centre frequency and sound speed.
std::vector<DescribedTransmit> described_transmits(const std::string& what, const Json& meta, const Acquisition& a);

// Returns an example description for an array with n_axes axes, in one line, for messages about a missing one.
std::string whole_example(std::size_t n_axes);

// Typed access; throws Error if the key is missing or has another type.
const Json& require_key(const std::string& what, const Json& meta, const char* key);
// Returns ", but the unknown key 'angle'", or "" if every key is known.
std::string unknown_keys(const Json& object);
double json_number(const std::string& what, const Json& value, const std::string& key);
std::vector<double> json_numbers(const std::string& what, const Json& value, const std::string& key);  // null: NaN
std::string json_excerpt(const Json& value);  // its start, for messages
std::string json_text(const std::string& what, const Json& value, const std::string& key);

// Bare .npy array and the JSON file that describes it, in the same folder: X.npy.json or X.json for X.npy, or a
// params.json whose "file" names X.npy. Opening the JSON file opens the array that it names. Internal to src/formats.
struct Sidecar {
  std::string what;  // its path, for messages
  Json meta;         // an object
};

std::optional<Sidecar> find_sidecar(const OpenRequest& request);
LibraryRecording read_sidecar_target(const OpenRequest& request);  // request for the JSON file

// Common part of .npy and .npz. `owner` keeps the bytes of `array` alive.
// Applies `element_order`, `element_sign`, `conjugate` and `time_reversed` to the samples of a described recording.
void correct_samples(const std::string& what, const Json& meta, LibraryRecording& recording);

LibraryRecording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner);

}  // namespace echoloop
