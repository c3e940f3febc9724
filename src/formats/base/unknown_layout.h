// A sound file of a known container whose arrays have no layout that a reader knows: it may still be read by the names
// of its arrays, or by a description. Internal to src/formats.
#pragma once

#include "core/error.h"

namespace echoloop {

class UnknownLayout : public Error {
 public:
  using Error::Error;
};

}  // namespace echoloop
