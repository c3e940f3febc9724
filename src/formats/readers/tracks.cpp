#include "formats/readers/tracks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"

namespace echoloop {
namespace {

std::string labels_text(const std::vector<RecordedTrack>& tracks) {
  std::string text;
  for (const RecordedTrack& track : tracks) text += (text.empty() ? "" : ", ") + track.label;
  return text;
}

std::size_t wanted_track(const OpenRequest& request, const std::vector<RecordedTrack>& tracks,
                         const std::string& wanted) {
  std::vector<RecordedTrack> open;
  std::ranges::copy_if(tracks, std::back_inserter(open),
                       [](const RecordedTrack& track) { return track.why_not.empty(); });
  auto found = std::ranges::find(tracks, wanted, &RecordedTrack::label);
  if (const auto number = finite_number(wanted); found == tracks.end() && number)
    if (*number >= 1.0 && *number <= static_cast<double>(tracks.size()) && *number == std::floor(*number))
      found = tracks.begin() + static_cast<std::ptrdiff_t>(*number) - 1;
  if (found == tracks.end())
    throw Error(request.what(), "track = " + printable(wanted, 60) + ": tracks are " + labels_text(open),
                "one of these, or a number from 1 to " + std::to_string(tracks.size()));
  if (!found->why_not.empty())
    throw Error(request.what(), "track = " + printable(wanted, 60) + " has " + found->why_not, labels_text(open));
  return static_cast<std::size_t>(found - tracks.begin());
}

}  // namespace

std::size_t choose_track(const OpenRequest& request, std::vector<RecordedTrack>& tracks, Acquisition& a) {
  std::size_t chosen = 0;
  if (const auto wanted = request.word("track"))
    chosen = wanted_track(request, tracks, *wanted);
  else if (const auto first = std::ranges::find_if(tracks, &std::string::empty, &RecordedTrack::why_not);
           first != tracks.end())
    chosen = static_cast<std::size_t>(first - tracks.begin());
  if (tracks.size() < 2) {
    tracks.clear();
    return chosen;
  }
  tracks[chosen].chosen = true;
  a.assumptions.emplace_back("track " + tracks[chosen].label + ", one of " + labels_text(tracks), "track");
  return chosen;
}

std::vector<double> frame_clock(std::vector<double> times_s, std::size_t n_frames, const char* holder, Acquisition& a) {
  if (times_s.size() == n_frames && n_frames > 1 && is_time_axis(times_s)) {
    std::vector<double> waits_s;
    for (std::size_t f = 1; f < n_frames; ++f) waits_s.push_back(times_s[f] - times_s[f - 1]);
    const auto middle = waits_s.begin() + static_cast<std::ptrdiff_t>(waits_s.size() / 2);
    std::ranges::nth_element(waits_s, middle);
    if (*middle > 0.0) {
      a.frame_rate_hz = 1.0 / *middle;
      return times_s;
    }
  }
  a.assumptions.emplace_back(std::string("frame rate unknown: the file has no ") + holder + " of several frames",
                             "frame_rate_hz");
  return {};
}

}  // namespace echoloop
