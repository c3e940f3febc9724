// numpy's .npy: a header in a small grammar and the raw array, which remains in the mapped file. Reason for a grammar:
// the header is a Python literal; it is parsed, never evaluated. Internal to src/formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"

namespace echoloop {

// Minimal zip reader for numpy's .npz: the central directory (with zip64), stored and deflated members, CRC-32. Every
// size is checked against the file before memory is allocated. Internal to src/formats.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc32 = 0;
  std::uint64_t packed_bytes = 0, bytes = 0;
  std::uint64_t header_at = 0;  // offset of the local file header
};

struct MemberData {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // memory of an inflated member; empty for a stored one, which is in the file
};

bool looks_like_zip(std::span<const std::byte> bytes);
// Throws Error naming `what` if the directory is damaged, encrypted or of an unknown method.
std::vector<ZipMember> zip_directory(const std::string& what, std::span<const std::byte> file);
// Returns the member's bytes, CRC checked. `check_stop`: called after every few MiB, may throw; empty: never.
MemberData zip_extract(const std::string& what, std::span<const std::byte> file, const ZipMember& member,
                       const std::function<void()>& check_stop = {});

// Files in a tar archive (POSIX ustar and GNU): names and views of their bytes. Nothing is copied. Internal to
// src/formats.
struct TarMember {
  std::string name;  // with folders
  std::span<const std::byte> bytes;
};

bool looks_like_tar(std::span<const std::byte> bytes);
// Returns the regular files, at most 10 000. Throws Error naming `what` for a damaged archive.
std::vector<TarMember> tar_members(const std::string& what, std::span<const std::byte> bytes);

bool looks_like_npy(std::span<const std::byte> bytes);

struct NpyFile {
  ArrayView array;                // numbers; empty bytes if the array is text
  std::vector<std::string> text;  // dtype '<U..' only: the strings, in memory order
  bool is_text = false;
};

// Reads versions 1 to 3; i1 i2 i4 i8, u1 u2 u4 u8, f4 f8, c8 c16 in either byte order and memory order, and short text
// arrays. `bytes` is the whole file or zip member. Throws Error naming `what` for everything else (objects, structures,
// ...).
NpyFile read_npy(const std::string& what, std::span<const std::byte> bytes);
bool holds_objects(const std::string& what, std::span<const std::byte> bytes);  // pickled Python objects

// numpy's .npz: a zip archive of .npy members. Internal to src/formats.
struct NpzMember {
  NpyFile npy;
  std::shared_ptr<const void> owner;  // memory of an inflated member; empty: the bytes are in the file
};

// Returns every .npy member by its name without the extension; other members, and those of Python objects, are skipped.
// Throws Error naming `what`. `check_stop`: as for zip_extract().
std::map<std::string, NpzMember> read_npz_members(const std::string& what, std::span<const std::byte> bytes,
                                                  const std::function<void()>& check_stop = {});

}  // namespace echoloop
