// What the packed conditioner's kernel (packed_fir_launch.cu) gets of a plan and a frame.
#include <cmath>

#include "backend/cuda/fp16/packed_fir_kernel.h"

namespace echoloop::cuda {

PackedFirArgs packed_fir_args(const Acquisition& a, const PackedFir& fir, const PackedTaps& taps,
                              const PackedLineShape& shape, const PackedFirMemory& m) {
  constexpr float kInt16Full = 32768.0f;
  const double turns = fir.turns_per_sample - std::floor(fir.turns_per_sample);
  const bool rf = a.signal == SignalKind::rf;
  const float gain_bound = (rf ? 2.0f : 1.0f) * fir.gain_bound;  // less its mean, a sample may be twice as large
  PackedFirArgs args{.raw = m.raw,
                     .n_lines = a.n_transmits() * a.n_elements(),
                     .n_values = a.n_samples * fir.components,
                     .components = fir.components,
                     .spread = taps.spread,
                     .block_chunks = taps.block_chunks,
                     .front = taps.front,
                     .n_steps = taps.n_steps,
                     .n_valid = shape.n_valid,
                     .pitch = shape.pitch,
                     .window = shape.window,
                     .turns_step = static_cast<unsigned>(static_cast<unsigned long long>(std::llround(turns * 0x1p32))),
                     .remove_mean = rf,
                     .gain_bound = gain_bound,
                     .full_scale = a.sample_type == SampleType::int16 ? kInt16Full : 0.0f,
                     .word_scale = 1.0f / (gain_bound * kLargestHalf * taps.scale),
                     .at_once = false,
                     .launch = 0,
                     .peaks = m.peaks,
                     .taps = m.taps,
                     .words = m.words,
                     .scale = m.scale,
                     .at = {}};
  args.at = fir_layout(taps, shape.n_valid, shape.n_parts);
  return args;
}

}  // namespace echoloop::cuda
