// From an array in a file to the frames of a Recording: which axis is what, where every line starts, and the
// one conversion into [frame][transmit][element][sample] when the file's own layout is not already that.
// Reader process. Internal to src/formats.
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

enum class Axis { frame, transmit, element, time, iq, one };  // one: of length 1, and none of the others

// Where the samples are. The bytes of all frames were checked to lie inside what `owner` (below) keeps alive.
struct SampleSource {
  NumberType type;  // of one real value
  std::size_t n_transmits = 1, n_elements = 1, n_samples = 1;
  std::size_t n_values = 1;                                                // 2: IQ
  std::size_t transmit_stride = 0, element_stride = 0, sample_stride = 0;  // bytes
  std::vector<std::array<const std::byte*, 2>>
      frames;                         // first value (and, for IQ, first quadrature value) of each frame
  double offset = 0.0;                // subtracted from every value (unsigned recordings)
  std::vector<std::size_t> channels;  // of each element, where they are not in the elements' order; empty: they are
  std::vector<double> rotation_rad;   // IQ: phase added per transmit, when the reader moves time zero; empty: none
};

// `axes` names every axis of `array`, each at most once, element and time present (Error otherwise, naming `what`).
SampleSource sample_source(const std::string& what, const ArrayView& array, const std::vector<Axis>& axes);
std::string axes_text(const std::vector<Axis>& axes);  // "frame, element, time"
std::vector<std::string> axis_names(const std::vector<Axis>& axes);

struct RecordingParts {
  Acquisition acquisition;  // everything but n_samples, sample_type and signal, which the samples decide
  SampleSource samples;
  std::shared_ptr<const void> owner;  // keeps the source bytes alive
  std::string format;
  NamedSamples named = {};  // data, imag and axes, where a description has names for them; else why_not
};

// Validates. Frames that lie in the file as they are lent (little-endian int16 or float32, aligned, same layout) are
// said where; read_frame converts from the source bytes, which stay.
LibraryRecording make_library_recording(const OpenRequest& request, RecordingParts parts);

// Whether the samples lie as they are lent: little-endian `type`, aligned, [transmit][element][sample].
bool can_lend(const SampleSource& source, SampleType type);

// The parts of both, for samples that are read frame by frame: sets n_samples and signal, validates; one frame of
// `source` as [transmit][element][sample] of `type`, `out` exactly that long.
void set_sample_counts(const std::string& what, Acquisition& acquisition, std::size_t n_transmits,
                       std::size_t n_elements, std::size_t n_samples, std::size_t n_values);
void convert_frame(const SampleSource& source, SampleType type, std::size_t frame, std::span<std::byte> out);

std::vector<std::byte> first_frame(const LibraryRecording& recording);

// Two's complement that is stored as unsigned numbers: where the first frame says it, values from half of their range
// on are read as those below 0, and this is said.
void read_as_signed(LibraryRecording& recording);

// Channel data in HDF5 datasets, of any size: a frame at a time by hyperslab, converted into the project's layout; or,
// when the frames lie in the file as they are lent, only where. Reader process, one thread.

struct Hdf5Samples {
  std::vector<Axis> axes;              // of every dataset, slowest first; element and time among them
  std::vector<std::string> datasets;   // from the root: "data/raw_data"; one, or [frame][transmit] of them
  std::size_t datasets_per_frame = 1;  // more: one a transmit, without axes frame and transmit
  // Where each line of a frame, [transmit][element], lies on the axis `element` of the one dataset, which then counts
  // lines in an order of the file's own. Empty: the axes say it.
  std::vector<std::size_t> lines;
  std::string imaginary;             // quadrature of the one dataset; empty: in the dataset (axis iq, compound) or RF
  std::vector<double> rotation_rad;  // IQ: phase added per transmit when time zero moves; empty: none
  std::vector<double> gain;          // divided out, per sample; empty: none
  std::size_t most_frames = std::numeric_limits<std::size_t>::max();  // that count
};

// Of a dataset of channel data whose first axes of 1 are not written: [[frame,] transmit,] element, time. Throws Error
// on any other number of axes.
std::vector<Axis> trailing_axes(const hdf5::Node& dataset);

// The frames as `type` in the order of the axes; `read` as of LibraryRecording.
struct Hdf5Frames {
  std::function<void(std::uint64_t frame, std::span<std::byte> out)> read;
  SampleType type;
};
Hdf5Frames hdf5_frames(const hdf5::Node& root, const Hdf5Samples& samples);

struct Hdf5Parts {
  Acquisition acquisition;  // everything but n_samples, sample_type and signal, which the samples decide
  Hdf5Samples samples;
  std::string format;
  ScannerRecord scanner = {};  // its times may be longer than the frames
};

// {real, imag} or {r, i}: a compound of two equal numbers is IQ. 8-bit integers and int16 stay integers, every other
// number becomes float32. Chunks that were never written read as the file's fill value, and an assumption says so.
LibraryRecording make_hdf5_recording(const OpenRequest& request, const hdf5::Node& root, Hdf5Parts parts);

}  // namespace echoloop
