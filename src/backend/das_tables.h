// The tables of the analytic recipe's beamform stage: arrival times of the transmits at every pixel that is beamformed.
// They are made on the processing thread whenever grid, transmits, band or sound speed change, however long that takes.
#pragma once

#include <memory>
#include <vector>

#include "backend/plan.h"
#include "core/grid.h"
#include "core/params.h"
#include "dsp/refine.h"

namespace echoloop {

std::shared_ptr<const DasTables> make_das_tables(const TablesInput& in);

// Weight of each transmit in the coherent sum, their mean 1: what all transmits agree on keeps its level under any
// window. The window lies across the waves from left to right (by angle, by virtual source or focus; laws of delays:
// in their order), wave k of n at u = (k + 1/2) / n - 1/2; see dsp/fir_design.h.
std::vector<float> transmit_weights(Apodization window, const Acquisition& acquisition);

// Of the grid that is beamformed; see uses_cones().
std::shared_ptr<const ConeTable> make_cones(const ConesInput& in);

// The course recipe's part of a plan. Processing thread, or the thread that checks parameters.

// Throws Error for what the course's formula cannot describe.
void require_course(const Acquisition& acquisition);

std::shared_ptr<const CoursePlan> make_course(const CourseInput& in);

// Plan of the refine stage: what is done to the image in dB after compress, by RefineParams. A pure function of
// parameters and grid; knows nothing of devices.

// In the order in which they are applied: temporal average of the amplitude, then on the decibels the first filters,
// axial and lateral Gaussian, the last filters.
struct RefinePlan {
  int nx = 0, nz = 0;
  bool average = false;
  std::vector<PixelFilter> first, last;
  int axial_reach = 0;              // pixels; 0: none
  int lateral_reach = 0;            // likewise
  int lateral_rows = 0;             // 1, or nz where columns are further apart with depth
  std::vector<float> axial_taps;    // [axial_reach + 1]
  std::vector<float> lateral_taps;  // [lateral_rows][lateral_reach + 1]
  [[nodiscard]] bool filters() const { return !first.empty() || axial_reach > 0 || lateral_reach > 0 || !last.empty(); }
  [[nodiscard]] int taps_row(int iz) const { return (lateral_rows > 1 ? iz : 0) * (lateral_reach + 1); }
};

// Level difference that the bilateral filter takes for an edge at speckle_reduction 1, dB (one sigma).
inline constexpr double kSpeckleSpread_db = 12.0;

// Null when everything is off.
std::shared_ptr<const RefinePlan> make_refine_plan(const RefineInput& in);

// Taps of a Gaussian of `sigma` pixels, [reach + 1], see SmoothTaps.
std::vector<float> gaussian_taps(double sigma, int reach);

}  // namespace echoloop
