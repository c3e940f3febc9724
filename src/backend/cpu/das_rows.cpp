#include "backend/cpu/das_rows.h"

namespace echoloop {

namespace portable {
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
}
namespace avx2 {
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
}

namespace {

// Decided by what the processor says it can do, never by its model.
bool has_avx2() {
#if defined(ECHO_X86)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace

void RowScratch::resize(int nx, int n_tx) {
  constexpr int kReceiveArrays = 4;  // excess, rotor re, rotor im, weight; then re and im of each transmit's sum
  values.resize(static_cast<std::size_t>(nx) * static_cast<std::size_t>(kReceiveArrays + 2 * n_tx));
}

void portable::das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels) {
  portable::das_row(geometry, iq, iz, scratch.values.data(), pixels);
}

void das_row(const DasGeometry& geometry, const Complex* iq, int iz, RowScratch& scratch, Complex* pixels) {
#if defined(ECHO_X86)
  static const bool fast = has_avx2();
  if (fast) return avx2::das_row(geometry, iq, iz, scratch.values.data(), pixels);
#endif
  portable::das_row(geometry, iq, iz, scratch.values.data(), pixels);
}

}  // namespace echoloop
