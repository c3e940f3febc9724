// Results of the live stream on their way to the window: images and analyses.
#pragma once

#include <array>
#include <tuple>

#include "core/mailbox.h"
#include "core/results/analysis_list.h"
#include "core/results/image.h"

namespace echoloop {

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
