// One frame of a file, formed with a description as the file would open with it: read by the reader process, processed
// by a stream of one frame as without a window. On a thread of its own, always for the newest task. UI thread only.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "app/options/options.h"
#include "app/outputs/doubts.h"
#include "backend/backend.h"
#include "core/results/image.h"
#include "formats/base/echo_spectrum.h"
#include "gui/state/import_state.h"

namespace echoloop {

struct PreviewTask {
  std::uint64_t number = 0;  // of the choice
  std::string file, description;
  std::uint64_t frame = 0;
  int transmit = 0;
};

struct PreviewResult {
  std::uint64_t number = 0;
  std::shared_ptr<const Image> image = {};  // with host pixels; null: `error`
  ImportTraces traces = {};
  std::vector<Doubt> doubts = {};
  std::optional<EchoSpectrum> spectrum = {};
  std::uint64_t n_frames = 0;
  double took_ms = 0.0;
  std::string error = {};
};

// The samples of one transmit of a frame, at most a few hundred rows.
ImportTraces traces_of(const Acquisition& a, std::span<const std::byte> frame, int transmit);

// What the previewer does, in the calling thread. Throws Error.
PreviewResult form_preview(const PreviewTask& task, Backend& backend, const ImagingOptions& options,
                           const std::stop_token& stop);

class ImportPreviewer {
 public:
  ImportPreviewer(const ImagingOptions& options, BackendChoice backend);
  ~ImportPreviewer();

  void ask(PreviewTask task);  // a task that is not begun is replaced, one under way is stopped
  void forget();               // all tasks
  std::optional<PreviewResult> take();
  [[nodiscard]] bool busy() const;

 private:
  void run(const std::stop_token& stop);

  const ImagingOptions& options_;
  const BackendChoice backend_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::optional<PreviewTask> wanted_;
  std::optional<PreviewResult> result_;
  std::stop_source current_;
  bool working_ = false;
  std::jthread thread_;
};

}  // namespace echoloop
