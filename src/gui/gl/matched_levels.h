// The map of B's levels on screen while a comparison is level-matched: follows the images of both sides. UI thread
// only.
#pragma once

#include <cstdint>

#include "core/results/image.h"
#include "gui/gl/level_reader.h"
#include "measure/level_match.h"

namespace echoloop {

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
