// Where what is made of the live stream goes on its way to the window: the pictures, and what is made beside them.
#pragma once

#include "core/flow_image.h"
#include "core/image.h"
#include "core/mailbox.h"
#include "core/sonogram.h"
#include "core/structure_image.h"

namespace echoloop {

struct LiveImages {
  Mailbox<Image> images;
  Mailbox<FlowImage> flow;
  Mailbox<StructureImage> structure;
  Mailbox<Sonogram> sonogram;
};

}  // namespace echoloop
