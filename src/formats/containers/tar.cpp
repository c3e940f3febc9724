#include "formats/containers/tar.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"

namespace echoloop {
namespace {

constexpr std::size_t kBlock = 512, kMostMembers = 10'000;

std::string_view field(std::span<const std::byte> block, std::size_t at, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()) + at, size);
  return text.substr(0, text.find('\0'));
}

// Octal digits, after spaces; GNU's base 256 for members of 8 GiB and more is not read.
bool octal(std::string_view text, std::size_t& value) {
  value = 0;
  bool digits = false;
  for (const char c : text) {
    if (c == ' ' && !digits) continue;
    if (c < '0' || c > '7') return digits && c == ' ';
    digits = true;
    value = 8 * value + static_cast<std::size_t>(c - '0');
  }
  return digits;
}

}  // namespace

bool looks_like_tar(std::span<const std::byte> bytes) {
  return bytes.size() >= kBlock && field(bytes, 257, 6).starts_with("ustar");
}

std::vector<TarMember> tar_members(const std::string& what, std::span<const std::byte> bytes) {
  const auto damaged = [&](const char* found) { return Error(what, found, "an undamaged tar archive"); };
  std::vector<TarMember> members;
  std::string long_name;
  std::size_t at = 0;
  while (at + kBlock <= bytes.size()) {
    const auto block = bytes.subspan(at, kBlock);
    if (field(block, 0, 100).empty()) break;  // the end
    std::size_t size = 0;
    if (!field(block, 257, 6).starts_with("ustar") || !octal(field(block, 124, 12), size))
      throw damaged("a damaged header in a tar archive");
    at += kBlock;
    if (size > bytes.size() - at) throw damaged("a tar archive that ends too early");
    const auto content = bytes.subspan(at, size);
    const char type = static_cast<char>(block[156]);
    if (type == 'L') {  // GNU: the name of the next member
      const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
      long_name = text.substr(0, text.find('\0'));
    } else {
      const std::string_view prefix = field(block, 345, 155);
      std::string name = prefix.empty() || field(block, 257, 8) == "ustar  " ? "" : std::string(prefix) + "/";
      name += field(block, 0, 100);
      if (type == '0' || type == '\0') members.push_back({long_name.empty() ? name : long_name, content});
      if (members.size() > kMostMembers) throw damaged("more than 10 000 files in a tar archive");
      long_name.clear();
    }
    at += std::min(bytes.size() - at, (size + kBlock - 1) / kBlock * kBlock);
  }
  return members;
}

}  // namespace echoloop
