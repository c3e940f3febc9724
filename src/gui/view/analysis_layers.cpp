#include "gui/view/analysis_layers.h"

#include <array>

namespace echoloop {

// Each in a file of its own.
extern const AnalysisLayer kFlowLayer, kObjectsLayer;

namespace {

constexpr std::array kLayers{&kFlowLayer, &kObjectsLayer};

}  // namespace

std::span<const AnalysisLayer* const> analysis_layers() { return kLayers; }

}  // namespace echoloop
