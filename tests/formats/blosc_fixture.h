// Samples packed by Blosc, as by hdf5plugin (and zea): one frame per chunk. Only with libblosc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/hdf5_fixture.h"

namespace echoloop::test {

using Bytes = std::vector<unsigned char>;

struct BloscPlan {
  const char* packer = "zstd";
  int shuffle = 2;                                     // 0 none, 1 bytes, 2 bits
  double scale = 1.0;                                  // of the samples
  std::size_t size_said = 0;                           // of an unpacked chunk, in the filter's values; 0: the true size
  std::function<void(Bytes&)> change = [](Bytes&) {};  // each packed chunk
};

// Replaces the dataset by sample_table(axes, n), float32; the first of axes is the frame's.
void write_blosc(Hdf5Fixture& file, const std::string& path, const std::string& axes, const Extents& n,
                 const BloscPlan& plan = {});

}  // namespace echoloop::test
