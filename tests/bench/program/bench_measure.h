// What is measured of a case: the copy alone, each stage alone, the whole pipeline flat out and paced.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/program/bench_cases.h"
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

// The rows of `echoloop bench`: printed as they come, kept for the JSON.

class BenchTable {
 public:
  // Adds a row and prints it. `facts`: what applies to it beside case, what and, of a stream, its input and how it is
  // beamformed.
  void add(const BenchCase& c, const std::string& what, const nlohmann::json& facts);
  void add(const std::string& name, const std::string& what, const nlohmann::json& facts);
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  void append(nlohmann::json row, std::string text, const nlohmann::json& facts);

  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace echoloop
