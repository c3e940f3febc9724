#include "gui/film_plan.h"

#include <algorithm>
#include <cmath>

#include "gui/cine_actions.h"

namespace echoloop {

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
  constexpr double kUnknown_hz = 25.0;  // a single frame, or frames that came all at once
  const double came_hz = seconds > 0.0 ? static_cast<double>(frames - 1) / seconds : kUnknown_hz;
  const double wanted_hz = came_hz * choice.speed;
  // A rate that the clock only just missed is not a reason to leave out every other frame.
  constexpr double kAllowed_hz = 1.05 * kFilmFastest_hz;
  plan.step = static_cast<std::size_t>(std::max(1.0, std::ceil(wanted_hz / kAllowed_hz)));
  plan.rate_hz = std::max(wanted_hz / static_cast<double>(plan.step), 0.1);
  plan.pictures = (frames + plan.step - 1) / plan.step;
  return plan;
}

}  // namespace echoloop
