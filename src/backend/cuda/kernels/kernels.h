// Launch functions, one group per .cu file. All queue work on `stream` and return; a failed launch throws. Pointers are
// device pointers. The mathematics is in dsp/: a kernel only finds its element and calls the function.
#pragma once

#include <cuComplex.h>

#include <memory>

#include "backend/cuda/runtime/stream.h"
#include "backend/fp16/packed_plan.h"
#include "core/acquisition.h"
#include "dsp/complex.h"
#include "dsp/course.h"
#include "dsp/das.h"
#include "dsp/flow.h"
#include "dsp/level.h"
#include "dsp/methods/method.h"
#include "dsp/refine.h"
#include "dsp/scan.h"

namespace echoloop {
struct GateGeometry;  // dsp/gate_spectrum.h
}

namespace echoloop::cuda {

// Returns true if the program has code for the current device.
bool kernels_fit_device();

// Invalid samples (core/frame.h) of the frames in work, on the device; zero before the first kernel that reads samples.
struct InvalidFound {
  unsigned samples[kMostFramesAtOnce];   // of each frame
  unsigned elements[kMaxElements / 32];  // a bit for each element, of all frames
};
// Where a kernel that reads lines [frame][transmit][element] counts; `found` null: nowhere.
struct InvalidSink {
  InvalidFound* found = nullptr;
  int frame_lines = 1, n_elements = 1;
};

// condition.cu
enum class Mean { keep, remove };

struct WidenShape {
  int n_lines = 0;
  int n_values = 0;     // of a raw line: samples, or twice as many for (I, Q) pairs
  int components = 1;   // 2: I and Q each have a mean
  int n_padded = 0;     // values to write: n_values, then zeros
  long long pitch = 0;  // values from one line to the next in `values`
  InvalidSink invalid = {};
};

// raw [n_lines][n_values] -> values [n_lines][pitch], float
void widen_lines(const std::byte* raw, SampleType type, const WidenShape& shape, Mean mean, float* values,
                 StreamView stream);

struct BandShape {
  int n_lines = 0;
  int n_in = 0;
  int n_bins = 0;  // stored bins of an input line: n_in / 2 + 1 (real input) or n_in
  int n_out = 0;
  int bin_offset = 0;
  SignalKind input = SignalKind::rf;
};

// spectrum [n_lines][n_bins] -> selected [n_lines][n_out]
void select_bands(const Complex* spectrum, const float* response, const BandShape& shape, Complex* selected,
                  StreamView stream);

// das_grouped.cu
// lines [n_tx][n_el][n_line] -> pixels [nz][nx]; pointers in the geometry are the device's
void sum_delayed(const DasGeometry& geometry, const Complex* lines, Complex* pixels, StreamView stream);

// das_grouped.cu
// Tuned version, used by sum_delayed() where possible. Returns false, with nothing queued, for scan lines and lines too
// long to be counted.
bool sum_grouped(const DasGeometry& geometry, const Complex* lines, Complex* pixels, StreamView stream);

// method_das.cu
struct MethodInput {
  const DasGeometry& geometry;
  bool is_flat;  // Cartesian, and all elements have z 0
  const Complex* lines;
};
class SkippableWork;  // runtime/context.h
struct MethodBuffers {
  Complex* pixels;   // [nz][nx]
  float* weights;    // [nz][nx], factors of the amplitudes
  Complex* scratch;  // [method_scratch()] or [own_scratch()]
};
std::size_t method_scratch(const MethodSettings& settings, const DasGeometry& geometry);
// Same as sum_delayed(), with an adaptive method other than off. Waits while many launches of one image are queued; the
// rest of an image of `work` may be skipped.
void sum_by_method(const MethodSettings& settings, const MethodInput& in, const MethodBuffers& to, SkippableWork& work,
                   StreamView stream);

class CudaOwnKernels;  // cuda_own_kernels.h
struct RowSizes;       // own_declared.h
// The same with a method of the user.
std::size_t own_scratch(const RowSizes& sizes, const MethodSettings& settings, const DasGeometry& geometry);
struct OwnFunctor {
  const CudaOwnKernels& kernels;
  const RowSizes& sizes;
  const MethodSettings& settings;
};
void sum_by_own(const OwnFunctor& own, const MethodInput& in, const MethodBuffers& to, SkippableWork& work,
                StreamView stream);

// course.cu
struct CourseTaps {
  float h[kCourseTaps];
};
// raw [n_lines][n_samples] -> filtered, the same shape
struct CourseLines {
  int n_lines, n_samples;
  InvalidSink invalid;
};
void filter_course(const std::byte* raw, SampleType type, const CourseTaps& taps, const CourseLines& lines,
                   float* filtered, StreamView stream);
// filtered [n_tx][n_el][n_samples] -> rf_image [nz][nx], and the same in columns with an imaginary part of 0
void sum_nearest(const CourseGeometry& geometry, const float* filtered, float* rf_image, Complex* columns,
                 StreamView stream);
// columns [nz][nx], bins along the slow axis, weighted for the analytic signal and divided by nz, in place
void weight_hilbert(Complex* columns, int nx, int nz, StreamView stream);

// level.cu
void magnitudes(const WeighedPixels& from, std::size_t n, float* out, StreamView stream);
// Computes complex pixels with the magnitudes of magnitudes().
void weighed_values(const WeighedPixels& from, std::size_t n, Complex* out, StreamView stream);
// Computes complex pixels with the magnitudes `amplitudes`.
void values_with(const Complex* pixels, const float* amplitudes, std::size_t n, Complex* out, StreamView stream);
// pixels of the beamformed grid [from.nz][from.nx] -> amplitudes of the image's [to.nz][to.nx]
void scan_magnitudes(const ScanGeometry& scan, const WeighedPixels& from, float* out, StreamView stream);

inline constexpr int kMaxPartials = 256;
// Writes the level in dB of the largest of n values to *level_db; partials: [kMaxPartials] scratch.
void measure_peak_db(const float* values, std::size_t n, float* partials, float* level_db, StreamView stream);

// envelope -> dB against reference_db, or *measured_db if not null
void to_decibels(const float* envelope, std::size_t n, float reference_db, const float* measured_db, float* db,
                 StreamView stream);

// Writes another image of decibels; at most kMaxSmoothReach pixels to each side.
void smooth_axially(const PictureView& view, const SmoothTaps& taps, float* to, StreamView stream);
// row_step: between the taps of successive rows; 0: one set for all
void smooth_laterally(const PictureView& view, const SmoothTaps& taps, int row_step, float* to, StreamView stream);

// condition.cu
// Keeps the stream busy for `ms`; one thread, so that the rest of the device stays free.
void keep_busy(double ms, StreamView stream);
// Launches a kernel that no device accepts: throws, and the next launch works.
void launch_refused(StreamView stream);
// Destroys the context: a later call reports it.
void launch_fatal(StreamView stream);

// Launch functions of flow.cu. All queue work on `stream` and return; pointers are device pointers. Matrices of an
// ensemble are column-major, for cuBLAS.

// Computes the Gram matrix of an ensemble from the previous one: products of its last n_known frames, and for the
// others the sums over blocks of pixels. parts: [n_blocks][n - n_known columns][n]; before, now: [n][n].
enum class GramFold { begin, go_on };  // go_on: more blocks of the same new frames
struct GramShape {
  int n;
  int n_known;
  int n_blocks;
  GramFold fold = GramFold::begin;
};
void fold_gram(const GramShape& shape, const Complex* parts, const cuDoubleComplex* before, cuDoubleComplex* now,
               StreamView stream);

// w [n][n] = sum of v_k v_k^H over the columns first <= k < end of v [n][n]; `rest`: the identity minus that.
enum class Keep { these, rest };
void keep_columns(const cuDoubleComplex* v, int n, int first, int end, Keep keep, Complex* w, StreamView stream);

// Sums over a frame [nz][nx] for received_frequency_share(); parts: [kLagParts], one per block.
inline constexpr int kLagParts = 64;
void sum_axial_lags(const Complex* frame, int nx, int nz, AxialLag* parts, StreamView stream);

// Images from filtered samples: y [n_frames][pitch], pixels [0, count) of each.
struct FlowPictures {
  int count;
  int n_frames;
  long long pitch;
  float reference_db, scale_m_s, keep;
  FlowSums* shown;  // of the previous image; replaced by those of this one
  float* power_db;
  float* velocity_m_s;
  float* low_rank_db;  // null: not requested
};
void finish_flow(const Complex* y, const FlowPictures& out, StreamView stream);

// One column of an image on the device. Queues work on the stream and returns; a failed launch throws.

struct ColumnShape {
  int nx = 0, nz = 0;
  int column = 0;
};

// image [nz][nx] -> column [nz], which may be mapped host memory
void gather_column(const float* image, const ColumnShape& shape, float* column, StreamView stream);

// Writes sums[band], band < gate.bands; `sums` may be mapped host memory.
void sum_gate(const GateGeometry& gate, const Complex* pixels, Complex* sums, StreamView stream);

}  // namespace echoloop::cuda
