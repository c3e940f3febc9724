// WindowApp's comparison: a recording of its own as side A, another one as side B, and their exchange.
#include <utility>

#include "app/window_app.h"
#include "backend/plan.h"
#include "core/param_table.h"

namespace echoloop {
namespace {

// B's settings for A's recording: what follows from a recording and was not set by the user follows from A's.
ImagingParams params_for(const Acquisition& a, const ImagingParams& b, const ImagingParams& defaults_of_b) {
  const ImagingParams defaults = default_params(a);
  ImagingParams params = b;
  for (const ParamSpec& spec : param_table()) {
    const bool own = get_number(b, spec) != get_number(defaults_of_b, spec);
    if (spec.from_acquisition && !own) set_number(params, spec, get_number(defaults, spec));
  }
  return params;
}

}  // namespace

OpenedSource WindowApp::current_source() const {
  return {.name = named_, .source = source_, .facts = facts_, .info = state_.source};
}

void WindowApp::compare_with(CompareSide side, const std::filesystem::path& path) {
  if (!state_.cine.compare || source_ == nullptr) return;
  if (side == CompareSide::b) {
    opener_.open(path.string());
    current_becomes_a_ = true;
  } else if (path.empty()) {
    compared_.forget();
    state_.cine.a_recording = {};
    state_.cine.a = state_.params;
  } else {
    compared_.open(path.string());
    state_.cine.a_recording = {.name = path.filename().string(), .acquisition = nullptr, .samples = nullptr};
  }
}

void WindowApp::use_as_a(OpenedSource opened, const ImagingParams& params) {
  state_.cine.a_recording = {
      .name = opened.info.name, .acquisition = opened.info.acquisition, .samples = opened.info.samples};
  state_.cine.a = params;
  compared_.use(std::move(opened));
}

// Both recordings with the parameters that they had. B's stream starts again.
void WindowApp::swap_recordings() {
  if (compared_.opened() == nullptr) return;
  const ImagingParams params_of_a = with_display(state_.cine.a, state_.params.display);
  OpenedSource becomes_b = *compared_.opened();
  current_becomes_a_ = true;
  start_session(std::move(becomes_b));
  state_.params = params_of_a;
  apply_params();
}

// Once a window frame.
void WindowApp::go_on_with_comparison() {
  if (!state_.cine.compare) {
    if (compared_.wanted()) compared_.forget();
    state_.cine.a_recording = {};
    resolve(state_.messages, "comparing");
    return;
  }
  if (compared_.opening() && !state_.progress) {
    state_.progress = Progress{.text = "Opening " + compared_.name(), .fraction = compared_.fraction()};
  }
  const auto result = compared_.take_result();
  if (!result) return;
  try {
    if (*result != nullptr) std::rethrow_exception(*result);
    const OpenedSource& opened = *compared_.opened();
    const ImagingParams params = params_for(*opened.info.acquisition, state_.params, state_.defaults);
    check_params(*opened.info.acquisition, params);
    state_.cine.a_recording = {
        .name = opened.info.name, .acquisition = opened.info.acquisition, .samples = opened.info.samples};
    state_.cine.a = params;
    resolve(state_.messages, "comparing");
  } catch (const NoSandbox& why) {
    ask_without_sandbox(Asker::compared, why);
  } catch (const std::exception& error) {
    end_other_recording(error.what());
  }
}

void WindowApp::end_other_recording(const std::string& why) {
  compared_.forget();
  state_.cine.a_recording = {};
  state_.cine.a = state_.params;
  say(Severity::error, why, "comparing");
}

}  // namespace echoloop
