// Wall filters as matrices in slow time: y[t] = sum over s of x[s] W[s][t], for an ensemble of n frames. Any linear
// filter along the frames is such a matrix, its behaviour at the ends of the ensemble included, so that one matrix
// product applies each of them: FIR, polynomial regression, and what singular value decomposition keeps.
#pragma once

#include <span>
#include <vector>

namespace echoloop {

inline constexpr int kWallTaps = 129;  // of the short course's colour Doppler study

// Row-major [n][n]: W[s * n + t]. Symmetric odd FIR, middle tap on t; beyond its ends the ensemble goes on as its own
// mirror image (d c b a | a b c d | d c b a), which is what scipy.ndimage.convolve1d does by default.
std::vector<float> fir_wall_matrix(std::span<const double> taps, int n);

// Identity less the projection on the polynomials of degree 0 .. order over the ensemble (least squares; Hoeks et al.,
// Ultrasound Med. Biol. 17, 1991). order < n.
std::vector<float> polynomial_wall_matrix(int order, int n);

// Orthonormal polynomials of degree 0 .. order on n equally spaced points; order < n.
std::vector<std::vector<double>> orthonormal_polynomials(int order, int n);

std::vector<float> identity_matrix(int n);

}  // namespace echoloop
