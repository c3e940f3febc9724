#include "app/opening/source_kinds.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "backend/plan.h"
#include "core/error.h"
#include "core/param_table.h"
#include "core/process_memory.h"
#include "source/live/live_listener.h"
#include "source/phantom.h"
#include "source/phantom_text.h"
#include "source/producer.h"

namespace echoloop {
namespace {

OpenedSource open_phantom(const SourceRequest& request) {
  if (!request.facts.empty())
    throw Error("--set " + request.facts.begin()->first, "not available for a phantom", "a recording");
  const PhantomSettings settings = parse_phantom(std::string_view(request.name).substr(kPhantomPrefix.size()));
  OpenedSource opened;
  opened.source = make_phantom(settings);
  opened.info.phantom = settings.name;
  opened.info.format = "built-in phantom";
  return opened;
}

OpenedSource open_file(const SourceRequest& request) {
  const std::string description = description_from_elsewhere(request.name);
  OpenedSource opened = opened_recording(
      request.name, open_recording(request.name, request.progress, request.stop, request.facts), request.facts);
  remember_description(opened.source->acquisition(), description);
  return opened;
}

// Returns the memory of a description without its frames: with default parameters, on the CPU.
std::size_t plan_need(const Acquisition& acquisition) {
  try {
    const int threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
    const StreamBytes bytes = estimate_stream(acquisition, default_params(acquisition), threads);
    return bytes.plan + bytes.lane;
  } catch (const Error&) {  // reported by the stream
    return 0;
  }
}

// Waits for a sender, without which nothing can be opened.
OpenedSource open_live(const SourceRequest& request) {
  if (!request.facts.empty())
    throw Error("--set " + request.facts.begin()->first, "not available for a scanner", "a recording");
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
  opened.info.contents = recording.contents;
  opened.info.recorded_lost = recording.scanner.lost;
  opened.info.recorded_missing = recording.scanner.missing;
  opened.info.scanner_times = !recording.scanner.times_s.empty() && recording.scanner.counts_lost;
  opened.info.tracks = recording.tracks;
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

namespace {

struct Kept {
  std::mutex mutex;
  using Texts = std::map<std::weak_ptr<const Acquisition>, std::string, std::owner_less<>>;
  Texts texts, time_zeros;  // under mutex
};

Kept& kept() {
  static Kept all;
  return all;
}

}  // namespace

void remember_description(const AcquisitionPtr& acquisition, const std::string& json) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.texts, [](const auto& one) { return one.first.expired(); });
  if (!json.empty()) all.texts[acquisition] = json;
}

std::string opened_description(const AcquisitionPtr& acquisition) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.texts.find(acquisition);
  return found == all.texts.end() ? std::string() : found->second;
}

std::string described_time_zero(const AcquisitionPtr& acquisition) {
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.time_zeros.find(acquisition);
  return found == all.time_zeros.end() ? std::string() : found->second;
}

namespace {

// Returns `t_zero` of the description of a file that names it or has its name; empty: none.
std::string time_zero_beside(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMost = 16'000'000;  // bytes
  std::filesystem::path own = file;
  for (const std::filesystem::path& beside : {own.replace_extension(".json"), file.parent_path() / "params.json"}) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(beside, error);
    if (error || bytes > kMost) continue;
    std::ifstream in(beside);
    const auto meta = nlohmann::json::parse(in, nullptr, false);
    if (!meta.is_object() || !meta.contains("t_zero") || !meta["t_zero"].is_string()) continue;
    const bool named = meta.contains("file") && meta["file"] == file.filename().string();
    if (named || (beside == own && !meta.contains("file"))) return meta["t_zero"].get<std::string>();
  }
  return {};
}

void remember_time_zero(const AcquisitionPtr& acquisition, const std::string& name) {
  const auto given = nlohmann::json::parse(opened_description(acquisition), nullptr, false);
  std::string zero;
  if (given.is_object() && given.contains("t_zero") && given["t_zero"].is_string())
    zero = given["t_zero"].get<std::string>();
  else if (is_file_source(name))
    zero = time_zero_beside(name);
  Kept& all = kept();
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.time_zeros, [](const auto& one) { return one.first.expired(); });
  if (!zero.empty()) all.time_zeros[acquisition] = zero;
}

OpenedSource with_info(OpenedSource opened, const std::string& name, const Facts& facts) {
  opened.name = name;
  opened.facts = facts;
  opened.info.opened_as = name;
  opened.info.name = opened.source->name();
  opened.info.acquisition = opened.source->acquisition();
  if (const SeekableSource* const seekable = opened.source->seekable()) {
    opened.info.frame_count = seekable->frame_count();
    if (opened.info.contents == nullptr) opened.info.contents = seekable->contents();
  }
  opened.info.rate_hz = default_rate_hz(*opened.info.acquisition);
  remember_time_zero(opened.info.acquisition, name);
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

void SourceOpener::open(const std::string& name, const Facts& facts) {
  cancel();
  name_ = without_last_separator(name);
  facts_ = facts;
  busy_ = true;
  attempt_ = std::make_shared<Attempt>();
  attempt_->listens = name.starts_with(kLivePrefix);
  std::vector<std::shared_ptr<Attempt>> before;  // attempts that free their addresses at their end
  for (const Worker& worker : threads_)
    if (attempt_->listens && worker.attempt->listens) before.push_back(worker.attempt);
  threads_.emplace_back(
      [attempt = attempt_, before = std::move(before), name = name_, facts](const std::stop_token& stop) {
        for (const std::shared_ptr<Attempt>& one : before) one->done.wait(false);
        run(*attempt, name, facts, stop);
      },
      attempt_);
}

void SourceOpener::open_again() { open(std::string(name_), Facts(facts_)); }

void SourceOpener::cancel() {
  for (Worker& worker : threads_) worker.thread.request_stop();
  std::erase_if(threads_, [](const Worker& worker) { return worker.attempt->done.load(); });  // joins finished ones
  attempt_.reset();
  busy_ = false;
}

void SourceOpener::run(Attempt& attempt, const std::string& name, const Facts& facts, const std::stop_token& stop) {
  try {
    attempt.result.opened = open_source(
        name, facts, [&](double fraction) { attempt.fraction = fraction; }, stop,
        [&](const LiveWaiting& waiting) {
          const std::scoped_lock lock(attempt.mutex);
          attempt.waiting = waiting;
        });
  } catch (...) {
    attempt.result.error = std::current_exception();
  }
  {
    const std::scoped_lock lock(attempt.mutex);
    attempt.waiting.reset();  // the source has the sockets, or they are closed
  }
  if (stop.stop_requested()) attempt.result = {};  // cancelled: frees its address
  attempt.done = true;
  attempt.done.notify_all();
}

std::optional<LiveWaiting> SourceOpener::waiting() const {
  if (attempt_ == nullptr) return std::nullopt;
  const std::scoped_lock lock(attempt_->mutex);
  return attempt_->waiting;
}

std::optional<SourceOpener::Result> SourceOpener::take() {
  if (attempt_ == nullptr || !attempt_->done) return std::nullopt;
  busy_ = false;
  return std::move(std::exchange(attempt_, nullptr)->result);
}

}  // namespace echoloop
