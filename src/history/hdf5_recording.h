// Converts the file left by a killed program (F.uff.partial, F.hdf5.partial) into a recording for any HDF5 reader:
// clears the writer's mark, cuts lists of unequal length to the complete frames, and renames the file. Nothing is
// copied: it needs no time or space. Any thread; locks hdf5_lock().
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/acquisition.h"
#include "history/file_sinks.h"
#include "history/part_file.h"

namespace echoloop {

struct RepairedRecording {
  std::filesystem::path path;  // final name, or the next free one
  std::uint64_t frames = 0;
};

// Renames a file that needs no repair. Throws Error if the file is being recorded, has no complete frame, or is not a
// recording of this program.
RepairedRecording repair_recording(const std::filesystem::path& file);

// Returns the recordings in `folder` left by killed programs, newest first.
[[nodiscard]] std::vector<std::filesystem::path> unfinished_recordings(const std::filesystem::path& folder);

}  // namespace echoloop

namespace echoloop::h5 {

// Parts of the writer, internal to src/history. HDF5's C interface is used in hdf5_*.cpp only, and always under
// hdf5_lock().

// Owner of one HDF5 identifier. Throws std::runtime_error naming `what` if the identifier is invalid.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, const std::string& what);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  herr_t close() { return id_ >= 0 ? close_(std::exchange(id_, -1)) : 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Throws std::runtime_error naming `what`, with the system's reason if there is one.
void check(herr_t status, const std::string& what);

struct Node {
  hid_t parent;
  std::string name;
};

Handle make_group(const Node& node);
void write_string(const Node& node, const std::string& text);
void set_text(hid_t object, const char* attribute, const std::string& text);

// Creates a data set whose first dimension grows. `shape`: of one chunk.
Handle create_growing(const Node& node, hid_t type, const std::vector<hsize_t>& shape);

// Data sets of the samples, all with the same chunk: one frame.
struct SampleSets {
  std::vector<Handle> sets;
  std::vector<hsize_t> chunk;
};

// Place and form of facts and samples in a file of one format. One thread.
class Layout {
 public:
  virtual ~Layout() = default;
  // Writes everything but the samples and the numbers of frames. Returns the group of this program's own facts.
  virtual Handle write_head(hid_t file) = 0;
  virtual SampleSets create_samples(hid_t file) = 0;
  // Returns the samples of a frame for the data set number `set`, in `memory` if they differ from `frame`.
  virtual std::span<const std::byte> samples_of(std::span<const std::byte> frame, std::size_t set,
                                                std::vector<std::byte>& memory) = 0;
  virtual void append_time(const FrameStamp& /*stamp*/) {}
  virtual void close() {}  // data sets of its own
};
std::unique_ptr<Layout> make_uff_layout(AcquisitionPtr acquisition);
std::unique_ptr<Layout> make_zea_layout(AcquisitionPtr acquisition);

// Nodes of a UFF file as written by USTB's write_object: every node has `class` and `name`, objects also `size` and
// `array`; numbers are singles of MATLAB's shape, with reversed dimensions in HDF5.

Handle make_object(const Node& node, const std::string& uff_class);                // one object, array 0
Handle make_array(const Node& node, const std::string& uff_class, std::size_t n);  // members: member_name()
std::string member_name(const std::string& array, std::size_t index);              // "sequence_0001" for index 0

// `dims` in HDF5's order.
void write_numbers(const Node& node, std::span<const float> values, std::vector<hsize_t> dims,
                   const std::string& matlab_class = "double");
void write_number(const Node& node, double value, const std::string& matlab_class = "double");

// Sets the attributes of a data set of numbers, or of the group of a complex one's two parts.
void mark_numbers(hid_t object, const std::string& name, const std::string& matlab_class);
void set_texts(hid_t object, const char* attribute, const std::string& text);  // an array of one
void set_number(hid_t object, const char* attribute, double value);

}  // namespace echoloop::h5

namespace echoloop {

// Lock of all HDF5 calls: as packaged by distributions, HDF5 is not thread-safe even for different files. Used by the
// recorder and by tests that read its file in the same process. Readers of recordings have a process of their own, with
// one thread, and need none.

inline std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

// Recording on disk: HDF5 in USTB's UFF layout or that of zea, one uncompressed chunk per frame, growing frame by
// frame.
//
// While it grows it is FILE.partial, in HDF5's SWMR mode (single writer, multiple readers): metadata are written in an
// order in which the file can be opened at any time, so a killed program leaves a file with all frames up to the last
// flush(). Such a file is opened with H5F_ACC_SWMR_READ: H5Fopen(.., H5F_ACC_RDONLY, ..) refuses it because of the
// writer's mark. finish() clears the mark and renames the file; repair_recording() does so for a file left by a killed
// program. The file is forced to the disk every second, and before it is renamed.
//
// One thread at a time; every call locks hdf5_lock(). No HDF5 header is included here.
class Hdf5Writer final : public FrameFile {
 public:
  // Creates the partial file. Throws Error on failure.
  Hdf5Writer(const std::filesystem::path& file, AcquisitionPtr acquisition, const RecordingAbout& about);
  ~Hdf5Writer() override;
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void append(const RfFrame& frame) override;
  void count_not_recorded(std::uint64_t frames) override;  // stored with the next flush
  void flush() override;
  void finish() override;

  [[nodiscard]] std::uint64_t frames() const override { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }
  [[nodiscard]] const std::filesystem::path& partial() const { return grown_.partial; }  // while it grows

 private:
  struct File;

  void create(const RecordingAbout& about);
  void abandon() noexcept;
  void write_samples(const RfFrame& frame);

  std::filesystem::path path_;
  AcquisitionPtr acquisition_;
  std::uint64_t frames_ = 0;
  bool broken_ = false;  // the library failed to write: it cannot close the file either
  GrowingFile grown_;
  std::unique_ptr<DiskSync> sync_;  // for the file of grown_
  std::unique_ptr<File> file_;
};

}  // namespace echoloop
