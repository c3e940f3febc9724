// Wall filters as matrices in slow time: y[t] = sum over s of x[s] W[s][t], for an ensemble of n frames. Any linear
// filter along the frames is such a matrix, including its behaviour at the ends of the ensemble, so that one matrix
// product applies all of them: FIR, polynomial regression, and components of the singular value decomposition.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace echoloop {

inline constexpr int kWallTaps = 129;  // of the short course's colour Doppler study

// Returns a symmetric odd FIR as row-major [n][n]: W[s * n + t], middle tap on t; the ensemble is mirrored at its ends
// (d c b a | a b c d | d c b a), as by default in scipy.ndimage.convolve1d.
std::vector<float> fir_wall_matrix(std::span<const double> taps, int n);

// Returns the identity minus the projection on the polynomials of degree 0 .. order over the ensemble (least squares;
// Hoeks et al., Ultrasound Med. Biol. 17, 1991). order < n.
std::vector<float> polynomial_wall_matrix(int order, int n);

// Returns orthonormal polynomials of degree 0 .. order on n equally spaced points; order < n.
std::vector<std::vector<double>> orthonormal_polynomials(int order, int n);

std::vector<float> identity_matrix(int n);

// Energies, errors and default choice of components, from singular values of a Casorati matrix [pixel][frame] and its
// temporal singular vectors. Host only, double precision.

// X = U S V^H: column k of U is a component's image, row k of V^H its course along the frames. The columns of V are the
// eigenvectors of the Gram matrix X^H X, the squares of S its eigenvalues.
struct Decomposition {
  int n = 0;                                           // frames = components
  std::vector<double> singular_values;                 // [n], descending
  std::vector<std::complex<double>> temporal_vectors;  // V^H: [component][frame], orthonormal
};

// Components first .. last of 1 .. n, inclusive; empty if last < first.
struct ComponentRange {
  int first = 1;
  int last = 0;
  friend bool operator==(const ComponentRange&, const ComponentRange&) = default;
};

// Returns ||X - X_range|| / ||X|| (Frobenius) of the reconstruction from these components: by Eckart and Young, the
// root of the omitted energy.
double reconstruction_error(std::span<const double> singular_values, ComponentRange range);

// Returns the mean Doppler frequency of a temporal vector [frame] as a share of the Nyquist frequency, -1 .. 1: the
// angle of its lag-one autocorrelation over pi. Positive: towards the probe.
double mean_frequency(std::span<const std::complex<double>> temporal_vector);

// Returns the number of leading components whose mean frequency is within +- cutoff (share of Nyquist): tissue is
// strongest, and slow. (Choice by the eigenvectors' mean frequency: Yu and Lovstakken, IEEE TUFFC 57(5), 2010; Kruse
// and Ferrara, IEEE TUFFC 49(10), 2002.) At most n - 1.
int tissue_components(const Decomposition& d, double cutoff);

// Returns the last component above the noise, at least 1. Noise: below 4/sqrt(3), corrected for the matrix's shape,
// times the noise's own singular value (Gavish and Donoho, IEEE Trans. Inf. Theory 60(8), 2014: omega(beta) times the
// median). They use the median of all singular values; here it is that of the smaller half, because blood may fill half
// of the components; if the values below it form no plateau (their own median is lower by more than that factor),
// motion fills still more, and that median is used, and so on.
int last_above_noise(std::span<const double> singular_values, std::size_t n_pixels);

// Returns W[s * n + t] that keeps these components: sum over them of conj(v[s]) v[t], v the temporal vector, so that X
// W = X V V^H. For more than half of them the identity minus the others: as exact, and less work.
std::vector<std::complex<float>> component_matrix(const Decomposition& d, ComponentRange range);

}  // namespace echoloop
