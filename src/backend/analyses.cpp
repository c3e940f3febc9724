#include "backend/analyses.h"

#include <stdexcept>
#include <utility>

namespace echoloop {
namespace {

constexpr auto kRows = rows_of_analyses<AnalysisRow>([]<class A>() { return &A::kEngine; });

}  // namespace

Analyses::Analyses(Backend& backend, const AnalysisMailboxes& mailboxes, std::function<void(const std::string&)> refuse)
    : backend_(backend), mailboxes_(mailboxes), refuse_(std::move(refuse)) {
  for (const AnalysisRow* row : kRows)
    if (row->has_mailbox(mailboxes)) states_.push_back({.row = *row, .analysis = nullptr});
}

void Analyses::try_again() {
  for (State& state : states_) state.failed = false;
}

bool Analyses::wants(const State& state, const ImagingParams& params) const {
  return !state.failed && state.row.is_on(params);
}

bool Analyses::wants_pixels(const ImagingParams& params) const {
  for (const State& state : states_)
    if (state.row.input == AnalysisInput::pixels && wants(state, params)) return true;
  return false;
}

// Runs `work` on the row's analysis, made first if absent. An exception or a fault ends the analysis.
template <class Work>
void Analyses::attempt(State& state, const Work& work) {
  try {
    if (state.analysis == nullptr) state.analysis = state.row.make(backend_, mailboxes_);
    work(*state.analysis);
    if (std::string why = state.analysis->take_fault(); !why.empty()) throw std::runtime_error(why);
    note_counts();
  } catch (const std::exception& error) {
    note_counts();
    state.analysis.reset();
    state.failed = true;
    refuse_(std::string(state.row.refusal) + error.what());
  }
}

void Analyses::take_pixels(const BeamformedFrame& frame) {
  for (State& state : states_) {
    if (state.row.input != AnalysisInput::pixels || !wants(state, frame.plan->params)) continue;
    attempt(state, [&](Analysis& analysis) { analysis.take(frame); });
  }
}

void Analyses::take_live(const Image& image) {
  bool late = false;
  for (State& state : states_) {
    state.late = false;
    if (state.row.input != AnalysisInput::images || !wants(state, image.params) || looking_ == Looking::back) continue;
    state.late = !take_image(state, image, Claim::live);
    late = late || state.late;
  }
  late_image_ = late ? image : Image();
}

void Analyses::take_kept(const Image& image) {
  for (State& state : states_) {
    if (state.row.input != AnalysisInput::images) continue;
    if (state.row.is_on(image.params))
      take_image(state, image, Claim::wanted);
    else
      give_back(state);
  }
}

// Returns false if the image came too soon.
bool Analyses::take_image(State& state, const Image& image, Claim claim) {
  bool taken = true;
  attempt(state, [&](Analysis& analysis) { taken = analysis.take(image, claim); });
  return taken;
}

void Analyses::give_back(State& state) {
  if (state.analysis == nullptr || state.analysis->busy()) return;
  note_counts();
  state.analysis.reset();
}

void Analyses::retire(const ImagingParams& params) {
  for (State& state : states_) {
    const bool used_by_history = state.row.input == AnalysisInput::images && looking_ == Looking::back;
    if (!state.row.is_on(params) && !used_by_history) give_back(state);
  }
}

void Analyses::retire_images() {
  for (State& state : states_)
    if (state.row.input == AnalysisInput::images) give_back(state);
}

void Analyses::end_stream(StreamEnd how) {
  for (State& state : states_) {
    if (state.analysis == nullptr || state.row.input != AnalysisInput::pixels) continue;
    try {
      state.analysis->drain();
    } catch (const std::exception&) {  // the device is lost: unpublished results never come
    }
    note_counts();
    state.analysis.reset();
  }
  const Image last = std::exchange(late_image_, {});
  for (State& state : states_) {
    if (state.analysis == nullptr) continue;
    if (std::exchange(state.late, false) && how == StreamEnd::regular && looking_ == Looking::at_live)
      take_image(state, last, Claim::wanted);
    if (state.analysis == nullptr) continue;
    state.analysis->drain();
    note_counts();
    if (const std::string why = state.analysis->take_fault(); !why.empty())
      refuse_(std::string(state.row.refusal) + why);
  }
}

// Keeps the counts of analyses that have ended.
void Analyses::note_counts() {
  const std::scoped_lock lock(mutex_);
  for (const State& state : states_)
    if (state.analysis != nullptr) state.analysis->count(counts_);
}

AnalysisCounts Analyses::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

}  // namespace echoloop
