#include "formats/sidecar.h"

#include <utility>

#include "core/error.h"
#include "formats/npy.h"
#include "formats/npz.h"
#include "formats/zip.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxJson = std::size_t{64} << 20;

constexpr const char* kWanted = "a description {...} of an array";
constexpr int kMaxDepth = 64;

}  // namespace

Json parse_description(const std::string& what, std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxJson)
    throw Error(what, "JSON of " + std::to_string(bytes.size() >> 20) + " MiB", "up to 64 MiB");
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  const auto check_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) throw Error(what, "JSON nested deeper than " + std::to_string(kMaxDepth), kWanted);
    return true;
  };
  try {
    Json meta = Json::parse(text, text + bytes.size(), check_depth);
    if (!meta.is_object()) throw Error(what, "JSON that is not an object", kWanted);
    return meta;
  } catch (const Json::exception& error) {
    throw Error(what, "invalid JSON: " + printable(error.what(), 160), kWanted);
  }
}

std::optional<Sidecar> find_sidecar(const fs::path& array_file) {
  const std::string wanted = array_file.filename().string();
  fs::path own = array_file;
  own.replace_extension(".json");
  fs::path whole = array_file;
  whole += ".json";
  const fs::path shared = array_file.parent_path() / "params.json";
  std::error_code ignored;
  for (const fs::path& path : {whole, own, shared}) {
    if (!fs::is_regular_file(path, ignored)) continue;
    const auto file = MappedFile::open(path);
    Sidecar sidecar{.what = path.string(), .meta = parse_description(path.string(), file->bytes())};
    const auto names = sidecar.meta.find("file");
    const bool same = names != sidecar.meta.end() && names->is_string() && names->get<std::string>() == wanted;
    if (same || (path != shared && names == sidecar.meta.end())) return sidecar;
    if (path != shared)
      throw Error(sidecar.what, "a description of " + json_excerpt(*names), "\"file\": \"" + wanted + "\"");
  }
  return std::nullopt;
}

Recording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                              std::shared_ptr<const void> owner, SourceMemory memory) {
  Description d = describe_array(sidecar.what, sidecar.meta, array);
  RecordingParts parts{.acquisition = std::move(d.acquisition),
                       .samples = sample_source(request.what(), array, d.axes),
                       .owner = std::move(owner),
                       .memory = memory,
                       .format = "NumPy array with JSON description"};
  parts.samples.rotation_rad = std::move(d.rotation_rad);
  return make_recording(request, std::move(parts));
}

Recording read_described_npy(const OpenRequest& request) {
  const NpyFile file = read_npy(request.what(), request.bytes());
  if (file.is_text) throw Error(request.what(), "an array of text", "an array of samples");
  const auto sidecar = find_sidecar(request.path);
  if (!sidecar) {
    fs::path own = request.path.filename();
    throw Error(request.what(),
                "an array of " + to_string(file.array.type) + " and shape " + shape_text(file.array.shape) +
                    " without a description",
                own.replace_extension(".json").string() + " in the same folder, for example " +
                    whole_example(file.array.shape.size()) + ", or a params.json with the file name");
  }
  return described_recording(request, file.array, *sidecar, request.file, SourceMemory::mapped_file);
}

Recording read_sidecar_target(const OpenRequest& request) {
  const std::string what = request.what();
  const Json meta = parse_description(what, request.bytes());
  const auto named = meta.find("file");
  const fs::path name = named != meta.end() && named->is_string() ? named->get<std::string>() : std::string();
  if (name.empty() || name.has_parent_path())
    throw Error(what, "JSON without a \"file\" in the same folder", "the name of a .npy or .npz file");
  OpenRequest target = request;
  target.path = request.path.parent_path() / name;
  target.file = MappedFile::open(target.path);
  const Sidecar sidecar{.what = what, .meta = meta};
  if (looks_like_zip(target.bytes())) return read_npz(target, sidecar);
  if (!looks_like_npy(target.bytes()))
    throw Error(what, "a description of " + printable(name.string()), "a description of a .npy or .npz file");
  const NpyFile file = read_npy(target.what(), target.bytes());
  if (file.is_text) throw Error(target.what(), "an array of text", "an array of samples");
  return described_recording(target, file.array, sidecar, target.file, SourceMemory::mapped_file);
}

}  // namespace echoloop
