#include "app/outputs/live_outputs.h"

#include "app/outputs/provenance.h"
#include "core/error.h"
#include "history/analysis_files.h"

namespace echoloop {

void require_live_outputs(const Options& options, const ImagingParams& params) {
  for (const AnalysisFileRow* const row : analysis_files()) {
    if (!analysis_file(options, row->option).empty() && !row->is_on(params))
      throw Error(row->option, row->off, row->on);
  }
}

void end_live_outputs(const EndedRun& run, LiveImages& live, nlohmann::json& report, FileWriter& writer) {
  const AnalysisCounts counts = run.session.analysis_counts();
  for (const AnalysisFileRow* const row : analysis_files()) {
    if (!row->is_on(run.params)) continue;
    AnalysisEnd end = row->end(live, counts);
    report[row->report] = std::move(end.report);
    const std::filesystem::path file = analysis_file(run.options, row->option);
    if (file.empty()) continue;
    writer([&] {
      if (!end.write) throw Error(row->option, row->missing, row->needs);
      end.write(file, program_json(run.backend, run.source));
    });
  }
}

}  // namespace echoloop
