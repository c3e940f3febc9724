#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/base/acquisition_json.h"
#include "history/hdf5_recording.h"
#include "history/part_file.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
using namespace h5;

constexpr hsize_t kNumbersChunk = 1024;           // of the numbers of frames: 8 kB per chunk
constexpr hsize_t kAligned = 4096;                // frames begin on a page, so that readers can map them
constexpr std::size_t kMaxChunk = 0xffff'ffffUL;  // HDF5's limit: 4 GiB - 1

// Scope of HDF5 calls: locked, and without its own messages on stderr, a setting per thread.
struct Library {
  Library() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    errno = 0;
  }
  const std::scoped_lock<std::mutex> lock{hdf5_lock()};
};

// Set before any use of HDF5: files left open after a disk error are not accessed at exit.
[[maybe_unused]] const herr_t no_last_look = H5dont_atexit();

Handle create_file(const std::string& name) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "file access");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), "file format");  // SWMR requires it
  check(H5Pset_alignment(access.get(), kAligned, kAligned), "alignment");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "closing");
  return {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, "no file"};
}

// Appends a frame's number to one of the lists of /echoloop.
void append_number(const Handle& list, hid_t type, hsize_t index, const void* value) {
  const hsize_t size = index + 1;
  const hsize_t one = 1;
  check(H5Dset_extent(list.get(), &size), "the list of frames");
  const Handle memory(H5Screate_simple(1, &one, nullptr), H5Sclose, "the list of frames");
  const Handle space(H5Dget_space(list.get()), H5Sclose, "the list of frames");
  check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &index, nullptr, &one, nullptr), "the list of frames");
  check(H5Dwrite(list.get(), type, memory.get(), space.get(), H5P_DEFAULT, value), "the list of frames");
}

bool is_zea(RecordingFormat format, const fs::path& file) {
  return format == RecordingFormat::zea || (format == RecordingFormat::by_ending && file.extension() == ".hdf5");
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", ::localtime_r(&now, &parts));
  return text.data();
}

}  // namespace

struct Hdf5Writer::File {
  Handle file;
  std::unique_ptr<Layout> layout;
  SampleSets samples;
  Handle sequence, acquired, not_recorded;
  Handle time, ticks, lost, missing;  // of a scanner's frames, else none
  std::vector<std::byte> memory;
};

Hdf5Writer::Hdf5Writer(const fs::path& file, AcquisitionPtr acquisition, const RecordingAbout& about)
    : path_(file), acquisition_(std::move(acquisition)), file_(std::make_unique<File>()) {
  const bool zea = is_zea(about.format, path_);
  const bool iq = acquisition_->signal == SignalKind::iq;
  const std::size_t chunk =
      zea && iq ? acquisition_->frame_values() * sizeof(float) : acquisition_->frame_bytes() / (iq ? 2 : 1);
  if (chunk > kMaxChunk) {
    throw Error(path_.string(), "frames of " + std::to_string(acquisition_->frame_bytes()) + " bytes",
                "frames up to 4 GiB");
  }
  grown_ = make_growing_file(path_);
  const Library library;
  file_->layout = zea ? make_zea_layout(acquisition_) : make_uff_layout(acquisition_);
  try {
    create(about);
  } catch (const std::runtime_error& error) {
    std::error_code ignored;
    fs::remove(grown_.partial, ignored);
    file_.reset();
    refuse_growing_file(path_, error.what());
  }
  sync_ = std::make_unique<DiskSync>(grown_.room->descriptor());
}

Hdf5Writer::~Hdf5Writer() {
  const Library library;
  if (broken_) abandon();
  file_.reset();
}

// Leaves handles open: HDF5 writes again when they are closed, and aborts the program on failure.
void Hdf5Writer::abandon() noexcept { static_cast<void>(file_.release()); }

void Hdf5Writer::create(const RecordingAbout& about) {
  File& f = *file_;
  f.file = create_file(grown_.room->alias());
  if (const std::string why = grown_.room->take(0); !why.empty()) throw std::runtime_error(why);
  const Handle own = f.layout->write_head(f.file.get());
  set_text(own.get(), "version", about.version);
  set_text(own.get(), "recorded_at", local_time());
  write_string({own.get(), "acquisition"}, acquisition_to_json(*acquisition_));
  write_string({own.get(), "parameters"}, about.parameters);
  f.samples = f.layout->create_samples(f.file.get());
  f.sequence = create_growing({own.get(), "frame_sequence"}, H5T_STD_U64LE, {kNumbersChunk});
  f.acquired = create_growing({own.get(), "acquired_ns"}, H5T_STD_I64LE, {kNumbersChunk});
  if (about.device_hz.has_value()) {
    set_number(own.get(), "device_hz", *about.device_hz);
    f.time = create_growing({own.get(), "device_time_s"}, H5T_IEEE_F64LE, {kNumbersChunk});
    f.ticks = create_growing({own.get(), "device_ticks"}, H5T_STD_U64LE, {kNumbersChunk});
    f.lost = create_growing({own.get(), "lost_at_sender"}, H5T_STD_U64LE, {kNumbersChunk});
    f.missing = create_growing({own.get(), "missing"}, H5T_STD_U64LE, {kNumbersChunk});
  }
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "not_recorded");
  f.not_recorded =
      Handle(H5Dcreate2(own.get(), "not_recorded", H5T_STD_U64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Dclose, "not_recorded");
  const std::uint64_t none = 0;
  check(H5Dwrite(f.not_recorded.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none), "not_recorded");
  check(H5Fstart_swmr_write(f.file.get()), "crash-safe writing");
}

void Hdf5Writer::write_samples(const RfFrame& frame) {
  SampleSets& to = file_->samples;
  std::vector<hsize_t> first(to.chunk.size(), 0), size = to.chunk;
  first[0] = frames_;
  size[0] = frames_ + 1;
  for (std::size_t set = 0; set < to.sets.size(); ++set) {
    const std::span<const std::byte> samples = file_->layout->samples_of(frame.samples, set, file_->memory);
    check(H5Dset_extent(to.sets[set].get(), size.data()), "a frame");
    check(H5Dwrite_chunk(to.sets[set].get(), H5P_DEFAULT, 0, first.data(), samples.size(), samples.data()), "a frame");
  }
}

void Hdf5Writer::append(const RfFrame& frame) {
  if (broken_) throw std::runtime_error("an earlier write to the disk failed");
  if (frame.samples.size() != acquisition_->frame_bytes()) throw std::runtime_error("the frame size changed");
  // Each frame begins on a page of the file.
  if (const std::string why = grown_.room->take(frame.samples.size() + 2 * kAligned); !why.empty())
    throw std::runtime_error(why);
  const Library library;
  broken_ = true;  // until all of it succeeds
  write_samples(frame);
  file_->layout->append_time(frame.stamp);
  if (file_->time.get() >= 0) {
    const SenderStamp& sender = frame.stamp.sender;
    append_number(file_->time, H5T_NATIVE_DOUBLE, frames_, &frame.stamp.time_s);
    append_number(file_->ticks, H5T_NATIVE_UINT64, frames_, &sender.device_ticks);
    append_number(file_->lost, H5T_NATIVE_UINT64, frames_, &sender.lost);
    append_number(file_->missing, H5T_NATIVE_UINT64, frames_, &sender.missing);
  }
  append_number(file_->acquired, H5T_NATIVE_INT64, frames_, &frame.stamp.acquired_ns);
  append_number(file_->sequence, H5T_NATIVE_UINT64, frames_, &frame.stamp.sequence);
  broken_ = false;
  ++frames_;
}

void Hdf5Writer::count_not_recorded(std::uint64_t frames) {
  if (broken_) return;
  const Library library;
  H5Dwrite(file_->not_recorded.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &frames);
}

void Hdf5Writer::flush() {
  if (broken_) return;
  const Library library;
  broken_ = true;
  check(H5Fflush(file_->file.get(), H5F_SCOPE_LOCAL), "recorded frames cannot be written");
  broken_ = false;
  sync_->request();
  if (const std::string why = sync_->problem(); !why.empty()) throw std::runtime_error(why);
}

void Hdf5Writer::finish() {
  const Library library;
  try {
    if (broken_) throw std::runtime_error("a write to the disk failed");
    broken_ = true;
    File& f = *file_;
    f.samples.sets.clear();
    f.layout->close();
    for (Handle* list : {&f.sequence, &f.acquired, &f.not_recorded, &f.time, &f.ticks, &f.lost, &f.missing})
      check(list->close(), "the frame lists cannot be written");
    check(f.file.close(), "the end of the file cannot be written");
    broken_ = false;
    path_ = end_growing_file(grown_, path_, frames_);
  } catch (const std::exception& problem) {
    throw std::runtime_error(growing_file_remains(grown_.partial, problem.what()));
  }
}

std::unique_ptr<FrameFile> make_hdf5_file(const FrameFileRequest& request) {
  return std::make_unique<Hdf5Writer>(request.file, request.acquisition, request.about);
}

}  // namespace echoloop
