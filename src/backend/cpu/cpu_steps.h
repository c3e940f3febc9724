// Stages of a recipe on the CPU, as LaneSteps on a GPU: each computes at once, with all threads of the pool. Two
// implementations: the analytic recipe and the course's. Processing thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/isa_loops.h"
#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"
#include "core/sample_log.h"
#include "dsp/das.h"
#include "dsp/level.h"
#include "dsp/methods/method.h"

namespace echoloop {

// Delay-and-sum of one image row (line-by-line imaging: one column) on the CPU: the element functions of dsp/das.h in
// loops along the pixels that vectorise. das_pixel() is the specification; a test compares them.

// Returns the floats of work space, for each thread, for rows of nx pixels (columns: nz) and n_tx sums.
std::size_t row_scratch(int n_pixels, int n_tx);

// Computes row iz of the complex image, pixels[0 .. nx), with every transmit at every pixel (geometry.columns is null).
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);

// Computes column ix of the complex image [nz][nx] from the transmits of geometry.columns.
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* image);

namespace portable {  // versions for every machine, by name
void das_row(const DasGeometry& geometry, const Complex* iq, int iz, float* scratch, Complex* pixels);
void das_column(const DasGeometry& geometry, const Complex* iq, int ix, float* scratch, Complex* image);
}  // namespace portable

// Kernels in use: chosen once per backend by the processor's feature flags, never by its model.

struct CpuKernels {
  const char* name;     // as in ECHOLOOP_CPU_KERNEL
  WindowTile das_tile;  // null: no tuned path
  const LineSteps* steps;
  const SlowTimeSteps* slow_time;
  MethodRowKernel method_row;
  const RowsKernel* slsc;
};

struct CpuDeviceRow {
  std::unique_ptr<AnalysisDevice> (*make)(int threads, const CpuKernels& kernels);
};

// Throws Error for a kernel that this processor lacks.
const CpuKernels& cpu_kernels(CpuKernel kernel);

// Counts the invalid samples of a frame, which several threads read.
class InvalidSamples {
 public:
  void begin(int n_elements) {
    found_ = {};
    n_elements_ = n_elements;
  }
  void note(int line, int count) {
    if (count == 0) return;
    const std::scoped_lock lock(mutex_);
    found_.samples += static_cast<std::uint64_t>(count);
    found_.elements.resize(static_cast<std::size_t>(n_elements_));
    found_.elements[static_cast<std::size_t>(line % n_elements_)] = true;
  }
  // Returns those of the frame; null: none.
  [[nodiscard]] std::shared_ptr<const SampleFaultCount> found() const {
    return found_.samples > 0 ? std::make_shared<const SampleFaultCount>(found_) : nullptr;
  }

 private:
  std::mutex mutex_;  // guards found_ during a frame
  SampleFaultCount found_;
  int n_elements_ = 1;
};

class CpuSteps {
 public:
  virtual ~CpuSteps() = default;
  virtual void set_plan(const Plan& plan) = 0;
  // `samples`: those of the picked transmits, contiguous. `invalid`: begun.
  virtual void condition(std::span<const std::byte> samples, InvalidSamples& invalid) = 0;
  virtual void beamform() = 0;
  virtual void envelope(float* amplitudes) = 0;  // [nz][nx] of the image's grid
  // Returns the level in dB that the recipe derives from the frame itself; empty: none.
  [[nodiscard]] virtual std::optional<float> own_level_db(std::span<const float> /*amplitudes*/) const { return {}; }
  [[nodiscard]] virtual PixelView pixels() const { return {}; }  // see Lane::pixels
  // See Lane::write_input() and put_pixels().
  virtual void write_input(OwnInput /*input*/, int /*first*/, int /*rows*/, std::span<std::byte> /*to*/) {}
  virtual void put_pixels(std::span<const Complex> /*values*/) {}
  [[nodiscard]] virtual WeighedPixels weighed_pixels() const { return {}; }     // input of envelope()
  [[nodiscard]] virtual std::vector<float> read_back(Lane::Tap tap) const = 0;  // conditioned or beamformed
};

std::unique_ptr<CpuSteps> make_analytic_cpu_steps(WorkerPool& pool, const CpuKernels& kernels);
std::unique_ptr<CpuSteps> make_course_cpu_steps(WorkerPool& pool);

// Analytic recipe, condition stage on the CPU: mean of RF removed, FFT, band selection, inverse FFT, line by line.

class BandConditioner {
 public:
  // Makes transforms and scratch per thread, again only when a size changes.
  void set_plan(const std::shared_ptr<const BandPlan>& plan, int threads);

  // samples: [n_lines][n_samples], type as given (IQ: pairs) -> lines: [n_lines][n_out]
  void run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines, Complex* lines,
           InvalidSamples& invalid);

 private:
  struct Scratch;
  // Returns the number of invalid samples.
  int condition_line(Scratch& scratch, const std::byte* samples, SampleType type, Complex* line) const;

  std::shared_ptr<const BandPlan> plan_;
  std::vector<std::shared_ptr<Scratch>> scratch_;  // per thread
};

// Converts n values of one line to float, invalid ones to 0. Returns their number.
int widen(const std::byte* samples, SampleType type, int n, float* values);

// Analytic recipe, condition stage by filters in time: mixed to baseband, halved in rate until the band nearly fills
// it, shaped (the plan's band_response()), doubled in rate up to the plan's. Some hundred multiply-adds per sample;
// BandConditioner's transforms, the specification, need as many thousands. Lines are equal up to -70 dB.

class FirConditioner {
 public:
  // Returns false if filters do not support the plan's band (wider than the input's rate): use BandConditioner. Designs
  // filters only for a new `plan`.
  [[nodiscard]] bool set_plan(const std::shared_ptr<const BandPlan>& plan, double sampling_hz, const LineSteps& steps,
                              int threads);

  struct Lines {
    Complex* values;  // [n_lines][n_out], zero from n_valid on
    float* peaks;     // [n_lines] the largest |re| or |im| of each
  };
  // samples: [n_lines][n_samples], type as given (IQ: pairs)
  void run(WorkerPool& pool, std::span<const std::byte> samples, SampleType type, int n_lines, const Lines& to,
           InvalidSamples& invalid);

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
    int begin = 0, end = 0;  // required samples of y; begin <= 0, even
  };
  struct Plane {
    std::vector<float> re, im;
  };
  struct Scratch {
    std::vector<float> values;   // raw line
    std::vector<Plane> signals;  // input of each stage, and output of the last
    std::vector<float> even, odd;
  };

  void design(double sampling_hz);
  void find_ranges();
  void make_scratch(int threads);
  void make_mixers(double sampling_hz);
  // Returns the number of invalid samples.
  int condition_line(Scratch& s, const std::byte* samples, SampleType type, Complex* line, float& peak) const;
  void apply(const Stage& stage, int in_begin, int in_end, Scratch& s, const float* x, float* y) const;

  std::shared_ptr<const BandPlan> plan_;
  const LineSteps* steps_ = nullptr;
  bool usable_ = false;
  std::vector<Stage> stages_;
  int in_begin_ = 0, in_end_ = 0;     // required samples of the mixed line
  std::vector<float> cosine_, sine_;  // [n_samples] of the mixer; gain 2 for RF included
  std::vector<Complex> turn_;         // [n_valid] from the band's centre to the plan's demodulation frequency
  std::vector<Scratch> scratch_;      // per thread
};

// Delay-and-sum of a frame with the kernels of isa_loops.h: lines to int16 scaled per frame, then tiles.

class WindowDas {
 public:
  // Returns false if these kernels do not support the plan (delays beyond 16.16 fixed point, lines without a pair of
  // samples, a transmit per column, weights by cones, bent paths): use das_row(), of bent paths das_pixel(). Quick:
  // makes no table.
  [[nodiscard]] bool set_plan(const std::shared_ptr<const DasPlan>& plan, int threads);

  // Returns false if the frame has no scale (only zeros, or non-finite values). Deterministic: the scale is the frame's
  // own largest component. lines: [n_tx][n_el][n_line]; peaks: [n_tx][n_el]
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

// Adaptive methods (dsp/methods/) on the CPU: row by row (isa_loops.h); minimum variance and line-by-line imaging pixel
// by pixel.

struct DasInput {
  const DasGeometry& geometry;
  const Complex* lines;  // [n_tx][n_el][n_line]
};

// Work space of the methods; only grows.
struct MethodScratch {
  std::vector<std::vector<Complex>> own;  // per thread
  std::vector<float> rows;                // kept of the rows in use, for methods that read rows
};

// Code of an own method. It is not called again after a fault.
class OwnCode {
 public:
  virtual ~OwnCode() = default;
  // Same as method_das(). Returns false after a fault: the image is incomplete.
  virtual bool run(WorkerPool& pool, const MethodSettings& settings, const DasInput& input, MethodScratch& scratch,
                   Complex* pixels, float* weights) const = 0;
  // Returns why the code is not called any more; empty: it is. Any thread.
  [[nodiscard]] virtual std::string fault() const = 0;
};

// pixels [nz][nx]: delay-and-sum, or the pixels of a method that replaces them; weights [nz][nx]: factors of their
// amplitudes. settings.method is not off; scratch.own has an entry per thread of the pool.
void method_das(WorkerPool& pool, const CpuKernels& kernels, const MethodSettings& settings, const DasInput& input,
                MethodScratch& scratch, Complex* pixels, float* weights);

}  // namespace echoloop
