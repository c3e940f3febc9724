// Converts an array in a file into the frames of a Recording: assignment of axes, start of every line, and the only
// conversion into [frame][transmit][element][sample], if the file has another layout. Reader process. Internal to
// src/formats.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"

namespace echoloop {

enum class Axis { frame, transmit, element, time, iq, one };  // one: of length 1, without meaning

// Location of the samples. The bytes of all frames were checked to be inside the memory kept by `owner` (below).
struct SampleSource {
  NumberType type;  // of one real value
  std::size_t n_transmits = 1, n_elements = 1, n_samples = 1;
  std::size_t n_values = 1;                                                // 2: IQ
  std::size_t transmit_stride = 0, element_stride = 0, sample_stride = 0;  // bytes
  std::vector<std::array<const std::byte*, 2>>
      frames;                         // first value (and, for IQ, first quadrature value) of each frame
  double offset = 0.0;                // subtracted from every value (for unsigned samples)
  std::vector<std::size_t> channels;  // of each element, if not in the elements' order; otherwise empty
  std::vector<double> rotation_rad;   // IQ: phase added per transmit if the reader moves time zero; empty: none
};

// Throws Error, naming `what`, unless `axes` names every axis of `array`, each at most once, with element and time.
SampleSource sample_source(const std::string& what, const ArrayView& array, const std::vector<Axis>& axes);
std::string axes_text(const std::vector<Axis>& axes);  // "frame, element, time"
std::vector<std::string> axis_names(const std::vector<Axis>& axes);

struct RecordingParts {
  Acquisition acquisition;  // everything but n_samples, sample_type and signal, which the samples define
  SampleSource samples;
  std::shared_ptr<const void> owner;  // keeps the samples' bytes alive
  std::string format;
  NamedSamples named = {};  // data, imag and axes if a description can name them; else why_not
};

// Validates the acquisition. Sets frame_offsets if frames are stored as they are lent (little-endian int16 or float32,
// aligned, same layout); read_frame converts from the source bytes, which remain.
LibraryRecording make_library_recording(const OpenRequest& request, RecordingParts parts);

// Returns true if samples are stored as they are lent: little-endian `type`, aligned, [transmit][element][sample].
bool can_lend(const SampleSource& source, SampleType type);

// Parts for samples read frame by frame: the first sets n_samples and signal and validates; the second converts one
// frame of `source` to [transmit][element][sample] of `type`, `out` exactly that long.
void set_sample_counts(const std::string& what, Acquisition& acquisition, std::size_t n_transmits,
                       std::size_t n_elements, std::size_t n_samples, std::size_t n_values);
void convert_frame(const SampleSource& source, SampleType type, std::size_t frame, std::span<std::byte> out);

std::vector<std::byte> first_frame(const LibraryRecording& recording);

// Replaces the centre frequency, set to fs / 4 as the file has none, by that of the first frame's spectrum, if there is
// one; notes it.
void measure_center(LibraryRecording& recording);

// Handles two's complement stored as unsigned numbers: if the first frame shows it, values from half of their range on
// are read as negative, and an assumption notes it.
void read_as_signed(LibraryRecording& recording);

// Channel data in HDF5 datasets of any size, read one frame at a time by hyperslab and converted into the project's
// layout; if the frames are stored as they are lent, only their offsets are set. Reader process, one thread.
struct Hdf5Samples {
  std::vector<Axis> axes;              // of every dataset, slowest first; must include element and time
  std::vector<std::string> datasets;   // paths from the root: "data/raw_data"; one, or [frame][transmit] of them
  std::size_t datasets_per_frame = 1;  // above 1: one per transmit, without axes frame and transmit
  // Index of each line of a frame, [transmit][element], on the axis `element` of the only dataset, which then counts
  // lines in its own order. Empty: defined by the axes.
  std::vector<std::size_t> lines;
  std::string imaginary;             // quadrature of the only dataset; empty: in the dataset (axis iq, compound) or RF
  std::vector<double> rotation_rad;  // IQ: phase added per transmit if time zero moves; empty: none
  std::vector<double> gain;          // per sample, removed by division; empty: none
  std::size_t at_one = 0;            // index on the axis `one`, which may then be longer
  std::size_t most_frames = std::numeric_limits<std::size_t>::max();  // upper limit of frames
};

// Returns the axes of a dataset of channel data without leading axes of length 1: [[frame,] transmit,] element, time.
// Throws Error for any other number of axes.
std::vector<Axis> trailing_axes(const hdf5::Node& dataset);

// Frames as `type` in the order of the axes; `read` as in LibraryRecording.
struct Hdf5Frames {
  std::function<void(std::uint64_t frame, std::span<std::byte> out)> read;
  SampleType type;
};
Hdf5Frames hdf5_frames(const hdf5::Node& root, const Hdf5Samples& samples);

struct Hdf5Parts {
  Acquisition acquisition;  // everything but n_samples, sample_type and signal, which the samples define
  Hdf5Samples samples;
  std::string format;
  ScannerRecord scanner = {};  // may have more times than frames
};

// Replaces the facts of the file's own format, which are rounded, by those in this program's group of a recording, and
// drops frames left incomplete by a killed writer. Returns false without such a group, or for an invalid description.
bool take_own_description(const std::optional<hdf5::Node>& own, const std::string& format, Hdf5Parts& parts);

// Reads compounds {real, imag} or {r, i} of two equal numbers as IQ. 8-bit integers and int16 remain integers, other
// numbers become float32. Unwritten chunks read as the file's fill value, which an assumption notes.
LibraryRecording make_hdf5_recording(const OpenRequest& request, const hdf5::Node& root, Hdf5Parts parts);

}  // namespace echoloop
