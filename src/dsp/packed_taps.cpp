#include "dsp/packed_taps.h"

#include <algorithm>
#include <cmath>

namespace echoloop {
namespace {

// Nearest half, ties to even; |v| below 65504.
std::uint32_t half_bits(double v) {
  const std::uint32_t sign = std::signbit(v) ? 0x8000U : 0U;
  const double size = std::abs(v);
  if (size < 0x1p-14) return sign | static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24));
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);  // 1/2 .. 1
  // A mantissa that rounds up to 1 carries into the exponent, as it should.
  return sign | (static_cast<std::uint32_t>(exponent + 13) * 1024U +
                 static_cast<std::uint32_t>(std::nearbyint(mantissa * 2048.0)));
}

struct Pick {
  const PackedFir& fir;
  const PackedTaps& taps;
  int before;  // values of a stretch before the first tap of its first output
  // Tap of a stretch's value k for output `o` of the block.
  [[nodiscard]] Complex operator()(int k, int o) const {
    const int wide = fir.place_values() * taps.spread;
    const int from = k - before - o / fir.interpolation * wide;
    const int value = from % wide;
    if (from < 0 || from >= fir.n_places * wide || value >= fir.place_values()) return {0.0f, 0.0f};
    const int place = o % fir.interpolation * fir.n_places + from / wide;
    return fir.taps[static_cast<std::size_t>(place * fir.place_values() + value)];
  }
};

}  // namespace

PackedTaps make_packed_taps(const PackedFir& fir) {
  PackedTaps taps;
  taps.spread = std::max(1, fir.interpolation / fir.place_values());
  const int wide = fir.place_values() * taps.spread;
  taps.block_chunks = wide / fir.interpolation;
  taps.front = (fir.lead() * wide + kChunk - 1) / kChunk;
  const int before = taps.front * kChunk - fir.lead() * wide;
  const int longest = before + kChunk - 1 + ((kFirBlock - 1) / fir.interpolation + fir.n_places) * wide;
  taps.n_steps = (longest + kTapStep - 1) / kTapStep;
  float largest = 0.0f;
  for (const Complex& t : fir.taps) largest = std::max({largest, std::abs(t.re), std::abs(t.im)});
  taps.scale = std::ldexp(1.0f, -std::ilogb(largest));
  const auto scale = static_cast<double>(taps.scale);
  for (int shift = 0; shift < kChunk; ++shift) {
    const Pick pick{fir, taps, before + shift};
    for (int i = 0; i < taps.n_steps * 32; ++i) {
      const int lane = i % 32;
      Complex of[4];
      for (int n = 0; n < 4; ++n) of[n] = pick(i / 32 * kTapStep + lane % 4 * 2 + n / 2 * 8 + n % 2, lane / 4);
      const auto pair = [&](float low, float high) {
        taps.matrices.push_back(half_bits(scale * static_cast<double>(low)) |
                                half_bits(scale * static_cast<double>(high)) << 16);
      };
      pair(of[0].re, of[1].re);
      pair(of[2].re, of[3].re);
      pair(of[0].im, of[1].im);
      pair(of[2].im, of[3].im);
    }
  }
  return taps;
}

}  // namespace echoloop
