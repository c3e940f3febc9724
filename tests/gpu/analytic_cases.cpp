// Every kind of transmit, probe, sample and signal, every window, odd sizes.
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test {
namespace {

// Properties shared by several cases.
void int16(Case& c) { c.type = SampleType::int16; }
void loud_points(Case& c) {
  c.type = SampleType::int16;
  c.scene = Scene::points;
  c.amplitude = 8000.0;
}
void points(Case& c) { c.scene = Scene::points; }
void at_40_mhz(Case& c) { c.sampling_hz = 40e6; }
void iq(Case& c) {
  c.signal = SignalKind::iq;
  c.sampling_hz = 5e6;
}
void hann(Case& c) { c.apodization = Apodization::hann; }
void hamming(Case& c) { c.apodization = Apodization::hamming; }
void directive(Case& c) { c.directivity = Directivity::on; }
void polar(Case& c) { c.grid = GridChoice::polar; }
void convex(Case& c) {
  c.probe = ProbeKind::convex;
  c.transmit = TransmitKind::delays;
}
void phased(Case& c) {
  c.probe = ProbeKind::phased;
  c.transmit = TransmitKind::diverging;
}
void focused(Case& c) {
  c.n_tx = 11;
  c.transmit = TransmitKind::focused;
}
void convex_lines(Case& c) {
  focused(c);
  polar(c);
  c.probe = ProbeKind::convex;
  c.compounding = Compounding::lines;
}
void cones(Case& c) {
  focused(c);
  c.cone = TransmitCone::hann;
}
void seven_waves(Case& c) { c.n_tx = 7; }
void compounded(Case& c) { c.adaptive_order = AdaptiveOrder::compounded; }
void over_transmits(Case& c) { c.adaptive_axis = AdaptiveAxis::transmits; }
void over_both(Case& c) { c.adaptive_axis = AdaptiveAxis::both; }

template <class... Change>
Case with(Case c, const Change&... change) {
  (change(c), ...);
  return c;
}

}  // namespace

std::span<const Case> analytic_cases() {
  static const Case kCases[] = {
      {.name = "PlaneFloat"},
      {.name = "PlaneInt16FullAperture", .n_tx = 7, .n_samples = 1021, .type = SampleType::int16, .f_number = 0.0},
      with({.name = "PlaneHannDirective", .n_samples = 1021}, int16, hann, directive),
      {.name = "OneElement", .n_el = 1, .n_tx = 1, .nx = 2, .nz = 3, .f_number = 0.0},
      with({.name = "ThreeElements", .n_el = 3, .n_tx = 2, .n_samples = 1021, .f_number = 0.0}, hamming),
      {.name = "TwoByThreePixels", .n_tx = 2, .nx = 2, .nz = 3},
      with({.name = "IqInt16", .n_tx = 2, .apodization = Apodization::tukey}, int16, iq),
      {.name = "IqFloat", .n_tx = 7, .n_samples = 1021, .signal = SignalKind::iq, .sampling_hz = 7e6, .f_number = 0.0},
      with({.name = "IqPoints"}, iq, points),
      {.name = "BandpassSampled", .n_samples = 1021, .sampling_hz = 4.0 / 3.0 * kCenterHz},
      with({.name = "BandpassSampledPoints", .sampling_hz = 4.0 / 3.0 * kCenterHz}, loud_points),
      with({.name = "ConvexDelays", .apodization = Apodization::gauss}, convex),
      with({.name = "ConvexDelaysPoints", .n_tx = 7, .n_samples = 1021}, convex, loud_points, directive),
      with({.name = "PhasedDiverging", .f_number = 0.0}, phased),
      with({.name = "Focused"}, focused, seven_waves, int16, hann),
      {.name = "FocusedPoints", .n_tx = 1, .transmit = TransmitKind::focused, .scene = Scene::points},
      {.name = "HeavyPlanePoints", .n_tx = 7, .nx = 251, .nz = 251, .scene = Scene::points},
      {.name = "ManyPlanes", .n_tx = 29, .nx = 331, .nz = 341, .f_number = 0.0},
      {.name = "ManyPlanesLongLines", .n_el = 128, .n_tx = 29, .n_samples = 3001, .nx = 331, .nz = 341},
      with({.name = "ManyPlanesHann", .n_tx = 16, .n_samples = 701, .nx = 331, .nz = 341}, int16, hann),
      with({.name = "ManyDelaysConvex", .n_tx = 15, .nx = 331, .nz = 341}, convex, directive),
      {.name = "ThreePlanes", .n_tx = 3, .n_samples = 701, .nx = 331, .nz = 341, .f_number = 1.0},
      with({.name = "ManyElements", .n_el = 1100, .n_tx = 3, .n_samples = 1021, .nx = 331, .nz = 341, .f_number = 0.0},
           int16),
      with({.name = "LongLinesInt16", .n_el = 6, .n_tx = 1, .n_samples = 150001, .nx = 17, .nz = 2001}, int16,
           at_40_mhz),
      with({.name = "LongLinesFloat", .n_el = 3, .n_tx = 3, .n_samples = 250000, .nx = 17, .nz = 2001}, at_40_mhz),
      with({.name = "LongLinesManyElements", .n_el = 100, .n_tx = 3, .n_samples = 50001, .nx = 17, .nz = 501},
           at_40_mhz),
      with({.name = "LongLinesIq", .n_el = 5, .n_tx = 1, .n_samples = 70001, .nx = 17, .nz = 2001}, iq),
      {.name = "HeavyPlaneNoise", .n_tx = 5, .n_samples = 1021, .nx = 251, .nz = 251, .type = SampleType::int16},
  };
  return kCases;
}

std::span<const Case> sector_cases() {
  static const Case kCases[] = {
      with({.name = "SectorDiverging", .f_number = 0.0}, phased, polar),
      with({.name = "SectorManyDiverging", .n_tx = 29, .nx = 331, .nz = 341, .f_number = 0.0}, phased, polar),
      with({.name = "SectorConvexDirective", .n_tx = 3}, convex, polar, int16, directive),
      with({.name = "SectorIqPoints"}, phased, polar, iq, points),
      with({.name = "SectorOneWave", .n_tx = 1, .n_samples = 1021, .nx = 131, .nz = 200, .f_number = 0.0}, phased,
           polar, int16, hann),
      with({.name = "SectorManyWaves", .n_tx = 17, .nx = 120, .nz = 110, .f_number = 1.0}, convex, polar, points),
      with({.name = "SectorFineGrid", .n_tx = 3, .nx = 400, .nz = 700, .f_number = 0.0}, phased, polar, int16),
  };
  return kCases;
}

std::span<const Case> scan_line_cases() {
  static const Case kCases[] = {
      with({.name = "ScanLinesOnASector"}, convex_lines),
      with({.name = "ScanLinesOnAnIqGrid", .compounding = Compounding::lines}, focused, iq),
      with({.name = "ConesOnAnIqGrid"}, cones, iq),
      with({.name = "ConesOnASector", .nx = 131, .f_number = 0.0, .cone = TransmitCone::boxcar}, phased, focused, polar,
           loud_points),
      with({.name = "ConesOfAConvexArray", .probe = ProbeKind::convex, .cone = TransmitCone::tukey}, focused, hann),
  };
  return kCases;
}

std::span<const Case> adaptive_cases() {
  static const Case kCases[] = {
      with({.name = "CoherencePlane", .adaptive = Adaptive::coherence}, seven_waves),
      with({.name = "CoherenceInt16Directive", .n_samples = 1021, .adaptive = Adaptive::coherence}, loud_points, hann,
           directive),
      {.name = "CoherenceTwoElements", .n_el = 2, .n_tx = 1, .f_number = 0.0, .adaptive = Adaptive::coherence},
      with({.name = "CoherenceSector", .f_number = 0.0, .adaptive = Adaptive::coherence}, phased, polar),
      with({.name = "PhasePlane", .n_tx = 3, .adaptive = Adaptive::phase}, hann),
      with({.name = "CoherenceScanLines", .adaptive = Adaptive::coherence}, convex_lines),
      with({.name = "CoherenceCompounded", .adaptive = Adaptive::coherence}, seven_waves, compounded),
      with({.name = "CoherenceTransmits", .adaptive = Adaptive::coherence}, seven_waves, over_transmits),
      with({.name = "CoherenceBoth", .adaptive = Adaptive::coherence}, seven_waves, hann, over_both),
      with({.name = "GeneralizedCompounded", .adaptive = Adaptive::generalized}, seven_waves, compounded),
      with({.name = "GeneralizedTransmits", .adaptive = Adaptive::generalized}, seven_waves, over_transmits),
      with({.name = "GeneralizedBoth", .adaptive = Adaptive::generalized}, seven_waves, hann, over_both),
      with({.name = "PhaseCompounded", .adaptive = Adaptive::phase}, seven_waves, compounded),
      with({.name = "PhaseTransmits", .adaptive = Adaptive::phase}, seven_waves, over_transmits),
      with({.name = "PhaseBoth", .adaptive = Adaptive::phase}, seven_waves, hann, over_both),
      with({.name = "GeneralizedElements", .adaptive = Adaptive::generalized}, seven_waves),
      with({.name = "GeneralizedManyBins", .adaptive = Adaptive::generalized, .adaptive_bins = 9}, seven_waves),
      with({.name = "PDas", .adaptive = Adaptive::p_das}, seven_waves),
      with({.name = "PDasCompounded", .adaptive = Adaptive::p_das}, seven_waves, compounded),
      with({.name = "ShortLag", .adaptive = Adaptive::slsc}, seven_waves),
      with({.name = "MinimumVariance", .adaptive = Adaptive::minimum_variance}, seven_waves),
      with({.name = "ShortLagSector", .f_number = 0.0, .adaptive = Adaptive::slsc}, phased, polar),
      with({.name = "MinimumVarianceScanLines", .adaptive = Adaptive::minimum_variance}, convex_lines),
      with({.name = "ConesCoherence", .adaptive = Adaptive::coherence}, cones),
      with({.name = "ConesCoherenceCompounded", .adaptive = Adaptive::coherence}, cones, compounded),
      with({.name = "ConesGeneralizedTransmits", .adaptive = Adaptive::generalized}, cones, over_transmits),
      with({.name = "ConesPhaseBoth", .adaptive = Adaptive::phase}, cones, over_both),
      with({.name = "ConesPDas", .adaptive = Adaptive::p_das}, cones),
      with({.name = "ConesShortLag", .adaptive = Adaptive::slsc}, cones),
      with({.name = "ConesMinimumVariance", .adaptive = Adaptive::minimum_variance}, cones),
  };
  return kCases;
}

}  // namespace echoloop::gpu_test
