// The sonogram below the picture: axes, baseline, aliasing limits, the two curves, what lies under the pointer. The
// spectra themselves are drawn below everything here (SonogramStrip). UI thread only.
#pragma once

#include "gui/overlay/sonogram_plot.h"
#include "gui/panels/panels.h"
#include "gui/toolkit/plot.h"

namespace echoloop {

class SonogramDock {
 public:
  // Returns where the spectra go; empty: nowhere.
  Rect draw(PanelContext& c, Rect head, const Rect& body);
  Rect draw_presented(PanelContext& c, const Rect& cell) const;
  [[nodiscard]] double span_s() const { return span_s_; }
  [[nodiscard]] DopplerCurves curves() const { return curves_ ? DopplerCurves::shown : DopplerCurves::none; }

 private:
  void draw_head(PanelContext& c, const Rect& head, const Sonogram& s);
  Plot draw_spectra(PanelContext& c, const Rect& cell, const Sonogram& s, Type labels) const;
  void move_baseline(PanelContext& c, const Rect& axis, const Plot& plot);
  static void read_out(PanelContext& c, const Plot& plot, const Sonogram& s, const ImagingParams& p);

  double span_s_ = 4.0;
  bool curves_ = true;
  float grabbed_y_ = 0;  // of the baseline that is held
  double grabbed_baseline_ = 0;
};

}  // namespace echoloop
