#include "app/window/window_lesson.h"

#include <algorithm>

#include "app/options/folders.h"
#include "core/error.h"
#include "core/units.h"

namespace echoloop {

WindowLesson::WindowLesson(WindowState& state, SourceInUse& in_use, Engine& engine, Actions actions)
    : state_(state), in_use_(in_use), engine_(engine), actions_(std::move(actions)) {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(share_folder() / "assets" / "lessons", error)) {
    if (!is_lesson_file(file.path())) continue;
    try {
      const std::string title = read_lesson(file.path()).title;
      state_.lesson.offered.push_back({"menu/lesson/" + file.path().stem().string(), title, file.path()});
    } catch (const Error& fault) {
      state_.say(Severity::warning, fault.what(), "lesson");
    }
  }
  std::ranges::sort(state_.lesson.offered, {}, &OfferedLesson::file);
}

void WindowLesson::open(const std::filesystem::path& file) {
  lesson_ = read_lesson(file);
  step_ = 0;
  pending_ = Wanted::given;
  if (in_use_.named != lesson_->source) actions_.open_source(lesson_->source);
  describe();
}

void WindowLesson::act(LessonAct act) {
  if (!lesson_) return;
  if (act == LessonAct::close) {
    lesson_.reset();
    pending_.reset();
    state_.lesson = {.offered = state_.lesson.offered};
    return;
  }
  const bool moves = act == LessonAct::next || act == LessonAct::back;
  if (act == LessonAct::next) step_ = std::min(step_ + 1, lesson_->steps.size() - 1);
  if (act == LessonAct::back) step_ -= std::min<std::size_t>(step_, 1);
  pending_ = act == LessonAct::show ? Wanted::solution : Wanted::given;
  if (in_use_.named != lesson_->source) actions_.open_source(lesson_->source);
  if (moves) describe();
}

// Applies the situation of the step to the open source, and with it the solution.
void WindowLesson::set_up(Wanted wanted) {
  const LessonStep& step = lesson_->steps[step_];
  StreamSettings stream;
  ImagingParams params = state_.defaults;
  for (const LessonState* part : situation(*lesson_, step, engine_.on_gpu() ? LessonDevice::gpu : LessonDevice::cpu)) {
    stream = part->applied(stream);
    params = part->applied(params);
  }
  if (wanted == Wanted::solution) {
    stream = step.wanted.applied(stream);
    params = step.wanted.applied(params);
  }
  params.display = state_.params.display;
  state_.params = params;
  actions_.params_changed();
  state_.stream = stream;
  actions_.restart(stream);
}

void WindowLesson::describe() {
  const LessonStep& step = lesson_->steps[step_];
  state_.lesson = {.title = lesson_->title,
                   .step_title = step.title,
                   .text = step.text,
                   .hint = step.hint,
                   .step = static_cast<int>(step_) + 1,
                   .steps = static_cast<int>(lesson_->steps.size()),
                   .offered = state_.lesson.offered};
  judged_ns_ = 0;
}

void WindowLesson::look(const Image& image) {
  constexpr std::int64_t kPeriod_ns = 250'000'000;
  if (state_.lesson.title.empty()) lesson_.reset();  // ended by a reset of the window
  if (!lesson_ || in_use_.named != lesson_->source || engine_.session == nullptr) return;
  if (pending_) {
    set_up(*pending_);
    pending_.reset();
    judged_ns_ = now_ns();
    return;
  }
  if (now_ns() - judged_ns_ < kPeriod_ns) return;
  judged_ns_ = now_ns();
  const auto verdicts = judge(lesson_->steps[step_], {.stream = state_.stream,
                                                      .params = state_.params,
                                                      .timing = state_.numbers.timing,
                                                      .counts = state_.numbers.counts,
                                                      .waited_share = state_.numbers.producer_wait_share,
                                                      .frame_bytes = engine_.session->frame_bytes(),
                                                      .torn_share = image.torn_share,
                                                      .objects = state_.analyses.of<ObjectView>().image.get(),
                                                      .flow = state_.analyses.of<FlowView>().image.get()});
  state_.lesson.lines.clear();
  for (const LessonVerdict& verdict : verdicts)
    state_.lesson.lines.push_back({verdict.check, verdict.found, verdict.held});
  state_.lesson.done = std::ranges::all_of(verdicts, &LessonVerdict::held);
}

}  // namespace echoloop
