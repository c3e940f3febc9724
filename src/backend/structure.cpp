#include "backend/structure.h"

#include <utility>

#include "core/param_table.h"
#include "core/units.h"

namespace echoloop {
namespace {

bool same_structure(const ImagingParams& a, const ImagingParams& b) {
  for (const ParamSpec& spec : param_table()) {
    if (spec.group == ParamGroup::structure && get_number(a, spec) != get_number(b, spec)) return false;
  }
  return true;
}

}  // namespace

StructureEngine::StructureEngine(std::unique_ptr<StructureDevice> device, Mailbox<StructureImage>& pictures)
    : device_(std::move(device)), pictures_(pictures), thread_([this] { run(); }) {}

StructureEngine::~StructureEngine() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

StructureCounts StructureEngine::counts() const { return {.pictures = n_pictures_, .replaced = n_replaced_}; }

std::string StructureEngine::take_fault() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(fault_, {});
}

bool StructureEngine::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_ >= 0 || in_work_ >= 0;
}

void StructureEngine::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ < 0 && in_work_ < 0; });
}

bool StructureEngine::take(const Image& image, Claim claim) {
  if (failed_) return true;
  if (claim == Claim::live) {
    if (last_live_ns_ != 0 && image.ready_ns < last_live_ns_ + kStructureInterval_ns) return false;
    last_live_ns_ = image.ready_ns;
  }
  {
    const std::scoped_lock lock(mutex_);  // the other thread holds it only to look
    if (waiting_ >= 0) ++n_replaced_;
    const int slot = in_work_ == 0 ? 1 : 0;
    waiting_ = -1;  // what throws leaves nothing
    device_->store(slot, image);
    jobs_[static_cast<std::size_t>(slot)] = {image.stamp, image.grid, image.acquisition, image.params};
    waiting_ = slot;
  }
  changed_.notify_all();
  return true;
}

void StructureEngine::run() {
  const auto fail = [this](const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fault_ = error.what();
    failed_ = true;
  };
  try {
    device_->begin_thread();
  } catch (const std::exception& error) {
    fail(error);
  }
  while (true) {
    int slot = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return waiting_ >= 0 || quit_; });
      if (quit_) return;
      slot = in_work_ = std::exchange(waiting_, -1);
    }
    try {
      if (!failed_) make_picture(slot);
    } catch (const std::exception& error) {
      fail(error);
    }
    {
      const std::scoped_lock lock(mutex_);
      in_work_ = -1;
    }
    changed_.notify_all();
  }
}

const StructurePlan& StructureEngine::plan_for(const Job& job) {
  const bool same = number_ > 0 && plan_.grid == job.grid && same_structure(planned_, job.params);
  if (!same) {
    plan_ = make_structure_plan(job.params, job.grid);
    planned_ = job.params;
  }
  return plan_;
}

void StructureEngine::make_picture(int slot) {
  const Job& job = jobs_[static_cast<std::size_t>(slot)];
  StructureImage& image = pictures_.back();
  device_->find(slot, plan_for(job), image);
  image.stamp = job.stamp;
  image.grid = job.grid;
  image.acquisition = job.acquisition;
  image.params = job.params;
  image.ready_ns = now_ns();
  image.number = ++number_;
  pictures_.publish();
  ++n_pictures_;
}

}  // namespace echoloop
