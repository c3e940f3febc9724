// Analytic recipe, condition stage by filters in time: mixed to baseband, halved in rate until the band nearly fills
// it, shaped (the plan's band_response()), doubled in rate up to the plan's. Some hundred multiply-adds a sample where
// BandConditioner's transforms, the specification, take as many thousands; the same lines up to the filters' -70 dB.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/line_steps.h"
#include "backend/cpu/worker_pool.h"
#include "backend/plan.h"

namespace echoloop {

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

}  // namespace echoloop
