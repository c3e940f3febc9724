// Recordings of `render`, each with its output files: their names, and what an earlier run has left of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/options/options.h"

namespace echoloop {

struct RenderJob {
  std::string source;
  std::filesystem::path images, report;  // report: exists once the run is complete
  std::filesystem::path values;          // of --measurements
  std::filesystem::path claim;           // exists while a program works on it
  std::filesystem::path iq = {};         // complex pixels; empty: not requested
  std::string track = {};                // of a file with several; empty: the only one

  [[nodiscard]] std::string name() const { return track.empty() ? source : source + ", track " + track; }
};

// Returns the jobs of --part. Names: NAME of NAME.uff; with --root with the folders below it; otherwise recordings of
// the same name get that of their folder as a prefix. Throws Error for two outputs of the same name, and for a
// recording outside --root.
std::vector<RenderJob> render_jobs(const Options& options);

// Returns the options of one recording's run.
Options options_of(const Options& options, const RenderJob& job);
std::vector<std::filesystem::path> arrays_of(const RenderJob& job);
std::filesystem::path description_of(const std::filesystem::path& array);

// Throws Error for existing output files that are not from this program: they are never overwritten.
void require_own_images(const RenderJob& job);
// Keeps the newest outputs of an incomplete run under another name, so that they do not count as complete.
void set_aside(const RenderJob& job);
// Gives the arrays of a completed run their names: another program that was stopped for a time, and whose claim was
// taken over, may have finished the same array meanwhile.
void name_arrays(const RenderJob& job);
// Returns true for a completed run. Throws Error if its images were made with other settings.
bool is_complete(const Options& options, const RenderJob& job);

}  // namespace echoloop
