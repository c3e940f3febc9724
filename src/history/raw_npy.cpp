// Raw samples for NumPy: one array [frame][transmit][element][sample] of the recording's own type, IQ with a last axis
// (I, Q). The head has room for any number of frames and is written again with each flush, so that also the partial
// file of a killed program can be read.
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

#include "history/disk_sync.h"
#include "history/file_sinks.h"
#include "history/growing_file.h"
#include "history/npy_text.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

constexpr std::size_t kHeadBytes = 256;  // of which a shape of five numbers, 20 digits each, takes 180 at most

class RawNpy final : public FrameFile {
 public:
  RawNpy(std::filesystem::path file, AcquisitionPtr acquisition)
      : path_(std::move(file)),
        acquisition_(std::move(acquisition)),
        file_(make_growing_file(path_)),
        sync_(file_.room->descriptor()) {}

  void append(const RfFrame& frame) override {
    const std::size_t bytes = acquisition_->frame_bytes();
    if (frame.samples.size() != bytes) throw std::runtime_error("the frame size changed");
    if (const std::string why = file_.room->take(bytes + kHeadBytes); !why.empty()) throw std::runtime_error(why);
    write(frame.samples, kHeadBytes + frames_ * bytes);
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
    const Acquisition& a = *acquisition_;
    std::string shape = std::to_string(frames_);
    for (const int n : {a.n_transmits(), a.n_elements(), a.n_samples}) shape += ", " + std::to_string(n);
    if (a.signal == SignalKind::iq) shape += ", 2";
    const std::string head = npy_head(a.sample_type == SampleType::int16 ? "<i2" : "<f4", shape, kHeadBytes);
    write(std::as_bytes(std::span(head)), 0);
  }

  std::filesystem::path path_;
  AcquisitionPtr acquisition_;
  std::uint64_t frames_ = 0;
  GrowingFile file_;
  DiskSync sync_;
};

}  // namespace

std::unique_ptr<FrameFile> make_raw_npy_file(const FrameFileRequest& request) {
  return std::make_unique<RawNpy>(request.file, request.acquisition);
}

}  // namespace echoloop
