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
#include "history/part_file.h"
#include "history/uff_repair.h"

namespace echoloop {
namespace {

namespace fs = std::filesystem;
using namespace uff;

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

// Creates a data set whose first dimension grows. `shape`: of one chunk.
Handle create_growing(hid_t parent, const char* name, hid_t type, const std::vector<hsize_t>& shape) {
  std::vector<hsize_t> size = shape;
  std::vector<hsize_t> most = shape;
  size[0] = 0;
  most[0] = H5S_UNLIMITED;
  const int rank = static_cast<int>(shape.size());
  const Handle space(H5Screate_simple(rank, size.data(), most.data()), H5Sclose, name);
  const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  check(H5Pset_chunk(options.get(), rank, shape.data()), name);
  check(H5Pset_fill_time(options.get(), H5D_FILL_TIME_NEVER), name);
  return {H5Dcreate2(parent, name, type, space.get(), H5P_DEFAULT, options.get(), H5P_DEFAULT), H5Dclose, name};
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

// Extracts every second value of (I, Q) pairs.
template <class Value>
void take_part(std::span<const std::byte> pairs, std::size_t part, std::vector<std::byte>& out) {
  out.resize(pairs.size() / 2);
  const auto* from = reinterpret_cast<const Value*>(pairs.data()) + part;
  auto* to = reinterpret_cast<Value*>(out.data());
  for (std::size_t i = 0; i < out.size() / sizeof(Value); ++i) to[i] = from[2 * i];
}

// Metadata of a recording: the UFF objects of an acquisition, and the group /echoloop with facts that UFF lacks
// (documented in formats/base/acquisition_json.h).

// uff.wavefront
constexpr double kPlane = 0.0;
constexpr double kSpherical = 1.0;

struct Source {
  double wavefront = kPlane;
  double distance_m = std::numeric_limits<double>::infinity();
  double azimuth_rad = 0.0;
};

// Fits the plane wave with delays x sin(a) / c, as UFF has no explicit delays. Our reader uses the exact ones.
double fitted_angle_rad(const Transmit& transmit, const Acquisition& a) {
  double n = 0.0, x_sum = 0.0, t_sum = 0.0, xx = 0.0, xt = 0.0;
  for (std::size_t e = 0; e < transmit.element_delays_s.size(); ++e) {
    const double t = transmit.element_delays_s[e];
    if (std::isnan(t)) continue;
    const double x = a.probe.elements[e].x_m;
    n += 1.0, x_sum += x, t_sum += t, xx += x * x, xt += x * t;
  }
  const double spread = n * xx - x_sum * x_sum;
  if (spread <= 0.0) return 0.0;
  const double slope = (n * xt - x_sum * t_sum) / spread;
  return std::asin(std::clamp(slope * a.sound_speed_m_s, -1.0, 1.0));
}

Source source_of(const Transmit& transmit, const Acquisition& a) {
  switch (transmit.kind) {
    case TransmitKind::plane:
      return {.azimuth_rad = transmit.angle_rad};
    case TransmitKind::diverging:
    case TransmitKind::focused:
      return {.wavefront = kSpherical,
              .distance_m = std::hypot(transmit.source_x_m, transmit.source_z_m),
              .azimuth_rad = std::atan2(transmit.source_x_m, transmit.source_z_m)};
    case TransmitKind::delays:
    case TransmitKind::none:
      break;
  }
  return {.azimuth_rad = fitted_angle_rad(transmit, a)};
}

void write_probe(hid_t channel_data, const Probe& probe) {
  const Handle group = make_object({channel_data, "probe"}, "uff.probe");
  const std::size_t n = probe.elements.size();
  std::vector<float> geometry(7 * n, 0.0F);  // x y z theta phi width height, each for all elements
  for (std::size_t e = 0; e < n; ++e) {
    geometry[e] = static_cast<float>(probe.elements[e].x_m);
    geometry[2 * n + e] = static_cast<float>(probe.elements[e].z_m);
    geometry[3 * n + e] = static_cast<float>(probe.elements[e].normal_rad);
    geometry[5 * n + e] = static_cast<float>(probe.element_width_m);
  }
  write_numbers({group.get(), "geometry"}, geometry, {7, n});
}

// Returns the delay to write. Other readers rotate IQ by the phase of the clock initial_time + n / fs, without the
// delay; ours was demodulated at the true time of each sample and is written unchanged. With a delay of whole periods
// both are equal: the nearest is written, so that the transmits stay in phase and envelopes are off by at most c / (4
// f) of depth. Our own reader has the exact times from /echoloop.
//
// USTB treats a source from 1 mm behind z = 0 on as one in front of the array, whose wave comes |s|/c after time zero:
// single elements have delays 2 |s|/c longer.
double written_delay_s(const Transmit& transmit, const Acquisition& a) {
  constexpr double kInFront_m = -1e-3;
  const bool in_front = transmit.kind == TransmitKind::diverging && transmit.source_z_m >= kInFront_m;
  const double away_s = std::hypot(transmit.source_x_m, transmit.source_z_m) / a.sound_speed_m_s;
  const double delay_s = transmit.t0_s - a.transmits.front().t0_s + (in_front ? 2.0 * away_s : 0.0);
  if (a.signal != SignalKind::iq || a.demod_hz <= 0.0) return delay_s;
  return std::round(delay_s * a.demod_hz) / a.demod_hz;
}

// Writes a wave; time of its samples: initial_time + n / fs + delay, with USTB's sign.
void write_wave(hid_t wave, const Transmit& transmit, const Acquisition& a) {
  const Source source = source_of(transmit, a);
  write_number({wave, "wavefront"}, source.wavefront, "uff.wavefront");
  const Handle point = make_object({wave, "source"}, "uff.point");
  write_number({point.get(), "distance"}, source.distance_m);
  write_number({point.get(), "azimuth"}, source.azimuth_rad);
  write_number({point.get(), "elevation"}, 0.0);
  write_number({wave, "sound_speed"}, a.sound_speed_m_s);
  write_number({wave, "delay"}, written_delay_s(transmit, a));
}

void write_sequence(hid_t channel_data, const Acquisition& a) {
  const std::string name = "sequence";
  if (a.transmits.size() == 1) {  // MATLAB has no array of one
    const Handle wave = make_object({channel_data, name}, "uff.wave");
    write_wave(wave.get(), a.transmits.front(), a);
    return;
  }
  const Handle array = make_array({channel_data, name}, "uff.wave", a.transmits.size());
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    const Handle wave = make_object({array.get(), member_name(name, i)}, "uff.wave");
    write_wave(wave.get(), a.transmits[i], a);
  }
}

void write_pulse(hid_t channel_data, const Acquisition& a) {
  const Handle pulse = make_object({channel_data, "pulse"}, "uff.pulse");
  write_number({pulse.get(), "center_frequency"}, a.center_hz);
  if (a.bandwidth_hz > 0.0) write_number({pulse.get(), "fractional_bandwidth"}, a.bandwidth_hz / a.center_hz);
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S%z", ::localtime_r(&now, &parts));
  return text.data();
}

// Writes everything below the root except /channel_data/data and the numbers of frames. Throws std::runtime_error.
void write_head(hid_t file, const Acquisition& a, const RecordingAbout& about) {
  set_texts(file, "version", "v1.2.0");  // of UFF
  const Handle data = make_object({file, "channel_data"}, "uff.channel_data");
  write_number({data.get(), "sampling_frequency"}, a.sampling_hz);
  write_number({data.get(), "initial_time"}, a.transmits.front().t0_s);
  write_number({data.get(), "sound_speed"}, a.sound_speed_m_s);
  write_number({data.get(), "modulation_frequency"}, a.signal == SignalKind::iq ? a.demod_hz : 0.0);
  write_probe(data.get(), a.probe);
  write_sequence(data.get(), a);
  write_pulse(data.get(), a);

  const Handle own = make_group({file, "echoloop"});
  set_text(own.get(), "version", about.version);
  set_text(own.get(), "recorded_at", local_time());
  write_string({own.get(), "acquisition"}, acquisition_to_json(a));
  write_string({own.get(), "parameters"}, about.parameters);
}

}  // namespace

struct UffWriter::File {
  Handle file;
  std::vector<Handle> samples;  // one; IQ: real, imag
  Handle sequence, acquired, not_recorded;
  Handle time, ticks, lost, missing;  // of a scanner's frames, else none
  std::vector<hsize_t> chunk;         // of one frame
  std::vector<std::byte> part;
};

UffWriter::UffWriter(const fs::path& file, AcquisitionPtr acquisition, const RecordingAbout& about)
    : path_(file), acquisition_(std::move(acquisition)), file_(std::make_unique<File>()) {
  const std::size_t parts = acquisition_->signal == SignalKind::iq ? 2 : 1;
  if (acquisition_->frame_bytes() / parts > kMaxChunk) {
    throw Error(path_.string(), "frames of " + std::to_string(acquisition_->frame_bytes()) + " bytes",
                "frames up to 4 GiB");
  }
  grown_ = make_growing_file(path_);
  const Library library;
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

UffWriter::~UffWriter() {
  const Library library;
  if (broken_) abandon();
  file_.reset();
}

// Leaves handles open: HDF5 writes again when they are closed, and aborts the program on failure.
void UffWriter::abandon() noexcept { static_cast<void>(file_.release()); }

void UffWriter::create(const RecordingAbout& about) {
  File& f = *file_;
  f.file = create_file(grown_.room->alias());
  if (const std::string why = grown_.room->take(0); !why.empty()) throw std::runtime_error(why);
  write_head(f.file.get(), *acquisition_, about);
  const Handle channel_data(H5Gopen2(f.file.get(), "channel_data", H5P_DEFAULT), H5Gclose, "channel_data");
  const Handle own(H5Gopen2(f.file.get(), "echoloop", H5P_DEFAULT), H5Gclose, "echoloop");
  const hid_t type = acquisition_->sample_type == SampleType::int16 ? H5T_STD_I16LE : H5T_IEEE_F32LE;
  f.chunk = {1, static_cast<hsize_t>(acquisition_->n_transmits()), static_cast<hsize_t>(acquisition_->n_elements()),
             static_cast<hsize_t>(acquisition_->n_samples)};
  // `class` is single also for int16 data: USTB's reader supports no other numbers, and accepts the stored type.
  if (acquisition_->signal == SignalKind::iq) {
    const Handle data = make_group({channel_data.get(), "data"});
    set_text(data.get(), "class", "single");
    set_text(data.get(), "name", "data");
    set_number(data.get(), "complex", 1.0);
    for (const char* part : {"real", "imag"}) {
      f.samples.push_back(create_growing(data.get(), part, type, f.chunk));
      set_text(f.samples.back().get(), "class", "single");
      set_text(f.samples.back().get(), "name", part);
      set_number(f.samples.back().get(), "imaginary", part[0] == 'i' ? 1.0 : 0.0);
    }
  } else {
    f.samples.push_back(create_growing(channel_data.get(), "data", type, f.chunk));
    mark_numbers(f.samples.back().get(), "data", "single");
  }
  f.sequence = create_growing(own.get(), "frame_sequence", H5T_STD_U64LE, {kNumbersChunk});
  f.acquired = create_growing(own.get(), "acquired_ns", H5T_STD_I64LE, {kNumbersChunk});
  if (about.device_hz.has_value()) {
    set_number(own.get(), "device_hz", *about.device_hz);
    f.time = create_growing(own.get(), "device_time_s", H5T_IEEE_F64LE, {kNumbersChunk});
    f.ticks = create_growing(own.get(), "device_ticks", H5T_STD_U64LE, {kNumbersChunk});
    f.lost = create_growing(own.get(), "lost_at_sender", H5T_STD_U64LE, {kNumbersChunk});
    f.missing = create_growing(own.get(), "missing", H5T_STD_U64LE, {kNumbersChunk});
  }
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "not_recorded");
  f.not_recorded =
      Handle(H5Dcreate2(own.get(), "not_recorded", H5T_STD_U64LE, scalar.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             H5Dclose, "not_recorded");
  const std::uint64_t none = 0;
  check(H5Dwrite(f.not_recorded.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &none), "not_recorded");
  check(H5Fstart_swmr_write(f.file.get()), "crash-safe writing");
}

void UffWriter::write_samples(const RfFrame& frame) {
  File& f = *file_;
  const std::array<hsize_t, 4> first = {frames_, 0, 0, 0};
  std::vector<hsize_t> size = f.chunk;
  size[0] = frames_ + 1;
  for (std::size_t part = 0; part < f.samples.size(); ++part) {
    std::span<const std::byte> samples = frame.samples;
    if (f.samples.size() > 1) {
      if (acquisition_->sample_type == SampleType::int16)
        take_part<std::int16_t>(frame.samples, part, f.part);
      else
        take_part<std::uint32_t>(frame.samples, part, f.part);  // bits, independent of the type
      samples = f.part;
    }
    check(H5Dset_extent(f.samples[part].get(), size.data()), "a frame");
    check(H5Dwrite_chunk(f.samples[part].get(), H5P_DEFAULT, 0, first.data(), samples.size(), samples.data()),
          "a frame");
  }
}

void UffWriter::append(const RfFrame& frame) {
  if (broken_) throw std::runtime_error("an earlier write to the disk failed");
  if (frame.samples.size() != acquisition_->frame_bytes()) throw std::runtime_error("the frame size changed");
  // Each frame begins on a page of the file.
  if (const std::string why = grown_.room->take(frame.samples.size() + 2 * kAligned); !why.empty())
    throw std::runtime_error(why);
  const Library library;
  broken_ = true;  // until all of it succeeds
  write_samples(frame);
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

void UffWriter::count_not_recorded(std::uint64_t frames) {
  if (broken_) return;
  const Library library;
  H5Dwrite(file_->not_recorded.get(), H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &frames);
}

void UffWriter::flush() {
  if (broken_) return;
  const Library library;
  broken_ = true;
  check(H5Fflush(file_->file.get(), H5F_SCOPE_LOCAL), "recorded frames cannot be written");
  broken_ = false;
  sync_->request();
  if (const std::string why = sync_->problem(); !why.empty()) throw std::runtime_error(why);
}

void UffWriter::finish() {
  const Library library;
  try {
    if (broken_) throw std::runtime_error("a write to the disk failed");
    broken_ = true;
    File& f = *file_;
    f.samples.clear();
    for (Handle* list : {&f.sequence, &f.acquired, &f.not_recorded, &f.time, &f.ticks, &f.lost, &f.missing})
      check(list->close(), "the frame lists cannot be written");
    check(f.file.close(), "the end of the file cannot be written");
    broken_ = false;
    path_ = end_growing_file(grown_, path_, frames_);
  } catch (const std::exception& problem) {
    throw std::runtime_error(growing_file_remains(grown_.partial, problem.what()));
  }
}

std::unique_ptr<FrameFile> make_uff_file(const FrameFileRequest& request) {
  return std::make_unique<UffWriter>(request.file, request.acquisition, request.about);
}

}  // namespace echoloop
