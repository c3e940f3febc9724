#include "app/opening/open_source.h"

#include <utility>

#include "app/opening/source_kinds.h"
#include "backend/plan.h"
#include "core/error.h"
#include "core/free_memory.h"
#include "source/phantom_list.h"
#include "source/phantom_text.h"
#include "source/producer.h"

namespace echoloop {

namespace {

OpenedSource with_info(OpenedSource opened, const std::string& name, const Facts& facts) {
  opened.name = name;
  opened.facts = facts;
  opened.info.opened_as = name;
  opened.info.name = opened.source->name();
  opened.info.acquisition = opened.source->acquisition();
  if (const SeekableSource* const seekable = opened.source->seekable()) {
    opened.info.frame_count = seekable->frame_count();
  }
  opened.info.rate_hz = default_rate_hz(*opened.info.acquisition);
  return opened;
}

}  // namespace

OpenedSource open_source(const std::string& name, const Facts& facts, const OpenProgress& progress,
                         std::stop_token stop, const WaitingForSender& waiting) {
  try {
    return with_info(
        source_kind(name).open({.name = name, .facts = facts, .progress = progress, .stop = stop, .waiting = waiting}),
        name, facts);
  } catch (const std::bad_alloc&) {
    throw no_memory_for(name);
  }
}

OpenedSource open_described(const std::string& file, const std::string& description, std::stop_token stop) {
  return with_info(opened_recording(file, open_recording_as(file, description, {}, std::move(stop)), {}), file, {});
}

ImagingParams window_params(const OpenedSource& opened) {
  ImagingParams params = default_params(*opened.info.acquisition);
  const PhantomRow* const phantom = find_phantom(opened.info.phantom);
  if (phantom != nullptr && phantom->sample_volume_z_m != nullptr) {
    const PhantomSettings settings = parse_phantom(std::string_view(opened.name).substr(kPhantomPrefix.size()));
    params.doppler.z_m = phantom->sample_volume_z_m(settings);
  }
  return params;
}

void check_params_of(const OpenedSource& opened, const ImagingParams& params) {
  try {
    check_params(*opened.info.acquisition, params);
  } catch (const Error& error) {
    throw Error::from_line(opened.name + ": " + error.what());
  }
}

}  // namespace echoloop
