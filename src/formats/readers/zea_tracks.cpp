// Tracks of a zea file, and the times of their frames.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "core/acquisition.h"
#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/tracks.h"
#include "formats/readers/zea.h"

namespace echoloop {
namespace {

using hdf5::Node;

RecordedTrack described_track(const Node& node, const std::string& name) {
  RecordedTrack track;
  const auto label = node.find("label");
  track.label = label && label->is_dataset() ? printable(label->text(), 60) : std::string();
  if (track.label.empty()) track.label = printable(name, 60);
  const auto data = node.find("data");
  const auto raw = data ? data->find("raw_data") : std::nullopt;
  const auto scan = node.find("scan");
  if (raw) {
    const std::vector<std::size_t> shape = raw->extents();
    if (shape.size() == 5) track.frames = shape[0], track.transmits = shape[1];
  } else if (scan) {
    if (const auto delays = scan->find("t0_delays"); delays && delays->extents().size() == 2)
      track.transmits = delays->extents()[0];
  }
  const auto only = node.find("transmit_only");
  const bool transmits_only = only && only->is_dataset() && only->number() != 0.0;
  if (transmits_only)
    track.why_not = counted(track.transmits, "transmit") + " only, no data";
  else if (!scan)
    track.why_not = "no scan";
  else if (!raw)
    track.why_not = "no channel data";
  return track;
}

// Times between the events of a track; empty: unknown. The last one may be missing.
std::vector<double> waits_of(const Node& scan, std::size_t n_frames, std::size_t n_tx) {
  const auto found = scan.find("time_to_next_transmit");
  if (!found) return {};
  std::vector<double> waits_s = found->numbers(kMaxZeaTable);
  if (waits_s.size() != n_frames * n_tx && waits_s.size() + 1 != n_frames * n_tx) {
    throw Error(found->where(), "an array of shape " + shape_text(found->extents()),
                "(" + std::to_string(n_frames) + ", " + std::to_string(n_tx) + ") numbers");
  }
  const auto wait = [](double s) { return s >= 0.0 && std::isfinite(s); };
  if (!std::ranges::all_of(waits_s, wait)) return {};
  return waits_s;
}

// Those of a track that is not open: unknown where the file is wrong about it.
std::vector<double> waits_beside(const std::optional<Node>& scan, std::size_t n_frames, std::size_t n_tx) {
  try {
    return scan ? waits_of(*scan, n_frames, n_tx) : std::vector<double>();
  } catch (const Error&) {
    return {};
  }
}

double sum(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double total = 0.0;
  for (std::size_t k = first; k < std::min(first + count, values.size()); ++k) total += values[k];
  return total;
}

// Begin of each event of each track, [track][event], by the schedule; false: it does not cover the events.
bool scheduled(const Node& schedule, const std::vector<std::vector<double>>& waits_s,
               const std::vector<std::size_t>& n_events, std::vector<std::vector<double>>& begins_s) {
  begins_s.assign(waits_s.size(), {});
  double now_s = 0.0;
  for (const double number : schedule.numbers(kMaxZeaTable)) {
    if (!(number >= 0.0 && number < static_cast<double>(waits_s.size()))) return false;
    const auto track = static_cast<std::size_t>(number);
    const std::size_t event = begins_s[track].size();
    if (event >= n_events[track]) return false;
    begins_s[track].push_back(now_s);
    now_s += event < waits_s[track].size() ? waits_s[track][event] : 0.0;
  }
  for (std::size_t t = 0; t < n_events.size(); ++t)
    if (begins_s[t].size() != n_events[t]) return false;
  return true;
}

// Fills begin and end of each track, and the times of the chosen one's frames.
void set_clock(const Node& root, ZeaTracks& tracks, Acquisition& a) {
  std::vector<std::vector<double>> waits_s, begins_s;
  std::vector<std::size_t> n_events;
  for (std::size_t t = 0; t < tracks.list.size(); ++t) {
    const RecordedTrack& track = tracks.list[t];
    const std::size_t n_frames = std::max<std::uint64_t>(track.frames, 1), n_tx = track.transmits;
    const auto scan = root.at_path(tracks.paths[t]).find("scan");
    waits_s.push_back(waits_beside(scan, n_frames, n_tx));
    n_events.push_back(n_frames * n_tx);
  }
  const auto schedule = root.find("track_schedule");
  const bool known = std::ranges::none_of(waits_s, [](const auto& waits) { return waits.empty(); });
  const bool covered = schedule && known && scheduled(*schedule, waits_s, n_events, begins_s);
  if (!covered) {
    a.assumptions.push_back(schedule ? "track_schedule does not cover the events: each track begins at 0 s"
                                     : "the file has no track_schedule: each track begins at 0 s");
    begins_s.assign(waits_s.size(), {});
    for (std::size_t t = 0; t < waits_s.size(); ++t)
      for (std::size_t k = 0; k < n_events[t] && !waits_s[t].empty(); ++k)
        begins_s[t].push_back(k == 0 ? 0.0 : begins_s[t].back() + waits_s[t][k - 1]);
  }
  for (std::size_t t = 0; t < begins_s.size(); ++t) {
    if (begins_s[t].empty()) continue;
    tracks.list[t].begin_s = begins_s[t].front();
    const std::size_t last = begins_s[t].size() - 1;
    tracks.list[t].end_s = begins_s[t].back() + (last < waits_s[t].size() ? waits_s[t][last] : 0.0);
  }
  const RecordedTrack& chosen = tracks.list[tracks.chosen];
  for (std::size_t f = 0; f < chosen.frames && !begins_s[tracks.chosen].empty(); ++f)
    tracks.times_s.push_back(begins_s[tracks.chosen][f * chosen.transmits]);
}

}  // namespace

ZeaTracks zea_tracks(const OpenRequest& request, const Node& root, Acquisition& a) {
  ZeaTracks tracks;
  const auto wanted = request.word("track");
  if (root.has("event_0") || !root.has("tracks")) {
    if (root.has("event_0")) tracks.paths = {"event_0"};
    if (wanted) throw Error(request.what(), "track = " + *wanted, "a file with tracks");
    return tracks;
  }
  const Node group = root.at("tracks");
  std::vector<std::string> names = group.children();
  if (names.empty()) throw Error(group.where(), "no track", "a zea file with tracks/track_0");
  if (names.size() > kMostTracks)
    throw Error(group.where(), counted(names.size(), "track"), "1 to " + std::to_string(kMostTracks));
  std::stable_sort(names.begin(), names.end(), [](const auto& l, const auto& r) { return l.size() < r.size(); });
  for (const std::string& name : names) {
    tracks.list.push_back(described_track(group.at(name), name));
    tracks.paths.push_back("tracks/" + name);
  }
  tracks.chosen = choose_track(request, tracks.list, a);
  return tracks;
}

void set_zea_times(const Node& root, std::size_t n_frames, std::size_t n_tx, ZeaTracks& tracks, Acquisition& a) {
  const std::string path = tracks.path();
  const Node scan = (path.empty() ? root : root.at_path(path)).at("scan");
  const std::vector<double> waits_s = waits_of(scan, n_frames, n_tx);
  if (!tracks.list.empty()) {
    set_clock(root, tracks, a);
  } else if (waits_s.size() + 1 >= n_frames * n_tx && !waits_s.empty()) {
    double now_s = 0.0;
    for (std::size_t f = 0; f < n_frames; ++f) {
      tracks.times_s.push_back(now_s);
      now_s += sum(waits_s, f * n_tx, n_tx);
    }
  }
  std::vector<double> lasts_s;
  for (std::size_t f = 1; f < tracks.times_s.size(); ++f) lasts_s.push_back(tracks.times_s[f] - tracks.times_s[f - 1]);
  if (lasts_s.empty() && waits_s.size() >= n_tx) lasts_s.push_back(sum(waits_s, 0, n_tx));
  std::ranges::sort(lasts_s);
  const double frame_s = lasts_s.empty() ? 0.0 : lasts_s[lasts_s.size() / 2];
  if (!(frame_s > 0.0)) {
    a.assumptions.emplace_back("frame rate unknown: the file has no time_to_next_transmit", "frame_rate_hz");
    return;
  }
  a.frame_rate_hz = 1.0 / frame_s;
  constexpr double kSpread = 0.01;
  if (lasts_s.back() - lasts_s.front() <= kSpread * frame_s) {
    if (tracks.list.empty()) tracks.times_s.clear();  // those of the rate
    return;
  }
  char text[96];
  std::snprintf(text, sizeof text, "frame times are irregular (%.3g to %.3g ms); the rate is the median",
                1e3 * lasts_s.front(), 1e3 * lasts_s.back());
  a.assumptions.emplace_back(text, "frame_rate_hz");
}

}  // namespace echoloop
