// Lines of a frame computed from its stored lines: receive apertures joined, coded transmits decoded, pairs summed.
// Sums and products in single precision, inverses in double precision. Internal to src/formats. Reader process.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "formats/base/library_recording.h"
#include "formats/base/open_request.h"

namespace echoloop {

struct LineShape {
  std::size_t n_transmits = 0, n_elements = 0, n_samples = 0;
  std::size_t n_values = 1;  // 2: IQ

  [[nodiscard]] std::size_t line() const { return n_samples * n_values; }
  [[nodiscard]] std::size_t values() const { return n_transmits * n_elements * line(); }
};

// [transmit][element][sample][value] to the same of another shape.
struct LineStep {
  LineShape out;
  std::function<void(std::span<const float> in, std::span<float> out)> run;
};

// Returns `stored`, an HDF5 recording of other lines than `a` describes, with these steps applied to each frame; then
// IQ of each transmit is turned by rotation_rad, if any. Throws Error if `a` is not valid.
LibraryRecording with_steps(const OpenRequest& request, LibraryRecording stored, Acquisition a,
                            std::vector<LineStep> steps, std::vector<double> rotation_rad);

// Line of the source for each line of the result, [transmit][element]; npos: zeros.
inline constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);
LineStep gather_lines(const LineShape& in, const LineShape& out, std::vector<std::size_t> lines);

// out_k = sum_j matrix_kj in_j over the transmits: matrix [out.n_transmits][in.n_transmits].
LineStep mix_transmits(const LineShape& in, std::size_t n_out, std::vector<float> matrix);

// Transmit matrix H_ke(f) = a_ke exp(-2i pi f d_ke), f absolute.
struct TransmitMatrix {
  std::size_t n_tx = 0, n_el = 0;         // elements that fire
  std::vector<double> weights, delays_s;  // [n_tx][n_el]

  // By row, column fastest.
  [[nodiscard]] std::vector<std::complex<double>> at(double f_hz) const;
};

// Singular values, largest first: one-sided Jacobi (Hestenes).
std::vector<double> singular_values(std::vector<std::complex<double>> matrix, std::size_t n_rows,
                                    std::size_t n_columns);

struct Decoding {
  double sampling_hz, demod_hz;  // demod_hz 0: RF
  double low_hz, high_hz;        // frequencies outside are not decoded: 0
  double loading;                // lambda, relative to the largest singular value
  double pulse_s;                // beyond the delays, padded
};

// U = (H^H H + lambda^2 s1^2 I)^-1 H^H S at each frequency (REFoCUS: Bottenus, IEEE TUFFC 65, 2018; Ali et al., IEEE
// TUFFC 67, 2020): lines of single elements, in the order of the matrix. Throws Error if the inverses need too much
// memory.
LineStep decode_transmits(const OpenRequest& request, const LineShape& in, const TransmitMatrix& matrix,
                          const Decoding& how);

}  // namespace echoloop
