// Files of a result, as written at the end of a run.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "history/export.h"

namespace echoloop {

template <class Result>
void write_analysis_file(std::string_view option, Result result, const std::filesystem::path& file,
                         const nlohmann::json& about = nlohmann::json::object()) {
  const auto rows = analysis_files();
  const auto row = std::ranges::find_if(rows, [&](const AnalysisFileRow* r) { return r->option == option; });
  const auto live = std::make_unique<LiveImages>();
  result.number = 1;
  live->of<Result>().back() = std::move(result);
  live->of<Result>().publish();
  (*row)->end(*live, {}).write(file, about);
}

}  // namespace echoloop
