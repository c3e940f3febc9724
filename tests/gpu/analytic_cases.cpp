// Every kind of transmit, probe, sample and signal, every window, odd sizes.
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test {

std::span<const Case> analytic_cases() {
  static const Case kCases[] = {
      {.name = "PlaneFloat"},
      {.name = "PlaneInt16FullAperture", .n_tx = 7, .n_samples = 1021, .type = SampleType::int16, .f_number = 0.0},
      {.name = "PlaneHannDirective",
       .n_samples = 1021,
       .type = SampleType::int16,
       .apodization = Apodization::hann,
       .directivity = Directivity::on},
      {.name = "OneElement", .n_el = 1, .n_tx = 1, .nx = 2, .nz = 3, .f_number = 0.0},
      {.name = "ThreeElements",
       .n_el = 3,
       .n_tx = 2,
       .n_samples = 1021,
       .f_number = 0.0,
       .apodization = Apodization::hamming},
      {.name = "TwoByThreePixels", .n_tx = 2, .nx = 2, .nz = 3},
      {.name = "IqInt16",
       .n_tx = 2,
       .type = SampleType::int16,
       .signal = SignalKind::iq,
       .sampling_hz = 5e6,
       .apodization = Apodization::tukey},
      {.name = "IqFloat", .n_tx = 7, .n_samples = 1021, .signal = SignalKind::iq, .sampling_hz = 7e6, .f_number = 0.0},
      {.name = "IqPoints", .signal = SignalKind::iq, .sampling_hz = 5e6, .scene = Scene::points},
      {.name = "BandpassSampled", .n_samples = 1021, .sampling_hz = 4.0 / 3.0 * kCenterHz},
      {.name = "BandpassSampledPoints",
       .type = SampleType::int16,
       .sampling_hz = 4.0 / 3.0 * kCenterHz,
       .scene = Scene::points,
       .amplitude = 8000.0},
      {.name = "ConvexDelays",
       .probe = ProbeKind::convex,
       .transmit = TransmitKind::delays,
       .apodization = Apodization::gauss},
      {.name = "ConvexDelaysPoints",
       .n_tx = 7,
       .n_samples = 1021,
       .probe = ProbeKind::convex,
       .transmit = TransmitKind::delays,
       .type = SampleType::int16,
       .directivity = Directivity::on,
       .scene = Scene::points,
       .amplitude = 8000.0},
      {.name = "PhasedDiverging", .probe = ProbeKind::phased, .transmit = TransmitKind::diverging, .f_number = 0.0},
      {.name = "Focused",
       .n_tx = 7,
       .transmit = TransmitKind::focused,
       .type = SampleType::int16,
       .apodization = Apodization::hann},
      {.name = "FocusedPoints", .n_tx = 1, .transmit = TransmitKind::focused, .scene = Scene::points},
      {.name = "HeavyPlanePoints", .n_tx = 7, .nx = 251, .nz = 251, .scene = Scene::points},
      {.name = "HeavyPlaneNoise", .n_tx = 5, .n_samples = 1021, .nx = 251, .nz = 251, .type = SampleType::int16},
  };
  return kCases;
}

}  // namespace echoloop::gpu_test
