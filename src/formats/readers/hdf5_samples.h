// Channel data in HDF5 datasets, of any size: a frame at a time by hyperslab, converted into the project's layout; or,
// when the frames lie in the file as they are lent, only where. Reader process, one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/samples.h"

namespace echoloop {

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
