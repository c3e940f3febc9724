// Where pictures of kept frames, processed again, go on their way to the window: [0] made with the parameters in the
// panels, [1] with the parameters A of a comparison.
#pragma once

#include <array>

#include "core/image.h"
#include "core/mailbox.h"

namespace echoloop {

using PastImages = std::array<Mailbox<Image>, 2>;

}  // namespace echoloop
