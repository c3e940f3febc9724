// numpy's .npy: a header in a tiny grammar and the raw array, which stays in the mapped file.
// Why a grammar: the header is a Python literal; it is matched, never evaluated. Internal to src/formats.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/containers/array_view.h"

namespace echoloop {

bool looks_like_npy(std::span<const std::byte> bytes);

struct NpyFile {
  ArrayView array;                // numbers; empty bytes when the array is text
  std::vector<std::string> text;  // dtype '<U..' only: the strings, in memory order
  bool is_text = false;
};

// Versions 1 to 3; i1 i2 i4 i8, u1 u2 u4 u8, f4 f8, c8 c16 in either byte order and memory order, and short text
// arrays. `bytes` is the whole file or zip member. Throws Error naming `what` for everything else (objects, structures,
// ...).
NpyFile read_npy(const std::string& what, std::span<const std::byte> bytes);
bool holds_objects(const std::string& what, std::span<const std::byte> bytes);  // of Python, pickled

}  // namespace echoloop
