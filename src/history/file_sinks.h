// Files that receive all frames of a run, one row each: --help, the check of output files, the run and its report read
// these rows. A new one is one file with its FrameFile and one row. Constant data. [any thread]
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

// File to which frames are appended while a stream runs, in one of several formats; written by a Recorder on its own
// thread. Named FILE.partial while it grows; after a crash it can be read up to the last flush().
class FrameFile {
 public:
  virtual ~FrameFile() = default;  // without finish(): keeps the partial file

  // Throws std::runtime_error, whose what() is the reason alone, when the disk is full or fails. After a full disk
  // finish() still completes the file.
  virtual void append(const RfFrame& frame) = 0;
  virtual void count_not_recorded(std::uint64_t /*frames*/) {}  // total; stored in the file, if it can hold it
  virtual void flush() = 0;  // makes appended frames safe even if the program is killed; throws as append()
  // Completes the file and renames it to its name or the next free one; removes it if it has no frame. On failure
  // throws as append(), and the partial file remains as after a crash.
  virtual void finish() = 0;

  [[nodiscard]] virtual std::uint64_t frames() const = 0;
  [[nodiscard]] virtual const std::filesystem::path& path() const = 0;  // final name, once finished
};

// Layout of a recording; by the ending of its name: .hdf5 is zea's, any other UFF.
enum class RecordingFormat { by_ending, uff, zea };
inline constexpr std::array<std::string_view, 3> kRecordingFormatNames = {"auto", "uff", "zea"};

// Facts about the recording program.
struct RecordingAbout {
  std::string version;                   // of the program
  std::string parameters = "{}";         // JSON: the imaging parameters
  std::optional<double> device_hz = {};  // of a scanner's clock, 0: none; nullopt: no scanner
  RecordingFormat format = RecordingFormat::by_ending;
};

struct FrameFileRequest {
  const std::filesystem::path& file;
  const AcquisitionPtr& acquisition;
  const RecordingAbout& about;
};

struct FileSinkRow {
  const char* option;
  const char* type_name;  // of the file, in --help
  const char* ending;     // required ending of the file's name; null: any
  const char* help;
  const char* report;                                                   // key in the run report
  std::unique_ptr<FrameFile> (*make)(const FrameFileRequest& request);  // throws Error if the file is not possible
};

inline constexpr std::string_view kRecordOption = "--record";  // the sink that a window starts and stops

std::span<const FileSinkRow> file_sinks();

// Chain of receivers of the frames of a stream after reading: the ring offers each frame to the first sink, which
// passes it on to the next (FrameKeeper). A sink outlives streams: begin() and end() mark a stream.
struct KeptFrame {
  RfFrame frame;
  std::shared_ptr<const void> owner;  // keeps frame.samples
  AcquisitionPtr acquisition = {};    // of the frame
};

// Stream that fills a sink.
struct HistoryFeed {
  std::size_t frame_bytes = 0;
  double frame_rate_hz = 0.0;              // of the acquisition; 0: unknown
  HostMemory kind = HostMemory::pageable;  // of the ring's slots and of a sink's memory
  // bytes -> memory; empty memory: none available [sink's thread]
  std::function<FrameMemory(std::size_t)> allocate;
  // Returns frames again, by FrameStamp::source_index, for a source that lends its frames in place; without samples if
  // its file was lost meanwhile. Empty: frames are in slots.
  std::function<KeptFrame(std::uint64_t)> lend;
  AcquisitionPtr acquisition = {};  // of the frames
};

class FrameSink : public FrameKeeper {
 public:
  // Begins and ends a stream, with frames of one size; between streams, from one thread.
  virtual void begin(HistoryFeed feed) = 0;
  virtual void end() = 0;
  virtual void set_policy(RingPolicy /*policy*/) {}  // of the stream that begins, or runs; any thread
};

// NumPy array that grows by whole items along its first axis. Its header has room for any number of items and is
// rewritten with each flush, so that a partial file can be read after a crash.
struct NpyItems {
  const char* type;   // of the values: "<f4", "<i2", "|u1"
  std::string shape;  // of an item, as numpy prints it, without parentheses: "3, 128, 2048"
  std::size_t bytes;  // of an item
};

// Throws Error if the file cannot be made.
std::unique_ptr<FrameFile> make_growing_npy(const std::filesystem::path& file, NpyItems items);

// Shared parts of the exports of images, flow and objects.

// Returns the header of an array, numpy.lib.format version 1.0: `type` "<f4", "<i4" or "<i2", `shape` as numpy prints
// it, without parentheses. Padded with spaces to at least `least_bytes`, for a header that is rewritten when the array
// has grown.
std::string npy_head(const std::string& type, const std::string& shape, std::size_t least_bytes = 0);

// Returns a float32 or int32 array, numpy.lib.format version 1.0. `shape`: as numpy prints it, without parentheses; the
// parts are concatenated.
std::string npy_text(const std::string& shape, std::initializer_list<std::span<const float>> parts);
std::string npy_text(const std::string& shape, std::span<const std::int32_t> values);

struct NamedText {
  std::filesystem::path path;
  std::string text;
};
// Writes two files that belong together. Throws as write_file(); a full disk leaves neither.
void write_pair(const std::array<NamedText, 2>& files);

nlohmann::json frame_json(const FrameStamp& stamp);

}  // namespace echoloop
