#include "gui/docks/film_plan.h"

#include <algorithm>
#include <cmath>

#include "gui/panels/cine_actions.h"

namespace echoloop {
namespace {

// Half a frame's tolerance: a clock that only just missed an image has not missed it.
std::uint64_t place_of(const Cine& cine, const FilmPlan& plan, std::size_t index) {
  const double after_s = cine_time_s(cine, index) - cine_time_s(cine, plan.first);
  return static_cast<std::uint64_t>(after_s * plan.rate_hz / plan.speed + 0.5 / static_cast<double>(plan.step));
}

}  // namespace

FilmPlan plan_film(const Cine& cine, const FilmChoice& choice) {
  if (cine.frames == 0) return {};
  FilmPlan plan;
  plan.last = cine.frames - 1;
  if (choice.range == FilmRange::loop) {
    plan.last = std::min(cine.mark_out, plan.last);
    plan.first = std::min(cine.mark_in, plan.last);
  }
  const std::size_t frames = plan.last - plan.first + 1;
  const double seconds = cine_time_s(cine, plan.last) - cine_time_s(cine, plan.first);
  constexpr double kUnknown_hz = 25.0;  // a single frame
  const double came_hz = seconds > 0.0 ? static_cast<double>(frames - 1) / seconds : kUnknown_hz;
  const double wanted_hz = (cine.frame_rate_hz > 0.0 ? cine.frame_rate_hz : came_hz) * choice.speed;
  // A rate that the clock only just missed is not a reason to leave out every other frame.
  constexpr double kAllowed_hz = 1.05 * kFilmFastest_hz;
  plan.step = static_cast<std::size_t>(std::max(1.0, std::ceil(wanted_hz / kAllowed_hz)));
  plan.rate_hz = std::max(wanted_hz / static_cast<double>(plan.step), 0.1);
  plan.speed = choice.speed;
  plan.pictures = place_of(cine, plan, plan.last) + 1;
  return plan;
}

double starting_speed(double frame_rate_hz) {
  for (const double speed : {1.0, 0.5, 0.25, 0.1}) {
    if (frame_rate_hz * speed <= 2.0 * kFilmFastest_hz) return speed;
  }
  return 0.01;
}

std::vector<FilmFrame> film_frames(const Cine& cine, const FilmPlan& plan) {
  std::vector<FilmFrame> list;
  for (std::size_t i = plan.first; i <= plan.last && plan.pictures > 0; ++i) {
    const std::uint64_t place = place_of(cine, plan, i);
    if (list.empty() || place > list.back().place) list.push_back({.index = i, .place = place});
  }
  return list;
}

}  // namespace echoloop
