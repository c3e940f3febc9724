// Methods of a controlled run that give results and write files: part of control_methods(). Main thread only.
#pragma once

#include <span>
#include <string_view>

#include "app/control.h"

namespace echoloop {

[[nodiscard]] std::span<const ControlMethod> result_methods();
[[nodiscard]] std::span<const std::string_view> saved_kinds();  // names of files for `save`

}  // namespace echoloop
