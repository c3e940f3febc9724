// Files of other kinds, named: what they are and what to do. Internal to src/formats/import.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace echoloop {

struct OtherKind {
  std::string found;  // "a DICOM file"; empty: unknown content
  std::string hint;   // what to do
};

OtherKind identify_other_kind(std::span<const std::byte> bytes);

}  // namespace echoloop
