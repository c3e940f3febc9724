// The terms that a pixel is summed from, whatever the recipe: one interface over dsp/das.h and dsp/course.h.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "backend/plan.h"

namespace echoloop {

// A term's place on its line and its weight.
struct TermPlace {
  double sample = 0.0;  // of the raw line
  float weight = 0.0f;
};

class PixelTerms {
 public:
  virtual ~PixelTerms() = default;
  // Transmit of each sum, counted among the picked ones; -1: none.
  [[nodiscard]] virtual std::vector<int> transmits() const = 0;
  [[nodiscard]] virtual TermPlace place(int sum, int element) const = 0;
  // What the element adds, read `later_s` after the pixel's own time.
  [[nodiscard]] virtual std::complex<float> term(int sum, int element, double later_s) const = 0;
  // One element's conditioned line, for spectra.
  struct Line {
    std::vector<Complex> samples;
    double rate_hz, demod_hz;
  };
  [[nodiscard]] virtual Line line(int sum, int element) const = 0;
};

// Of pixel (ix, iz) of the beamformed grid. `lines` as read back from a lane with this plan; both must outlive it.
// Whether the lane worked in half precision is seen from the size.
std::unique_ptr<PixelTerms> make_pixel_terms(const Plan& plan, const std::vector<float>& lines, int ix, int iz);

// The grid that the plan beamforms.
const Grid& beamformed_grid(const Plan& plan);

}  // namespace echoloop
