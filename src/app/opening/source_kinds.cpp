#include "app/opening/source_kinds.h"

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <utility>

#include "app/opening/opened_description.h"
#include "backend/stream_bytes.h"
#include "core/error.h"
#include "core/param_table.h"
#include "formats/own_descriptions.h"
#include "source/checked_source.h"
#include "source/live/live_address.h"
#include "source/live/live_source.h"
#include "source/phantom.h"
#include "source/phantom_list.h"
#include "source/phantom_text.h"
#include "source/replay.h"

namespace echoloop {
namespace {

OpenedSource open_phantom(const SourceRequest& request) {
  if (!request.facts.empty()) {
    throw Error("--set " + request.facts.begin()->first, "not available for a phantom", "a recording");
  }
  const PhantomSettings settings = parse_phantom(std::string_view(request.name).substr(kPhantomPrefix.size()));
  OpenedSource opened;
  opened.source = make_phantom(settings);
  opened.info.phantom = settings.name;
  opened.info.format = "built-in phantom";
  return opened;
}

OpenedSource open_file(const SourceRequest& request) {
  const std::string description = description_from_elsewhere(request.name);
  OpenedSource opened =
      opened_recording(request.name, open_recording(request.name, request.progress, request.stop), request.facts);
  remember_description(opened.source->acquisition(), description);
  return opened;
}

// What a description will take beside its frames: with the default parameters, on the CPU.
std::size_t plan_need(const Acquisition& acquisition) {
  try {
    const int threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
    const StreamBytes bytes = estimate_stream(acquisition, default_params(acquisition), threads);
    return bytes.plan + bytes.lane;
  } catch (const Error&) {  // the stream says so
    return 0;
  }
}

// Waits for a sender: without one there is nothing to open.
OpenedSource open_live(const SourceRequest& request) {
  if (!request.facts.empty()) {
    throw Error("--set " + request.facts.begin()->first, "not available for a scanner", "a recording");
  }
  if (!request.waiting) throw Error(request.name, "a scanner", "a recording or a phantom");
  const LiveWaiting waiting(request.name, plan_need);
  request.waiting(waiting);
  OpenedSource opened;
  opened.source = waiting.open(request.stop);
  opened.info.format = "scanner";
  opened.info.live = true;
  return opened;
}

std::string live_names_text() { return "live:, live:NAME or live:tcp:HOST:PORT[,token=FILE], a scanner"; }

constexpr std::array kKinds{
    SourceKind{.prefix = kPhantomPrefix, .names = phantom_names_text, .open = open_phantom},
    SourceKind{.prefix = kLivePrefix, .names = live_names_text, .open = open_live},
    SourceKind{.prefix = "", .names = [] { return std::string("a recording's path"); }, .open = open_file},
};

}  // namespace

OpenedSource opened_recording(const std::string& name, Recording recording, const Facts& facts) {
  OpenedSource opened;
  opened.info.format = recording.format;
  opened.info.recorded_lost = recording.scanner.lost;
  opened.info.recorded_missing = recording.scanner.missing;
  opened.info.scanner_times = !recording.scanner.times_s.empty();
  auto acquisition = std::make_shared<Acquisition>(*with_facts(name, recording.acquisition, facts));
  for (std::string& limited : limited_defaults(*acquisition)) acquisition->assumptions.emplace_back(std::move(limited));
  recording.acquisition = std::move(acquisition);
  opened.info.samples = std::make_shared<SampleLog>();
  opened.source = make_checked(make_replay(std::move(recording)), opened.info.samples);
  return opened;
}

const SourceKind& source_kind(std::string_view name) {
  return *std::ranges::find_if(kKinds, [name](const SourceKind& kind) { return name.starts_with(kind.prefix); });
}

bool is_file_source(std::string_view name) { return source_kind(name).prefix.empty(); }

std::string without_last_separator(std::string name) {
  if (!is_file_source(name)) return name;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

std::string source_names_text() {
  std::string text = "Source:";
  for (const SourceKind& kind : kKinds) text += (&kind == kKinds.data() ? " " : ", or ") + kind.names();
  return text;
}

}  // namespace echoloop
