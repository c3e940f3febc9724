#include "app/window/window_comparison.h"

#include <utility>

#include "app/outputs/comparison.h"

namespace echoloop {

void WindowComparison::forget() {
  compared_.forget();
  parts_.state.cine.a_recording = {};
}

void WindowComparison::begin(const OpenedSource& opened, const ImagingParams& params) {
  Cine& cine = parts_.state.cine;
  cine.a_recording = {.name = opened.info.name,
                      .acquisition = opened.info.acquisition,
                      .opened_as = opened.name,
                      .frame_count = opened.info.frame_count,
                      .samples = opened.info.samples};
  cine.a = params;
}

void WindowComparison::open_a(const std::filesystem::path& path) {
  if (path.empty()) {
    forget();
    parts_.state.cine.a = parts_.state.params;
  } else {
    compared_.open(path.string());
    parts_.state.cine.a_recording = {.name = path.filename().string(), .acquisition = nullptr, .samples = nullptr};
  }
}

void WindowComparison::use_as_a(OpenedSource opened, const ImagingParams& params) {
  begin(opened, params);
  compared_.use(std::move(opened));
}

void WindowComparison::advance() {
  UiState& state = parts_.state;
  if (!state.cine.compare) {
    if (compared_.wanted()) compared_.forget();
    state.cine.a_recording = {};
    state.notices.messages.resolve("comparing");
    return;
  }
  if (compared_.opening() && !state.opening.progress) {
    state.opening.progress = Progress{.text = "Opening " + compared_.name(), .fraction = compared_.fraction()};
  }
  const auto result = compared_.take_result();
  if (!result) return;
  try {
    if (*result != nullptr) std::rethrow_exception(*result);
    const OpenedSource& opened = *compared_.opened();
    const ImagingParams params = params_beside(state.params, state.defaults, *opened.info.acquisition);
    check_params_of(opened, params);
    begin(opened, params);
    state.notices.messages.resolve("comparing");
  } catch (const NoSandbox&) {
    throw;
  } catch (const std::exception& error) {
    end(error.what());
  }
}

void WindowComparison::end(const std::string& why) {
  forget();
  parts_.state.cine.a = parts_.state.params;
  parts_.say(Severity::error, why, "comparing");
}

}  // namespace echoloop
