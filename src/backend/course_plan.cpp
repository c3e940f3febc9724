#include "backend/course_plan.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "dsp/fir_design.h"

namespace echoloop {
namespace {

std::vector<double> axis(int n, double first, double last) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    values[static_cast<std::size_t>(i)] = n > 1 ? first + (last - first) * i / (n - 1) : first;
  }
  return values;
}

}  // namespace

void require_course(const Acquisition& a) {
  const auto refuse = [](const std::string& found) {
    throw Error("recipe = course", found, "RF of plane waves on a linear array, sampled above 15 MHz",
                "use the analytic recipe");
  };
  if (a.signal != SignalKind::rf) refuse("IQ data");
  if (a.sampling_hz <= 2.0 * kCourseHighHz)
    refuse("a sampling frequency of " + std::to_string(a.sampling_hz * 1e-6) + " MHz");
  for (const Transmit& t : a.transmits) {
    if (t.kind != TransmitKind::plane) refuse("transmits that are not plane waves");
  }
  for (const Element& e : a.probe.elements) {
    if (e.z_m != 0.0) refuse("elements that are not all at z = 0");
  }
}

std::shared_ptr<const CoursePlan> make_course(const Acquisition& a, const ImagingParams& p, const Grid& grid) {
  auto plan = std::make_shared<CoursePlan>();
  plan->grid = grid;
  for (const double tap : fir_bandpass_hamming(kCourseTaps, kCourseLowHz, kCourseHighHz, a.sampling_hz)) {
    plan->taps.push_back(static_cast<float>(tap));
  }
  plan->x_m = axis(grid.nx, grid.x0_m, grid.x1_m);
  plan->z_m = axis(grid.nz, grid.z0_m, grid.z1_m);
  for (const Element& e : a.probe.elements) plan->element_x_m.push_back(e.x_m);
  for (const Transmit& t : a.transmits) {
    plan->tx_sin.push_back(std::sin(t.angle_rad));
    plan->tx_cos.push_back(std::cos(t.angle_rad));
    plan->tx_t0_s.push_back(t.t0_s);
  }
  plan->geometry = {.nx = grid.nx,
                    .nz = grid.nz,
                    .n_tx = a.n_transmits(),
                    .n_el = a.n_elements(),
                    .n_samples = a.n_samples,
                    .x_m = plan->x_m.data(),
                    .z_m = plan->z_m.data(),
                    .element_x_m = plan->element_x_m.data(),
                    .tx_sin = plan->tx_sin.data(),
                    .tx_cos = plan->tx_cos.data(),
                    .tx_t0_s = plan->tx_t0_s.data(),
                    .sound_speed_m_s = p.formation.sound_speed_m_s,
                    .sampling_hz = a.sampling_hz};
  return plan;
}

}  // namespace echoloop
