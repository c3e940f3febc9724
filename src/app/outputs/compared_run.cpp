#include "app/outputs/compared_run.h"

#include <fmt/format.h>

#include <utility>

#include "app/opening/open_source.h"
#include "app/outputs/comparison.h"
#include "app/outputs/measure_image.h"
#include "app/outputs/patch_request.h"
#include "core/error.h"
#include "core/number.h"

namespace echoloop {
namespace {

KeptFrame frame_of(const OpenedSource& opened, const FrameStamp& stamp) {
  std::optional<KeptFrame> kept = frame_again(*opened.source, stamp);
  if (!kept)
    throw Error(opened.name, fmt::format("frame {} cannot be read for a comparison", stamp.source_index + 1),
                "a recording or a phantom");
  kept->acquisition = opened.info.acquisition;
  return *kept;
}

std::uint64_t index_in_a(const OpenedSource& a, const Options& options, const FrameStamp& b) {
  const std::uint64_t frames = a.info.frame_count, wanted = options.compare.frame;
  if (wanted == 0) return frame_beside(b, a.info.acquisition->frame_rate_hz, frames);
  if (frames > 0 && wanted > frames)
    throw Error("--compare-frame", std::to_string(wanted), a.name + " has " + counted(frames, "frame"));
  return wanted - 1;
}

}  // namespace

SideA open_side_a(const Options& options, const OpenedSource& b, const ImagingParams& params) {
  const CompareOptions& compare = options.compare;
  SideA a;
  if (!compare.source.empty()) a.recording = open_source(compare.source, compare.facts);
  const OpenedSource& source = a.recording ? *a.recording : b;
  const Acquisition& acquisition = *source.info.acquisition;
  if (source.source->seekable() == nullptr)
    throw Error("--compare", source.name + " keeps no frames", "a recording or a phantom");
  if (a.recording) index_in_a(source, options, {});
  const ImagingParams base =
      a.recording ? params_beside(params, default_params(*b.info.acquisition), acquisition) : params;
  a.params = apply_settings(base, settings_for(acquisition, compare.settings, compare.preset));
  check_params_of(source, a.params);
  return a;
}

std::unique_ptr<const ImageA> make_image_a(const SideA& a, const Options& options, Session& session,
                                           const OpenedSource& b, const Image& image) {
  const OpenedSource& source = a.recording ? *a.recording : b;
  FrameStamp stamp = image.stamp;
  if (a.recording) {
    const double rate_hz = source.info.acquisition->frame_rate_hz;
    stamp = stamp_beside(index_in_a(source, options, image.stamp), rate_hz, image.stamp);
    // The 0 dB level of another recording is that of its first frame, as in a window.
    if (a.params.level.reference_db <= kAutoReference && stamp.source_index > 0)
      make_again(session, frame_of(source, stamp_beside(0, rate_hz, image.stamp)), a.params);
  }
  auto made = std::make_unique<ImageA>();
  made->kept = frame_of(source, stamp);
  MadeAgain again = make_again(session, *made->kept, a.params);
  if (again.db.empty()) throw Error("--compare", "image A could not be made", "a frame that can be processed");
  made->image = std::move(again.image);
  made->db = std::move(again.db);
  made->image.host_db = made->db.data();
  made->image.params.display = a.params.display;
  made->named = source.name;
  made->samples = source.info.samples;
  made->frame_count = a.recording ? source.info.frame_count : 0;
  return made;
}

}  // namespace echoloop
