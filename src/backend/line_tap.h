// Sends one column of every image to the M-mode: which column, and on its way to the window. The window says where the
// line is; without a line nothing is copied.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/line_queue.h"
#include "core/mailbox.h"
#include "core/results/image.h"

namespace echoloop {

// The writer's side of a LineQueue. Processing thread.
class LineWriter {
 public:
  explicit LineWriter(LineQueue& queue) : queue_(queue) {}
  void write(const Image& image, int column, std::span<const float> levels_db);
  // Of an image with a host copy.
  void write(const Image& image, PlanePoint at);

 private:
  LineQueue& queue_;
  std::shared_ptr<const LineOrigin> origin_;  // of the last column
  std::vector<float> levels_db_;
};

class LineTap {
 public:
  explicit LineTap(LineQueue* queue);  // null: no M-mode

  void look_at(const std::optional<PlanePoint>& at);  // nothing: no line; UI thread

  // The column to keep of the next image on this grid; nothing: none. [processing thread]
  [[nodiscard]] std::optional<int> column(const Grid& grid);
  void take(const Image& image, int column, std::span<const float> levels_db);  // processing thread

 private:
  std::optional<LineWriter> writer_;
  Mailbox<std::optional<PlanePoint>> at_;
};

}  // namespace echoloop
