// Channel data as an image: elements across, time down, positive and negative values in two colours. UI thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gui/gl/texture_2d.h"
#include "gui/toolkit/plot.h"

namespace echoloop {

class ChannelMap {
 public:
  // values: [element][n_time]; `of` is whose they are: another object, other values. Its largest magnitude is full
  // colour.
  void update(const std::shared_ptr<const void>& of, std::span<const float> values, int n_elements, int n_time);
  void draw(const Ui& ui, const Plot& plot) const;
  [[nodiscard]] float peak() const { return peak_; }

 private:
  std::shared_ptr<const void> of_;
  ColorTexture texture_;
  std::vector<std::uint32_t> colors_;  // [n_time][n_elements]
  float peak_ = 0.0F;
};

// The colour of a value from -1 to 1; weak values are lifted (square root), so that echoes of all strengths are seen.
ImU32 signed_color(float value);

}  // namespace echoloop
