#include "formats/sidecar.h"

#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/npy.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxJson = std::size_t{1} << 20;

constexpr const char* kWanted = "a description {...} of an array";
constexpr std::size_t kMaxDepth = 64;

// Reads the text once, in linear time, and refuses what the library would take without a word: nesting without limit
// and a key that occurs twice.
class Checker final : public Json::json_sax_t {
 public:
  explicit Checker(const std::string& what) : what_(what) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return begin(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    throw Error(what_, "JSON with the key '" + printable(name, 40) + "' twice", kWanted);
  }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;  // the parser proper says what is wrong
  }

 private:
  bool begin() {
    keys_.emplace_back();
    if (keys_.size() > kMaxDepth) {
      throw Error(what_, "JSON nested deeper than " + std::to_string(kMaxDepth), kWanted);
    }
    return true;
  }
  bool end() {
    keys_.pop_back();
    return true;
  }

  const std::string& what_;
  std::vector<std::set<std::string>> keys_;  // of each open object; none for a list
};

}  // namespace

Json parse_description(const std::string& what, std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxJson) throw Error(what, "JSON of " + std::to_string(bytes.size()) + " bytes", "up to 1 MiB");
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  Checker checker(what);
  try {
    static_cast<void>(Json::sax_parse(text, text + bytes.size(), &checker));
    Json meta = Json::parse(text, text + bytes.size());
    if (!meta.is_object()) throw Error(what, "JSON that is not an object", kWanted);
    return meta;
  } catch (const Json::exception& error) {
    throw Error(what, "invalid JSON: " + printable(error.what(), 160), kWanted);
  }
}

std::optional<Sidecar> find_sidecar(const OpenRequest& request) {
  const std::string wanted = request.path.filename().string();
  const fs::path shared = request.path.parent_path() / "params.json";
  for (const SidecarFile& beside : request.sidecars) {
    const std::string what = beside.path.string();
    Sidecar sidecar{.what = what, .meta = parse_description(what, beside.file->bytes())};
    const auto names = sidecar.meta.find("file");
    const bool same = names != sidecar.meta.end() && names->is_string() && names->get<std::string>() == wanted;
    if (same || (beside.path != shared && names == sidecar.meta.end())) return sidecar;
    if (beside.path != shared)
      throw Error(sidecar.what, "a description of " + json_excerpt(*names), "\"file\": \"" + wanted + "\"");
  }
  return std::nullopt;
}

LibraryRecording described_recording(const OpenRequest& request, const ArrayView& array, const Sidecar& sidecar,
                                     std::shared_ptr<const void> owner) {
  Description d = describe_array(sidecar.what, sidecar.meta, array);
  RecordingParts parts{.acquisition = std::move(d.acquisition),
                       .samples = sample_source(request.what(), array, d.axes),
                       .owner = std::move(owner),
                       .format = "NumPy array with JSON description"};
  parts.samples.rotation_rad = std::move(d.rotation_rad);
  return make_library_recording(request, std::move(parts));
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
  return described_recording(request, file.array, *sidecar, request.file);
}

LibraryRecording read_sidecar_target(const OpenRequest& request) {
  const Json meta = parse_description(request.what(), request.bytes());
  const auto named = meta.find("file");
  LibraryRecording described;
  if (named != meta.end() && named->is_string()) described.described_file = named->get<std::string>();
  if (described.described_file.empty() || fs::path(described.described_file).has_parent_path())
    throw Error(request.what(), "JSON without a \"file\" in the same folder", "the name of a .npy or .npz file");
  return described;
}

void refuse_described(const OpenRequest& request) {
  throw Error(request.sidecars.front().path.string(), "a description of " + printable(request.path.filename().string()),
              "a description of a .npy or .npz file");
}

}  // namespace echoloop
