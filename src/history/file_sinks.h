// The files that all frames of a run can be written to, each announced once: --help, the check of output files, the run
// and its report read these rows. A new one is one file with its FrameFile and one row. Constant data. [any thread]
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/acquisition.h"
#include "core/frame.h"

namespace echoloop {

// A file that frames are appended to while a stream runs, in one of several formats. A Recorder writes it, on its
// own thread. While it grows it is FILE.partial; one that a killed program has left can be read up to the last flush().
class FrameFile {
 public:
  virtual ~FrameFile() = default;  // without finish(): the partial file stays as it is

  // Throws std::runtime_error, whose what() is the reason alone, when the disk is full or fails. After a full disk
  // finish() still ends the file.
  virtual void append(const RfFrame& frame) = 0;
  virtual void count_not_recorded(std::uint64_t /*frames*/) {}  // so many in all; goes into the file, if it can hold it
  virtual void flush() = 0;  // what was appended is there even if the program is killed now; throws as append()
  // Ends the file and gives it its name, or the next free one like it; removes it when it holds no frame. When that is
  // not possible it throws as append(), and the partial file stays as if the program had been killed.
  virtual void finish() = 0;

  [[nodiscard]] virtual std::uint64_t frames() const = 0;
  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;  // the final name, once finished
};

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
