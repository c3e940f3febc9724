// Arrays [frame][nz][nx] for NumPy that grow while a stream runs: a Recorder with its thread writes them; the stream
// waits where the disk is slower.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "app/outputs/image_sink.h"
#include "app/outputs/report.h"
#include "history/growing_npy.h"
#include "history/recorder.h"

namespace echoloop {

class ArrayFile {
 public:
  // Throws Error when the file cannot be made.
  ArrayFile(const std::filesystem::path& file, NpyItems items);

  // Where the values of the next frame go, and that they are there. [processing thread]
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  void put(const FrameStamp& stamp);

  RecorderStatus end();  // waits until the file is ended; the rest is for afterwards
  [[nodiscard]] RecorderStatus status() const { return recorder_.status(); }
  [[nodiscard]] nlohmann::json frames_json() const;  // how many, the first, the last
  // In place of the command of the last image: that of all frames, with the option of the file. `params`: of all.
  void add_command(nlohmann::json& about, const EndedImages& run, const ImagingParams& params,
                   const std::string& option) const;
  // Writes what describes the file beside it.
  void describe(nlohmann::json about) const;

 private:
  FrameMemory memory_;
  FrameStamp first_, last_;
  Recorder recorder_{nullptr};
};

// Says in a line how a file ended; returns the exit status and counts an error.
int say_ended(const RecorderStatus& ended, RunTotals& totals);

}  // namespace echoloop
