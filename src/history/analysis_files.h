// Result files of the analyses of a run, one row each: --help, the check of output files, the run and its report read
// these rows. Constant data. [any thread]
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/results/live_images.h"

namespace echoloop {

// State of an analysis at the end of a run.
struct AnalysisEnd {
  nlohmann::json report;  // counts and the last result
  // Writes the last result, with `about` in the JSON. Throws as write_file(). Empty: no result.
  std::function<void(const std::filesystem::path& file, const nlohmann::json& about)> write = {};
};

struct AnalysisFileRow {
  const char* option;
  const char* type_name;  // of the file, in --help
  const char* ending;     // required ending of the file's name
  const char* beside;     // ending of the second file
  const char* help;
  const char* report;  // key in the run report
  bool (*is_on)(const ImagingParams&);
  const char* off;                                                     // the parameter that disables it
  const char* on;                                                      // how to enable it
  const char* missing;                                                 // reason for a missing result, and
  const char* needs;                                                   // requirements of a result
  AnalysisEnd (*end)(LiveImages& live, const AnalysisCounts& counts);  // gets the last result from `live`
};

std::span<const AnalysisFileRow* const> analysis_files();

// Returns the last result, even if a window has received it; number 0: none.
template <class T>
const T& last_of(Mailbox<T>& made) {
  made.take();
  return made.front();
}

// Returns `counts` with the last result, which must outlive the AnalysisEnd; null: none.
template <class Result>
AnalysisEnd end_with(nlohmann::json counts, const Result* last, nlohmann::json (*describe)(const Result&),
                     void (*write)(const std::filesystem::path&, const Result&, const nlohmann::json& about)) {
  AnalysisEnd end{.report = std::move(counts)};
  if (last == nullptr) return end;
  end.report["last"] = describe(*last);
  end.write = [last, write](const std::filesystem::path& file, const nlohmann::json& about) {
    write(file, *last, about);
  };
  return end;
}

}  // namespace echoloop
