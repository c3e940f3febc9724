// Card of a fact that the samples contradict, in place of the image: the contradiction, its evidence, one frame before
// and after the cure, and the three answers. UI thread only.
#pragma once

#include <array>

#include "gui/panels/panels.h"
#include "gui/view/image_view.h"

namespace echoloop {

class DoubtCardView {
 public:
  // Draws Model::doubts.card(), which must exist.
  void draw(PanelContext& c, const Rect& area);
  // Handles Enter, K and the arrows; returns true if the key had an effect.
  static bool take_key(const Model& model, Commands& commands, const KeyPress& press);

 private:
  struct Places {
    Rect head, evidence, numbers, images, results, answers, foot;
  };
  static Places lay_out(const Ui& ui, const Rect& box, float head);
  void draw_images(const Ui& ui, const DoubtPreview& preview, const Rect& area);

  std::array<ImagePicture, 2> pictures_;  // before, after
};

// Draws the number of doubts in the upper right corner of an image; a click opens the card.
void draw_doubt_badge(PanelContext& c, const Rect& image);

}  // namespace echoloop
