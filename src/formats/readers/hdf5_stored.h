// How the samples of a recording are stored in an HDF5 dataset, and the type that they are read as. Internal to
// src/formats, reader process.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/samples.h"

namespace echoloop::hdf5 {

struct Stored {  // one dataset; all of a recording are alike
  std::vector<std::size_t> shape;
  std::string real, imaginary;  // members of a compound, or empty
  std::string number;           // "int16", "a compound"
  SampleType type = SampleType::float32;
  bool half = false;      // float16, or a compound of two
  std::size_t bytes = 0;  // all its numbers as they are stored

  bool operator==(const Stored&) const = default;
};

// Error unless the dataset has those axes, and real or complex numbers.
Stored describe(const Node& dataset, const std::vector<Axis>& axes);

// The frames that both parts of IQ have: the last flush of a writer that was killed may have reached one of them.
void limit_frames(Stored& stored, const std::vector<Axis>& axes, std::size_t n_frames);

// What the library converts to: `type`, pairs of it, or halves as they are (the library takes 0.1 us for each).
Id memory_type(const Stored& stored, SampleType type);

// Halves in the second half of `memory` become the float32 that fill it.
void widen_halves(std::span<std::byte> memory);

}  // namespace echoloop::hdf5
