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

#include "core/acquisition.h"
#include "history/disk_room.h"
#include "history/file_sinks.h"

namespace echoloop {

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
