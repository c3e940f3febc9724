// Wall filters as matrices in slow time: y[t] = sum over s of x[s] W[s][t], for an ensemble of n frames. Any linear
// filter along the frames is such a matrix, its behaviour at the ends of the ensemble included, so that one matrix
// product applies each of them: FIR, polynomial regression, and what singular value decomposition keeps.
#pragma once

#include <complex>
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

// What the singular values of a Casorati matrix [pixel][frame] and its temporal singular vectors say: energies, errors,
// and which components to keep by default. Host only, double precision.

// X = U S V^H: column k of U is a component's image, row k of V^H how it goes along the frames. The columns of V are
// the eigenvectors of the Gram matrix X^H X, the squares of S its eigenvalues.
struct Decomposition {
  int n = 0;                                           // frames = components
  std::vector<double> singular_values;                 // [n], falling
  std::vector<std::complex<double>> temporal_vectors;  // V^H: [component][frame], orthonormal
};

// Components first .. last of 1 .. n, both included; empty when last < first.
struct ComponentRange {
  int first = 1;
  int last = 0;
  friend bool operator==(const ComponentRange&, const ComponentRange&) = default;
};

// ||X - X_range|| / ||X|| (Frobenius) of the reconstruction from these components: by Eckart and Young, the root of the
// energy that they leave out.
double reconstruction_error(std::span<const double> singular_values, ComponentRange range);

// Mean Doppler frequency of a temporal vector [frame], as a share of the Nyquist frequency, -1 .. 1: the angle of its
// lag-one autocorrelation over pi. Positive: towards the probe.
double mean_frequency(std::span<const std::complex<double>> temporal_vector);

// Tissue: the leading components whose mean frequency lies within +- cutoff (share of Nyquist); the count ends at the
// first that does not. Tissue is the strongest, and slow. (Choice by the eigenvectors' mean frequency: Yu and
// Lovstakken, IEEE TUFFC 57(5), 2010; Kruse and Ferrara, IEEE TUFFC 49(10), 2002.) At most n - 1.
int tissue_components(const Decomposition& d, double cutoff);

// Noise: components below 4/sqrt(3), corrected for the matrix's shape, times the noise's own singular value (Gavish and
// Donoho, IEEE Trans. Inf. Theory 60(8), 2014: omega(beta) times the median). They take the median of all singular
// values; here it is that of the smaller half, because blood may fill half of the components; and where what lies below
// is no plateau (its own middle is below by more than that factor), motion fills still more of them: then it is that
// middle, and so on. Returns the last one above, at least 1.
int last_above_noise(std::span<const double> singular_values, std::size_t n_pixels);

// W[s * n + t] that keeps these components: sum over them of conj(v[s]) v[t], v the temporal vector, so that X W = X V
// V^H. Where they are more than half, the identity less the others: as exact, and less work.
std::vector<std::complex<float>> component_matrix(const Decomposition& d, ComponentRange range);

}  // namespace echoloop
