// Where images of kept frames, processed again, go on their way to the window: [0] made with the parameters in the
// panels, [1] with the parameters A of a comparison; the flow of the ensembles that end with them; and columns of the
// M-mode.
#pragma once

#include <array>

#include "core/line_queue.h"
#include "core/mailbox.h"
#include "core/results/analysis_images.h"
#include "core/results/image.h"

namespace echoloop {

struct PastImages {
  std::array<Mailbox<Image>, 2> images;
  Mailbox<FlowImage> flow;
  LineQueue line;  // of the M-mode over kept frames
  Mailbox<Image>& operator[](std::size_t index) { return images[index]; }
};

}  // namespace echoloop
