// One texel of a texture without waiting for the device: asked for in one window frame, known in a later one.
// Why: reading a texel at once makes the UI thread wait for everything that was queued before it. UI thread only.
#pragma once

#include <cstdint>

namespace echoloop {

class PixelProbe {
 public:
  PixelProbe() = default;
  ~PixelProbe();
  PixelProbe(const PixelProbe&) = delete;
  PixelProbe& operator=(const PixelProbe&) = delete;

  // Asks for a texel and returns the newest value that has arrived; not a number until the first one has.
  // One asker, once a window frame.
  float ask(unsigned int texture, int ix, int iz);

 private:
  void collect();

  unsigned int buffer_ = 0;
  void* fence_ = nullptr;  // a GLsync: the read that is under way
  float value_ = 0;
  bool known_ = false;
  std::int64_t asked_ns_ = 0;
};

}  // namespace echoloop
