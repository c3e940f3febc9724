#include <algorithm>

#include "backend/cuda/kernels/lane_steps.h"

namespace echoloop::cuda {

DasOnDevice das_on_device(Context& context, const DasPlan& plan, StreamView stream) {
  const DasTables& t = *plan.tables;
  DasOnDevice on{.geometry = plan.geometry, .tables = nullptr, .weights = nullptr, .cones = nullptr};
  on.is_flat =
      t.down_m.empty() && std::ranges::all_of(t.elements, [](const ElementGeometry& e) { return e.z_m == 0.0f; });
  on.tables =
      context.tables.get(plan.tables, {std::as_bytes(std::span(t.x_m)), std::as_bytes(std::span(t.z_m)),
                                       std::as_bytes(std::span(t.elements)), std::as_bytes(std::span(t.row_base)),
                                       std::as_bytes(std::span(t.row_turns)), std::as_bytes(std::span(t.tx_excess)),
                                       std::as_bytes(std::span(t.down_m)), std::as_bytes(std::span(t.columns))});
  on.tables->make_wait(stream);
  on.geometry.x_m = on.tables->table<float>(0);
  on.geometry.z_m = on.tables->table<float>(1);
  on.geometry.elements = on.tables->table<ElementGeometry>(2);
  on.geometry.row_base = on.tables->table<int>(3);
  on.geometry.row_turns = on.tables->table<float>(4);
  on.geometry.tx_excess = on.tables->table<float>(5);
  if (!t.down_m.empty()) on.geometry.down_m = on.tables->table<float>(6);
  if (!t.columns.empty()) on.geometry.columns = on.tables->table<ColumnTransmit>(7);
  if (plan.tx_weights != nullptr) {
    on.weights = context.tables.get(plan.tx_weights, {std::as_bytes(std::span(*plan.tx_weights))});
    on.weights->make_wait(stream);
    on.geometry.weights.all = on.weights->table<float>(0);
  }
  if (plan.cones != nullptr) {
    on.cones = context.tables.get(plan.cones, {std::as_bytes(std::span(plan.cones->weights))});
    on.cones->make_wait(stream);
    on.geometry.weights.cone = on.cones->table<float>(0);
    on.geometry.weights.cone_span = nullptr;
  }
  return on;
}

}  // namespace echoloop::cuda
