#include "app/outputs/film_job.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/units.h"

namespace echoloop {
namespace {

constexpr double kFastest_hz = 60.0;  // limit of displays
constexpr double kUnknown_hz = 25.0;

class Video final : public ImageWriter {
 public:
  Video(const FilmOrder& order, const Image& first)
      : painter_({.grid = first.grid,
                  .display = order.display,
                  .source = order.source,
                  .note = order.note,
                  .flow = order.flow,
                  .numbers = order.numbers,
                  .samples = order.samples}),
        film_({.path = order.path,
               .width = painter_.width(),
               .height = painter_.height(),
               .rate_hz = order.rate_hz,
               .about = {{"title", order.source}}}) {}

  bool add(const Image& image, const FlowImage* flow) override {
    shown_ = &painter_.paint(image, flow);
    return hold();
  }
  bool hold() override {
    film_.add(shown_->rgb);
    return true;
  }
  void finish(const std::string& comment) override { film_.finish(comment); }
  [[nodiscard]] std::string codec() const override { return film_.codec(); }
  [[nodiscard]] bool lacks_font() const override { return !painter_.has_words(); }

 private:
  FilmPainter painter_;
  Film film_;
  const RgbImage* shown_ = nullptr;  // of the last image
};

}  // namespace

std::unique_ptr<ImageWriter> make_video(const FilmOrder& order, const Image& first) {
  return std::make_unique<Video>(order, first);
}

void pace_film(FilmOrder& order, const SourceInfo& source) {
  const double acquired_hz = source.acquisition != nullptr ? source.acquisition->frame_rate_hz : 0.0;
  const double wanted_hz = acquired_hz > 0.0 ? acquired_hz : source.rate_hz > 0.0 ? source.rate_hz : kUnknown_hz;
  order.rate_hz = std::min(wanted_hz, kFastest_hz);
  if (acquired_hz > kFastest_hz) order.note = fmt::format("{:.3g}× slower", acquired_hz / order.rate_hz);
}

FilmJob::FilmJob(FilmOrder order) : order_(std::move(order)), rate_hz_(order_.rate_hz), thread_([this] { run(); }) {}

FilmJob::~FilmJob() {
  if (!done_) cancel();
  thread_.join();
}

void FilmJob::offer(const Image& image, WhenFull when_full, const FlowImage* flow) {
  offer_at(image.stamp.sequence, image, when_full, flow);
}

void FilmJob::offer_at(std::uint64_t place, const Image& image, WhenFull when_full, const FlowImage* flow) {
  if (image.host_db == nullptr) return;
  std::unique_lock lock(mutex_);
  if (when_full == WhenFull::wait) changed_.wait(lock, [this] { return queue_.size() < kQueue || stopped_; });
  if (stopped_ || ending_) return;
  if (queue_.size() >= kQueue) {
    ++left_out_;
    return;
  }
  Waiting next;
  if (!spare_.empty()) {
    next.pixels = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  next.pixels.assign(image.host().begin(), image.host().end());
  next.image = image;
  next.image.storage.reset();
  next.on_cpu = std::exchange(next.image.device_db, nullptr) == nullptr;
  if (flow != nullptr) next.flow = *flow;
  next.place = place;
  lock.lock();
  queue_.push_back(std::move(next));
  lock.unlock();
  changed_.notify_all();
}

void FilmJob::end() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
}

void FilmJob::cancel() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void FilmJob::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.load(); });
}

bool FilmJob::take(Waiting& next) {
  std::unique_lock lock(mutex_);
  if (!next.pixels.empty()) spare_.push_back(std::move(next.pixels));
  changed_.wait(lock, [this] { return !queue_.empty() || ending_ || stopped_; });
  if (stopped_ || queue_.empty()) return false;
  next = std::move(queue_.front());
  next.image.host_db = next.pixels.data();
  queue_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return true;
}

bool FilmJob::stopped() const {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

std::unique_ptr<ImageWriter> FilmJob::begin(const Image& first) {
  std::unique_ptr<ImageWriter> file = order_.make(order_, first);
  const std::scoped_lock lock(mutex_);
  codec_ = file->codec();
  lacks_font_ = file->lacks_font();
  return file;
}

nlohmann::json FilmJob::command(const Image& last) const {
  nlohmann::json json = nlohmann::json::object();
  if (order_.named.empty()) return json;
  ImagingParams params = last.params;
  if (last.averaged_frames == 0.0) params.refine.persistence_s = 0.0;
  set_command(json,
              {.on_cpu = on_cpu_,
               .source = order_.named,
               .acquisition = last.acquisition,
               .frames = drawn_,
               .params = &params,
               .complete = complete_ && left_out_ == 0},
              order_.option + " video" + order_.path.extension().string());
  if (json.contains("command") && !order_.why_no_command.empty()) set_no_command(json, order_.why_no_command);
  if (mixed_) set_no_command(json, "some images were made on the GPU, the others on the CPU");
  return json;
}

void FilmJob::hold(ImageWriter& file, std::uint64_t pictures) {
  for (std::uint64_t i = 0; i < pictures && !stopped() && file.hold(); ++i) ++written_;
}

void FilmJob::write_film() {
  std::unique_ptr<ImageWriter> file;
  std::uint64_t last_place = 0;
  Image last;
  for (Waiting next; take(next);) {
    if (file == nullptr)
      file = begin(next.image);
    else if (next.place > last_place)
      hold(*file, next.place - last_place - 1);
    last_place = next.place;
    complete_ = complete_ && next.image.torn_share == 0.0 && next.image.stamp.sequence == drawn_ &&
                (drawn_ > 0 || next.image.stamp.source_index == 0);
    mixed_ = mixed_ || (drawn_ > 0 && next.on_cpu != on_cpu_);
    on_cpu_ = next.on_cpu;
    last = next.image;
    if (!file->add(next.image, next.flow ? &*next.flow : nullptr)) {
      complete_ = false;
      continue;
    }
    ++written_;
    ++drawn_;
  }
  if (stopped()) return;
  if (file == nullptr) throw Error(order_.path.string(), "no image was processed", "a video of at least one image");
  nlohmann::json made = command(last);
  file->finish(made.empty() ? std::string() : command_text(made));
  const std::scoped_lock lock(mutex_);
  command_ = std::move(made);
  rate_hz_ = file->rate_hz(order_.rate_hz);
  codec_ = file->codec();
}

void FilmJob::run() {
  (void)::setpriority(PRIO_PROCESS, 0, 5);  // for this thread and those of the encoder: the stream has priority
  std::exception_ptr failure;
  try {
    write_film();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    failure_ = failure;
    queue_.clear();
    done_ = true;
  }
  changed_.notify_all();
}

std::exception_ptr FilmJob::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_;
}

nlohmann::json FilmJob::report() const {
  const std::scoped_lock lock(mutex_);
  nlohmann::json report = {{"path", order_.path.string()},
                           {"frames", written_.load()},
                           {"left_out", left_out_.load()},
                           {"held", written_.load() - drawn_.load()},
                           {"codec", codec_},
                           {"rate_hz", rate_hz_},
                           {"complete", failure_ == nullptr}};
  report.update(command_);
  return report;
}

std::string FilmJob::summary() const {
  const std::scoped_lock lock(mutex_);
  std::string text = fmt::format("{}, {} at {:.3g} frames/s, {}", order_.path.string(),
                                 counted(written_.load(), "frame"), rate_hz_, codec_);
  if (!order_.note.empty()) text += ", " + order_.note;
  if (left_out_ > 0) text += fmt::format("; {} skipped because encoding fell behind", left_out_.load());
  if (lacks_font_) text += "; without caption: no font found (fonts-inter or fonts-dejavu-core)";
  return text;
}

}  // namespace echoloop
