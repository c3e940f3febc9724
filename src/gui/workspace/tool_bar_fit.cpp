#include "gui/workspace/tool_bar_fit.h"

namespace echoloop {

float width_of(const BarFit& fit, const BarSizes& s) {
  float w = fit.tools == BarTools::apart     ? s.tools_apart
            : fit.tools == BarTools::grouped ? s.tools_grouped
                                             : s.tools_least;
  for (std::size_t i = 0; i < fit.hidden.size(); ++i) {
    if (!fit.hidden[i]) w += s.gap + (fit.names ? s.named[i] : s.icon);
  }
  return w + s.gap + s.menu;
}

BarFit fit_tool_bar(const BarSizes& s) {
  BarFit fit;
  const auto fits = [&] { return width_of(fit, s) <= s.room; };
  if (fits()) return fit;
  fit.tools = BarTools::grouped;
  for (std::size_t i = fit.hidden.size() - 1; i > 0 && !fits(); --i) fit.hidden[i] = !s.open[i];
  if (!fits()) fit.names = false;
  if (!fits()) fit.tools = BarTools::least;
  return fit;
}

}  // namespace echoloop
