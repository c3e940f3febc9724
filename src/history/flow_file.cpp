// Flow images on disk.
#include <algorithm>

#include "history/analysis_files.h"
#include "history/export.h"
#include "history/json_text.h"
#include "history/npy_text.h"

namespace echoloop {
namespace {

// Where the power is above the threshold: how much, how fast. Median and extremes of the velocity, which stray pixels
// do not move far.
nlohmann::json summary_json(const FlowImage& flow) {
  std::vector<float> velocities;
  for (std::size_t i = 0; i < flow.power_db.size(); ++i) {
    if (static_cast<double>(flow.power_db[i]) >= flow.params.color_flow.threshold_db) {
      velocities.push_back(flow.velocity_m_s[i]);
    }
  }
  nlohmann::json json = {{"threshold_db", flow.params.color_flow.threshold_db}, {"pixels", velocities.size()}};
  if (velocities.empty()) return json;
  std::ranges::sort(velocities);
  const auto quantile = [&](double share) {
    return velocities[static_cast<std::size_t>(share * static_cast<double>(velocities.size() - 1))];
  };
  json["velocity_m_s"] = {{"p01", quantile(0.01)}, {"median", quantile(0.5)}, {"p99", quantile(0.99)}};
  return json;
}

// PRF, aliasing limit, components, times, summary.
nlohmann::json flow_json(const FlowImage& flow) {
  nlohmann::json json = {
      {"frames", flow.frames},
      {"prf_hz", flow.prf_hz},
      {"received_center_hz", flow.center_hz},
      {"aliasing_m_s", flow.aliasing_m_s},
      {"reference_db", flow.reference_db},
      {"age_ms", static_cast<double>(flow.ready_ns - flow.stamp.acquired_ns) * 1e-6},
      {"times_ms",
       {{"decompose", flow.times.decompose_ms}, {"filter", flow.times.filter_ms}, {"total", flow.times.total_ms}}},
      {"above_threshold", summary_json(flow)}};
  if (!flow.singular_values.empty()) {
    json["singular_values"] = flow.singular_values;
    json["components"] = {{"first", flow.first_component}, {"last", flow.last_component}};
    json["relative_error"] = flow.relative_error;
  }
  return json;
}

// float32, shape [2][nz][nx]: power in dB, velocity in m/s; of a low-rank image [3], the image in dB last. The JSON
// beside it: as write_image_npy(), with what made the flow image and a summary of where it shows flow.
void write_flow_npy(const std::filesystem::path& path, const FlowImage& flow, const nlohmann::json& about) {
  const bool low_rank = !flow.low_rank_db.empty();
  const std::string shape =
      std::string(low_rank ? "3, " : "2, ") + std::to_string(flow.grid.nz) + ", " + std::to_string(flow.grid.nx);
  nlohmann::json sidecar = about;
  sidecar["file"] = path.filename().string();
  sidecar["order"] = std::string("[power dB, velocity m/s positive towards the probe") +
                     (low_rank ? ", low-rank image dB]" : "]") +
                     (flow.grid.polar() ? "[i_radius][i_line], float32" : "[iz][ix], float32");
  sidecar["grid"] = grid_json(flow.grid);
  sidecar["parameters"] = params_json(flow.params);
  sidecar["frame"] = frame_json(flow.stamp);
  sidecar["flow"] = flow_json(flow);
  write_pair({{{path, npy_text(shape, {flow.power_db, flow.velocity_m_s, flow.low_rank_db})},
               {std::filesystem::path(path).replace_extension(".json"), json_text(sidecar, 1) + "\n"}}});
}

AnalysisEnd end_flow(LiveImages& live, const AnalysisCounts& counts) {
  const FlowImage& last = last_of(live.flow);
  const auto& n = counts.flow;
  return end_with({{"pictures", n.pictures}, {"late", n.late}, {"restarts", n.restarts}},
                  last.number > 0 ? &last : nullptr, flow_json, write_flow_npy);
}

}  // namespace

extern const AnalysisFileRow kFlowFile;
constinit const AnalysisFileRow kFlowFile{
    .option = "--flow-out",
    .type_name = "F.npy",
    .ending = ".npy",
    .beside = ".json",
    .help =
        "Last flow image: float32 [2][nz][nx], power in dB and velocity in m/s (positive: towards the "
        "probe), with metadata in F.json; needs --set flow=power, velocity or low_rank (then [3]: the newest "
        "frame from the retained components, dB)",
    .report = "flow",
    .is_on = [](const ImagingParams& p) { return p.color_flow.mode != FlowMode::off; },
    .off = "flow = off",
    .on = "--set flow=power, velocity or low_rank",
    .missing = "no ensemble of consecutive frames",
    .needs = "at least flow_frames consecutive frames in the run",
    .end = end_flow,
};

}  // namespace echoloop
