#include "app/outputs/live_outputs.h"

#include "app/outputs/provenance.h"
#include "core/error.h"
#include "history/export.h"

namespace echoloop {
namespace {

// The last of what was made, which a window may have taken already; number 0: nothing was.
template <class T>
const T& last_of(Mailbox<T>& made) {
  made.take();
  return made.front();
}

nlohmann::json end_flow(const EndedRun& run, const FlowImage& last, FileWriter& writer) {
  const FlowCounts counts = run.session.analysis_counts().flow;
  nlohmann::json json = {{"pictures", counts.pictures}, {"late", counts.late}, {"restarts", counts.restarts}};
  const std::filesystem::path& file = run.options.flow_out;
  if (last.number > 0) {
    json["last"] = flow_json(last);
    if (!file.empty()) writer([&] { write_flow_npy(file, last, program_json(run.backend, run.source)); });
  } else if (!file.empty()) {
    writer([] {
      throw Error("--flow-out", "no ensemble of consecutive frames",
                  "at least flow_frames consecutive frames in the run");
    });
  }
  return json;
}

nlohmann::json end_structure(const EndedRun& run, const StructureImage& last, FileWriter& writer) {
  const StructureCounts counts = run.session.analysis_counts().structure;
  nlohmann::json json = {{"pictures", counts.pictures}, {"replaced", counts.replaced}};
  const std::filesystem::path& file = run.options.structure_out;
  if (last.number > 0) {
    json["last"] = structure_json(last);
    if (!file.empty()) writer([&] { write_structure_files(file, last, program_json(run.backend, run.source)); });
  } else if (!file.empty()) {
    writer([] { throw Error("--structure-out", "no image was processed", "a run of at least one frame"); });
  }
  return json;
}

nlohmann::json end_spectrogram(const EndedRun& run, const Spectrogram& last, FileWriter& writer) {
  const SpectrogramCounts counts = run.session.analysis_counts().spectrogram;
  nlohmann::json json = {{"columns", counts.columns}, {"gaps", counts.gaps}, {"late", counts.late}};
  const std::filesystem::path& file = run.options.spectrogram_out;
  if (counts.columns > 0 && last.number > 0) {
    json["last"] = spectrogram_json(last);
    if (!file.empty()) writer([&] { write_spectrogram_npy(file, last, program_json(run.backend, run.source)); });
  } else if (!file.empty()) {
    writer([] {
      throw Error("--sonogram-out", "no consecutive frames for a spectrum, or the sample volume is outside the image",
                  "a sample volume inside the image and at least sonogram_frames consecutive frames");
    });
  }
  return json;
}

}  // namespace

void require_live_outputs(const Options& options, const ImagingParams& params) {
  if (!options.flow_out.empty() && params.color_flow.mode == FlowMode::off) {
    throw Error("--flow-out", "flow = off", "--set flow=power, velocity or low_rank");
  }
  if (!options.structure_out.empty() && params.objects.kind == Structure::off) {
    throw Error("--structure-out", "structure = off", "--set structure=bright or dark");
  }
  if (!options.spectrogram_out.empty() && params.doppler.gate == Gate::off) {
    throw Error("--sonogram-out", "gate = off", "--set gate=on");
  }
}

void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer) {
  if (run.params.color_flow.mode != FlowMode::off) report["flow"] = end_flow(run, last_of(live.flow), writer);
  if (run.params.objects.kind != Structure::off)
    report["structure"] = end_structure(run, last_of(live.structure), writer);
  if (run.params.doppler.gate != Gate::off)
    report["sonogram"] = end_spectrogram(run, last_of(live.spectrogram), writer);
}

}  // namespace echoloop
