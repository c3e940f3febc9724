// Measurements of a case: the copy alone, each stage alone, the whole pipeline at full speed and paced.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/stream/session.h"
#include "bench/program/bench_cases.h"
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

// Returns the frames per second of the copy to the device alone, from memory of this kind, with nothing else running.
double copy_frames_per_second(const BenchRun& run, HostMemory kind);

// Returns the median of each stage, ms, with one frame in flight and rotating inputs.
std::array<StageSummary, kStageCount> stages_alone(const BenchRun& run);

struct PipelineFigures {
  double frames_per_second = 0.0;
  StageSummary latency;  // acquired to image ready
  StreamTiming timing;
  double flow_pictures_per_second = 0.0;  // with flow on; late and interrupted as in FlowCounts
  double flow_late_per_second = 0.0;
  double flow_restarts_per_second = 0.0;
};
// Measures the pipeline. rate_hz kRateMax: full speed. Page-locked frames lent in place, overlap, after an uncounted
// warm-up up to the first flow image, if any.
PipelineFigures pipeline_figures(const BenchRun& run, double rate_hz, int lanes);

struct BeamformCheck {
  Precision precision = Precision::fp32;  // used by the backend
  double line_rate_hz = 0.0;              // of the conditioned lines
  // Relative L2 error of the complex compounded image against float64: delays, phases, weights and sums in double from
  // the acquisition's geometry, linear interpolation of the same conditioned lines; over some of the pixels.
  double rel_l2 = 0.0;
};
BeamformCheck check_beamform(const BenchRun& run, SeekableSource& source);

double median(std::vector<double> values);
double seconds_since(std::int64_t begin_ns);  // of now_ns()

// Rows of `echoloop bench`: printed as added, kept for the JSON.

class BenchTable {
 public:
  // Adds a row and prints it. `facts`: those of the row in addition to case, what and, for a stream, its input and
  // beamforming.
  void add(const BenchCase& c, const std::string& what, const nlohmann::json& facts);
  void add(const std::string& name, const std::string& what, const nlohmann::json& facts);
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  void append(nlohmann::json row, std::string text, const nlohmann::json& facts);

  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace echoloop
