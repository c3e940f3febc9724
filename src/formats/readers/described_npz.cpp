// NumPy .npz with a description: one member holds the samples, described by a JSON sidecar, by further members named
// like the sidecar's keys (fs_hz, axes, t_zero, ...), or by both (the sidecar has priority). Reader process.
#include <optional>

#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/archives.h"
#include "formats/readers/description.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

constexpr std::size_t kMaxMetaNumbers = std::size_t{1} << 20;

Json json_of(const NpyFile& file) {
  if (file.is_text) return file.array.shape.empty() && !file.text.empty() ? Json(file.text[0]) : Json(file.text);
  const std::size_t n = file.array.count();
  if (file.array.shape.empty()) return file.array.real_at(0);
  Json list = Json::array();
  const bool rows = file.array.shape.size() == 2 && file.array.order == MemoryOrder::c;
  const std::size_t width = rows ? file.array.shape[1] : n;
  for (std::size_t k = 0; k < n; ++k) {
    const double value = file.array.real_at(k);
    if (rows && k % width == 0) list.push_back(Json::array());
    (rows ? list.back() : list).push_back(value == value ? Json(value) : Json());
  }
  return list;
}

// Returns "rf", "iq", "data" or "samples" if present, else the only member of two or more axes.
std::string samples_name(const std::string& what, const NpzMembers& members) {
  for (const char* const name : {"rf", "iq", "data", "samples", "RF", "IQ"}) {
    const auto found = members.find(name);
    if (found != members.end() && !found->second.npy.is_text) return name;
  }
  std::string only, all;
  std::size_t n_arrays = 0;
  for (const auto& [name, member] : members) {
    if (all.size() < 120) all += (all.empty() ? "" : ", ") + printable(name);
    if (member.npy.is_text || member.npy.array.shape.size() < 2) continue;
    only = name;
    ++n_arrays;
  }
  if (n_arrays != 1)
    throw UnknownLayout(what, "members " + (all.empty() ? "none" : all),
                        "one member 'rf', 'iq' or 'data' with the samples");
  return only;
}

}  // namespace

LibraryRecording read_described_npz(const OpenRequest& request, const NpzMembers& members) {
  const std::string what = request.what();
  std::optional<Sidecar> sidecar = find_sidecar(request);
  const bool described = sidecar.has_value() || members.contains("axes");
  if (sidecar) check_description_keys(sidecar->what, sidecar->meta);
  const std::string samples = samples_name(what, members);
  if (!sidecar) sidecar = Sidecar{.what = what, .meta = Json::object()};
  for (const auto& [name, member] : members) {
    if (name == samples || sidecar->meta.contains(name)) continue;
    if (member.npy.is_text || member.npy.array.count() <= kMaxMetaNumbers) sidecar->meta[name] = json_of(member.npy);
  }
  const ArrayView& array = members.at(samples).npy.array;
  if (!described) {
    throw UnknownLayout(what,
                        "an array '" + printable(samples) + "' of " + to_string(array.type) + " and shape " +
                            shape_text(array.shape) + " without a description",
                        std::filesystem::path(request.path.filename()).replace_extension(".json").string() +
                            " in the same folder, for example " + whole_example(array.shape.size()) +
                            ", or members with these names");
  }
  struct Owner {
    std::shared_ptr<const MappedFile> file;
    std::shared_ptr<const void> inflated;
  };
  const auto owner = std::make_shared<const Owner>(Owner{request.file, members.at(samples).owner});
  LibraryRecording recording = described_recording(request, array, *sidecar, owner);
  recording.named.data = samples;
  recording.named.axes = axis_names(described_axes(what, sidecar->meta));
  for (const std::size_t extent : described_shape(what, sidecar->meta, array.shape))
    recording.named.shape.push_back(extent);
  return recording;
}

}  // namespace echoloop
