// Sizes to measure, and frames of them that cost nothing to produce: noise held in memory and lent in place.
#pragma once

#include <memory>
#include <string>

#include "core/params.h"
#include "source/source.h"

namespace echoloop {

struct BenchCase {
  std::string name;  // S1, S1L, S2, demo, sector
  AcquisitionPtr acquisition;
  ImagingParams params;
  [[nodiscard]] double delay_sums() const;  // pixels x elements x transmits, all pairs counted
};

// S1: the GPU short course's frame, 3 x 128 x 8183 samples at 100 MHz, 256 x 512 pixels, x +-15 mm, z 20-50 mm. S1L:
// the same data, 512 x 1024 pixels. S2: as PICMUS, 75 x 128 x 1536 samples at 20.832 MHz, band 2.59-7.83 MHz (S1: 2-8
// MHz), 387 x 609 pixels, z 5-45 mm. demo: the heart phantom of a linear array, L64. sector: 7 diverging waves x 64
// elements of a phased array x 2048 samples at 12.5 MHz on a polar grid of 192 x 768, depths to 120 mm. `f_number` 0 =
// full aperture.
BenchCase bench_case(const std::string& name, SampleType type, double f_number);

// White noise (S1 and S2: int16-valued, the worst case for any rounding) or echoes of 60 point scatterers.
enum class BenchSignal { noise, points };

// Endless: frames in one page-aligned block, lent in place in turn, at least 4 and enough to exceed any cache (150 MB).
std::shared_ptr<SeekableSource> make_bench_source(const BenchCase& c, BenchSignal signal);

}  // namespace echoloop
