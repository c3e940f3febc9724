// The files that the command line asks for: looked at before anything starts; the report, written last.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "app/options/options.h"
#include "core/timing_trace.h"

namespace echoloop {

// Throws Error for what could not be written in the end: a folder that is not there, a name of the wrong kind, two
// outputs in one file, or an output in place of the recording or of the text that describes it.
void require_outputs(const Options& options);
[[nodiscard]] bool names_output(const Options& options);

// For a command that writes `own`, a member of `options`, and none of the other files. Throws Error.
void require_no_other_output(const Options& options, const std::string& command, const std::filesystem::path& own);
// Throws Error for a file that could not be written in the end.
void require_place(const std::filesystem::path& file);

// Writes the files at the end of a run, one call each: one that cannot be written does not keep the others from it.
class FileWriter {
 public:
  void operator()(const std::function<void()>& write);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  void require_all() const;  // throws the first refusal; the others are printed

 private:
  std::uint64_t refused_ = 0;
  std::exception_ptr first_;
};

void write_times(const Options& options, const TimingTrace& trace, FileWriter& writer);  // --trace, --csv

// What of the command line decides the images of a recording, for the report: settings, facts, frames, duration_s,
// images_type.
nlohmann::json given_json(const Options& options);

// --report, after the other files: where the image's description has its name, the file holds both. Throws Error.
void write_report(const Options& options, const nlohmann::json& report);

}  // namespace echoloop
