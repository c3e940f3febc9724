#include "history/analysis_files.h"

#include <array>

namespace echoloop {

// Each in a file of its own.
extern const AnalysisFileRow kFlowFile, kObjectsFile, kSpectrogramFile;

namespace {

constexpr std::array kAnalysisFiles{&kFlowFile, &kObjectsFile, &kSpectrogramFile};

}  // namespace

std::span<const AnalysisFileRow* const> analysis_files() { return kAnalysisFiles; }

}  // namespace echoloop
