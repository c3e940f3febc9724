// Methods of a controlled run, one row each, and the commands without one. Main thread only.
#pragma once

#include <span>
#include <string_view>

#include "app/control.h"

namespace echoloop {

[[nodiscard]] std::span<const ControlMethod> control_methods();

// Commands without a method of their name, with the reason.
struct NotRemote {
  std::string_view command, reason;
};
[[nodiscard]] std::span<const NotRemote> not_remote();

}  // namespace echoloop
