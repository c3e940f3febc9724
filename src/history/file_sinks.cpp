#include "history/file_sinks.h"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "history/part_file.h"

namespace echoloop {

// Defined below or in other files.
std::unique_ptr<FrameFile> make_hdf5_file(const FrameFileRequest& request);
std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request);

namespace {

constexpr std::array kFileSinks{
    FileSinkRow{.option = kRecordOption.data(),
                .type_name = "F.uff",
                .ending = nullptr,
                .help = "Record all raw frames as UFF (HDF5), or for F.hdf5 in zea's layout",
                .report = "recording",
                .make = make_hdf5_file},
    FileSinkRow{.option = "--raw-out",
                .type_name = "F.npy",
                .ending = ".npy",
                .help = "All raw frames as an array for NumPy: [frame][transmit][element][sample], IQ with a last axis "
                        "(I, Q); with --headless",
                .report = "raw_out",
                .make = make_raw_npy_file},
};

}  // namespace

std::span<const FileSinkRow> file_sinks() { return kFileSinks; }

namespace {

constexpr std::size_t kHeadBytes = 256;  // a shape of five numbers, 20 digits each, needs 180 at most

class GrowingNpy final : public FrameFile {
 public:
  GrowingNpy(std::filesystem::path file, NpyItems items)
      : path_(std::move(file)),
        items_(std::move(items)),
        file_(make_growing_file(path_)),
        sync_(file_.room->descriptor()) {}

  void append(const RfFrame& frame) override {
    if (frame.samples.size() != items_.bytes) throw std::runtime_error("the frame size changed");
    if (const std::string why = file_.room->take(items_.bytes + kHeadBytes); !why.empty())
      throw std::runtime_error(why);
    write(frame.samples, kHeadBytes + frames_ * items_.bytes);
    ++frames_;
  }

  void flush() override {
    write_head();
    sync_.request();
    if (const std::string why = sync_.problem(); !why.empty()) throw std::runtime_error(why);
  }

  void finish() override {
    try {
      write_head();
      path_ = end_growing_file(file_, path_, frames_);
    } catch (const std::exception& problem) {
      throw std::runtime_error(growing_file_remains(file_.partial, problem.what()));
    }
  }

  [[nodiscard]] std::uint64_t frames() const override { return frames_; }
  [[nodiscard]] const std::filesystem::path& path() const override { return path_; }

 private:
  void write(std::span<const std::byte> bytes, std::size_t at) const {
    while (!bytes.empty()) {
      const ssize_t written = ::pwrite(file_.room->descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw std::runtime_error(disk_error_text(written < 0 ? errno : ENOSPC));
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      at += static_cast<std::size_t>(written);
    }
  }

  void write_head() const {
    const std::string head = npy_head(items_.type, std::to_string(frames_) + ", " + items_.shape, kHeadBytes);
    write(std::as_bytes(std::span(head)), 0);
  }

  std::filesystem::path path_;
  NpyItems items_;
  std::uint64_t frames_ = 0;
  GrowingFile file_;
  DiskSync sync_;
};

}  // namespace

std::unique_ptr<FrameFile> make_growing_npy(const std::filesystem::path& file, NpyItems items) {
  return std::make_unique<GrowingNpy>(file, std::move(items));
}

std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request) {
  const Acquisition& a = *request.acquisition;
  std::string shape =
      std::to_string(a.n_transmits()) + ", " + std::to_string(a.n_elements()) + ", " + std::to_string(a.n_samples);
  if (a.signal == SignalKind::iq) shape += ", 2";
  return make_growing_npy(request.file, {.type = a.sample_type == SampleType::int16 ? "<i2" : "<f4",
                                         .shape = std::move(shape),
                                         .bytes = a.frame_bytes()});
}

}  // namespace echoloop
