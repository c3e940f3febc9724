// The Doppler data of the GPU short course (example_doppler_data.npz): an image that came beamformed, as IQ, frame
// after frame. Members iq (frame, column, sample), xgrid and zgrid (m), prf (Hz), c (m/s), tx_frequency (Hz), as the
// course's notebook on colour Doppler loads them. Reader process.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/npz.h"
#include "formats/readers/samples.h"
#include "formats/readers/sidecar.h"

namespace echoloop {
namespace {

constexpr const char* kLayout = "a complex array iq (frame, column, sample) in the layout of the GPU short course";

const ArrayView& member(const std::string& what, const NpzMembers& members, const char* name) {
  const NpyFile& file = members.at(name).npy;
  if (file.is_text) throw Error(what, std::string("text in '") + name + "'", "numbers");
  return file.array;
}

double number(const std::string& what, const NpzMembers& members, const char* name) {
  const ArrayView& array = member(what, members, name);
  if (array.count() != 1 || array.type.kind == NumberKind::complex) {
    throw Error(what, std::string("'") + name + "' of shape " + shape_text(array.shape), "one real number");
  }
  return array.real_at(0);
}

struct Axis1d {
  double first = 0.0, step = 0.0;
};

// `n` numbers, evenly spaced and growing; a row or a column of them counts as a list.
Axis1d even_axis(const std::string& what, const NpzMembers& members, const char* name, std::size_t n) {
  const ArrayView& array = member(what, members, name);
  const auto longest = std::max_element(array.shape.begin(), array.shape.end());
  const bool list = longest != array.shape.end() && *longest == array.count() && array.type.kind != NumberKind::complex;
  if (!list || array.count() != n || n < 2) {
    throw Error(what, std::string("'") + name + "' of shape " + shape_text(array.shape),
                "a list of " + std::to_string(n) + " positions (2 or more), as many as in 'iq'");
  }
  const Axis1d axis{array.real_at(0), (array.real_at(n - 1) - array.real_at(0)) / static_cast<double>(n - 1)};
  bool even = std::isfinite(axis.first) && axis.step > 0.0 && std::isfinite(axis.step);
  for (std::size_t k = 0; k < n && even; ++k) {
    even = std::abs(array.real_at(k) - (axis.first + static_cast<double>(k) * axis.step)) <= 0.01 * axis.step;
  }
  if (!even)
    throw Error(what, std::string("'") + name + "' is not evenly spaced",
                "ascending, evenly spaced positions in metres");
  return axis;
}

}  // namespace

bool looks_like_course_doppler(const OpenRequest& request, const NpzMembers& members) {
  const bool named = members.contains("iq") && members.contains("xgrid") && members.contains("zgrid");
  return named && !members.contains("axes") && !find_sidecar(request);
}

LibraryRecording read_course_doppler(const OpenRequest& request, const NpzMembers& members) {
  const std::string what = request.what();
  for (const char* const name : {"prf", "c", "tx_frequency"}) {
    if (!members.contains(name)) throw Error(what, std::string("no '") + name + "' in addition to 'iq'", "a number");
  }
  const ArrayView& iq = member(what, members, "iq");
  if (iq.type.kind != NumberKind::complex || iq.shape.size() != 3 || iq.shape[1] > std::size_t{kMaxElements}) {
    throw Error(what, "'iq' of " + to_string(iq.type) + " and shape " + shape_text(iq.shape), kLayout);
  }
  const Axis1d x = even_axis(what, members, "xgrid", iq.shape[1]), z = even_axis(what, members, "zgrid", iq.shape[2]);
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const void> inflated;
  };
  const std::shared_ptr<const void>& inflated = members.at("iq").owner;
  RecordingParts parts{.acquisition = {},
                       .samples = sample_source(what, iq, {Axis::frame, Axis::element, Axis::time}),
                       .owner = std::make_shared<const Owner>(Owner{request.file, inflated}),
                       .format = "GPU short-course Doppler data (NumPy, beamformed IQ)",
                       .named = {.data = "iq", .axes = {"frame", "line", "time"}}};
  Acquisition& a = parts.acquisition;
  a.data = DataKind::beamformed;
  a.probe = {.name = {}, .kind = ProbeKind::linear, .pitch_m = x.step, .element_width_m = 0.0, .elements = {}};
  for (std::size_t k = 0; k < iq.shape[1]; ++k)
    a.probe.elements.push_back({.x_m = x.first + static_cast<double>(k) * x.step, .z_m = 0.0, .normal_rad = 0.0});
  a.sound_speed_m_s = number(what, members, "c");
  a.center_hz = a.demod_hz = number(what, members, "tx_frequency");
  a.frame_rate_hz = number(what, members, "prf");
  a.sampling_hz = 0.5 * a.sound_speed_m_s / z.step;  // there and back
  a.transmits.resize(1);
  a.transmits[0].t0_s = 2.0 * z.first / a.sound_speed_m_s;
  a.assumptions.emplace_back("xgrid and zgrid assumed to be in metres: not in the file");
  a.assumptions.emplace_back("one frame every 1/prf assumed, as in the short course");
  return make_library_recording(request, std::move(parts));
}

}  // namespace echoloop
