// Which kept frames become a film, and how fast it plays: said in the save panel, done by the application. Pure.
#pragma once

#include "gui/ui_state.h"

namespace echoloop {

struct FilmPlan {
  std::size_t first = 0, last = 0;  // kept frames, both included
  std::size_t step = 1;             // every how manieth: films play at most 60 pictures a second
  std::size_t pictures = 0;         // 0: there is nothing to make a film of
  double rate_hz = 0.0;
  [[nodiscard]] double seconds() const { return rate_hz > 0.0 ? static_cast<double>(pictures) / rate_hz : 0.0; }
};

// At the pace at which the frames came, times the speed.
FilmPlan plan_film(const Cine& cine, const FilmChoice& choice);

inline constexpr double kFilmFastest_hz = 60.0;

}  // namespace echoloop
