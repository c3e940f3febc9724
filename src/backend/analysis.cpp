#include "backend/analysis.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace echoloop {

JobThread::JobThread(Work work) : work_(std::move(work)), thread_([this] { run(); }) {}

JobThread::~JobThread() {
  {
    const std::scoped_lock lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ < 0 && in_work_ < 0; });
}

bool JobThread::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_ >= 0 || in_work_ >= 0;
}

std::string JobThread::take_fault() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(fault_, {});
}

template <class Step>
void JobThread::attempt(Step&& step) {
  try {
    step();
  } catch (const std::exception& error) {
    const std::scoped_lock lock(mutex_);
    fault_ = error.what();
    failed_ = true;
  }
}

void JobThread::run() {
  if (work_.begin) attempt(work_.begin);
  while (true) {
    int slot = 0;
    {
      std::unique_lock lock(mutex_);
      const auto due = [this] { return waiting_ >= 0 || quit_; };
      if (work_.look_every.count() > 0)
        changed_.wait_for(lock, work_.look_every, due);
      else
        changed_.wait(lock, due);
      if (quit_) return;
      slot = in_work_ = std::max(std::exchange(waiting_, -1), 0);
    }
    if (!failed_) attempt([&] { work_.job(slot); });
    {
      const std::scoped_lock lock(mutex_);
      in_work_ = -1;
    }
    changed_.notify_all();
  }
}

void LineWriter::write(const Image& image, int column, std::span<const float> levels_db) {
  const bool goes_on = origin_ != nullptr && origin_->column == column && origin_->grid == image.grid &&
                       origin_->acquisition == image.acquisition && origin_->params == image.params;
  if (!goes_on) {
    origin_ = std::make_shared<const LineOrigin>(
        LineOrigin{.grid = image.grid, .column = column, .acquisition = image.acquisition, .params = image.params});
  }
  queue_.push(image.stamp, origin_, levels_db);
}

void LineWriter::write(const Image& image, PlanePoint at) {
  const std::span<const float> pixels = image.host();
  if (pixels.empty()) return;
  const int column = line_column(image.grid, at);
  levels_db_.resize(static_cast<std::size_t>(image.grid.nz));
  const auto nx = static_cast<std::size_t>(image.grid.nx);
  for (std::size_t iz = 0; iz < levels_db_.size(); ++iz)
    levels_db_[iz] = pixels[iz * nx + static_cast<std::size_t>(column)];
  write(image, column, levels_db_);
}

LineTap::LineTap(LineQueue* queue) {
  if (queue != nullptr) writer_.emplace(*queue);
}

void LineTap::look_at(const std::optional<PlanePoint>& at) {
  at_.back() = at;
  at_.publish();
}

std::optional<int> LineTap::column(const Grid& grid) {
  if (!writer_.has_value()) return std::nullopt;
  at_.take();
  const std::optional<PlanePoint>& at = at_.front();
  if (!at.has_value()) return std::nullopt;
  return line_column(grid, *at);
}

void LineTap::take(const Image& image, int column, std::span<const float> levels_db) {
  if (writer_.has_value()) writer_->write(image, column, levels_db);
}

}  // namespace echoloop
