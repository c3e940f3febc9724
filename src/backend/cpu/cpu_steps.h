// A recipe's stages on the CPU, as LaneSteps on a GPU: each computes at once, with all threads of the pool.
// Two implementations: the analytic recipe and the course's. Processing thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_kernels.h"
#include "backend/cpu/isa_loops.h"
#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"
#include "dsp/das.h"
#include "dsp/level.h"
#include "dsp/methods/method.h"

namespace echoloop {

class CpuSteps {
 public:
  virtual ~CpuSteps() = default;
  virtual void set_plan(const Plan& plan) = 0;
  // Samples of the picked transmits, side by side.
  virtual void condition(std::span<const std::byte> samples) = 0;
  virtual void beamform() = 0;
  virtual void envelope(float* amplitudes) = 0;  // [nz][nx] of the image's grid
  // Level in dB that the recipe takes from the frame itself; empty: none.
  [[nodiscard]] virtual std::optional<float> own_level_db(std::span<const float> /*amplitudes*/) const { return {}; }
  [[nodiscard]] virtual PixelView pixels() const { return {}; }                 // see Lane::pixels
  [[nodiscard]] virtual WeighedPixels weighed_pixels() const { return {}; }     // that envelope() reads
  [[nodiscard]] virtual std::vector<float> read_back(Lane::Tap tap) const = 0;  // conditioned or beamformed
};

std::unique_ptr<CpuSteps> make_analytic_cpu_steps(WorkerPool& pool, const CpuKernels& kernels);
std::unique_ptr<CpuSteps> make_course_cpu_steps(WorkerPool& pool);

// Analytic recipe, condition stage on the CPU: RF mean removed, FFT, band selection, inverse FFT, line by line.

class BandConditioner {
 public:
  // Transforms and scratch for one thread each; remade only when a size changes.
  void set_plan(const std::shared_ptr<const BandPlan>& plan, int threads);

  // samples: [n_lines][n_samples], type as given (IQ: pairs) -> lines: [n_lines][n_out]
  void run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines, Complex* lines);

 private:
  struct Scratch;
  void condition_line(Scratch& scratch, const std::byte* samples, SampleType type, Complex* line) const;

  std::shared_ptr<const BandPlan> plan_;
  std::vector<std::shared_ptr<Scratch>> scratch_;  // one a thread
};

// Values of one line as float. [0, n) of `values`.
void widen(const std::byte* samples, SampleType type, int n, float* values);

// Analytic recipe, condition stage by filters in time: mixed to baseband, halved in rate until the band nearly fills
// it, shaped (the plan's band_response()), doubled in rate up to the plan's. Some hundred multiply-adds a sample where
// BandConditioner's transforms, the specification, take as many thousands; the same lines up to the filters' -70 dB.

class FirConditioner {
 public:
  // False when the plan's band is not for filters (wider than the input's rate): then BandConditioner must do it.
  // Designs filters only when `plan` is another one.
  [[nodiscard]] bool set_plan(const std::shared_ptr<const BandPlan>& plan, double sampling_hz, const LineSteps& steps,
                              int threads);

  // samples: [n_lines][n_samples], type as given (IQ: pairs) -> lines: [n_lines][n_out], zero from n_valid on;
  // peaks[n_lines]: the largest |re| or |im| of each line.
  void run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines, Complex* lines,
           float* peaks);

 private:
  // y[m] = sum over k of taps[k] x[m + first + k]
  struct Phase {
    std::vector<float> taps;
    int first = 0;
  };
  enum class Rate { halve, keep, twice };
  // halve: y = even * x[0::2] + odd * x[1::2];  keep: y = even * x;  twice: y[0::2] = even * x, y[1::2] = odd * x
  struct Stage {
    Rate rate;
    Phase even, odd;
    int begin = 0, end = 0;  // samples of y that are needed; begin <= 0, even
  };
  struct Plane {
    std::vector<float> re, im;
  };
  struct Scratch {
    std::vector<float> values;   // the raw line
    std::vector<Plane> signals;  // input of each stage, and the last one's output
    std::vector<float> even, odd;
  };

  void design(double sampling_hz);
  void find_ranges();
  void make_scratch(int threads);
  void make_mixers(double sampling_hz);
  float condition_line(Scratch& s, const std::byte* samples, SampleType type, Complex* line) const;
  void apply(const Stage& stage, int in_begin, int in_end, Scratch& s, const float* x, float* y) const;

  std::shared_ptr<const BandPlan> plan_;
  const LineSteps* steps_ = nullptr;
  bool usable_ = false;
  std::vector<Stage> stages_;
  int in_begin_ = 0, in_end_ = 0;     // samples of the mixed line that are needed
  std::vector<float> cosine_, sine_;  // [n_samples] of the mixer; gain 2 for RF included
  std::vector<Complex> turn_;         // [n_valid] from the band's middle to the plan's demodulation frequency
  std::vector<Scratch> scratch_;      // one a thread
};

// Delay-and-sum of a frame with the kernels of das_window.h: lines to int16 on the frame's own scale, then tiles.

class WindowDas {
 public:
  // False when the plan is not for these kernels (delays beyond 16.16 fixed point, lines without a pair of samples, a
  // transmit for each column, weights by cones): then das_row() must do it. Makes no table: quick.
  [[nodiscard]] bool set_plan(const std::shared_ptr<const DasPlan>& plan, int threads);

  // False when the frame has no scale (nothing but zeros, or values that are not finite). Deterministic: the scale is
  // the frame's own largest component.  lines: [n_tx][n_el][n_line]; peaks: [n_tx][n_el]
  [[nodiscard]] bool quantise(WorkerPool& pool, const LineSteps& steps, const Complex* lines, const float* peaks);

  void run(WorkerPool& pool, WindowTile tile, Complex* image);  // [nz][nx]

 private:
  struct Memory {  // of one thread
    std::vector<float> sums;
    std::vector<std::int32_t> delay, start;
  };

  std::shared_ptr<const DasPlan> plan_;
  bool usable_ = false;
  WindowInput frame_{};
  std::vector<float> x_m_, down_m_, element_x_m_, element_z_m_;
  std::vector<std::uint32_t> pairs_;
  std::vector<Memory> memory_;
};

// Adaptive methods (dsp/methods/) on the CPU: row by row (method_rows.h, slsc_rows.h); minimum variance, and line by
// line imaging, pixel by pixel.

struct DasInput {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
};

// Work space of the methods, which only grows.
struct MethodScratch {
  std::vector<std::vector<Complex>> own;  // one a thread
  std::vector<float> rows;                // slsc: sums of the rows that are kept
};

// pixels [nz][nx]: delay-and-sum, or the pixels of a method that replaces them; weights [nz][nx]: of their amplitudes.
// settings.method is not off; scratch.own has a place for each thread of the pool.
void method_das(WorkerPool& pool, const CpuKernels& kernels, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights);

}  // namespace echoloop
