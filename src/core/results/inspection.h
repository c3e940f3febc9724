// One pixel inside the pipeline: the channel data that it is summed from, read from the buffers of a lane that made the
// image of a history frame. Plain values, passed from the processing thread to the window; any thread.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/frame.h"
#include "core/grid.h"
#include "core/mailbox.h"
#include "core/params.h"

namespace echoloop {

// Contribution of an element to the pixel, for the chosen transmit.
struct InspectedChannel {
  double sample = 0.0;        // position of the pixel's echo on the element's raw line, in samples from its sample 0
  float weight = 0.0f;        // apodization times directivity; 0: the element does not see the pixel
  std::complex<float> value;  // delayed, phase-aligned and weighted: a term of the beamformer's sum
};

// Power spectra of one element's line, before and after the filter, relative to the raw line's maximum; and the filter.
struct ElementSpectra {
  int element = 0;
  double first_hz = 0.0, step_hz = 0.0;
  std::vector<float> raw_db, filtered_db, response_db;  // of equal length
  double band_low_hz = 0.0, band_high_hz = 0.0;         // the filter's edges
};

// Terms that the adaptive method compares at the pixel. Order each_transmit: of the chosen transmit.
struct MethodView {
  Adaptive method = Adaptive::off;
  // Channels that count, over their root mean square, and their mean, both weighted: |mean|^2 is the coherence factor.
  // Empty for slsc and minimum_variance.
  std::vector<std::complex<float>> phasors;
  std::complex<float> mean;
  std::optional<float> factor;  // weight of these channels; slsc: mean of C(m) over the lags
  // generalized: |A_k|^2 / (W E) at the spatial frequencies k from curve_first on; slsc: C(m) at the lags m; minimum
  // variance: |v| of the channels of a subarray, with sum 1.
  std::vector<float> curve;
  int curve_first = 0;
  // Minimum variance: response of v relative to straight ahead, equidistant in the sine of the angle from
  // -pattern_reach to pattern_reach; and of equal weights.
  std::vector<float> pattern_db, equal_pattern_db;
  double pattern_reach = 0.0;
};

// Samples of the frame around the curve; of IQ the real part.
struct RawWindow {
  bool iq = false;
  int first = 0, count = 0;   // samples
  std::vector<float> values;  // [element][count]
};

// Channels before summation, delayed and weighted, as waves about the pixel's time, which is column count / 2.
struct AlignedWaves {
  int count = 0;
  double step_s = 0.0;
  std::vector<float> values;  // [element][count]
};

// Decibels as in the image: the beamformed pixel, and the sum of all channels of all its transmits.
struct PixelLevel {
  double pixel_db = 0.0, sum_db = 0.0;
  double error = 0.0;  // |sum - pixel| / |pixel|
};

// Beamformed line through the pixel, before scan conversion.
struct LineThroughPixel {
  std::vector<float> db;
  double first_m = 0.0, last_m = 0.0;  // depth, or on a polar grid distance from the apex minus its depth
};

struct Inspection {
  FrameStamp stamp;
  PlanePoint asked{};    // position of the click
  PlanePoint at{};       // nearest beamformed pixel
  int ix = 0, iz = 0;    // column and row of `at`
  int transmit = 0;      // transmit of the channels
  double first_s = 0.0;  // time of sample 0 of its raw lines after the wave passed the origin
  double sampling_hz = 0.0;
  std::vector<int> summed;                 // transmits of the pixel's sum
  std::vector<InspectedChannel> channels;  // [element]
  RawWindow raw;
  AlignedWaves aligned;
  PixelLevel level;
  MethodView method;
  LineThroughPixel line;
  ElementSpectra spectra;
};

// Image of a single transmit, reduced in size. dB against the image's level minus 20 log10 of the number of transmits:
// as bright as the image if all transmits contribute equally.
struct TransmitImage {
  int transmit = 0;
  FrameStamp stamp;
  Grid grid;
  std::vector<float> db;  // [nz][nx]
};

struct InspectionAnswer {
  std::uint64_t number = 0;                 // of the request
  std::shared_ptr<const Inspection> pixel;  // null: refused
  std::vector<std::shared_ptr<const TransmitImage>> pictures;
  bool complete = false;  // no further answer to this request
  std::string refusal;    // reason for a missing answer
  double work_s = 0.0;    // spent by the processing thread
};

using InspectionAnswers = Mailbox<InspectionAnswer>;

}  // namespace echoloop
