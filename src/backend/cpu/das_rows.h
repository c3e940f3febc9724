// Delay-and-sum of one image row (line-by-line imaging: one column) on the CPU: the element functions of dsp/das.h in
// loops along the pixels that vectorise. das_pixel() is the specification; a test compares them.
#pragma once

#include <vector>

#include "dsp/das.h"

namespace echoloop {

// Work space of one thread for rows of nx pixels (columns: nz) and n_tx sums.
struct RowScratch {
  std::vector<float> values;
  void resize(int n_pixels, int n_tx);
};

// Computes row iz of the complex image, pixels[0 .. nx), with every transmit at every pixel (geometry.columns is null).
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels);

// Computes column ix of the complex image [nz][nx] from the transmits of geometry.columns.
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, RowScratch& scratch, Complex* image);

namespace portable {  // versions for every machine, by name
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels);
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, RowScratch& scratch, Complex* image);
}  // namespace portable

}  // namespace echoloop
