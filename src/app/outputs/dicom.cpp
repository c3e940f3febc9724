#include "app/outputs/dicom.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <span>
#include <system_error>

#include "app/outputs/screen_image.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/sandbox/reader_child.h"
#include "gui/overlay/image_scales.h"
#include "history/part_file.h"
#include "transport/file_descriptor.h"
#include "version.h"

namespace echoloop {
namespace {

constexpr std::uint64_t kMostBytes = 0xFFFF'FFFE;  // of the pixels of a file

std::filesystem::path module_file() { return installed_program("libecholoop_dicom.so"); }

DicomWriteFunction load_module() {
  void* const library = ::dlopen(module_file().c_str(), RTLD_NOW | RTLD_LOCAL);  // never closed
  void* const found = library != nullptr ? ::dlsym(library, "echoloop_write_dicom") : nullptr;
  if (found == nullptr) {
    const char* const why = ::dlerror();
    throw Error(module_file().string(), why != nullptr ? why : "not a module of this program", "DCMTK (libdcmtk17)");
  }
  return reinterpret_cast<DicomWriteFunction>(found);
}

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[16];
  return {text, std::strftime(text, sizeof text, format, &local)};
}

class DicomFile final : public ImageWriter {
 public:
  DicomFile(const FilmOrder& order, const Image& first);
  bool add(const Image& image, const FlowImage* flow) override;
  bool hold() override { return false; }  // the time of a frame is the mean
  void finish(const std::string& comment) override;
  [[nodiscard]] std::string codec() const override {
    const std::string omitted = fmt::format(", {} of another grid omitted", counted(omitted_, "image"));
    return "not compressed" + (omitted_ > 0 ? omitted : "");
  }
  [[nodiscard]] double rate_hz(double ordered_hz) const override {
    return contents_.frame_time_ms > 0.0 ? 1e3 / contents_.frame_time_ms : ordered_hz;
  }

 private:
  void append(std::span<const std::uint8_t> bytes);

  std::filesystem::path path_;
  Grid grid_;  // of all images
  ImagingParams display_;
  double ordered_hz_;
  PartFile file_, frames_file_;
  FileDescriptor frames_;  // of frames_file_
  DicomContents contents_;
  ScreenPainter painter_;
  ScreenImage shown_;
  std::uint64_t omitted_ = 0;            // images of another grid
  double first_s_ = 0.0, last_s_ = 0.0;  // acquisition of the first and the last frame
};

DicomFile::DicomFile(const FilmOrder& order, const Image& first)
    : path_(order.path),
      grid_(first.grid),
      display_(order.display),
      ordered_hz_(order.rate_hz),
      file_(order.path),
      frames_file_(order.path.string() + ".frames"),
      frames_(::open(frames_file_.part().c_str(), O_WRONLY | O_CLOEXEC)) {
  if (frames_.get() < 0) file_.fail(errno);
  if (order.flow == FilmFlow::none) display_.color_flow.mode = FlowMode::off;
  const ScreenImage at = screen_of(first.grid);
  contents_.width = static_cast<std::uint32_t>(at.width);
  contents_.height = static_cast<std::uint32_t>(at.height);
  contents_.x0_m = at.x0_m;
  contents_.z0_m = at.z0_m;
  contents_.step_m = at.step_m;
  contents_.flow = is_overlay(display_.color_flow.mode) ? FilmFlow::shown : FilmFlow::none;
  contents_.version = kVersion;
  contents_.date = local_time("%Y%m%d");
  contents_.time = local_time("%H%M%S");
  first_s_ = stream_time_s(first);
}

void DicomFile::append(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(frames_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) file_.fail(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

bool DicomFile::add(const Image& image, const FlowImage* flow) {
  if (!(image.grid == grid_)) {
    ++omitted_;
    return false;
  }
  Image as_ordered = image;  // with the display of all images
  as_ordered.params = display_;
  painter_.paint(as_ordered, flow, shown_);
  contents_.channels = static_cast<std::uint32_t>(shown_.channels);
  if ((contents_.frames + std::uint64_t{1}) * shown_.values.size() > kMostBytes)
    throw Error(path_.string(), "more than 4 GiB of pixels",
                fmt::format("up to {} frames (--frames)", contents_.frames));
  append(shown_.values);
  ++contents_.frames;
  last_s_ = stream_time_s(image);
  return true;
}

void DicomFile::finish(const std::string& /*comment*/) {
  const double span_ms = 1e3 * (last_s_ - first_s_);
  if (contents_.frames > 1)
    contents_.frame_time_ms = span_ms > 0.0 ? span_ms / (contents_.frames - 1) : 1e3 / ordered_hz_;
  if ((std::uint64_t{contents_.frames} * shown_.values.size()) % 2 != 0) append(std::array<std::uint8_t, 1>{});
  contents_.file = file_.part().string();
  contents_.frames_file = frames_file_.part().string();
  std::string failure;
  load_module()(contents_, failure);
  if (!failure.empty()) file_.fail(failure);
  file_.commit();
}

}  // namespace

void check_dicom_name(const std::filesystem::path& /*file*/) {
  std::error_code ignored;
  if (!std::filesystem::exists(module_file(), ignored))
    throw Error("DICOM", "this program was built without DCMTK (libdcmtk-dev)",
                "another format, or a build with DCMTK");
  (void)load_module();
}

std::unique_ptr<ImageWriter> make_dicom_file(const FilmOrder& order, const Image& first) {
  return std::make_unique<DicomFile>(order, first);
}

void write_dicom(const std::filesystem::path& file, const Image& image, const ImagingParams& display,
                 const FlowImage* flow) {
  check_dicom_name(file);
  const FilmFlow drawn = flow != nullptr ? FilmFlow::shown : FilmFlow::none;
  DicomFile still({.path = file, .source = {}, .display = display, .flow = drawn}, image);
  still.add(image, flow);
  still.finish({});
}

}  // namespace echoloop
