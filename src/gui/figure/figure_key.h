// The rows of a figure's key: what each mark is and measures, then what each pair of regions measures. Any thread.
#pragma once

#include "gui/figure/figure.h"
#include "gui/state/measured.h"

namespace echoloop {

// `measured`: of the same marks on the figure's image, or on A and B in this order.
std::vector<FigureKeyRow> figure_key(const Marks& marks, const std::vector<const Measured*>& measured);

namespace figure {

// Height of the key in so many columns.
double key_height(const Figure& figure, int columns);
void draw_key(Canvas& canvas, const Figure& figure, const FigureLayout& layout);

}  // namespace figure
}  // namespace echoloop
