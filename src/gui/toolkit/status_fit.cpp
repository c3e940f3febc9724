#include "gui/toolkit/status_fit.h"

namespace echoloop {
namespace {

// Parts are kept as long as all that is left has room.
class Room {
 public:
  explicit Room(float free) : free_(free) {}
  bool keeps(float width) { return free_ >= 0 || leaves(width); }
  bool leaves(float width) {
    free_ += width;
    return false;
  }

 private:
  float free_;
};

}  // namespace

StatusFit fit_status_bar(const StatusWidths& w, StatusForm form) {
  Room room(w.room - w.always - w.device - w.present - w.latency_word - w.shown - w.playing - w.backend - w.reset -
            w.latency - w.keys - w.rate);
  const auto in_wide = [&](float width) {
    return form == StatusForm::compact ? room.leaves(width) : room.keeps(width);
  };
  StatusFit fit;
  fit.device = in_wide(w.device);
  fit.present = in_wide(w.present);
  fit.latency_word = in_wide(w.latency_word);
  fit.shown = room.keeps(w.shown);
  fit.playing = room.keeps(w.playing);
  fit.backend = room.keeps(w.backend);
  fit.reset = room.keeps(w.reset);
  fit.latency = room.keeps(w.latency);
  fit.keys = room.keeps(w.keys);
  fit.rate = room.keeps(w.rate);
  return fit;
}

}  // namespace echoloop
