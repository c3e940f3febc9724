// Samples packed by Blosc, as hdf5plugin (and so zea) writes them: a frame a chunk. Where libblosc is.
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
  std::size_t size_said = 0;                           // of an unpacked chunk, by the filter's values; 0: the truth
  std::function<void(Bytes&)> change = [](Bytes&) {};  // each packed chunk
};

// Puts sample_table(axes, n), float32, in the place of the dataset; the first of axes is the frame's.
void write_blosc(Hdf5Fixture& file, const std::string& path, const std::string& axes, const Extents& n,
                 const BloscPlan& plan = {});

}  // namespace echoloop::test
