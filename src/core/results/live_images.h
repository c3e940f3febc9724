// Where what is made of the live stream goes on its way to the window: the images, and what is made beside them.
#pragma once

#include <array>

#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"

namespace echoloop {

// Of what is made beside the live images. Null: it is not made, whatever the parameters say.
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
  Mailbox<FlowImage> flow;
  Mailbox<ObjectImage> objects;
  Mailbox<Spectrogram> spectrogram;
  LineQueue line;  // of the M-mode

  [[nodiscard]] AnalysisMailboxes analyses() {
    return {.flow = &flow, .objects = &objects, .spectrogram = &spectrogram, .line = &line};
  }
  // Forgets the results of another stream, but for the line. No thread may be using the mailboxes.
  void reset_analyses() {
    flow.reset();
    objects.reset();
    spectrogram.reset();
  }
};

// Where images of kept frames, processed again, go on their way to the window: [0] made with the parameters in the
// panels, [1] with the parameters A of a comparison; the flow of the ensembles that end with them; and columns of the
// M-mode.

struct PastImages {
  std::array<Mailbox<Image>, 2> images;
  Mailbox<FlowImage> flow;
  LineQueue line;  // of the M-mode over kept frames
  Mailbox<Image>& operator[](std::size_t index) { return images[index]; }
};

}  // namespace echoloop
