#include "app/live_outputs.h"

#include "app/provenance.h"
#include "core/error.h"
#include "history/export.h"

namespace echoloop {
namespace {

nlohmann::json end_flow(const Options& options, const Backend& backend, const Session& session,
                        Mailbox<FlowImage>& flows) {
  const FlowCounts counts = session.flow_counts();
  nlohmann::json json = {{"pictures", counts.pictures}, {"late", counts.late}, {"restarts", counts.restarts}};
  if (flows.take()) {
    json["last"] = flow_json(flows.front());
    if (!options.flow_out.empty()) {
      write_flow_npy(options.flow_out, flows.front(), program_json(backend, options.source));
    }
  } else if (!options.flow_out.empty()) {
    throw Error("--flow-out", "found no ensemble of frames that follow each other",
                "at least flow_frames of them in the run");
  }
  return json;
}

nlohmann::json end_structure(const Options& options, const Backend& backend, const Session& session,
                             Mailbox<StructureImage>& structures) {
  const StructureCounts counts = session.structure_counts();
  nlohmann::json json = {{"pictures", counts.pictures}, {"replaced", counts.replaced}};
  if (structures.take()) {
    json["last"] = structure_json(structures.front());
    if (!options.structure_out.empty()) {
      write_structure_files(options.structure_out, structures.front(), program_json(backend, options.source));
    }
  } else if (!options.structure_out.empty()) {
    throw Error("--structure-out", "found no picture to look at", "a run of at least one frame");
  }
  return json;
}

nlohmann::json end_sonogram(const Options& options, const Backend& backend, const Session& session,
                            Mailbox<Sonogram>& sonograms) {
  const SonogramCounts counts = session.sonogram_counts();
  nlohmann::json json = {{"columns", counts.columns}, {"gaps", counts.gaps}, {"late", counts.late}};
  if (counts.columns > 0 && sonograms.take()) {
    json["last"] = sonogram_json(sonograms.front());
    if (!options.sonogram_out.empty()) {
      write_sonogram_npy(options.sonogram_out, sonograms.front(), program_json(backend, options.source));
    }
  } else if (!options.sonogram_out.empty()) {
    throw Error("--sonogram-out", "found no window of frames that follow each other in a gate on the picture",
                "a gate on the picture, and at least sonogram_frames frames in the run");
  }
  return json;
}

}  // namespace

void require_live_outputs(const Options& options, const ImagingParams& params) {
  if (!options.flow_out.empty() && params.flow == FlowMode::off) {
    throw Error("--flow-out", "found flow = off", "--set flow=power, velocity or low_rank");
  }
  if (!options.structure_out.empty() && params.structure == Structure::off) {
    throw Error("--structure-out", "found structure = off", "--set structure=bright or dark");
  }
  if (!options.sonogram_out.empty() && params.gate == Gate::off) {
    throw Error("--sonogram-out", "found gate = off", "--set gate=on");
  }
}

void end_live_outputs(const Options& options, const ImagingParams& params, const Backend& backend,
                      const Session& session, LiveImages& live, nlohmann::json& report) {
  if (params.flow != FlowMode::off) report["flow"] = end_flow(options, backend, session, live.flow);
  if (params.structure != Structure::off) {
    report["structure"] = end_structure(options, backend, session, live.structure);
  }
  if (params.gate != Gate::off) report["sonogram"] = end_sonogram(options, backend, session, live.sonogram);
}

}  // namespace echoloop
