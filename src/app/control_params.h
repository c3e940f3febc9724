// Parameters of a request of another program, read and checked. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace echoloop {

inline constexpr std::uint64_t kAnyWhole = std::uint64_t{1} << 53;  // a double holds all up to it

// All throw Error for a missing or another value.
template <class T>
T required(const nlohmann::json& params, const char* key, const char* accepted) {
  if (!params.contains(key)) throw Error(key, "missing", accepted);
  try {
    return params[key].get<T>();
  } catch (const nlohmann::json::exception&) {
    throw invalid_value(key, params[key].dump(), accepted);
  }
}
template <class T>
T optional_of(const nlohmann::json& params, const char* key, T otherwise, const char* accepted) {
  return params.contains(key) ? required<T>(params, key, accepted) : otherwise;
}
double number_of(const nlohmann::json& params, const char* key, double least, double most);
std::uint64_t whole_of(const nlohmann::json& params, const char* key, std::uint64_t least, std::uint64_t most);
template <class Choice, std::size_t n>
Choice choice_of(const nlohmann::json& params, const char* key, const std::array<std::string_view, n>& names) {
  const auto word = required<std::string>(params, key, "a word");
  std::string accepted;
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i] == word) return static_cast<Choice>(i);
    accepted += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  throw invalid_value(key, word, accepted);
}
double timeout_of(const nlohmann::json& params);  // timeout_s; 10 without it
std::filesystem::path absolute_path(const nlohmann::json& params);
// Throws Error unless the path ends in this, and names no file, or with overwrite a file.
std::filesystem::path new_path(const nlohmann::json& params, std::string_view ending);

}  // namespace echoloop
