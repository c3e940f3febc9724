// Parses a JSON description, from a file next to an array or from the sender of a scanner, with limits checked before
// memory is allocated. Internal to src/formats.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "formats/base/open_request.h"

namespace echoloop {

using Json = nlohmann::json;

// Returns one line of text; invalid UTF-8 becomes U+FFFD.
inline std::string json_dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

struct DescriptionLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t values = std::size_t{8} << 20;  // numbers, texts, lists: 1024 delays of 1024 transmits are a million
};

// Throws Error for anything but a JSON object, and for nesting deeper than 64.
Json parse_description(const std::string& what, std::span<const std::byte> bytes, const DescriptionLimits& limits = {});

// Returns true if the description applies to a file of that name: it names the file, or it names none, describes the
// layout of samples, and is not shared by several files (params.json).
[[nodiscard]] bool describes(const Json& description, const std::string& file_name, SidecarKind kind);
[[nodiscard]] bool is_explicit(const Json& description);  // names the array: has priority over a recognised format

}  // namespace echoloop
