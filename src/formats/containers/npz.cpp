#include "formats/containers/npz.h"

#include "core/error.h"
#include "formats/base/printable.h"
#include "formats/containers/zip.h"

namespace echoloop {
namespace {

// What all members of an archive may inflate to: deflate reaches 1032 times, samples far less.
std::uint64_t most_inflated(std::size_t file_bytes) { return (std::uint64_t{128} << 20) + 128 * file_bytes; }

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
    if (holds_objects(member_what, data.bytes)) continue;
    if (!members.emplace(name, NpzMember{.npy = read_npy(member_what, data.bytes), .owner = data.owner}).second) {
      throw Error(what, "two members named '" + printable(name) + "'", "each name once");
    }
  }
  return members;
}

}  // namespace echoloop
