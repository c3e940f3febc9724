// The rows of `echoloop bench`: printed as they come, kept for the JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/bench_cases.h"

namespace echoloop {

class BenchTable {
 public:
  // Adds a row and prints it. `facts`: what applies to it beside case, what and, of a stream, its input and how it is
  // beamformed.
  void add(const BenchCase& c, const std::string& what, const nlohmann::json& facts);
  void add(const std::string& name, const std::string& what, const nlohmann::json& facts);
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  void append(nlohmann::json row, std::string text, const nlohmann::json& facts);

  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace echoloop
