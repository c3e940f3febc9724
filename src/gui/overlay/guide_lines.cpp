#include "gui/overlay/guide_lines.h"

#include <cmath>

#include "core/line_queue.h"

namespace echoloop {
namespace {

constexpr Rgb kAccent = {76, 195, 224}, kFlow = {242, 193, 78};
constexpr double kBeamOpacity = 0.59, kLineOpacity = 0.78;
constexpr double kEnd = 9.0, kFlowReach = 26.0, kFlowGap = 5.0;  // units

PlanePoint beyond(PlanePoint from, PlanePoint way, double by_m) {
  return {from.x_m + by_m * way.x_m, from.z_m + by_m * way.z_m};
}

}  // namespace

GuideLine m_mode_guide(const Grid& grid, PlanePoint at) {
  const int column = line_column(grid, at);
  return {
      .from = grid.point(column, 0), .to = grid.point(column, grid.nz - 1), .color = kAccent, .opacity = kLineOpacity};
}

GateShape gate_shape(const Grid& grid, const ImagingParams& p) {
  GateShape g{.middle = {p.doppler.x_m, p.doppler.z_m}, .shallow = {}, .deep = {}, .along = {0.0, 1.0}};
  if (grid.polar()) {
    const double x = p.doppler.x_m, down = p.doppler.z_m - grid.sector.apex_z_m;
    if (const double r = std::hypot(x, down); r > 0.0) g.along = {x / r, down / r};
  }
  const double half = 0.5 * p.doppler.length_m;
  g.shallow = beyond(g.middle, g.along, -half);
  g.deep = beyond(g.middle, g.along, half);
  return g;
}

std::vector<GuideLine> gate_guides(const Grid& grid, const ImagingParams& p, double unit_m) {
  const GateShape g = gate_shape(grid, p);
  const double all_m = std::hypot(grid.x1_m - grid.x0_m, grid.z1_m - grid.z0_m);
  const PlanePoint across{-g.along.z_m, g.along.x_m};
  const double angle = p.color_flow.angle_rad;
  const PlanePoint flow{g.along.x_m * std::cos(angle) + g.along.z_m * std::sin(angle),
                        g.along.z_m * std::cos(angle) - g.along.x_m * std::sin(angle)};
  const auto end = [&](PlanePoint at) {
    return GuideLine{beyond(at, across, -kEnd * unit_m), beyond(at, across, kEnd * unit_m), kAccent, 1.0, 2.0};
  };
  const auto arm = [&](double way) {
    return GuideLine{beyond(g.middle, flow, way * kFlowGap * unit_m), beyond(g.middle, flow, way * kFlowReach * unit_m),
                     kFlow, 1.0, 1.5};
  };
  return {{beyond(g.shallow, g.along, -all_m), g.shallow, kAccent, kBeamOpacity},  // the beam, but for the gate itself
          {g.deep, beyond(g.deep, g.along, all_m), kAccent, kBeamOpacity},
          end(g.shallow),
          end(g.deep),
          arm(-1.0),
          arm(1.0)};
}

}  // namespace echoloop
