#include "app/control_params.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

namespace echoloop {

namespace fs = std::filesystem;

double number_of(const nlohmann::json& params, const char* key, double least, double most) {
  const auto value = required<double>(params, key, "a number");
  if (!(value >= least && value <= most))
    throw out_of_range(key, params[key].dump(), fmt::format("{:g} to {:g}", least, most));
  return value;
}

std::uint64_t whole_of(const nlohmann::json& params, const char* key, std::uint64_t least, std::uint64_t most) {
  const double value = number_of(params, key, static_cast<double>(least), static_cast<double>(most));
  if (value != std::floor(value)) throw invalid_value(key, params[key].dump(), "a whole number");
  return static_cast<std::uint64_t>(value);
}

double timeout_of(const nlohmann::json& params) {
  return params.contains("timeout_s") ? number_of(params, "timeout_s", 0.0, 3600.0) : 10.0;
}

fs::path absolute_path(const nlohmann::json& params) {
  const fs::path path = required<std::string>(params, "path", "an absolute path");
  if (!path.is_absolute()) throw invalid_value("path", path.string(), "an absolute path");
  return path;
}

fs::path new_path(const nlohmann::json& params, std::string_view ending) {
  fs::path path = absolute_path(params);
  if (!path.string().ends_with(ending))
    throw invalid_value("path", path.string(), "a name ending in " + std::string(ending));
  std::error_code error;
  if (fs::exists(path, error) && !optional_of(params, "overwrite", false, "true or false"))
    throw Error(path.string(), "an existing file", "another name, or overwrite");
  return path;
}

}  // namespace echoloop
