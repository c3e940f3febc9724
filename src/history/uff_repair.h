// What a killed program leaves of a recording (F.uff.partial) made into a recording that any HDF5 reader opens: the
// writer's mark goes, lists of unequal length are cut to the frames that are whole, and the file gets its name. Nothing
// is copied: it takes no time and no room. Any thread; takes hdf5_lock().
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
  std::filesystem::path path;  // the final name, or the next free one like it
  std::uint64_t frames = 0;
};

// A file that needs no repair only gets its name. Throws Error when the file is still being recorded, has no whole
// frame, or is not a recording of this program.
RepairedRecording repair_recording(const std::filesystem::path& file);

// Recordings in `folder` that a killed program has left, newest first.
[[nodiscard]] std::vector<std::filesystem::path> unfinished_recordings(const std::filesystem::path& folder);

}  // namespace echoloop

namespace echoloop::uff {

// The nodes of a UFF file as USTB's write_object makes them: every node has `class` and `name`, objects also `size` and
// `array`; numbers are singles of MATLAB's shape, whose dimensions stand reversed in HDF5. HDF5's C interface is used
// in uff_*.cpp only, and always under hdf5_lock(). Internal to src/history.

// Owner of one HDF5 identifier. Throws std::runtime_error naming `what` when it could not be made.
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

// Throws std::runtime_error naming `what`, with the system's reason where there is one.
void check(herr_t status, const std::string& what);

struct Node {
  hid_t parent;
  std::string name;
};

Handle make_group(const Node& node);
Handle make_object(const Node& node, const std::string& uff_class);                // one object, array 0
Handle make_array(const Node& node, const std::string& uff_class, std::size_t n);  // its members: member_name()
std::string member_name(const std::string& array, std::size_t index);              // "sequence_0001" for index 0

// `dims` in HDF5's order.
void write_numbers(const Node& node, std::span<const float> values, std::vector<hsize_t> dims,
                   const std::string& matlab_class = "double");
void write_number(const Node& node, double value, const std::string& matlab_class = "double");
void write_string(const Node& node, const std::string& text);  // not UFF's: one string of HDF5

// Attributes of a data set of numbers, or of the group of a complex one's two parts.
void mark_numbers(hid_t object, const std::string& name, const std::string& matlab_class);
void set_text(hid_t object, const char* attribute, const std::string& text);
void set_texts(hid_t object, const char* attribute, const std::string& text);  // an array of one
void set_number(hid_t object, const char* attribute, double value);

}  // namespace echoloop::uff

namespace echoloop {

// HDF5 as systems package it is not safe to call from two threads at once, whatever the files: the recorder's calls,
// and those of tests that read its file in the same process, are made under this lock. The readers of recordings
// need none: they have a process of their own, with one thread.

inline std::mutex& hdf5_lock() {
  static std::mutex lock;
  return lock;
}

// A recording on disk: HDF5 in USTB's UFF layout, one uncompressed chunk a frame, growing frame by frame.
//
// While it grows it is FILE.partial, in HDF5's SWMR mode (single writer, multiple readers): metadata reach the file in
// an order in which it can be opened at every moment, so a program that is killed leaves a file with all frames up to
// the last flush(). Such a file is opened with H5F_ACC_SWMR_READ: H5Fopen(.., H5F_ACC_RDONLY, ..) refuses it because of
// the writer's mark. finish() takes the mark away and gives the file its name; repair_recording() does so for a file
// that a killed program left. The file is forced to the disk every second, and before it gets its name.
//
// One thread at a time; every call takes hdf5_lock(). No HDF5 header is included here.

class UffWriter final : public FrameFile {
 public:
  // Creates the partial file. Throws Error when it cannot be.
  UffWriter(const std::filesystem::path& file, AcquisitionPtr acquisition, const RecordingAbout& about);
  ~UffWriter() override;
  UffWriter(const UffWriter&) = delete;
  UffWriter& operator=(const UffWriter&) = delete;

  void append(const RfFrame& frame) override;
  void count_not_recorded(std::uint64_t frames) override;  // goes into the file with the next flush
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
  bool broken_ = false;  // the library could not write: it cannot close the file any more either
  GrowingFile grown_;
  std::unique_ptr<DiskSync> sync_;  // of what grown_ has open
  std::unique_ptr<File> file_;
};

}  // namespace echoloop
