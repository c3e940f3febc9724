// Tables of the analytic recipe's beamform stage: arrival times of the transmits at every beamformed pixel. Computed on
// the processing thread, however long that takes, when grid, transmits, band or sound speed change.
#pragma once

#include <memory>
#include <vector>

#include "backend/plan.h"
#include "core/grid.h"
#include "core/params.h"
#include "dsp/refine.h"

namespace echoloop {

std::shared_ptr<const DasTables> make_das_tables(const TablesInput& in);

// Returns the weights of the transmits in the coherent sum, with mean 1, so that an echo common to all transmits keeps
// its level. The window spans the waves from left to right (by angle, virtual source or focus; delay laws: by index),
// wave k of n at u = (k + 1/2) / n - 1/2; see dsp/fir_design.h.
std::vector<float> transmit_weights(Apodization window, const Acquisition& acquisition);

// `grid` is beamformed; see uses_cones().
std::shared_ptr<const ConeTable> make_cones(const ConesInput& in);

// Course recipe's part of a plan. Processing thread, or the thread that checks parameters.

// Throws Error if the course's formula cannot describe the acquisition.
void require_course(const Acquisition& acquisition);

std::shared_ptr<const CoursePlan> make_course(const CourseInput& in);

// Plan of the refine stage, which filters the dB image after compress according to RefineParams. A pure function of
// parameters and grid, independent of devices.

// Order: temporal average of the amplitude; then on the decibels first filters, axial and lateral Gaussian, last
// filters.
struct RefinePlan {
  int nx = 0, nz = 0;
  bool average = false;
  std::vector<PixelFilter> first, last;
  int axial_reach = 0;              // pixels; 0: none
  int lateral_reach = 0;            // pixels; 0: none
  int lateral_rows = 0;             // 1, or nz if the column distance grows with depth
  std::vector<float> axial_taps;    // [axial_reach + 1]
  std::vector<float> lateral_taps;  // [lateral_rows][lateral_reach + 1]
  [[nodiscard]] bool filters() const { return !first.empty() || axial_reach > 0 || lateral_reach > 0 || !last.empty(); }
  [[nodiscard]] int taps_row(int iz) const { return (lateral_rows > 1 ? iz : 0) * (lateral_reach + 1); }
};

// Returns null if everything is off.
std::shared_ptr<const RefinePlan> make_refine_plan(const RefineInput& in);

// Returns taps of a Gaussian of `sigma` pixels, [reach + 1], see SmoothTaps.
std::vector<float> gaussian_taps(double sigma, int reach);

}  // namespace echoloop
