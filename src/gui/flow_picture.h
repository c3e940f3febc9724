// The flow picture on screen and its texture: the reader of the flow pictures' mailbox. It has a texture only while
// flow is shown. Flow belongs to the live stream: it is never shown over a kept frame. UI thread only.
#pragma once

#include <memory>
#include <vector>

#include "core/flow_image.h"
#include "core/image.h"
#include "core/mailbox.h"
#include "gui/ui_state.h"

namespace echoloop {

class FlowPicture {
 public:
  explicit FlowPicture(Mailbox<FlowImage>* box) : box_(box) {}  // null: there is never one
  ~FlowPicture() { release(); }
  FlowPicture(const FlowPicture&) = delete;
  FlowPicture& operator=(const FlowPicture&) = delete;

  // Takes the newest one, and tells `state` which one belongs over `shown`.
  void take(UiState& state, const Image& shown);

  // Null = none, also once the mailbox has been reset.
  [[nodiscard]] const FlowImage* shown() const { return shown_ != nullptr && shown_->number > 0 ? shown_ : nullptr; }
  // Power in dB and velocity as a share of the aliasing limit in two channels; of the low-rank picture one, dB.
  [[nodiscard]] unsigned int texture() const { return texture_; }

 private:
  [[nodiscard]] bool belongs(const FlowImage& flow, const UiState& state, const Image& shown) const;
  void upload(const FlowImage& flow);
  void release();

  Mailbox<FlowImage>* box_;
  const FlowImage* shown_ = nullptr;
  std::int64_t from_ns_ = 0;  // flow pictures that were ready before are of another time
  std::uint64_t uploaded_ = 0;
  std::vector<float> values_;
  unsigned int texture_ = 0;
  int channels_ = 0, width_ = 0, height_ = 0;
};

}  // namespace echoloop
