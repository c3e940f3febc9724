// Launch functions of flow.cu. All queue work on `stream` and return; pointers lead to device memory. Matrices of an
// ensemble are by columns, for cuBLAS.
#pragma once

#include <cuComplex.h>

#include "backend/cuda/runtime/stream.h"
#include "dsp/complex.h"
#include "dsp/flow.h"

namespace echoloop::cuda {

// The Gram matrix of an ensemble from that of the one before: what its last n_known frames had in common, and for the
// others the sum of what blocks of pixels bring. parts: [n_blocks][n - n_known columns][n]; before, now: [n][n].
enum class GramFold { begin, go_on };  // go_on: more blocks of the same new frames
struct GramShape {
  int n;
  int n_known;
  int n_blocks;
  GramFold fold = GramFold::begin;
};
void fold_gram(const GramShape& shape, const Complex* parts, const cuDoubleComplex* before, cuDoubleComplex* now,
               StreamView stream);

// w [n][n] = sum of v_k v_k^H over the columns first <= k < end of v [n][n]; `rest`: the identity less that.
enum class Keep { these, rest };
void keep_columns(const cuDoubleComplex* v, int n, int first, int end, Keep keep, Complex* w, StreamView stream);

// Sums over a frame [nz][nx] for received_frequency_share(); parts: [kLagParts], one a block.
inline constexpr int kLagParts = 64;
void sum_axial_lags(const Complex* frame, int nx, int nz, AxialLag* parts, StreamView stream);

// Images from filtered samples: y [n_frames][pitch], pixels [0, count) of each.
struct FlowPictures {
  int count;
  int n_frames;
  long long pitch;
  float reference_db, scale_m_s, keep;
  FlowSums* shown;  // of the image before, and of this one
  float* power_db;
  float* velocity_m_s;
  float* low_rank_db;  // null: not wanted
};
void finish_flow(const Complex* y, const FlowPictures& out, StreamView stream);

}  // namespace echoloop::cuda
