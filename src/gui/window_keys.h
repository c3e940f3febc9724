// The keys of the real window: which of ours GLFW means. UI thread only.
#pragma once

#include <optional>

#include "gui/keys.h"

namespace echoloop {

// Of GLFW's key and scan code; none: it means nothing here.
[[nodiscard]] std::optional<Key> window_key(int glfw_key, int scancode);

// Held down, it acts once: a freeze that comes and goes thirty times a second helps nobody.
[[nodiscard]] bool acts_once(Key key);

}  // namespace echoloop
