// The files in a tar archive (POSIX ustar and GNU): names and where they lie. Nothing is unpacked. Internal to
// src/formats.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace echoloop {

struct TarMember {
  std::string name;  // with folders
  std::span<const std::byte> bytes;
};

bool looks_like_tar(std::span<const std::byte> bytes);
// Regular files, at most 10 000. Throws Error naming `what` for a damaged archive.
std::vector<TarMember> tar_members(const std::string& what, std::span<const std::byte> bytes);

}  // namespace echoloop
