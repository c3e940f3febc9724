// The disk, not the content, is the reason that a frame cannot be read: what was read before it counts. Internal to
// src/formats.
#pragma once

#include "core/error.h"

namespace echoloop {

class UnreadableFrame : public Error {
 public:
  using Error::Error;
};

}  // namespace echoloop
