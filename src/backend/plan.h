// Filter, tables and grid that a backend needs to process frames of one acquisition with one set of parameters. A pure
// function of Acquisition and ImagingParams, made on the host; backends copy the tables to the computing device.
// Successive plans share parts: a part with unchanged inputs keeps its pointer, so that only changed parts are rebuilt
// and copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/fp16/packed_plan.h"
#include "backend/own_process.h"
#include "backend/plain_array.h"
#include "core/acquisition.h"
#include "core/grid.h"
#include "core/params.h"
#include "dsp/course.h"
#include "dsp/das.h"
#include "dsp/methods/method.h"
#include "dsp/scan.h"

namespace echoloop {

// Analytic recipe, condition stage: band selection between FFTs of n_in and n_out points (see dsp/fir_design.h).
struct BandPlan {
  SignalKind input = SignalKind::rf;
  int n_samples = 0;  // of a raw line
  int n_in = 0;       // forward transform, zero padded
  int n_out = 0;      // inverse transform = samples of a conditioned line
  int n_valid = 0;    // conditioned samples that lie within the record
  int bin_offset = 0;
  double line_rate_hz = 0.0;    // sampling rate of the conditioned lines
  double band_width_hz = 0.0;   // from edge to edge
  double band_shift_hz = 0.0;   // centre of the band minus demod_hz, which is a bin: at most half a bin
  double demod_hz = 0.0;        // of the lines, phase 0 at sample 0 of the line
  std::vector<float> response;  // [n_out], includes 2 / n_in for RF, 1 / n_in for IQ
};

// Weights of the transmits at every beamformed pixel (dsp/das.h).
struct ConeTable {
  PlainArray<float> weights;     // [n_tx][nz][nx], sum 1 at every pixel
  std::vector<PixelSpan> spans;  // [n_tx][nz], weights are 0 outside
};

// Analytic recipe, beamform stage: tables that depend on grid, transmits, sound speed and line rate ...
struct DasTables {
  Grid grid;                            // beamformed grid
  int n_tx = 0;                         // summed at a pixel
  std::vector<float> x_m, z_m, down_m;  // see DasGeometry; down_m empty: Cartesian
  std::vector<ColumnTransmit> columns;  // [n_tx][nx] for line-by-line imaging; empty: all transmits everywhere
  std::vector<ElementGeometry> elements;
  std::vector<float> element_y_m;  // see BentPaths; empty: all in the image plane
  std::vector<int> row_base;       // [n_tx][nz]
  std::vector<float> row_turns;    // [n_tx][nz]
  PlainArray<float> tx_excess;     // [n_tx][nz][nx]
};

// ... and scalars apart, so that F-number or window change without new tables.
struct DasPlan {
  std::shared_ptr<const DasTables> tables;
  std::shared_ptr<const std::vector<float>> tx_weights;  // [n_tx]; null: 1
  std::shared_ptr<const ConeTable> cones;                // null: none; otherwise tx_weights is null
  DasGeometry geometry{};                                // scalars set; pointers to the above (host)
};

// Course recipe: FIR, then nearest-sample summation.
struct CoursePlan {
  Grid grid;
  std::vector<float> taps;  // [kCourseTaps]
  std::vector<double> x_m, z_m, element_x_m, tx_sin, tx_cos, tx_t0_s;
  CourseGeometry geometry{};  // scalars set; pointers to the above
};

struct RefinePlan;  // backend/das_tables.h

// Part of a plan (may be null) and the input it was made from; nullopt: not made.
template <class In, class Out>
struct PlanPart : std::shared_ptr<const Out> {
  std::optional<In> in = {};
};

// Complete inputs of each part.

struct FormedInput {
  AcquisitionPtr acquisition;
  TransmitPick pick;
  friend bool operator==(const FormedInput&, const FormedInput&) = default;
};

struct RefineInput {
  RefineParams params;
  Grid grid;
  friend bool operator==(const RefineInput&, const RefineInput&) = default;
};

struct CourseInput {
  AcquisitionPtr formed;
  double sound_speed_m_s;
  Grid grid;
  friend bool operator==(const CourseInput&, const CourseInput&) = default;
};

struct BandInput {
  AcquisitionPtr acquisition;
  double low_hz, high_hz;
  friend bool operator==(const BandInput&, const BandInput&) = default;
};

struct TablesInput {
  AcquisitionPtr formed;
  std::shared_ptr<const BandPlan> band;
  Grid grid;  // beamformed grid
  double sound_speed_m_s;
  std::vector<BeamAxis> axes;  // per transmit, or empty; see transmit_delay_s()
  bool lines;                  // each column uses the transmits focused along it; `grid` is make_beam_grid()'s
  friend bool operator==(const TablesInput&, const TablesInput&) = default;
};

struct WeightsInput {
  AcquisitionPtr formed;
  Apodization window;
  friend bool operator==(const WeightsInput&, const WeightsInput&) = default;
};

struct ConesInput {
  AcquisitionPtr formed;
  TransmitCones cones;
  Grid grid;  // beamformed grid
  friend bool operator==(const ConesInput&, const ConesInput&) = default;
};

// Scalars of a sum.
struct SumInput {
  double sound_speed_m_s, f_number;
  Apodization apodization;
  Directivity directivity;
  friend bool operator==(const SumInput&, const SumInput&) = default;
};

struct PackedInput {
  AcquisitionPtr formed;
  std::shared_ptr<const PackedLines> lines;
  std::shared_ptr<const DasTables> tables;
  std::shared_ptr<const std::vector<float>> tx_weights;
  SumInput sum;
  Multiprocessors device;
  PackedMethod method;
  friend bool operator==(const PackedInput&, const PackedInput&) = default;
};

// Parts kept for the next plan.
struct PlanParts {
  PlanPart<FormedInput, Acquisition> formed;
  PlanPart<RefineInput, RefinePlan> refine;
  PlanPart<CourseInput, CoursePlan> course;
  PlanPart<BandInput, BandPlan> band;
  PlanPart<TablesInput, DasTables> tables, packed_tables;
  PlanPart<WeightsInput, std::vector<float>> tx_weights;
  PlanPart<ConesInput, ConeTable> cones;
  PlanPart<BandInput, PackedLines> packed_lines;
  PlanPart<PackedInput, PackedFormation> packed;
};

struct Plan {
  AcquisitionPtr acquisition;
  ImagingParams params;
  TransmitPick pick;
  AcquisitionPtr formed;  // `acquisition` reduced to the picked transmits: basis of the lines and tables below
  Grid grid;
  std::shared_ptr<const BandPlan> band;      // analytic only
  std::shared_ptr<const DasPlan> das;        // analytic only
  std::optional<ScanGeometry> scan;          // analytic: from the beamformed grid to `grid`; empty: the same grid
  std::shared_ptr<const CoursePlan> course;  // course only
  MethodSettings method;                     // analytic only
  std::shared_ptr<const RefinePlan> refine;  // null: no filters
  // Analytic recipe with precision fp16, if backend and tuned kernel support it: replaces the above.
  std::shared_ptr<const PackedFormation> packed;
  std::shared_ptr<OwnProcess> process;  // replaces the pixels or levels; null: none
  const char* why_fp32 = nullptr;       // reason for no `packed` although backend and parameters have fp16
  PlanParts parts;
};

// Throws Error if the parameters do not fit the acquisition (empty band, grid too large, course recipe with data that
// the course's formula cannot describe). Quick: makes no table.
void check_params(const Acquisition& acquisition, const ImagingParams& params);

// Throws Error as check_params() does. Shares the unchanged parts of `previous`, which may be null. `device`: that of
// the backend that uses the plan.
std::shared_ptr<const Plan> make_plan(const AcquisitionPtr& acquisition, const ImagingParams& params,
                                      const std::shared_ptr<const Plan>& previous = nullptr,
                                      const Multiprocessors& device = {});

// Returns one line for the user if this recipe gives a wrong image on this grid (the course recipe sums RF: an axial
// step above c / (4 f_high) aliases), empty otherwise.
std::string formation_warning(const Acquisition& acquisition, const ImagingParams& params);

inline constexpr std::size_t kMostMethodScratch = std::size_t{192} << 20;  // bytes of a lane's rows, of such methods

// Memory of a plan and its lanes, estimated before they are made, to refuse a stream that does not fit; frames are
// counted elsewhere. Host: upper estimate, within a quarter for large frames; device: minimum, without work areas of
// the libraries.

struct StreamBytes {
  std::size_t plan = 0;         // tables, shared by all lanes
  std::size_t lane = 0;         // lines, filters and images of one lane on the CPU
  std::size_t device_lane = 0;  // frame, lines and image of one lane on a device; tables as above
};

// Estimates the memory; `threads`: of the CPU backend. Throws Error as check_params() does.
[[nodiscard]] StreamBytes estimate_stream(const Acquisition& acquisition, const ImagingParams& params, int threads);

// Returns sizes and rates of Plan::band, without its response.
[[nodiscard]] BandPlan band_rates(const Acquisition& acquisition, const ImagingParams& params);

}  // namespace echoloop
