// The files that all frames of a run can be written to, each announced once: --help, the check of output files, the run
// and its report read these rows. A new one is one file with its FrameFile and one row. Constant data. [any thread]
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
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

// What takes the frames of a stream once they have been read, one after another in a chain: the ring offers each frame
// to the first sink, which passes it on to the next (FrameKeeper). A sink outlives streams: begin() and end() are its
// stream's.

struct KeptFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps frame.samples
  AcquisitionPtr acquisition = {};    // of the frame
};

// The stream that fills a sink.
struct HistoryFeed {
  std::size_t frame_bytes = 0;
  double frame_rate_hz = 0.0;              // of the acquisition; 0: unknown
  HostMemory kind = HostMemory::pageable;  // of the ring's slots: a sink's memory is of the same kind
  // bytes -> memory; empty memory: there is none. [sink's thread]
  std::function<FrameMemory(std::size_t)> allocate;
  // A source that lends its frames in place gives them again, by FrameStamp::source_index; without samples when its
  // file was lost meanwhile. Empty: frames lie in slots.
  std::function<KeptFrame(std::uint64_t)> lend;
  AcquisitionPtr acquisition = {};  // of the frames
};

class FrameSink : public FrameKeeper {
 public:
  // Between streams, from one thread: a stream begins, with frames of one size; it ends.
  virtual void begin(HistoryFeed feed) = 0;
  virtual void end() = 0;
  virtual void set_policy(RingPolicy /*policy*/) {}  // of the stream that begins, or runs; any thread
};

// An array for NumPy that grows by whole items along its first axis. Its head has room for any number of items and is
// written again with each flush, so that also the partial file of a killed program can be read.

struct NpyItems {
  const char* type;   // of the values: "<f4", "<i2", "|u1"
  std::string shape;  // of an item, as numpy prints it, without the brackets: "3, 128, 2048"
  std::size_t bytes;  // of an item
};

// Throws Error when the file cannot be made.
std::unique_ptr<FrameFile> make_growing_npy(const std::filesystem::path& file, NpyItems items);

// What the exports of images, of flow and of objects share.

// What comes before the values of an array, numpy.lib.format version 1.0: `type` "<f4", "<i4" or "<i2", `shape` as
// numpy prints it, without the brackets. At least so many bytes long, the rest filled with spaces: for a head that is
// written again when the array has become longer.
std::string npy_head(const std::string& type, const std::string& shape, std::size_t least_bytes = 0);

// float32 or int32 array, numpy.lib.format version 1.0. `shape`: as numpy prints it, without the brackets; the parts
// follow each other.
std::string npy_text(const std::string& shape, std::initializer_list<std::span<const float>> parts);
std::string npy_text(const std::string& shape, std::span<const std::int32_t> values);

struct NamedText {
  std::filesystem::path path;
  std::string text;
};
// Two files that belong together. Throws as write_file(); a disk that is full leaves neither.
void write_pair(const std::array<NamedText, 2>& files);

nlohmann::json frame_json(const FrameStamp& stamp);

}  // namespace echoloop
