// Results of the live stream on their way to the window: images and analyses.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"

namespace echoloop {

// The analyses of the live stream: a struct each, with its types and the rows that the parts of the program read, and
// their list. An analysis without a row of one kind does not take part there.

struct AnalysisRow;      // backend/analysis.h: its engine
struct CpuDeviceRow;     // backend/cpu/cpu_steps.h: its device on the CPU
struct CudaDeviceRow;    // backend/cuda/runtime/context.h: its device on a GPU
struct AnalysisFileRow;  // history/export.h: its file, and its part of the report
struct AnalysisOverlay;  // gui/overlay/analysis_overlays.h: its part of figures and saved images
struct AnalysisLayer;    // gui/view/analysis_layers.h: its part of the image in the window
struct PanelRow;         // gui/state/dock_list.h: its panel
class FlowDevice;        // backend/flow_engine.h
class GateDevice;        // backend/flow_engine.h
class ObjectDevice;      // backend/object_plan.h

// Input of an analysis: pixels of the stream, or images of the stream and of the history.
enum class AnalysisInput { pixels, images };

struct FlowAnalysis {
  using Result = FlowImage;
  using Counts = FlowCounts;
  using Device = FlowDevice;
  static constexpr AnalysisInput kInput = AnalysisInput::pixels;
  // Returns the parameter that turns it on; its first value: off.
  static constexpr auto& mode(auto& params) { return params.color_flow.mode; }
  static const AnalysisRow kEngine;
  static const CpuDeviceRow kOnCpu;
  static const CudaDeviceRow kOnCuda;
  static const AnalysisFileRow kFile;
  static const AnalysisOverlay kOverlay;
  static const AnalysisLayer kLayer;
  static const PanelRow kPanel;
};

struct ObjectAnalysis {
  using Result = ObjectImage;
  using Counts = ObjectCounts;
  using Device = ObjectDevice;
  static constexpr AnalysisInput kInput = AnalysisInput::images;
  static constexpr auto& mode(auto& params) { return params.objects.kind; }
  static constexpr auto kParams = &ImagingParams::objects;
  static const AnalysisRow kEngine;
  static const CpuDeviceRow kOnCpu;
  static const CudaDeviceRow kOnCuda;
  static const AnalysisFileRow kFile;
  static const AnalysisOverlay kOverlay;
  static const AnalysisLayer kLayer;
  static const PanelRow kPanel;
};

struct SpectrogramAnalysis {
  using Result = Spectrogram;
  using Counts = SpectrogramCounts;
  using Device = GateDevice;
  static constexpr AnalysisInput kInput = AnalysisInput::pixels;
  static constexpr auto& mode(auto& params) { return params.doppler.gate; }
  static const AnalysisRow kEngine;
  static const CpuDeviceRow kOnCpu;
  static const CudaDeviceRow kOnCuda;
  static const AnalysisFileRow kFile;
};

using AnalysisList = std::tuple<FlowAnalysis, ObjectAnalysis, SpectrogramAnalysis>;

template <class A>
constexpr bool is_on(const ImagingParams& params) {
  return A::mode(params) != std::remove_cvref_t<decltype(A::mode(params))>{};
}

// Calls `act.operator()<A>()` for each analysis, in the order of the list.
template <class Act>
constexpr void for_each_analysis(const Act& act) {
  [&]<class... A>(std::type_identity<std::tuple<A...>>) {
    (act.template operator()<A>(), ...);
  }(std::type_identity<AnalysisList>{});
}

inline constexpr std::size_t kAnalyses = std::tuple_size_v<AnalysisList>;

// Returns `row_of.operator()<A>()` of each analysis, a pointer to its row.
template <class Row, class RowOf>
constexpr std::array<const Row*, kAnalyses> rows_of_analyses(const RowOf& row_of) {
  std::array<const Row*, kAnalyses> rows{};
  std::size_t i = 0;
  for_each_analysis([&]<class A>() { rows[i++] = row_of.template operator()<A>(); });
  return rows;
}

// Returns the place of an analysis in the list.
template <class Wanted>
constexpr std::size_t index_of_analysis() {
  std::size_t i = 0, found = kAnalyses;
  for_each_analysis([&]<class A>() {
    if (std::is_same_v<A, Wanted>) found = i;
    ++i;
  });
  return found;
}

template <class>
struct AnalysisTuples;
template <class... A>
struct AnalysisTuples<std::tuple<A...>> {
  using Boxes = std::tuple<Mailbox<typename A::Result>...>;
  using BoxPointers = std::tuple<Mailbox<typename A::Result>*...>;
  using Counts = std::tuple<typename A::Counts...>;
};

// Mailboxes of the analyses. Null: not made, whatever the parameters.
struct AnalysisMailboxes {
  AnalysisTuples<AnalysisList>::BoxPointers boxes{};
  LineQueue* line = nullptr;  // M-mode

  template <class Result>
  [[nodiscard]] Mailbox<Result>* of() const {
    return std::get<Mailbox<Result>*>(boxes);
  }
  template <class Result>
  [[nodiscard]] static AnalysisMailboxes only(Mailbox<Result>& box) {
    AnalysisMailboxes mailboxes;
    std::get<Mailbox<Result>*>(mailboxes.boxes) = &box;
    return mailboxes;
  }
};

using AnalysisCounts = AnalysisTuples<AnalysisList>::Counts;  // std::get<FlowCounts>(counts)

struct LiveImages {
  Mailbox<Image> images;
  Mailbox<Image> coarse;  // before one that takes long: for the window alone
  AnalysisTuples<AnalysisList>::Boxes results;
  LineQueue line;  // of the M-mode

  template <class Result>
  [[nodiscard]] Mailbox<Result>& of() {
    return std::get<Mailbox<Result>>(results);
  }
  [[nodiscard]] AnalysisMailboxes analyses() {
    return {.boxes = std::apply([](auto&... box) { return std::tuple(&box...); }, results), .line = &line};
  }
  // Clears the results of another stream, except for the line. No thread may use the mailboxes meanwhile.
  void reset_analyses() {
    std::apply([](auto&... box) { (box.reset(), ...); }, results);
  }
};

// Reprocessed images of history frames on their way to the window: [0] with the parameters of the panels, [1] with the
// parameters A of a comparison; the flow of the ensembles that end with them; and columns of the M-mode.

struct PastImages {
  std::array<Mailbox<Image>, 2> images;
  Mailbox<Image> coarse;  // before an image of images[0] that takes long: for the window alone
  Mailbox<FlowImage> flow;
  LineQueue line;  // of the M-mode over history frames
  Mailbox<Image>& operator[](std::size_t index) { return images[index]; }
};

}  // namespace echoloop
