#include "backend/cpu/das_rows.h"

namespace echoloop {

namespace portable {
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* pixels);
}  // namespace portable
namespace avx2 {
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* pixels);
}  // namespace avx2

namespace {

// Returns true by the processor's feature flags, never by its model.
bool has_avx2() {
#if defined(ECHO_X86)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

void RowScratch::resize(int n_pixels, int n_tx) {
  constexpr int kArrays = 9;  // see das_rows_kernel.h; then re and im of each transmit's sum
  values.resize(static_cast<std::size_t>(n_pixels) * static_cast<std::size_t>(kArrays + 2 * n_tx));
}

void portable::das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels) {
  portable::das_row(geometry, iq, iz, scratch.values.data(), pixels);
}

void portable::das_column(const DasGeometry& geometry, const Complex* iq, int ix, RowScratch& scratch, Complex* image) {
  portable::das_column(geometry, iq, ix, scratch.values.data(), image);
}

void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels) {
#if defined(ECHO_X86)
  static const bool fast = has_avx2();
  if (fast) return avx2::das_row(geometry, iq, iz, scratch.values.data(), pixels);
#endif
  portable::das_row(geometry, iq, iz, scratch.values.data(), pixels);
}

void das_column(const DasGeometry& geometry, const Complex* iq, int ix, RowScratch& scratch, Complex* image) {
#if defined(ECHO_X86)
  static const bool fast = has_avx2();
  if (fast) return avx2::das_column(geometry, iq, ix, scratch.values.data(), image);
#endif
  portable::das_column(geometry, iq, ix, scratch.values.data(), image);
}

}  // namespace echoloop
