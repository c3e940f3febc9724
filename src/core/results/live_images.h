// Results of the live stream on their way to the window: images and analyses.
#pragma once

#include <array>

#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"

namespace echoloop {

// Mailboxes of the analyses. Null: not made, whatever the parameters.
struct AnalysisMailboxes {
  Mailbox<FlowImage>* flow = nullptr;
  Mailbox<ObjectImage>* objects = nullptr;
  Mailbox<Spectrogram>* spectrogram = nullptr;
  LineQueue* line = nullptr;  // M-mode
};

struct AnalysisCounts {
  FlowCounts flow;
  ObjectCounts objects;
  SpectrogramCounts spectrogram;
};

struct LiveImages {
  Mailbox<Image> images;
  Mailbox<Image> coarse;  // before one that takes long: for the window alone
  Mailbox<FlowImage> flow;
  Mailbox<ObjectImage> objects;
  Mailbox<Spectrogram> spectrogram;
  LineQueue line;  // of the M-mode

  [[nodiscard]] AnalysisMailboxes analyses() {
    return {.flow = &flow, .objects = &objects, .spectrogram = &spectrogram, .line = &line};
  }
  // Clears the results of another stream, except for the line. No thread may use the mailboxes meanwhile.
  void reset_analyses() {
    flow.reset();
    objects.reset();
    spectrogram.reset();
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
