// The next image, while it takes long enough to be mentioned: a thin line between image and caption, and how long of
// about how long it has taken; and the page of a source whose first image is awaited. UI thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gui/panels/panels.h"
#include "gui/toolkit/image_layout.h"

namespace echoloop {

struct WorkProgress {
  std::string text;    // "2 of about 6 s"; "2 s" where the rest is unknown
  double share = 0.0;  // that is done, 0 .. 1
};
// Nothing within kWorkSeen_ns of `since_ns`, or where that is 0.
[[nodiscard]] std::optional<WorkProgress> long_work(std::int64_t since_ns, double remaining_s, std::int64_t now_ns);

// Returns the left end of its text, which stands at the right end of the caption.
float draw_long_work(const Ui& ui, const ImageLayout& layout, float right, const WorkProgress& work);

// "Computing the first image of RFdata1.mat, Minimum variance: 3 of about 8 s".
[[nodiscard]] std::string first_image_text(const UiState& state, const WorkProgress& work);
// Over the last image of the source before, which has neither rulers nor numbers.
void draw_awaited_image(PanelContext& c, const ImageLayout& layout, const AwaitedImage& awaited);

}  // namespace echoloop
