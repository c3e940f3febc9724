#include "gui/param_history.h"

#include <fmt/format.h>

#include <utility>

#include "core/param_table.h"
#include "gui/number_text.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostSteps = 200;
constexpr double kJoin_s = 0.7;  // keys that repeat come 30 times a second, a thoughtful hand once

std::vector<const ParamSpec*> differing(const ImagingParams& a, const ImagingParams& b) {
  std::vector<const ParamSpec*> specs;
  for (const ParamSpec& spec : param_table()) {
    if (get_number(a, spec) != get_number(b, spec)) specs.push_back(&spec);
  }
  return specs;
}

std::string value_text(const ImagingParams& params, const ParamSpec& spec) {
  const double value = get_number(params, spec);
  if (!spec.choices.empty()) return std::string(spec.choices[static_cast<std::size_t>(value)]);
  return fixed(value * spec.shown_per_si, spec.decimals);
}

}  // namespace

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

void ParamHistory::begin(const ImagingParams& now) {
  now_ = now;
  steps_.clear();
  done_ = 0;
}

bool ParamHistory::joins(const Step& step, const ImagingParams& now, Hand hand, double time_s) const {
  if (step.closed || step.held != (hand == Hand::holding)) return false;
  if (step.held) return true;
  return time_s - step.last_s < kJoin_s && differing(now_, now) == differing(step.before, step.after);
}

void ParamHistory::observe(const ImagingParams& now, Hand hand, double time_s, std::uint64_t event, std::string name) {
  const bool named = std::exchange(event_, event) != event;
  Step* last = done_ > 0 ? &steps_[done_ - 1] : nullptr;
  if (now == now_) {
    if (last != nullptr && hand == Hand::free && last->held) last->closed = true;
    return;
  }
  if (last != nullptr && !named && joins(*last, now, hand, time_s)) {
    last->after = now;
    last->last_s = time_s;
    if (last->before == now) --done_;  // back where it was: nothing to undo
  } else {
    if (last != nullptr) last->closed = true;
    steps_.resize(done_);
    steps_.push_back({.before = now_,
                      .after = now,
                      .name = named ? std::move(name) : std::string(),
                      .held = hand == Hand::holding,
                      .closed = named,
                      .last_s = time_s});
    if (steps_.size() > kMostSteps) steps_.erase(steps_.begin());
    done_ = steps_.size();
  }
  steps_.resize(done_);
  now_ = now;
}

std::optional<ImagingParams> ParamHistory::undo() {
  if (done_ == 0) return std::nullopt;
  Step& step = steps_[--done_];
  step.closed = true;
  if (done_ > 0) steps_[done_ - 1].closed = true;
  return now_ = step.before;
}

std::optional<ImagingParams> ParamHistory::redo() {
  if (done_ == steps_.size()) return std::nullopt;
  return now_ = steps_[done_++].after;
}

std::string ParamHistory::undo_text() const {
  if (done_ == 0) return {};
  const Step& step = steps_[done_ - 1];
  return step.name.empty() ? change_text(step.after, step.before) : step.name;
}

std::string ParamHistory::redo_text() const {
  if (done_ == steps_.size()) return {};
  const Step& step = steps_[done_];
  return step.name.empty() ? change_text(step.before, step.after) : step.name;
}

}  // namespace echoloop
