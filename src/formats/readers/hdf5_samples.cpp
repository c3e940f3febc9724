#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

using hdf5::Id;
using hdf5::Node;

// Storage of samples, and the type that they are read as.
struct Stored {  // one dataset; all of a recording are equal
  std::vector<std::size_t> shape;
  std::string real, imaginary;  // members of a compound, or empty
  std::string number;           // "int16", "a compound"
  SampleType type = SampleType::float32;
  bool half = false;      // float16, or a compound of two float16
  std::size_t bytes = 0;  // of all stored values

  bool operator==(const Stored&) const = default;
};

Id native_half() {
  Id half(H5Tcopy(H5T_NATIVE_FLOAT));
  H5Tset_fields(half, 15, 10, 5, 0, 10);
  H5Tset_size(half, 2);
  H5Tset_ebias(half, 15);
  return half;
}

// Throws Error unless the dataset has those axes, and real or complex numbers.
Stored describe(const Node& dataset, const std::vector<Axis>& axes) {
  Stored found{.shape = dataset.extents(), .real = {}, .imaginary = {}, .number = {}};
  if (found.shape.size() != axes.size())
    throw Error(dataset.where(), "samples of shape " + shape_text(found.shape), "axes (" + axes_text(axes) + ")");
  const Id type(H5Dget_type(dataset.id()));
  bool plain = hdf5::is_plain_number(type) && H5Tget_class(type) != H5T_ENUM;
  found.half = hdf5::is_half(type);
  if (H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2) {
    for (const auto& [real, imaginary] : {std::pair{"real", "imag"}, std::pair{"r", "i"}}) {
      const int re = H5Tget_member_index(type, real), im = H5Tget_member_index(type, imaginary);
      if (re < 0 || im < 0) continue;
      const Id first(H5Tget_member_type(type, static_cast<unsigned>(re)));
      const Id second(H5Tget_member_type(type, static_cast<unsigned>(im)));
      plain = hdf5::is_plain_number(first) && H5Tequal(first, second) > 0;
      found.half = hdf5::is_half(first);
      found.real = real, found.imaginary = imaginary;
    }
  }
  if (!plain) throw Error(dataset.where(), hdf5::type_text(type) + " as samples", "real or complex numbers");
  found.number = hdf5::type_text(type);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_INTEGER && (size == 1 || (size == 2 && H5Tget_sign(type) == H5T_SGN_2)))
    found.type = SampleType::int16;
  found.bytes = checked_bytes(found.shape, size).value_or(0);
  if (found.bytes == 0) {
    throw Error(dataset.where(), "samples of shape " + shape_text(found.shape),
                "no axis of length 0, and numbers that a machine can hold");
  }
  return found;
}

// Limits the frames to those present in both parts of IQ: the last flush of a killed writer may have reached only one.
void limit_frames(Stored& stored, const std::vector<Axis>& axes, std::size_t n_frames) {
  const auto frame = std::find(axes.begin(), axes.end(), Axis::frame);
  if (frame == axes.end()) return;
  std::size_t& extent = stored.shape[static_cast<std::size_t>(frame - axes.begin())];
  if (extent <= n_frames) return;
  stored.bytes = stored.bytes / extent * n_frames;
  extent = n_frames;
}

// Returns the target type: `type`, pairs of it, or unconverted halves (the library needs 0.1 us for each).
Id memory_type(const Stored& stored, SampleType type) {
  const Id half = native_half();
  const hid_t number = stored.half ? hid_t{half} : type == SampleType::int16 ? H5T_NATIVE_INT16 : H5T_NATIVE_FLOAT;
  if (stored.real.empty()) return Id(H5Tcopy(number));
  const hid_t real = stored.half ? number : H5T_NATIVE_FLOAT;
  const std::size_t size = H5Tget_size(real);
  Id pair(H5Tcreate(H5T_COMPOUND, 2 * size));
  H5Tinsert(pair, stored.real.c_str(), 0, real);
  H5Tinsert(pair, stored.imaginary.c_str(), size, real);
  return pair;
}

// Widens halves in the second half of `memory` to float32 values that fill it.
void widen_halves(std::span<std::byte> memory) {
  const std::size_t n = memory.size() / sizeof(float);
  for (std::size_t k = 0; k < n; ++k) {  // a float never overlaps the next half
    const auto half = load_number<Half, false>(memory.data() + (n + k) * sizeof(Half));
    const auto value = static_cast<float>(static_cast<double>(half));
    std::memcpy(memory.data() + k * sizeof(value), &value, sizeof(value));
  }
}

// Offsets of the frames of an HDF5 dataset in the file, if stored in the layout of lent frames. Reader process.

// Limit of mapped chunks; datasets with more are read. The library (1.10) walks its chunk list for every query: time
// grows as the square of the number. Four times as many took 2.5 s if the list can grow in the 1.10 format (as in own
// recordings), so this many about 0.15 s; in the oldest format 0.33 s and 0.02 s, both measured.
constexpr std::size_t kMaxChunks = 2048;

// Checks for a user block: the library counts chunk addresses from its end, so such files are read, not mapped.
bool has_user_block(const Node& dataset) {
  const Id file(H5Iget_file_id(dataset.id())), plan(H5Fget_create_plist(file));
  hsize_t size = 1;
  return H5Pget_userblock(plan, &size) < 0 || size != 0;
}

// Returns the address of the chunk that starts with `frame`, or HADDR_UNDEF.
haddr_t chunk_address(const Node& dataset, std::size_t rank, std::size_t frame, std::size_t chunk_bytes) {
  std::vector<hsize_t> at(rank, 0);
  at[0] = frame;
  unsigned mask = 0;
  haddr_t address = HADDR_UNDEF;
  hsize_t size = 0;
  const bool found = H5Dget_chunk_info_by_coord(dataset.id(), at.data(), &mask, &address, &size) >= 0;
  return found && mask == 0 && size == chunk_bytes ? address : HADDR_UNDEF;
}

// Returns true for the order frame, transmit, element, time, iq, slowest first; axes may be missing.
bool is_natural(const std::vector<Axis>& axes) { return std::is_sorted(axes.begin(), axes.end()); }

// Returns the byte offsets of all frames if the dataset is contiguous, or has whole frames in each chunk, unfiltered,
// of exactly the type `wanted`, aligned to its numbers, inside the file; empty otherwise.
std::vector<std::uint64_t> frame_offsets(const Node& dataset, const std::vector<Axis>& axes, hid_t wanted,
                                         std::size_t frame_bytes, std::size_t n_frames, std::size_t file_size) {
  const Id type(H5Dget_type(dataset.id()));
  const std::vector<std::size_t> shape = dataset.extents();
  const auto bytes = checked_bytes(shape, H5Tget_size(type));
  if (!is_natural(axes) || H5Tequal(type, wanted) <= 0 || !bytes || *bytes != n_frames * frame_bytes ||
      has_user_block(dataset))
    return {};
  const hdf5::Storage storage = dataset.storage(*bytes, frame_bytes);
  std::size_t frames_per_piece = n_frames;
  if (storage.layout == hdf5::Layout::chunked) {
    const bool frame_axis = axes[0] == Axis::frame;
    if (storage.filtered || storage.chunk.size() != shape.size()) return {};
    for (std::size_t k = frame_axis ? 1 : 0; k < shape.size(); ++k)
      if (storage.chunk[k] != shape[k]) return {};
    if (frame_axis) frames_per_piece = storage.chunk[0];
  } else if (storage.layout != hdf5::Layout::contiguous) {
    return {};
  }
  if ((n_frames + frames_per_piece - 1) / frames_per_piece > kMaxChunks) return {};

  std::vector<std::uint64_t> offsets;
  offsets.reserve(n_frames);
  for (std::size_t first = 0; first < n_frames; first += frames_per_piece) {
    const haddr_t address = storage.layout == hdf5::Layout::contiguous
                                ? H5Dget_offset(dataset.id())
                                : chunk_address(dataset, shape.size(), first, frames_per_piece * frame_bytes);
    const std::size_t n_here = std::min(frames_per_piece, n_frames - first);
    if (address == HADDR_UNDEF || address > file_size || n_here * frame_bytes > file_size - address) return {};
    if (address % std::min(H5Tget_size(type), sizeof(float)) != 0) return {};  // pairs consist of float32
    for (std::size_t k = 0; k < n_here; ++k) offsets.push_back(address + k * frame_bytes);
  }
  return offsets;
}

constexpr std::size_t kMaxFrames = std::size_t{1} << 24;
constexpr std::size_t kMaxDatasets = 65536, kMaxOpen = 64;

std::size_t extent(const Hdf5Samples& samples, const Stored& stored, Axis axis) {
  const auto found = std::find(samples.axes.begin(), samples.axes.end(), axis);
  return found == samples.axes.end() ? 1 : stored.shape[static_cast<std::size_t>(found - samples.axes.begin())];
}

std::size_t values_per_sample(const Hdf5Samples& samples, const Stored& stored) {
  return extent(samples, stored, Axis::iq) * (stored.real.empty() ? 1 : 2) * (samples.imaginary.empty() ? 1 : 2);
}

// Returns the storage of samples, of which only the chunks of one frame need to be written.
hdf5::Storage storage_of(const Node& dataset, const Hdf5Samples& samples, const Stored& stored) {
  return dataset.storage(stored.bytes, stored.bytes / extent(samples, stored, Axis::frame));
}

// Returns the cache size for unpacked chunks with several frames, kept until the last of these was read: that of the
// chunks of one frame; 0 if not needed or above a quarter of the memory that this process may have.
std::size_t frame_cache_bytes(const Node& dataset, const Hdf5Samples& samples, const Stored& stored) {
  const hdf5::Storage storage = storage_of(dataset, samples, stored);
  const auto frame = std::find(samples.axes.begin(), samples.axes.end(), Axis::frame);
  if (storage.layout != hdf5::Layout::chunked || frame == samples.axes.end()) return 0;
  if (storage.chunk[static_cast<std::size_t>(frame - samples.axes.begin())] == 1) return 0;
  std::size_t values = 1;
  for (std::size_t k = 0; k < stored.shape.size(); ++k) {
    const std::size_t chunk = storage.chunk[k];
    values *= samples.axes[k] == Axis::frame ? chunk : (stored.shape[k] + chunk - 1) / chunk * chunk;
  }
  const Id type(H5Dget_type(dataset.id()));
  const std::size_t bytes = values * H5Tget_size(type);
  return bytes <= memory_limit() / 4 ? bytes : 0;
}

class FrameReader {
 public:
  FrameReader(Node root, Hdf5Samples samples, Stored stored, SampleType type)
      : root_(std::move(root)), samples_(std::move(samples)), stored_(std::move(stored)), type_(type) {}

  void read(std::uint64_t frame, std::span<std::byte> out) {
    if (open_.empty() && samples_.datasets.size() <= kMaxOpen) open();
    if (!samples_.lines.empty())
      read_lines(frame, out);
    else
      read_datasets(frame, out);
    if (!samples_.gain.empty()) divide_by_gain({reinterpret_cast<float*>(out.data()), out.size() / sizeof(float)});
  }

 private:
  void read_datasets(std::uint64_t frame, std::span<std::byte> out) {
    const std::size_t n = samples_.datasets_per_frame;
    for (std::size_t k = 0; k < n; ++k) {
      const bool one = samples_.datasets.size() == 1;
      const std::size_t index = one ? 0 : static_cast<std::size_t>(frame) * n + k;
      const Node dataset = open_.empty() ? root_.at_path(samples_.datasets[index]) : open_[index];
      read_part(dataset, one ? frame : 0, out.subspan(k * (out.size() / n), out.size() / n));
    }
  }

  void read_lines(std::uint64_t frame, std::span<std::byte> out) {
    const std::size_t line = out.size() / samples_.lines.size();
    as_stored_.resize(line * extent(samples_, stored_, Axis::element));
    read_part(open_[0], frame, as_stored_);
    for (std::size_t k = 0; k < samples_.lines.size(); ++k)
      std::memcpy(out.data() + k * line, as_stored_.data() + samples_.lines[k] * line, line);
  }

  // Opens the datasets at the first frame: their descriptions are then complete, and the datasets closed.
  void open() {
    const std::size_t cache_bytes = frame_cache_bytes(root_.at_path(samples_.datasets[0]), samples_, stored_);
    for (const std::string& path : samples_.datasets) open_.push_back(root_.dataset_at(path, cache_bytes));
    if (!samples_.imaginary.empty()) imaginary_.push_back(root_.dataset_at(samples_.imaginary, cache_bytes));
  }

  // Returns one frame of one dataset in memory, as stored by read_slab().
  [[nodiscard]] SampleSource source(const std::byte* data, const std::byte* quadrature) const {
    const std::size_t value = bytes_per_value(type_);
    const bool complex = !stored_.real.empty();
    ArrayView view{
        .type = {type_ == SampleType::int16 ? NumberKind::signed_integer : NumberKind::real, value, ByteOrder::little},
        .shape = {},
        .order = MemoryOrder::c,
        .bytes = {data, std::size_t{0}}};
    if (complex) view.type = {NumberKind::complex, 2 * value, ByteOrder::little};
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < samples_.axes.size(); ++k) {
      if (samples_.axes[k] == Axis::frame || (samples_.axes[k] == Axis::iq && stored_.shape[k] == 1)) continue;
      axes.push_back(samples_.axes[k]);
      view.shape.push_back(samples_.axes[k] == Axis::one ? 1 : stored_.shape[k]);
    }
    SampleSource s = sample_source(root_.where(), view, axes);
    if (!samples_.imaginary.empty()) {
      s.n_values = 2;
      s.frames[0][1] = quadrature;
    }
    s.rotation_rad = samples_.rotation_rad;
    return s;
  }

  // Reads the numbers of one frame of a dataset, in the file's order, as memory_type().
  void read_slab(const Node& dataset, std::uint64_t frame, std::byte* to) const {
    std::vector<hsize_t> start(stored_.shape.size(), 0), count(stored_.shape.begin(), stored_.shape.end());
    for (std::size_t k = 0; k < count.size(); ++k) {
      if (samples_.axes[k] == Axis::frame) start[k] = frame, count[k] = 1;
      if (samples_.axes[k] == Axis::one) start[k] = samples_.at_one, count[k] = 1;
    }
    const Id file_space(H5Dget_space(dataset.id()));
    const Id memory_space(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    const Id type = memory_type(stored_, type_);
    // Halves are placed behind the floats made from them.
    const std::size_t bytes = static_cast<std::size_t>(H5Sget_simple_extent_npoints(memory_space)) * H5Tget_size(type);
    std::byte* const into = stored_.half ? to + bytes : to;
    hdf5::expect_chunks_of(dataset.id());
    if (H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(dataset.id(), type, memory_space, file_space, H5P_DEFAULT, into) < 0) {
      const std::string in_frame = " samples in frame " + std::to_string(frame);
      if (hdf5::failed_for(hdf5::kDiskError))
        throw UnreadableFrame(dataset.where(), "unreadable" + in_frame, "a sound disk",
                              std::to_string(frame) + " of " + std::to_string(extent(samples_, stored_, Axis::frame)) +
                                  " frames lie before it");
      throw Error(dataset.where(), "damaged" + in_frame, hdf5::kUndamaged);
    }
    if (stored_.half) widen_halves({to, 2 * bytes});
  }

  void read_part(const Node& dataset, std::uint64_t frame, std::span<std::byte> out) {
    if (is_natural(samples_.axes) && imaginary_.empty() && samples_.rotation_rad.empty()) {
      read_slab(dataset, frame, out.data());
      return;
    }
    scratch_.resize(out.size());
    const std::size_t half = imaginary_.empty() ? 0 : out.size() / 2;
    read_slab(dataset, frame, scratch_.data());
    if (half > 0) read_slab(imaginary_[0], frame, scratch_.data() + half);
    convert_frame(source(scratch_.data(), scratch_.data() + half), type_, 0, out);
  }

  void divide_by_gain(std::span<float> values) const {
    const std::size_t n_samples = samples_.gain.size(), n_values = values_per_sample(samples_, stored_);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(values[i] / samples_.gain[i / n_values % n_samples]);
  }

  Node root_;
  Hdf5Samples samples_;
  Stored stored_;
  SampleType type_;
  std::vector<Node> open_, imaginary_;
  std::vector<std::byte> scratch_, as_stored_;
};

// Checks for unwritten chunks: throws Error if none was written; notes an incomplete recording if some are missing.
void check_written(const Node& dataset, const Hdf5Samples& samples, const Stored& stored, Acquisition& a) {
  const hdf5::Storage storage = storage_of(dataset, samples, stored);
  if (storage.layout != hdf5::Layout::chunked) return;
  double expected = 1.0;
  for (std::size_t k = 0; k < stored.shape.size(); ++k)
    expected *= std::ceil(static_cast<double>(stored.shape[k]) / static_cast<double>(storage.chunk[k]));
  const Id space(H5Dget_space(dataset.id()));
  hsize_t written = 0;
  if (H5Dget_num_chunks(dataset.id(), space, &written) < 0)
    throw Error(dataset.where(), "damaged chunks", hdf5::kUndamaged);
  if (written == 0) throw Error(dataset.where(), "samples that were never written", "a recording with samples");
  if (static_cast<double>(written) < expected) {
    a.assumptions.push_back("the file is incomplete: " + std::to_string(written) + " of " +
                            std::to_string(static_cast<std::uint64_t>(expected)) +
                            " chunks were written; the missing samples are zeros");
  }
}

// Returns true if the lines are stored in the order of lent frames.
bool is_whole_order(const Hdf5Samples& samples, const Stored& stored) {
  for (std::size_t k = 0; k < samples.lines.size(); ++k)
    if (samples.lines[k] != k) return false;
  return samples.lines.empty() || samples.lines.size() == extent(samples, stored, Axis::element);
}

void check_alike(const OpenRequest& request, const Node& root, const Hdf5Samples& samples, const Stored& first) {
  if (samples.datasets.size() > kMaxDatasets)
    throw Error(request.what(), std::to_string(samples.datasets.size()) + " shots", std::to_string(kMaxDatasets));
  std::vector<std::string> others(samples.datasets.begin() + 1, samples.datasets.end());
  if (!samples.imaginary.empty()) others.push_back(samples.imaginary);
  for (const std::string& path : others) {
    const Node dataset = root.at_path(path);
    Stored stored = describe(dataset, samples.axes);
    limit_frames(stored, samples.axes, extent(samples, first, Axis::frame));
    if (!(stored == first)) {
      throw Error(dataset.where(),
                  stored.number + " samples of shape " + shape_text(stored.shape) + " and " + first.number + " of " +
                      shape_text(first.shape),
                  "the same shape and type for all");
    }
    static_cast<void>(storage_of(dataset, samples, stored));
  }
}

// Returns "a/shot_*" for a/shot_1, a/shot_2, ..., one per transmit; empty for other names.
std::string stacked_name(const std::vector<std::string>& datasets) {
  const auto stem = [](const std::string& path) { return path.substr(0, path.find_last_not_of("0123456789") + 1); };
  const std::string name = stem(datasets.front());
  const bool alike = std::ranges::all_of(
      datasets, [&](const std::string& path) { return path.size() > name.size() && stem(path) == name; });
  return alike ? name + "*" : "";
}

NamedSamples named_samples(const Hdf5Samples& samples, const Stored& stored, const Acquisition& a) {
  NamedSamples named{.data = samples.datasets[0],
                     .imag = samples.imaginary,
                     .axes = axis_names(samples.axes),
                     .turned = !samples.rotation_rad.empty()};
  if (!samples.gain.empty()) {
    named = {.why_not = "a gain over depth is divided out of the samples"};
  } else if (samples.datasets.size() > 1) {
    named.data = samples.datasets.size() == samples.datasets_per_frame ? stacked_name(samples.datasets) : "";
    named.axes.insert(named.axes.begin(), "transmit");
    if (named.data.empty()) named = {.why_not = "the samples are in several arrays"};
  } else if (!samples.lines.empty()) {
    if (!is_whole_order(samples, stored)) return {.why_not = "lines of a frame are in an order of the file's own"};
    named.axes.clear();
    for (std::size_t k = 0; k < samples.axes.size(); ++k) {
      const bool lines = samples.axes[k] == Axis::element;
      if (lines) named.axes.emplace_back("transmit"), named.shape.push_back(a.transmits.size());
      named.axes.push_back(axis_names(samples.axes)[k]);
      named.shape.push_back(lines ? a.probe.elements.size() : stored.shape[k]);
    }
  }
  return named;
}

}  // namespace

std::vector<Axis> trailing_axes(const Node& dataset) {
  const std::size_t rank = dataset.extents().size();
  if (rank < 2 || rank > 4) {
    throw Error(dataset.where(), "samples of shape " + shape_text(dataset.extents()),
                "axes ([[frame,] transmit,] element, time)");
  }
  const std::vector<Axis> all{Axis::frame, Axis::transmit, Axis::element, Axis::time};
  return {all.end() - static_cast<std::ptrdiff_t>(rank), all.end()};
}

Hdf5Frames hdf5_frames(const Node& root, const Hdf5Samples& samples) {
  const Node dataset = root.at_path(samples.datasets.at(0));
  const Stored stored = describe(dataset, samples.axes);
  static_cast<void>(storage_of(dataset, samples, stored));
  const auto reader = std::make_shared<FrameReader>(root, samples, stored, stored.type);
  return {[reader](std::uint64_t index, std::span<std::byte> out) { reader->read(index, out); }, stored.type};
}

LibraryRecording make_hdf5_recording(const OpenRequest& request, const Node& root, Hdf5Parts parts) {
  Acquisition& a = parts.acquisition;
  const Hdf5Samples& samples = parts.samples;
  const Node first = root.at_path(samples.datasets.at(0));
  Stored stored = describe(first, samples.axes);
  limit_frames(stored, samples.axes, samples.most_frames);
  if (!samples.imaginary.empty()) {
    const Stored other = describe(root.at_path(samples.imaginary), samples.axes);
    limit_frames(stored, samples.axes, extent(samples, other, Axis::frame));
  }
  check_written(first, samples, stored, a);
  check_alike(request, root, samples, stored);
  if (stored.half) a.assumptions.emplace_back("samples are stored as float16: about 3 digits, at most 65504");
  const bool integers = stored.type == SampleType::int16 && samples.rotation_rad.empty() && samples.gain.empty();
  const SampleType type = integers ? SampleType::int16 : SampleType::float32;
  const auto reader = std::make_shared<FrameReader>(root, samples, stored, type);

  const std::size_t n_samples = extent(samples, stored, Axis::time), n_values = values_per_sample(samples, stored);
  if (n_values > 2) throw Error(first.where(), std::to_string(n_values) + " values per sample", "1 (RF) or 2 (IQ)");
  if (!samples.gain.empty() && samples.gain.size() != n_samples) {
    throw Error(
        request.what(),
        "a gain curve of " + std::to_string(samples.gain.size()) + " for " + std::to_string(n_samples) + " samples",
        "one gain for each sample");
  }
  a.sample_type = type;
  std::size_t n_transmits = extent(samples, stored, Axis::transmit) * samples.datasets_per_frame;
  std::size_t n_elements = extent(samples, stored, Axis::element);
  if (!samples.lines.empty()) {
    n_transmits = a.transmits.size();
    n_elements = samples.lines.size() / n_transmits;
  }
  set_sample_counts(request.what(), a, n_transmits, n_elements, n_samples, n_values);

  LibraryRecording recording;
  recording.frame_count = samples.datasets.size() / samples.datasets_per_frame * extent(samples, stored, Axis::frame);
  if (recording.frame_count == 0 || recording.frame_count > kMaxFrames)
    throw Error(first.where(), std::to_string(recording.frame_count) + " frames", "1 to " + std::to_string(kMaxFrames));
  recording.format = parts.format;
  recording.named = named_samples(samples, stored, a);
  recording.frame_by_frame = true;
  if (parts.scanner.times_s.size() >= recording.frame_count) {
    recording.scanner = std::move(parts.scanner);
    recording.scanner.times_s.resize(static_cast<std::size_t>(recording.frame_count));
  }
  const bool as_stored = samples.datasets.size() == 1 && !stored.half && samples.imaginary.empty() &&
                         samples.rotation_rad.empty() && samples.gain.empty() && is_whole_order(samples, stored);
  if (as_stored) {
    recording.frame_offsets = frame_offsets(first, samples.axes, memory_type(stored, type), a.frame_bytes(),
                                            static_cast<std::size_t>(recording.frame_count), request.bytes().size());
  }
  recording.read_frame = [reader](std::uint64_t index, std::span<std::byte> out) { reader->read(index, out); };
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

}  // namespace echoloop
