// What is measured of a case: the copy alone, each stage alone, the whole pipeline flat out and paced.
#pragma once

#include <array>
#include <memory>

#include "app/bench/bench_cases.h"
#include "app/stream/session.h"
#include "core/timing_trace.h"

namespace echoloop {

struct BenchRun {
  Backend& backend;
  const BenchCase& bench_case;
  std::shared_ptr<SeekableSource> source;  // noise
  std::shared_ptr<SeekableSource> points;  // echoes
  double seconds = 1.0;                    // of each measurement
  std::shared_ptr<const Plan> plan =
      make_plan(bench_case.acquisition, bench_case.params, nullptr, backend.multiprocessors());
};

// Frames a second that the copy to the device alone reaches, from memory of this kind, with nothing else running.
double copy_frames_per_second(const BenchRun& run, HostMemory kind);

// One frame in flight, inputs rotated: median of each stage, ms.
std::array<StageSummary, kStageCount> stages_alone(const BenchRun& run);

struct PipelineFigures {
  double frames_per_second = 0.0;
  StageSummary latency;  // acquired to image ready
  StreamTiming timing;
  double flow_pictures_per_second = 0.0;  // with flow on; late and broken off as in FlowCounts
  double flow_late_per_second = 0.0;
  double flow_restarts_per_second = 0.0;
};
// rate_hz kRateMax: flat out. Page-locked frames lent in place, overlap, after a warm-up that is not counted and lasts
// to the first flow image, if there are any.
PipelineFigures pipeline_figures(const BenchRun& run, double rate_hz, int lanes);

struct BeamformCheck {
  Precision precision = Precision::fp32;  // that the backend worked in
  double line_rate_hz = 0.0;              // of the conditioned lines
  // Relative L2 error of the complex compounded image against float64: delays, phases, weights and sums in double
  // from the acquisition's geometry, linear interpolation of the same conditioned lines; over some of
  // the pixels.
  double rel_l2 = 0.0;
};
BeamformCheck check_beamform(const BenchRun& run, SeekableSource& source);

double median(std::vector<double> values);
double seconds_since(std::int64_t begin_ns);  // of now_ns()

}  // namespace echoloop
