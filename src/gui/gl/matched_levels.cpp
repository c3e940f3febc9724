#include "gui/gl/matched_levels.h"

namespace echoloop {

void LevelMatcher::update(LevelReader& b, LevelReader& a) {
  const LevelImage& of = b.ask();
  const LevelImage& like = a.ask();
  const auto levels = [](const LevelReader& reader) { return !shows_weight(reader.image().params.formation); };
  if (of.number == 0 || like.number == 0 || !levels(a) || !levels(b)) return stop();
  if (matched_.number != 0 && same_picture(a.image(), of_a_) && same_picture(b.image(), of_b_)) return;
  of_a_ = a.image();
  of_b_ = b.image();
  matched_.map = match_levels(of, like);
  matched_.number = matched_.map.empty() ? 0 : ++made_;
}

}  // namespace echoloop
