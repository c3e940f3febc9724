// The flow image on screen and its texture: the reader of the flow images' mailboxes. It has a texture only while
// flow is shown. Over a kept frame lies the flow of the ensemble that ends with it, or, while the frames play, of one
// that ends a little earlier. UI thread only.
#pragma once

#include <vector>

#include "core/results/analysis_images.h"
#include "core/results/image.h"
#include "core/results/past_images.h"
#include "gui/state/ui_state.h"

namespace echoloop {

class FlowTexture {
 public:
  // Of the live stream, of kept frames (null: there are none).
  FlowTexture(Mailbox<FlowImage>& live, PastImages* past)
      : live_{.box = &live}, past_{.box = past != nullptr ? &past->flow : nullptr} {}
  ~FlowTexture() { release(); }
  FlowTexture(const FlowTexture&) = delete;
  FlowTexture& operator=(const FlowTexture&) = delete;

  // Takes the newest one, and sets in `state` which one belongs over `shown`.
  void take(UiState& state, const Image& shown);

  // Null = none, also once the mailbox has been reset.
  [[nodiscard]] const FlowImage* shown() const { return shown_ != nullptr && shown_->number > 0 ? shown_ : nullptr; }
  // Power in dB and velocity as a share of the aliasing limit in two channels; of the low-rank image one, dB.
  [[nodiscard]] unsigned int texture() const { return texture_; }

 private:
  struct Box {
    Mailbox<FlowImage>* box = nullptr;
    std::int64_t from_ns = 0;  // flow images that were ready before are of another time
  };
  [[nodiscard]] static bool belongs(const FlowImage& flow, const UiState& state, const Image& shown);
  void upload(const FlowImage& flow);
  void release();

  Box live_, past_;
  const FlowImage* shown_ = nullptr;
  const FlowImage* uploaded_ = nullptr;
  std::uint64_t uploaded_number_ = 0;
  std::vector<float> values_;
  unsigned int texture_ = 0;
  int channels_ = 0, width_ = 0, height_ = 0;
};

}  // namespace echoloop
