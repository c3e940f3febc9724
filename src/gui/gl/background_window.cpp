#include "gui/gl/background_window.h"

#include <cmath>

#include "core/param_table.h"

namespace echoloop {
namespace {

void set_key(ImagingParams& p, std::string_view key, double value) {
  if (const ParamSpec* spec = find_param(key)) set_number(p, *spec, value);
}

}  // namespace

double brightest_db(const LevelHistogram& h) {
  double top_db = h.first_db;
  for (std::size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] > 0) top_db = h.first_db + static_cast<double>(i + 1) * h.step_db;
  }
  return h.above > 0 ? h.first_db + static_cast<double>(h.counts.size()) * h.step_db : top_db;
}

void reject_background(ImagingParams& p, const Background& b) {
  set_key(p, "reject_db", std::round(b.mean_db + kRejectSigmas * b.sigma_db));
}

void fit_window(ImagingParams& p, const Background& b, const LevelHistogram& histogram) {
  const double top_db = brightest_db(histogram);
  const double below = p.objects.kind == Structure::bright ? 1.0 : 4.0;
  const double bottom_db = b.median_db - below * b.sigma_db;
  set_key(p, "gain_db", -std::ceil(top_db));
  set_key(p, "dynamic_range_db", std::round(-p.display.gain_db - bottom_db));
}

}  // namespace echoloop
