// The preview: image, channel data, what the last change did, the frame. UI thread only.
#pragma once

#include <memory>

#include "gui/assistant/assistant_scene.h"
#include "gui/gl/color_texture.h"
#include "gui/view/channel_map.h"

namespace echoloop {

class AssistantPreview {
 public:
  enum class Of { arrays, bytes };
  void begin(Of of) { shown_ = of == Of::bytes ? Shown::both : Shown::image; }
  void draw(const AssistantScene& c, const Rect& area);

 private:
  void draw_image(const AssistantScene& c, const Rect& area);
  void draw_traces(const AssistantScene& c, const Rect& area);

  enum class Shown { image, traces, both };
  struct Picture {  // of the preview, as its texture has it
    ColorTexture texture;
    std::shared_ptr<const Image> image;
    int width = 0, height = 0;
  };
  Shown shown_ = Shown::image;
  Picture picture_;
  ChannelMap map_;
};

}  // namespace echoloop
