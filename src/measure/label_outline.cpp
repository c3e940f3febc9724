#include "measure/label_outline.h"

#include <algorithm>
#include <array>

namespace echoloop {
namespace {

enum Heading { east, south, west, north };
constexpr std::array<int, 4> kStepX = {1, 0, -1, 0}, kStepZ = {0, 1, 0, -1};

// A corner of pixels: (x, z) is the upper left one of pixel (x, z).
struct Corner {
  int x, z;
  friend bool operator==(const Corner&, const Corner&) = default;
};

class Tracer {
 public:
  Tracer(std::span<const std::int32_t> labels, const Grid& grid)
      : labels_(labels), grid_(grid), seen_(labels.size(), false) {}

  std::vector<LabelOutline> all() {
    std::vector<LabelOutline> found;
    for (int z = 0; z < grid_.nz; ++z) {
      for (int x = 0; x < grid_.nx; ++x) {
        const std::int32_t label = at(x, z);
        if (label > 0 && at(x, z - 1) != label && !seen_[index(x, z)]) found.push_back(trace(label, {x, z}));
      }
    }
    return found;
  }

 private:
  [[nodiscard]] std::size_t index(int x, int z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(grid_.nx) + static_cast<std::size_t>(x);
  }
  [[nodiscard]] std::int32_t at(int x, int z) const {
    return x < 0 || z < 0 || x >= grid_.nx || z >= grid_.nz ? 0 : labels_[index(x, z)];
  }
  // Whether the edge from a corner has the label at its right and another one at its left.
  [[nodiscard]] bool is_edge(std::int32_t label, Corner c, int heading) const {
    constexpr std::array<int, 4> kRightX = {0, -1, -1, 0}, kRightZ = {0, 0, -1, -1};
    constexpr std::array<int, 4> kLeftX = {0, 0, -1, -1}, kLeftZ = {-1, 0, 0, -1};
    const auto h = static_cast<std::size_t>(heading);
    return at(c.x + kRightX[h], c.z + kRightZ[h]) == label && at(c.x + kLeftX[h], c.z + kLeftZ[h]) != label;
  }

  [[nodiscard]] PlanePoint place(Corner c) const {
    const double column = std::clamp(c.x - 0.5, 0.0, static_cast<double>(grid_.nx - 1));
    const double row = std::clamp(c.z - 0.5, 0.0, static_cast<double>(grid_.nz - 1));
    const auto along = [](double first, double last, double share_of, int n) {
      return n > 1 ? first + (last - first) * share_of / (n - 1) : first;
    };
    if (!grid_.polar()) {
      return {along(grid_.x0_m, grid_.x1_m, column, grid_.nx), along(grid_.z0_m, grid_.z1_m, row, grid_.nz)};
    }
    const Sector& s = grid_.sector;
    const double angle = along(s.angle0_rad, s.angle1_rad, column, grid_.nx);
    const double r = along(s.r0_m, s.r1_m, row, grid_.nz);
    return {r * std::sin(angle), s.apex_z_m + r * std::cos(angle)};
  }

  LabelOutline trace(std::int32_t label, Corner start) {
    LabelOutline outline{.label = label, .line = {}, .least = place(start), .most = place(start)};
    Corner c = start;
    int heading = east;
    int came = -1;  // heading on the way to this corner
    do {
      const bool straight = came == heading;
      const bool arc = grid_.polar() && (heading == east || heading == west);
      if (!straight || arc) {
        const PlanePoint p = place(c);
        outline.line.push_back(p);
        outline.least = {std::min(outline.least.x_m, p.x_m), std::min(outline.least.z_m, p.z_m)};
        outline.most = {std::max(outline.most.x_m, p.x_m), std::max(outline.most.z_m, p.z_m)};
      }
      if (heading == east) seen_[index(c.x, c.z)] = true;
      c = {c.x + kStepX[static_cast<std::size_t>(heading)], c.z + kStepZ[static_cast<std::size_t>(heading)]};
      came = heading;
      // Right first: around the same pixel where two meet at a corner.
      for (const int turn : {1, 0, 3}) {
        heading = (came + turn) % 4;
        if (is_edge(label, c, heading)) break;
      }
    } while (!(c == start && heading == east));
    return outline;
  }

  std::span<const std::int32_t> labels_;
  const Grid& grid_;
  std::vector<bool> seen_;  // the edge above a pixel is part of a line already
};

}  // namespace

std::vector<LabelOutline> outline_labels(std::span<const std::int32_t> labels, const Grid& grid) {
  if (labels.size() != grid.pixels()) return {};
  return Tracer(labels, grid).all();
}

}  // namespace echoloop
