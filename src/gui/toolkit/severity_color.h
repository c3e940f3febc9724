// The colours of a message, wherever it is listed.
#pragma once

#include "gui/state/message.h"
#include "gui/toolkit/theme.h"

namespace echoloop {

inline ImU32 severity_dot(Severity severity) {
  switch (severity) {
    case Severity::info:
      return theme::kMuted;
    case Severity::warning:
      return theme::kWarn;
    case Severity::error:
      return theme::kRed;
  }
  return theme::kMuted;
}

inline ImU32 severity_ink(Severity severity) { return severity == Severity::error ? theme::kRed : theme::kText2; }

}  // namespace echoloop
