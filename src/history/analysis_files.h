// The files that a run can leave of its analyses, each announced once: --help, the check of output files, the run and
// its report read these rows. A new one is one file with its row, and its name in the table. Constant data. [any
// thread]
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/results/live_images.h"

namespace echoloop {

// What a run had at its end.
struct AnalysisEnd {
  nlohmann::json report;  // counts, and the last result
  // Writes the last result, with what `about` holds in the JSON. Throws as write_file(). Empty: there is no result.
  std::function<void(const std::filesystem::path& file, const nlohmann::json& about)> write = {};
};

struct AnalysisFileRow {
  const char* option;
  const char* type_name;  // of its file, in --help
  const char* ending;     // that its file's name must have
  const char* beside;     // ending of the second file that it writes
  const char* help;
  const char* report;  // its key in the run report
  bool (*is_on)(const ImagingParams&);
  const char* off;                                                     // the parameter that keeps it off
  const char* on;                                                      // what turns it on
  const char* missing;                                                 // why there may be no result, and
  const char* needs;                                                   // what a result takes
  AnalysisEnd (*end)(LiveImages& live, const AnalysisCounts& counts);  // takes the last result from `live`
};

std::span<const AnalysisFileRow* const> analysis_files();

// The last of what was made, which a window may have taken already; number 0: nothing was.
template <class T>
const T& last_of(Mailbox<T>& made) {
  made.take();
  return made.front();
}

// `counts` with the last result, which outlives the end; null: there is none.
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
