#include "bench/program/bench_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <thread>
#include <utility>

#include "app/options/terminal.h"
#include "backend/fp16/packed_plan.h"
#include "backend/frame_processor.h"
#include "core/error.h"
#include "core/params.h"
#include "core/units.h"
#include "dsp/das.h"

namespace echoloop {
namespace {

RfFrame frame_of(SeekableSource& source, std::uint64_t index) {
  return {.stamp = {.sequence = index, .source_index = index, .acquired_ns = now_ns(), .time_s = 0.0},
          .samples = source.at(index, {})};
}

constexpr double kFlowLimit_s = 600.0;  // a slow machine needs a minute for the frames of an ensemble

// Waits for the first flow image; throws the reason if there is none.
void wait_for_flow(Session& session) {
  const std::int64_t begin_ns = now_ns();
  while (std::get<FlowCounts>(session.analysis_counts()).pictures == 0) {
    if (const std::string why = session.take_refusal(); !why.empty()) throw Error("echoloop bench", why, "flow");
    if (seconds_since(begin_ns) > kFlowLimit_s) throw Error("echoloop bench", "no flow image within 600 s", "flow");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

double seconds_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-9; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

double copy_frames_per_second(const BenchRun& run, HostMemory kind) {
  constexpr std::size_t kLanes = 3;  // two copies are always queued after the current one
  std::unique_ptr<PageLock> lock;
  if (kind == HostMemory::pinned) lock = run.backend.page_lock(run.source->zero_copy_memory());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes.push_back(run.backend.make_lane(static_cast<int>(i), StreamMode::overlap));
    lanes.back()->set_plan(run.plan);
  }
  std::int64_t begin_ns = 0;
  std::uint64_t begin = 0;
  for (std::uint64_t i = 0;; ++i) {
    Lane& lane = *lanes[i % kLanes];
    while (i >= kLanes && !lane.uploaded()) std::this_thread::yield();
    if (i == 4 * kLanes) {  // the first copies warm up
      begin_ns = now_ns();
      begin = i;
    }
    if (begin_ns != 0 && seconds_since(begin_ns) >= run.seconds) {
      return static_cast<double>(i - begin) / seconds_since(begin_ns);
    }
    lane.upload(frame_of(*run.source, i));
  }
}

std::array<StageSummary, kStageCount> stages_alone(const BenchRun& run) {
  constexpr std::size_t kLanes = 4;  // their buffers rotate past the caches as well
  const std::unique_ptr<PageLock> lock = run.backend.page_lock(run.source->zero_copy_memory());
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::size_t i = 0; i < kLanes; ++i) {
    lanes.push_back(run.backend.make_lane(static_cast<int>(i), StreamMode::overlap));
    lanes.back()->set_plan(run.plan);
  }
  TimingTrace trace;
  const std::int64_t begin_ns = now_ns();
  for (std::uint64_t i = 0; i < 16 || seconds_since(begin_ns) < run.seconds; ++i) {
    Lane& lane = *lanes[i % kLanes];
    form_frame(lane, run.plan, frame_of(*run.source, i));
    make_image(lane, *run.plan, {.copy = HostCopy::none});
    lane.wait();
    if (i >= 8) lane.append_spans(trace);
  }
  return trace.summarize_stages();
}

PipelineFigures pipeline_figures(const BenchRun& run, double rate_hz, int lanes) {
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  TimingTrace trace;
  StreamSettings stream;
  stream.rate_hz = rate_hz;
  stream.lanes = lanes;
  Session session(run.backend, run.source, images, trace,
                  {.stream = stream,
                   .params = run.bench_case.params,
                   .max_frames = 0,
                   .host_copy = HostCopy::none,
                   .analyses = AnalysisMailboxes::only(flows)});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (run.bench_case.params.color_flow.mode != FlowMode::off) wait_for_flow(session);
  trace.clear();
  const FlowCounts flow_begin = std::get<FlowCounts>(session.analysis_counts());
  const std::int64_t begin_ns = now_ns();
  const std::uint64_t begin = session.counts().processed;
  constexpr std::uint64_t kLeastFrames = 10;  // slow frames may need a minute
  const auto enough = [&] {
    const double passed = seconds_since(begin_ns);
    return passed > 60.0 || (passed >= run.seconds && session.counts().processed - begin >= kLeastFrames);
  };
  while (!enough()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const double passed_s = seconds_since(begin_ns);
  const auto rate = [passed_s](std::uint64_t end, std::uint64_t start) {
    return static_cast<double>(end - start) / passed_s;
  };
  const FlowCounts flow = std::get<FlowCounts>(session.analysis_counts());
  PipelineFigures figures{.frames_per_second = rate(session.counts().processed, begin),
                          .latency = trace.summarize_latency(Latency::ready),
                          .timing = stream_timing(trace.spans()),
                          .flow_pictures_per_second = rate(flow.pictures, flow_begin.pictures),
                          .flow_late_per_second = rate(flow.late, flow_begin.late),
                          .flow_restarts_per_second = rate(flow.restarts, flow_begin.restarts)};
  session.stop();
  return figures;
}

using nlohmann::json;

void BenchTable::append(json row, std::string text, const json& facts) {
  for (const auto& [key, value] : facts.items()) {
    if (value.is_number_float()) text += fmt::format("  {} {:.4g}", key, value.get<double>());
    if (value.is_number_integer()) text += fmt::format("  {} {}", key, value.get<long long>());
    if (value.is_string()) text += "  " + value.get<std::string>();
  }
  print_out("{}\n", text);
  std::fflush(stdout);
  row.update(facts);
  rows_.push_back(std::move(row));
}

void BenchTable::add(const BenchCase& c, const std::string& what, const json& facts) {
  const std::string input = c.acquisition->sample_type == SampleType::int16 ? "int16" : "float32";
  append({{"case", c.name},
          {"what", what},
          {"input", input},
          {"f_number", c.params.formation.f_number},
          {"recipe", c.params.formation.recipe == Recipe::course ? "course" : "analytic"}},
         fmt::format("{:5} {:10} {:8} F {:<4g}", c.name, what, input, c.params.formation.f_number), facts);
}

void BenchTable::add(const std::string& name, const std::string& what, const json& facts) {
  append({{"case", name}, {"what", what}}, fmt::format("{} {:10}", name, what), facts);
}

// Delay-and-sum in double precision, directly from the acquisition's geometry, without tables of the plan.

namespace {

using Value = std::complex<double>;
constexpr std::size_t kPixels = 1500;      // at most,
constexpr std::size_t kPairs = 2'500'000;  // pairs with lines

struct ConditionedLines {
  const std::vector<float>& values;  // (re, im) [n_tx][n_el][n_line]
  const BandPlan& band;
  [[nodiscard]] Value at(std::size_t line, double position) const {
    const double whole = std::floor(position);
    if (whole < 0.0 || whole >= band.n_valid - 1) return {};
    const std::size_t i = 2 * (line * static_cast<std::size_t>(band.n_out) + static_cast<std::size_t>(whole));
    const double w = position - whole;
    return {values[i] + w * (static_cast<double>(values[i + 2]) - values[i]),
            values[i + 1] + w * (static_cast<double>(values[i + 3]) - values[i + 1])};
  }
};

// Returns the path that a lane used, by the number of values in its lines; the tuned one if both make the same number,
// since a plan has it only if the backend does.
Precision precision_of(const Plan& plan, std::size_t line_values) {
  const auto n_lines = static_cast<std::size_t>(plan.acquisition->n_transmits() * plan.acquisition->n_elements());
  const auto values = [&](const BandPlan& band) { return 2 * n_lines * static_cast<std::size_t>(band.n_out); };
  return plan.packed == nullptr || line_values != values(*plan.packed->band) ? Precision::fp32 : Precision::fp16;
}

Value pixel_reference(const Plan& plan, const ConditionedLines& lines, double x, double z) {
  const Acquisition& a = *plan.acquisition;
  const ImagingParams& p = plan.params;
  const auto axes = picked_axes(a, {.count = a.n_transmits()});
  Value sum{};
  std::size_t line = 0;
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    const Transmit& t = a.transmits[k];
    const BeamAxis* const axis = axes.empty() ? nullptr : &axes[k];
    const double there_s = transmit_delay_s(t, a.probe, x, z, p.formation.sound_speed_m_s, axis) - t.t0_s;
    for (const Element& e : a.probe.elements) {
      const double dx = x - e.x_m;
      const double dz = z - e.z_m;
      const std::size_t here = line++;
      if (p.formation.f_number > 0.0 && std::abs(dx) > dz / (2.0 * p.formation.f_number) * (1.0 + 1e-6)) continue;
      const double time_s = there_s + std::hypot(dx, dz) / p.formation.sound_speed_m_s;
      sum += std::polar(1.0, 2.0 * M_PI * std::fmod(lines.band.demod_hz * time_s, 1.0)) *
             lines.at(here, time_s * lines.band.line_rate_hz);
    }
  }
  return sum;
}

}  // namespace

BeamformCheck check_beamform(const BenchRun& run, SeekableSource& source) {
  const auto lane = run.backend.make_lane(0, StreamMode::overlap);
  const Plan& plan = *run.plan;
  form_frame(*lane, run.plan, {.stamp = {}, .samples = source.at(0, {})});
  make_image(*lane, plan, {.copy = HostCopy::none});
  lane->wait();
  const std::vector<float> conditioned = lane->read_back(Lane::Tap::conditioned);
  const std::vector<float> pixels = lane->read_back(Lane::Tap::beamformed);
  const Precision precision = precision_of(plan, conditioned.size());
  const ConditionedLines lines{conditioned, precision == Precision::fp16 ? *plan.packed->band : *plan.band};
  const Grid& grid = plan.grid;
  double difference = 0.0;
  double energy = 0.0;
  const auto n_lines = static_cast<std::size_t>(plan.acquisition->n_transmits() * plan.acquisition->n_elements());
  const std::size_t n_pixels = std::clamp<std::size_t>(kPairs / n_lines, 1, kPixels);
  const std::size_t step = std::max<std::size_t>(1, grid.pixels() / n_pixels) | 1;
  for (std::size_t i = 0; i < grid.pixels(); i += step) {
    const auto nx = static_cast<std::size_t>(grid.nx);
    const PlanePoint at = grid.point(static_cast<int>(i % nx), static_cast<int>(i / nx));
    const Value want = pixel_reference(plan, lines, at.x_m, at.z_m);
    const Value found{pixels[2 * i], pixels[2 * i + 1]};
    difference += std::norm(found - want);
    energy += std::norm(want);
  }
  return {.precision = precision,
          .line_rate_hz = lines.band.line_rate_hz,
          .rel_l2 = energy > 0.0 ? std::sqrt(difference / energy) : 0.0};
}

}  // namespace echoloop
