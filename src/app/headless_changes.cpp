#include "app/headless_changes.h"

#include <algorithm>

#include "app/options/terminal.h"
#include "app/outputs/method_server.h"
#include "app/outputs/output_files.h"
#include "core/error.h"
#include "core/param_table.h"

namespace echoloop {
namespace {

// Returns true if images of one grid and method are written, with their description in a second file.
bool fills_array(const Options& options) {
  return std::ranges::any_of(output_rows(), [&](const OutputRow& row) {
    return row.make != nullptr && row.beside != nullptr && !options.files[row.option].empty();
  });
}

}  // namespace

bool follow_acquisition(Session& session, OpenedSource& opened, const Options& options) {
  const bool writes = names_output(options.files, {MadeOf::all_frames}) || fills_array(options);
  if (session.producer_state() != ProducerState::changed || writes) return false;
  opened.info.acquisition = session.acquisition();
  const Acquisition& acquisition = *opened.info.acquisition;
  session.follow_acquisition(given_params(options, default_params(acquisition), acquisition));
  return true;
}

void RedefinedMethod::look(ControlRun* control) {
  const auto now = std::chrono::steady_clock::now();
  if (options_.python_method.empty() || now < next_look_) return;
  next_look_ = now + std::chrono::milliseconds(5);
  const auto loaded = loaded_own_method();
  const std::optional<UsedMethod> used = method_server().used();
  if (!used || !used->connected || used->method == loaded || used->method == seen_) return;
  seen_ = used->method;
  if (fills_array(options_))
    return print_error(
        "{} was defined again: the definition of the start stays in use, which the file of all images "
        "describes\n",
        seen_->name);
  load_own_method(seen_);
  try {
    const Acquisition& acquisition = *opened_.info.acquisition;
    ImagingParams params =
        control != nullptr ? control->state().params : given_params(options_, default_params(acquisition), acquisition);
    set_own_method(params.formation, seen_);
    check_params(acquisition, params);
    session_.set_params(params);
    if (control != nullptr) control->state().params = params;
  } catch (const Error& error) {  // for example, a parameter of the command line that it no longer has
    load_own_method(loaded);
    print_error("{} was defined again: the definition before stays in use: {}\n", seen_->name, error.what());
  }
}

}  // namespace echoloop
