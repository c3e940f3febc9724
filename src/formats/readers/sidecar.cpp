#include "formats/readers/sidecar.h"

#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/containers/npy.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
}  // namespace

std::optional<Sidecar> find_sidecar(const OpenRequest& request) {
  const std::string wanted = request.path.filename().string();
  for (const SidecarFile& beside : request.sidecars) {
    const std::string what = beside.path.string();
    Sidecar sidecar{.what = what, .meta = parse_description(what, beside.file->bytes())};
    const auto names = sidecar.meta.find("file");
    const bool same = names != sidecar.meta.end() && names->is_string() && names->get<std::string>() == wanted;
    if (same && sidecar.meta.size() == 1) continue;  // the name alone
    const bool own = sidecar_kind(request, beside) == SidecarKind::own;
    if (same || (own && names == sidecar.meta.end())) return sidecar;
    if (own) throw Error(sidecar.what, "a description of " + json_excerpt(*names), "\"file\": \"" + wanted + "\"");
  }
  return std::nullopt;
}

LibraryRecording described_recording(const OpenRequest& request, const ArrayView& stored, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner) {
  check_description_keys(sidecar.what, sidecar.meta, OtherKeys::listed);
  const std::vector<std::size_t> shape = described_shape(sidecar.what, sidecar.meta, stored.shape);
  const ArrayView array = shape == stored.shape ? stored : split_view(sidecar.what, stored, shape, MemoryOrder::c);
  Description d = describe_array(sidecar.what, sidecar.meta, array);
  RecordingParts parts{.acquisition = std::move(d.acquisition),
                       .samples = sample_source(request.what(), array, d.axes),
                       .owner = std::move(owner),
                       .format = "NumPy array with JSON description"};
  parts.samples.rotation_rad = std::move(d.rotation_rad);
  const auto offset = sidecar.meta.find("offset");
  if (offset != sidecar.meta.end()) parts.samples.offset = json_number(sidecar.what, *offset, "offset");
  LibraryRecording recording = make_library_recording(request, std::move(parts));
  if (stored.type.kind == NumberKind::unsigned_integer && offset == sidecar.meta.end()) read_as_signed(recording);
  return recording;
}

LibraryRecording read_described_npy(const OpenRequest& request) {
  const NpyFile file = read_npy(request.what(), request.bytes());
  if (file.is_text) throw Error(request.what(), "an array of text", "an array of samples");
  const auto sidecar = find_sidecar(request);
  if (!sidecar) {
    fs::path own = request.path.filename();
    throw Error(request.what(),
                "an array of " + to_string(file.array.type) + " and shape " + shape_text(file.array.shape) +
                    " without a description",
                own.replace_extension(".json").string() + " in the same folder, for example " +
                    whole_example(file.array.shape.size()) + ", or a params.json with the file name");
  }
  check_description_keys(sidecar->what, sidecar->meta);
  return described_recording(request, file.array, *sidecar, request.file);
}

LibraryRecording read_sidecar_target(const OpenRequest& request) {
  const Json meta = parse_description(request.what(), request.bytes());
  const auto named = meta.find("file");
  LibraryRecording described;
  if (named != meta.end() && named->is_string()) described.described_file = named->get<std::string>();
  if (described.described_file.empty() || fs::path(described.described_file).has_parent_path())
    throw Error(request.what(), "JSON without a \"file\" in the same folder",
                "the name of a file with arrays or samples");
  return described;
}

}  // namespace echoloop
