// Which kept frames become a film, and how fast it plays: said in the save panel, done by the application. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/state/ui_state.h"

namespace echoloop {

struct FilmPlan {
  std::size_t first = 0, last = 0;  // kept frames, both included
  std::size_t step = 1;             // frames of the source to an image: videos play at most 60 images a second
  std::size_t pictures = 0;         // 0: there is nothing to make a video of
  double rate_hz = 0.0;
  double speed = 1.0;  // seconds of acquisition to one of the video
  [[nodiscard]] double seconds() const { return rate_hz > 0.0 ? static_cast<double>(pictures) / rate_hz : 0.0; }
};

// At the acquisition's pace, times the speed: as long as the acquisition took, whatever the stream was held back.
FilmPlan plan_film(const Cine& cine, const FilmChoice& choice);

// A kept frame and the video's image, from 0, that shows it first; images between two of them hold the older one.
struct FilmFrame {
  std::size_t index = 0;
  std::uint64_t place = 0;
};
std::vector<FilmFrame> film_frames(const Cine& cine, const FilmPlan& plan);

inline constexpr double kFilmFastest_hz = 60.0;

// For a source that has just been opened: real time, or so much slower that most of its frames can be seen.
[[nodiscard]] double starting_speed(double frame_rate_hz);

}  // namespace echoloop
