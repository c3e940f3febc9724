// What a picture is, in words: the same below the picture in the window and burnt into films. Any thread. No ImGui.
#pragma once

#include <string>
#include <vector>

#include "core/image.h"

namespace echoloop {

struct CaptionItem {
  std::string key, value, unit;  // key and unit may be empty
};

// Frame number and acquisition time first, then what formed the picture, the most important first.
std::vector<CaptionItem> caption_items(const Image& image);

}  // namespace echoloop
