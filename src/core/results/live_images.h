// Where what is made of the live stream goes on its way to the window: the pictures, and what is made beside them.
#pragma once

#include "core/line_queue.h"
#include "core/mailbox.h"
#include "core/results/flow_image.h"
#include "core/results/image.h"
#include "core/results/sonogram.h"
#include "core/results/structure_image.h"

namespace echoloop {

// Of what is made beside the live pictures. Null: it is not made, whatever the parameters say.
struct SideMailboxes {
  Mailbox<FlowImage>* flow = nullptr;
  Mailbox<StructureImage>* structure = nullptr;
  Mailbox<Sonogram>* sonogram = nullptr;
  LineQueue* line = nullptr;  // M-mode
};

struct SideCounts {
  FlowCounts flow;
  StructureCounts structure;
  SonogramCounts sonogram;
};

struct LiveImages {
  Mailbox<Image> images;
  Mailbox<FlowImage> flow;
  Mailbox<StructureImage> structure;
  Mailbox<Sonogram> sonogram;
  LineQueue line;  // of the M-mode

  [[nodiscard]] SideMailboxes side() {
    return {.flow = &flow, .structure = &structure, .sonogram = &sonogram, .line = &line};
  }
};

}  // namespace echoloop
