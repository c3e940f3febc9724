#include "backend/cpu/cpu_structure.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/units.h"

namespace echoloop {

void CpuStructureDevice::begin_thread() {
  // Threads of Linux each have their own nice value, and inherit it from who starts them.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), 10));
  pool_ = std::make_unique<WorkerPool>(threads_);
}

void CpuStructureDevice::store(int slot, const Image& image) {
  const std::span<const float> db = image.host();
  pictures_[static_cast<std::size_t>(slot)].assign(db.begin(), db.end());
}

void CpuStructureDevice::smooth(const std::vector<float>& picture, const StructurePlan& plan,
                                const Background& background) {
  const auto stand_in_db = static_cast<float>(background.median_db);
  smoothed_.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) smoothed_[i] = level_or(picture[i], stand_in_db);
  refiner_.set_plan(plan.smooth);
  refiner_.filter(*pool_, smoothed_.data());
}

void CpuStructureDevice::find(int slot, const StructurePlan& plan, StructureImage& result) {
  const std::int64_t begin_ns = now_ns();
  const std::vector<float>& picture = pictures_[static_cast<std::size_t>(slot)];
  result.histogram.first_db = kHistogramFirst_db;
  result.histogram.step_db = kHistogramStep_db;
  count_levels(picture, kHistogramBins, result.histogram);
  result.background = result.smoothed = background_.find(picture, picture, plan.kappa);
  const bool any = result.background.pixels > 0;
  const bool smooths = any && plan.smooth != nullptr;
  if (smooths) {
    smooth(picture, plan, result.background);
    result.smoothed = background_.find(smoothed_, picture, plan.kappa);
  }
  const std::int64_t objects_ns = now_ns();
  const std::vector<float>& levels = smooths ? smoothed_ : picture;
  result.threshold_db = any ? plan.threshold_db(result.smoothed) : 0.0;
  result.labels.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    result.labels[i] = any && beyond_threshold(picture[i], levels[i], result.threshold_db, plan.wanted) ? 1 : 0;
  }
  result.found = labels_.find(plan, picture, result.labels, result.objects);
  const std::int64_t end_ns = now_ns();
  result.times = {.background_ms = static_cast<double>(objects_ns - begin_ns) * 1e-6,
                  .objects_ms = static_cast<double>(end_ns - objects_ns) * 1e-6,
                  .total_ms = static_cast<double>(end_ns - begin_ns) * 1e-6};
}

}  // namespace echoloop
