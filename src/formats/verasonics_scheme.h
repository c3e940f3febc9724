// Geometry and timing of a Verasonics workspace: probe, transmits, and which rows of RcvData hold which line.
// Lengths are in wavelengths of Trans.frequency unless Trans.units says mm; times follow from them. Internal to
// src/formats.
#pragma once

#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/mat_tree.h"

namespace echoloop::verasonics {

struct Scales {
  double frequency_hz = 0.0;  // Trans.frequency
  double sound_speed_m_s = 1540.0;
  double wavelength_m = 0.0;
  double element_unit_m = 0.0;  // of Trans.ElementPos and lensCorrection
};

struct ProbeParts {
  Probe probe;
  double origin_x_m = 0.0;           // of its middle, in the file's coordinates
  std::vector<std::size_t> columns;  // of RcvData, from 0, one an element
};

// One acquisition of a frame: what was sent and which rows hold what came back.
struct Shot {
  std::size_t tx = 0;         // index into TX, from 0
  std::size_t first_row = 0;  // from 0
};

struct Scheme {
  std::vector<Shot> shots;         // of every frame, in the order of the events
  std::vector<std::size_t> pages;  // of RcvData, from 0: the frames
  std::size_t n_samples = 0;
  double sampling_hz = 0.0;
  std::vector<double> start_depth;  // wavelengths, one a shot
};

Scales scales(const std::string& what, const MatTree& tree, Acquisition& a);
ProbeParts probe(const std::string& what, const MatTree& tree, const Scales& scales, std::size_t n_columns,
                 Acquisition& a);
// The buffers that Receive names, lowest first; {1} when it names none.
std::vector<std::size_t> received_buffers(const std::string& what, const MatTree& tree);

struct BufferSize {
  std::size_t rows, pages;
  std::size_t number;  // which of Receive.bufnum
};
Scheme scheme(const std::string& what, const MatTree& tree, const Scales& scales, const BufferSize& buffer,
              Acquisition& a);
// Transmits with t0_s as the program counts it. Source: total delay = transmit + receive + 2 lens + TW.peak
// - 2 startDepth, as the vendor's own scripts sum it.
std::vector<Transmit> transmits(const std::string& what, const MatTree& tree, const Scales& scales,
                                const ProbeParts& probe, const Scheme& scheme, Acquisition& a);

}  // namespace echoloop::verasonics
