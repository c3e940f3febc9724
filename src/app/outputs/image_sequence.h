// --images-out: every image of a run, one after the other, in an array for NumPy [frame][nz][nx]; the metadata beside
// it in F.json. A Recorder with its thread writes it; the stream waits where the disk is slower.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/options/options.h"
#include "app/outputs/report.h"
#include "backend/backend.h"
#include "core/results/image.h"
#include "history/recorder.h"

namespace echoloop {

class ImageSequence {
 public:
  // Images of `grid`. Throws Error when the file cannot be made.
  ImageSequence(const std::filesystem::path& file, ImageValues values, const Grid& grid);

  void add(const Image& image);  // with a host copy; processing thread
  // Waits until the file is ended and writes what describes it, from the last image (null: none came). How it ended is
  // said in a line. Returns the exit status; counts the errors. Throws Error as write_text().
  int finish(const Image* last, const Backend& backend, const std::string& source, RunTotals& totals);
  [[nodiscard]] nlohmann::json report() const { return recording_json(recorder_.status()); }

 private:
  ImageValues values_;
  std::size_t bytes_;  // of an image in the file
  FrameMemory memory_;
  FrameStamp first_, last_;
  Recorder recorder_{nullptr};
};

}  // namespace echoloop
