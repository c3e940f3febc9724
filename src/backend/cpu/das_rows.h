// Delay-and-sum of one image row on the CPU: the same element functions as dsp/das.h, in loops along x that vectorise.
// das_pixel() is the specification; a test holds this against it.
#pragma once

#include <vector>

#include "dsp/das.h"

namespace echoloop {

// Work space of one thread for rows of nx pixels and n_tx transmits.
struct RowScratch {
  std::vector<float> values;
  void resize(int nx, int n_tx);
};

// Row iz of the complex image: pixels[0 .. nx).
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels);

namespace portable {  // the version for every machine, by name
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels);
}

}  // namespace echoloop
