// Levels of the image on screen, for panels that measure it: copied from a host image if there is one, else read back
// from its texture without waiting for the device. At most 20 images a second, and none without a request. UI thread
// only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/results/image.h"
#include "measure/levels.h"

namespace echoloop {

// Returns true if both were made from one frame in one pass.
bool same_picture(const Image& a, const Image& b);

class LevelReader {
 public:
  LevelReader() = default;
  ~LevelReader();
  LevelReader(const LevelReader&) = delete;
  LevelReader& operator=(const LevelReader&) = delete;

  // Returns the newest image whose levels have arrived; empty at first, and after a frame without a request. Valid
  // until the next refresh. Call in every window frame that needs it: later frames then have newer images.
  const LevelImage& ask() {
    asked_ = true;
    return picture_;
  }
  // Returns the image of the last ask(), without its pixels.
  [[nodiscard]] const Image& image() const { return image_; }

  // Returns true if the image of the last refresh has a mask.
  [[nodiscard]] bool shows_mask() const { return shows_mask_; }

  // Called once a window frame, before ask(). `shown`: number 0 = none. `texture`: contains its levels.
  void refresh(const Image& shown, unsigned int texture);

 private:
  void copy(const Image& shown);
  void request(const Image& shown, unsigned int texture);
  void collect();
  void publish(const Image& image);
  void drop();
  [[nodiscard]] bool is_known(const Image& shown) const;

  LevelImage picture_;
  Image image_;  // image of picture_
  std::vector<float> values_, arriving_;
  bool asked_ = false, shows_mask_ = false;
  std::int64_t taken_ns_ = 0;  // time of the last copy or request

  unsigned int buffer_ = 0;  // OpenGL buffer of `buffer_values_` values
  std::size_t buffer_values_ = 0;
  void* fence_ = nullptr;  // a GLsync: the pending read
  Image reading_;          // image of the pending read
};

// Map of B's displayed levels while a comparison is level-matched: follows the images of both sides. UI thread only.

struct MatchedLevels {
  LevelMap map;
  std::uint64_t number = 0;  // number of this map, different for every map; 0: unchanged levels
};

class LevelMatcher {
 public:
  // Called once a window frame while levels are matched. No map for weights, which are no levels.
  void update(LevelReader& b, LevelReader& a);
  void stop() { matched_ = {}; }

  [[nodiscard]] const MatchedLevels& matched() const { return matched_; }

 private:
  MatchedLevels matched_;
  Image of_a_, of_b_;  // images of the current map, without their pixels
  std::uint64_t made_ = 0;
};

}  // namespace echoloop
