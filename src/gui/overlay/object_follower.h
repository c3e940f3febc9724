// Which objects belong to the image on screen: the reader of the objects mailbox. Live it is the newest one,
// which may be a little older than the image; of a kept frame only that frame's own, with the same parameters. It
// follows the selected object from image to image. UI thread only.
#pragma once

#include <cstdint>
#include <optional>

#include "core/mailbox.h"
#include "core/results/image.h"
#include "core/results/object_image.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class ObjectFollower {
 public:
  explicit ObjectFollower(Mailbox<ObjectImage>& box) : box_(box) {}

  // Once a window frame, after flow: sets in `state` what belongs to `shown`.
  void take(UiState& state, const Image& shown);

 private:
  [[nodiscard]] bool belongs(const ObjectImage& found, const UiState& state, const Image& shown) const;
  void look_at(ObjectView& view, const ObjectImage& found);
  static void clear(ObjectView& view);

  Mailbox<ObjectImage>& box_;
  std::int64_t from_ns_ = 0;  // what was ready before is of another time
  std::uint64_t number_ = 0;  // of what the view was made of
  std::int64_t ready_ns_ = 0;
  int selected_ = 0;  // as the view had it
  std::optional<FoundObject> followed_;
};

// Why no objects are shown, whatever is in the mailbox; empty: they are.
[[nodiscard]] std::string_view why_no_objects(const UiState& state);

}  // namespace echoloop
