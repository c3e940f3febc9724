// The levels of the picture on screen, for panels that measure it: copied from the host where the image is there, else
// read back from its texture without waiting for the device. At most 20 images a second, and none without a
// request. UI thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "core/results/image.h"
#include "measure/region_stats.h"

namespace echoloop {

// Whether both were made of one frame in one go.
bool same_picture(const Image& a, const Image& b);

class LevelReader {
 public:
  LevelReader() = default;
  ~LevelReader();
  LevelReader(const LevelReader&) = delete;
  LevelReader& operator=(const LevelReader&) = delete;

  // The newest image whose levels have arrived; empty at first, and after a while without anybody asking. Valid until
  // the next refresh. Ask in every window frame in which it is needed: later frames then have newer images.
  const LevelImage& ask() {
    asked_ = true;
    return picture_;
  }
  // What ask() returned last: the image, without its pixels.
  [[nodiscard]] const Image& image() const { return image_; }

  // Once a window frame, before anybody asks. `shown`: number 0 = none. `texture`: holds its levels.
  void refresh(const Image& shown, unsigned int texture);

 private:
  void copy(const Image& shown);
  void request(const Image& shown, unsigned int texture);
  void collect();
  void publish(const Image& image);
  void drop();
  [[nodiscard]] bool is_known(const Image& shown) const;

  LevelImage picture_;
  Image image_;  // of picture_
  std::vector<float> values_, arriving_;
  bool asked_ = false;
  std::int64_t taken_ns_ = 0;  // when the last image was copied or asked for

  unsigned int buffer_ = 0;  // OpenGL's, of `buffer_values_` values
  std::size_t buffer_values_ = 0;
  void* fence_ = nullptr;  // a GLsync: the read that is under way
  Image reading_;          // what it reads
};

// The map of B's levels on screen while a comparison is level-matched: follows the images of both sides. UI thread
// only.

struct MatchedLevels {
  LevelMap map;
  std::uint64_t number = 0;  // of this map: another number, another map; 0: levels as they are
};

class LevelMatcher {
 public:
  // Once a window frame in which levels are matched. Not of weights, which are no levels.
  void update(LevelReader& b, LevelReader& a);
  void stop() { matched_ = {}; }

  [[nodiscard]] const MatchedLevels& matched() const { return matched_; }

 private:
  MatchedLevels matched_;
  Image of_a_, of_b_;  // that it was made of, without their pixels
  std::uint64_t made_ = 0;
};

}  // namespace echoloop
