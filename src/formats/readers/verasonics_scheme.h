// Geometry and timing of a Verasonics workspace: probe and transmits (verasonics_transmits.cpp), assignment of lines to
// rows of RcvData (verasonics_scheme.cpp). Lengths are in wavelengths of Trans.frequency unless Trans.units is mm;
// times follow from them. Internal to src/formats.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/source_properties.h"
#include "formats/base/open_request.h"
#include "formats/containers/mat_file.h"

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
using Columns = std::vector<std::size_t>;  // of RcvData, from 0, one per element; kNoColumn: not connected

struct ProbeParts {
  Probe probe;
  double origin_x_m = 0.0;         // of its centre, in the file's coordinates
  std::vector<Columns> apertures;  // one, or those selected by Trans.HVMux
};

// Sampling of a line's rows in time. Pairs: two adjacent rows are I and -Q of the signal mixed with demod_hz, a quarter
// of a period apart (BS100BW, BS50BW); sampling_hz counts a pair once.
struct Sampling {
  double sampling_hz = 0.0;
  double demod_hz = 0.0;  // 0: one row is one sample of RF
};

// One acquisition of a frame: index of its transmit and of the aperture that received it (both from 0).
struct Shot {
  std::size_t tx = 0, aperture = 0;
};

struct Frame {
  std::size_t page = 0;                 // of RcvData, from 0
  std::vector<std::size_t> first_rows;  // one per shot, from 0
};

struct Scheme {
  std::vector<Shot> shots;    // of every frame, in the order of the events
  std::vector<Frame> frames;  // in order of acquisition, if the file has it
  std::size_t n_rows = 0;     // per line
  Sampling sampling;
  std::vector<double> start_depth;  // wavelengths, one per shot
  double frame_rate_hz = 0.0;       // 0: unknown
};

[[noreturn]] void refuse(const std::string& what, const std::string& found);
// Returns a count or index of the file as an integer; refuses it unless it is whole, `least` or more, and below 1e9.
std::size_t whole(const std::string& what, const std::string& name, double value, double least);

Scales scales(const std::string& what, const MatTree& tree, Acquisition& a);
ProbeParts probe(const std::string& what, const MatTree& tree, const Scales& scales, std::size_t n_columns,
                 Acquisition& a);
// Expands `values` of TX or Receive, one per element or one per element connected by an aperture (others get
// `otherwise`); returns empty if their number does not fit.
std::vector<double> by_element(const std::vector<double>& values, const Columns& aperture, double otherwise);

struct BufferSize {
  std::size_t rows, pages;
  std::size_t number;  // Receive.bufnum
};
Scheme scheme(const std::string& what, const MatTree& tree, const Scales& scales, const BufferSize& buffer,
              Acquisition& a);
// Code of transmits in which many elements fire at once, each with its own sign (Hadamard codes): the recording of
// single elements is a sum of them.
struct Code {
  std::vector<std::size_t> elements;  // firing alone after decoding, one per transmit
  std::vector<float> inverse;         // [decoded transmit][coded transmit]; empty: no coding
};

struct Sending {
  std::vector<Transmit> transmits;
  Code code;  // used to send them; `transmits` are the decoded ones
};
// Returns the transmits with t0_s relative to the program's time zero. Source: total delay = transmit + receive + 2
// lens + TW.peak - 2 startDepth, as summed in the vendor's own scripts.
Sending transmits(const std::string& what, const MatTree& tree, const Scales& scales, const ProbeParts& probe,
                  const Scheme& scheme, Acquisition& a);

// A buffer of a dump, chosen by the property `track`.
struct Dump {
  std::vector<RecordedTrack> tracks;       // empty: the dump has one buffer
  std::size_t number = 1;                  // of the buffer, Receive.bufnum
  std::size_t n_columns = 0, n_saved = 0;  // of RcvData, and of them in the file
  Columns saved;                           // column in the file of each of RcvData; kNoColumn: zeros
  MatNode lines;                           // rows x saved columns x frames, in `part`
  std::shared_ptr<const MappedFile> part;
};
// `tree` has RF_rows, RF_cols, RF_frames and NonzeroRFcolumns. Throws Error if there is no file of the buffer, or of
// another size.
Dump open_dump(const OpenRequest& request, const MatTree& tree, Acquisition& a);

}  // namespace verasonics
}  // namespace echoloop
