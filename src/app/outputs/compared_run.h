// Image A of a run without a window (--compare, --compare-set), beside the last image of the run, B. Main thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/opening/opened_source.h"
#include "app/options/options.h"
#include "app/stream/session.h"

namespace echoloop {

struct SideA {
  std::optional<OpenedSource> recording;  // nothing: A is of B's frame
  ImagingParams params;
};
// Opens A's recording. `params`: of B. Throws Error where A cannot be.
SideA open_side_a(const Options& options, const OpenedSource& b, const ImagingParams& params);

struct ImageA {
  Image image;  // with a host copy, in `db`
  std::vector<float> db;
  std::string named;              // its source, as the user named it
  SampleLogPtr samples;           // of its source
  std::uint64_t frame_count = 0;  // of a recording of its own; 0: no end, or B's recording
  std::optional<KeptFrame> kept;
};
// On the session's lanes; waits. `image`: B. Throws Error.
std::unique_ptr<const ImageA> make_image_a(const SideA& a, const Options& options, Session& session,
                                           const OpenedSource& b, const Image& image);

}  // namespace echoloop
