#include "formats/npz.h"

#include <optional>

#include "core/error.h"
#include "formats/course_doppler.h"
#include "formats/samples.h"
#include "formats/zip.h"

namespace echoloop {
namespace {

constexpr std::size_t kMaxMetaNumbers = std::size_t{1} << 20;

// What all members of an archive may inflate to: deflate reaches 1032 times, samples far less.
std::uint64_t most_inflated(std::size_t file_bytes) { return (std::uint64_t{128} << 20) + 128 * file_bytes; }

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

// "rf", "iq", "data" or "samples" if there is one, else the only member of two axes or more.
std::string samples_name(const std::string& what, const std::map<std::string, NpzMember>& members) {
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
    throw Error(what, "members " + (all.empty() ? "none" : all), "one member 'rf', 'iq' or 'data' with the samples");
  return only;
}

}  // namespace

std::map<std::string, NpzMember> read_npz_members(const std::string& what, std::span<const std::byte> bytes,
                                                  const std::function<void()>& check_stop) {
  std::map<std::string, NpzMember> members;
  std::uint64_t inflated = 0;
  for (const ZipMember& entry : zip_directory(what, bytes)) {
    if (!entry.name.ends_with(".npy")) continue;
    inflated += entry.method == 0 ? 0 : entry.bytes;
    if (entry.bytes > most_inflated(bytes.size()) || inflated > most_inflated(bytes.size()))
      throw Error(what, "members that inflate to " + std::to_string(entry.bytes) + " bytes and more",
                  "up to " + std::to_string(most_inflated(bytes.size())) + " for a file of this size");
    const MemberData data = zip_extract(what, bytes, entry, check_stop);
    const std::string name = entry.name.substr(0, entry.name.size() - 4);
    const std::string member_what = what + " (member " + printable(name) + ")";
    if (!members.emplace(name, NpzMember{.npy = read_npy(member_what, data.bytes), .owner = data.owner}).second) {
      throw Error(what, "two members named '" + printable(name) + "'", "each name once");
    }
  }
  return members;
}

LibraryRecording read_npz(const OpenRequest& request) {
  const std::string what = request.what();
  const auto members = read_npz_members(what, request.bytes(), [&] { request.check_stop(); });
  std::optional<Sidecar> sidecar = find_sidecar(request);
  const bool described = sidecar.has_value() || members.contains("axes");
  if (!described && looks_like_course_doppler(members)) return read_course_doppler(request, members);
  const std::string samples = samples_name(what, members);
  if (!sidecar) sidecar = Sidecar{.what = what, .meta = Json::object()};
  for (const auto& [name, member] : members) {
    if (name == samples || sidecar->meta.contains(name)) continue;
    if (member.npy.is_text || member.npy.array.count() <= kMaxMetaNumbers) sidecar->meta[name] = json_of(member.npy);
  }
  const ArrayView& array = members.at(samples).npy.array;
  if (!described) {
    throw Error(what,
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
  return described_recording(request, array, *sidecar, owner);
}

}  // namespace echoloop
