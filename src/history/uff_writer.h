// A recording on disk: HDF5 in USTB's UFF layout, one uncompressed chunk a frame, growing frame by frame.
//
// While it grows it is FILE.partial, in HDF5's SWMR mode (single writer, multiple readers): metadata reach the file in
// an order in which it can be opened at every moment, so a program that is killed leaves a file with all frames up to
// the last flush(). Such a file is opened with H5F_ACC_SWMR_READ: H5Fopen(.., H5F_ACC_RDONLY, ..) refuses it because of
// the writer's mark. finish() takes the mark away and gives the file its name; repair_recording() does so for a file
// that a killed program left. The file is forced to the disk every second, and before it gets its name.
//
// One thread at a time; every call takes hdf5_lock(). No HDF5 header is included here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/acquisition.h"
#include "core/frame.h"
#include "history/disk_room.h"
#include "history/disk_sync.h"

namespace echoloop {

// What is written about the program that recorded.
struct RecordingAbout {
  std::string version;            // of the program
  std::string parameters = "{}";  // JSON: the imaging parameters
};

class UffWriter {
 public:
  // Creates the partial file. Throws Error when it cannot be.
  UffWriter(const std::filesystem::path& file, AcquisitionPtr acquisition, const RecordingAbout& about);
  ~UffWriter();  // without finish(): the partial file stays as it is
  UffWriter(const UffWriter&) = delete;
  UffWriter& operator=(const UffWriter&) = delete;

  // Throws std::runtime_error, whose what() is the reason alone, when the disk is full or fails. After a full disk
  // finish() still ends the file.
  void append(const RfFrame& frame);
  void count_not_recorded(std::uint64_t frames);  // so many in all; goes into the file with the next flush
  void flush();  // what was appended is there even if the program is killed now; throws as append()
  // Ends the file and gives it its name, or the next free one like it; removes it when it holds no frame. When that is
  // not possible it throws as append(), and the partial file stays as if the program had been killed.
  void finish();

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }        // the final name, once finished
  [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }  // while it grows

 private:
  struct File;

  void claim_name();
  void create(const RecordingAbout& about);
  void abandon() noexcept;
  void write_samples(const RfFrame& frame);

  std::filesystem::path path_;
  std::filesystem::path partial_;
  AcquisitionPtr acquisition_;
  std::uint64_t frames_ = 0;
  bool broken_ = false;  // the library could not write: it cannot close the file any more either
  std::unique_ptr<DiskRoom> room_;
  std::unique_ptr<DiskSync> sync_;  // of what room_ has open
  std::unique_ptr<File> file_;
};

}  // namespace echoloop
