// Geometry and timing of a Verasonics workspace: probe (verasonics_probe.cpp), which rows of RcvData hold which line
// (verasonics_scheme.cpp), transmits (verasonics_transmits.cpp). Lengths are in wavelengths of
// Trans.frequency unless Trans.units says mm; times follow from them. Internal to src/formats.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/containers/mat_tree.h"

namespace echoloop {

inline constexpr const char* kVerasonicsAccepted = "a Verasonics workspace with RcvData, Trans, TX and Receive";

namespace verasonics {

struct Scales {
  double frequency_hz = 0.0;  // Trans.frequency
  double sound_speed_m_s = 1540.0;
  double wavelength_m = 0.0;
  double element_unit_m = 0.0;  // of Trans.ElementPos and lensCorrection
};

inline constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();
using Columns = std::vector<std::size_t>;  // of RcvData, from 0, one an element; kNoColumn: not connected

struct ProbeParts {
  Probe probe;
  double origin_x_m = 0.0;         // of its middle, in the file's coordinates
  std::vector<Columns> apertures;  // one, or those that Trans.HVMux switches between
};

// How the rows of a line follow in time. Pairs: two neighbours are I and -Q of the signal mixed with demod_hz, a
// quarter of a period apart (BS100BW, BS50BW); sampling_hz counts them once.
struct Sampling {
  double sampling_hz = 0.0;
  double demod_hz = 0.0;  // 0: one row is one sample of RF
};

// One acquisition of a frame: what was sent, and through which switches it was received (both from 0).
struct Shot {
  std::size_t tx = 0, aperture = 0;
};

struct Frame {
  std::size_t page = 0;                 // of RcvData, from 0
  std::vector<std::size_t> first_rows;  // one a shot, from 0
};

struct Scheme {
  std::vector<Shot> shots;    // of every frame, in the order of the events
  std::vector<Frame> frames;  // in the order of their acquisition, where the file has it
  std::size_t n_rows = 0;     // of a line
  Sampling sampling;
  std::vector<double> start_depth;  // wavelengths, one a shot
  double frame_rate_hz = 0.0;       // 0: the file does not tell
};

[[noreturn]] void refuse(const std::string& what, const std::string& found);
// A count or index of the file: a whole number from `least`, below 1e9.
std::size_t whole(const std::string& what, const std::string& name, double value, double least);

Scales scales(const std::string& what, const MatTree& tree, Acquisition& a);
ProbeParts probe(const std::string& what, const MatTree& tree, const Scales& scales, std::size_t n_columns,
                 Acquisition& a);
// `values` of TX or Receive, one an element, or one for each that an aperture connects (others get `otherwise`); empty
// when there are not as many.
std::vector<double> by_element(const std::vector<double>& values, const Columns& aperture, double otherwise);

struct BufferSize {
  std::size_t rows, pages;
  std::size_t number;  // which of Receive.bufnum
};
Scheme scheme(const std::string& what, const MatTree& tree, const Scales& scales, const BufferSize& buffer,
              Acquisition& a);
// Transmits in which many elements send at once, each with a sign of its own (Hadamard's codes): the recording of
// single elements is a sum of them.
struct Code {
  std::vector<std::size_t> elements;  // that send alone when it is undone, one a transmit
  std::vector<float> inverse;         // [undone transmit][sent transmit]; empty: nothing is coded
};

struct Sending {
  std::vector<Transmit> transmits;
  Code code;  // that they were sent in; the transmits are those after it is undone
};
// Transmits with t0_s as the program counts it. Source: total delay = transmit + receive + 2 lens + TW.peak
// - 2 startDepth, as the vendor's own scripts sum it.
Sending transmits(const std::string& what, const MatTree& tree, const Scales& scales, const ProbeParts& probe,
                  const Scheme& scheme, Acquisition& a);

}  // namespace verasonics
}  // namespace echoloop
