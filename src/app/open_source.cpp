#include "app/open_source.h"

#include <utility>

#include "core/error.h"
#include "core/phantom_settings.h"
#include "source/checked_source.h"
#include "source/phantom.h"
#include "source/producer.h"
#include "source/replay.h"

namespace echoloop {
namespace {

constexpr std::string_view kPhantomPrefix = "sim:";

}  // namespace

OpenedSource open_source(const std::string& name, const Facts& facts, const OpenProgress& progress,
                         std::stop_token stop) {
  OpenedSource opened;
  opened.name = name;
  opened.facts = facts;
  if (name.starts_with(kPhantomPrefix)) {
    if (!facts.empty()) {
      throw Error("--set " + facts.begin()->first, "not available for a phantom", "a recording");
    }
    const PhantomSettings settings = parse_phantom(name.substr(kPhantomPrefix.size()));
    opened.source = make_phantom(settings);
    opened.info.phantom = settings.name;
    opened.info.format = "built-in phantom";
  } else {
    Recording recording = open_recording(name, progress, stop);
    opened.info.format = recording.format;
    recording.acquisition = with_facts(name, recording.acquisition, facts);
    opened.info.samples = std::make_shared<SampleLog>();
    opened.source = make_checked(make_replay(std::move(recording)), opened.info.samples);
  }
  opened.info.opened_as = name;
  opened.info.name = opened.source->name();
  opened.info.acquisition = opened.source->acquisition();
  opened.info.frame_count = opened.source->frame_count();
  opened.info.rate_hz = default_rate_hz(*opened.info.acquisition);
  return opened;
}

ImagingParams window_params(const OpenedSource& opened) {
  ImagingParams params = default_params(*opened.info.acquisition);
  if (opened.info.phantom == "flow") {
    const PhantomSettings settings = parse_phantom(opened.name.substr(kPhantomPrefix.size()));
    params.doppler.z_m = flow_phantom_truth(settings, 0).axis.z_m;
  }
  return params;
}

}  // namespace echoloop
