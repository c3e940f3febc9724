// JSON as text for a file. Names of files need not be UTF-8, which JSON must be: what is not becomes U+FFFD, so that a
// name never costs the report of a run. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace echoloop {

// indent -1: on one line.
inline std::string json_text(const nlohmann::json& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace echoloop
