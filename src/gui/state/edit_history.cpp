#include "gui/state/edit_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/own_method.h"
#include "core/param_table.h"
#include "gui/state/marks.h"
#include "gui/state/number_text.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostSteps = 200;
constexpr double kJoin_s = 0.7;  // auto-repeat of keys is 30 per second, deliberate presses about one per second

std::vector<const ParamSpec*> differing(const ImagingParams& a, const ImagingParams& b) {
  std::vector<const ParamSpec*> specs;
  for (const ParamSpec& spec : param_table()) {
    if (get_number(a, spec) != get_number(b, spec)) specs.push_back(&spec);
  }
  return specs;
}

std::string value_text(const ImagingParams& params, const ParamSpec& spec) {
  if (!spec.choices.empty()) return std::string(get_choice(params, spec).label);
  return fixed(get_number(params, spec) * spec.shown_per_si, spec.decimals);
}

std::string name_of_mark(const Mark& mark) {
  return mark.role == RegionRole::none ? fmt::format("{} {}", name_of(mark.kind), mark.number) : mark_label(mark);
}

// Returns the marks of `list` that `other` lacks or has with other values.
std::vector<const Mark*> not_in(const std::vector<Mark>& list, const std::vector<Mark>& other) {
  std::vector<const Mark*> found;
  for (const Mark& mark : list) {
    if (std::find(other.begin(), other.end(), mark) == other.end()) found.push_back(&mark);
  }
  return found;
}

const char* verb_of(std::size_t before, std::size_t after) {
  return before > after ? "removed" : before < after ? "restored" : "changed";
}

std::string change_text(const Undoable& before, const Undoable& after) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  add(change_text(before.params, after.params));
  add(change_text(before.marks, after.marks));
  if (before.calipers != after.calipers) {
    add(std::string("M-mode caliper ") + verb_of(before.calipers.size(), after.calipers.size()));
  }
  return text;
}

}  // namespace

std::string change_text(const std::vector<Mark>& before, const std::vector<Mark>& after) {
  const std::vector<const Mark*> gone = not_in(before, after), come = not_in(after, before);
  const char* verb = verb_of(before.size(), after.size());
  const std::vector<const Mark*>& told = before.size() > after.size() ? gone : come;
  if (told.empty()) return {};
  if (told.size() == 1) return name_of_mark(*told.front()) + " " + verb;
  return fmt::format("{} measurements {}", told.size(), verb);
}

std::string change_text(const ImagingParams& before, const ImagingParams& after) {
  const auto specs = differing(before, after);
  if (specs.empty()) return {};
  const ParamSpec& first = *specs.front();
  std::string text = fmt::format("{} {} → {}", first.label, value_text(before, first), value_text(after, first));
  if (!first.unit.empty()) text += " " + std::string(first.unit);
  if (specs.size() == 2) text += ", " + std::string(specs[1]->label);
  if (specs.size() > 2) text += fmt::format(" and {} more", specs.size() - 1);
  return text;
}

void EditHistory::begin(const Undoable& edits) {
  now_ = edits;
  steps_.clear();
  done_ = 0;
}

bool EditHistory::joins(const Step& step, const ImagingParams& params, DragState drag, double time_s) const {
  if (step.closed || step.held != (drag == DragState::holding)) return false;
  if (step.held) return true;
  return time_s - step.last_s < kJoin_s &&
         differing(now_.params, params) == differing(step.before.params, step.after.params);
}

void EditHistory::join(Step& step, const Undoable& edits, double time_s) {
  step.after = edits;
  step.last_s = time_s;
  if (step.before == edits) --done_;  // back at the start: nothing to undo
}

void EditHistory::follow_method(const std::shared_ptr<const OwnMethod>& own) {
  if (now_.params.formation.own == own) return;
  set_own_method(now_.params.formation, own);
  for (Step& step : steps_)
    for (Undoable* const each : {&step.before, &step.after}) set_own_method(each->params.formation, own);
}

void EditHistory::observe(const Undoable& edits, DragState drag, double time_s, std::uint64_t event, std::string name) {
  follow_method(edits.params.formation.own);
  const bool named = std::exchange(event_, event) != event;
  Step* last = done_ > 0 ? &steps_[done_ - 1] : nullptr;
  const bool drawn = edits.marks != now_.marks || edits.calipers != now_.calipers;
  if (edits.params == now_.params && !drawn) {
    if (last != nullptr && drag == DragState::free && last->held) last->closed = true;
    now_.preset = edits.preset;
    return;
  }
  // Marks change by single acts: only a drag continues a step.
  const bool may_join = !named && (!drawn || drag == DragState::holding);
  if (last != nullptr && may_join && joins(*last, edits.params, drag, time_s)) {
    join(*last, edits, time_s);
  } else {
    add({.before = now_,
         .after = edits,
         .name = named ? std::move(name) : std::string(),
         .held = drag == DragState::holding,
         .closed = named || (drawn && drag == DragState::free),
         .last_s = time_s});
  }
  steps_.resize(done_);
  now_ = edits;
}

void EditHistory::add(Step step) {
  if (done_ > 0) steps_[done_ - 1].closed = true;
  steps_.resize(done_);
  steps_.push_back(std::move(step));
  if (steps_.size() > kMostSteps) steps_.erase(steps_.begin());
  done_ = steps_.size();
}

void EditHistory::record(const Undoable& edits, double time_s, const RemoteEdit& by) {
  follow_method(edits.params.formation.own);
  if (edits == now_) return;
  Step* const last = done_ > 0 ? &steps_[done_ - 1] : nullptr;
  const bool joins = last != nullptr && last->by && !by.joint.empty() && last->by->joint == by.joint &&
                     time_s - last->last_s < kJoinRemote_s;
  if (joins)
    join(*last, edits, time_s);
  else
    add({.before = now_, .after = edits, .name = by.label, .closed = true, .last_s = time_s, .by = by});
  steps_.resize(done_);
  now_ = edits;
}

void EditHistory::forget_calipers() {
  now_.calipers.clear();
  std::vector<Step> kept;
  std::size_t done = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    step.before.calipers.clear();
    step.after.calipers.clear();
    if (step.before == step.after) continue;
    if (i < done_) ++done;
    kept.push_back(std::move(step));
  }
  steps_ = std::move(kept);
  done_ = done;
}

std::optional<Undoable> EditHistory::undo() {
  if (done_ == 0) return std::nullopt;
  const auto close = [](Step& step) {
    step.closed = true;
    if (step.by) step.by->joint.clear();
  };
  Step& step = steps_[--done_];
  close(step);
  if (done_ > 0) close(steps_[done_ - 1]);
  return now_ = step.before;
}

std::optional<Undoable> EditHistory::redo() {
  if (done_ == steps_.size()) return std::nullopt;
  return now_ = steps_[done_++].after;
}

std::string EditHistory::Step::text(const Undoable& from, const Undoable& to) const {
  return !name.empty() ? name : (by ? "remote: " : "") + change_text(from, to);
}

std::string EditHistory::undo_text() const {
  if (done_ == 0) return {};
  const Step& step = steps_[done_ - 1];
  return step.text(step.after, step.before);
}

std::string EditHistory::redo_text() const {
  if (done_ == steps_.size()) return {};
  const Step& step = steps_[done_];
  return step.text(step.before, step.after);
}

}  // namespace echoloop
