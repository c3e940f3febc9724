// The files that all frames of a run can be written to, each announced once: --help, the check of output files, the run
// and its report read these rows. A new one is one file with its FrameFile and one row. Constant data. [any thread]
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/acquisition.h"
#include "history/frame_file.h"

namespace echoloop {

// What is written about the program that recorded.
struct RecordingAbout {
  std::string version;                   // of the program
  std::string parameters = "{}";         // JSON: the imaging parameters
  std::optional<double> device_hz = {};  // of a scanner's clock, 0: none; nothing: no scanner
};

struct FrameFileRequest {
  const std::filesystem::path& file;
  const AcquisitionPtr& acquisition;
  const RecordingAbout& about;
};

struct FileSinkRow {
  const char* option;
  const char* type_name;  // of its file, in --help
  const char* ending;     // that its file's name must have; null: any
  const char* help;
  const char* report;                                                   // its key in the run report
  std::unique_ptr<FrameFile> (*make)(const FrameFileRequest& request);  // throws Error when there can be no file
};

inline constexpr std::string_view kRecordOption = "--record";  // the one that a window starts and stops

std::span<const FileSinkRow> file_sinks();

}  // namespace echoloop
