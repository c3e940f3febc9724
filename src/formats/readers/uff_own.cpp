#include "formats/readers/uff_own.h"

#include <algorithm>
#include <utility>

#include "formats/base/acquisition_json.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostTimes = std::size_t{1} << 22;  // of frames, that are read: 32 MB
constexpr double kMostCounted = 9e15;                     // a double's last whole number, about

}  // namespace

namespace {

// The first `frames` values of a list; nothing when it is shorter.
std::vector<double> frame_list(const hdf5::Node& own, const char* name, std::size_t frames) {
  const auto list = own.find(name);
  if (!list || !list->is_dataset() || list->extents().size() != 1 || list->extents()[0] < frames) return {};
  std::vector<double> values = list->numbers(kMostTimes);
  values.resize(frames);
  return values;
}

// Times that cannot be are left out: the frames are evenly spaced then.
ScannerRecord scanner_record(const hdf5::Node& own, std::size_t frames) {
  if (frames == 0 || frames > kMostTimes || !own.has("device_time_s")) return {};
  ScannerRecord record{.times_s = frame_list(own, "device_time_s", frames)};
  if (record.times_s.empty() || !is_time_axis(record.times_s)) return {};
  const double begin_s = record.times_s.front();
  for (double& time_s : record.times_s) time_s -= begin_s;
  const auto grown = [&](const char* name) {
    const std::vector<double> so_far = frame_list(own, name, frames);
    return so_far.empty() ? 0.0 : std::max(so_far.back() - so_far.front(), 0.0);
  };
  record.lost = static_cast<std::uint64_t>(std::min(grown("lost_at_sender"), kMostCounted));
  record.missing = static_cast<std::uint64_t>(std::min(grown("missing"), kMostCounted));
  return record;
}

}  // namespace

bool take_own_description(const hdf5::Node& root, Hdf5Parts& parts) {
  constexpr std::size_t kMaxJson = std::size_t{64} << 20;
  const auto own = root.find("echoloop");
  if (!own || !own->is_group()) return false;
  const auto text = own->find("acquisition");
  if (!text || !text->is_dataset()) return false;
  auto acquisition = acquisition_from_json(text->text(kMaxJson));
  if (!acquisition) return false;
  parts.acquisition = std::move(*acquisition);
  parts.format = "Echoloop recording (UFF)";
  parts.samples.rotation_rad.clear();  // already on the program's clock
  for (const char* name : {"frame_sequence", "acquired_ns"}) {
    const auto numbers = own->find(name);
    if (!numbers || !numbers->is_dataset() || numbers->extents().size() != 1) continue;
    parts.samples.most_frames = std::min(parts.samples.most_frames, numbers->extents()[0]);
  }
  parts.scanner = scanner_record(*own, parts.samples.most_frames);
  return true;
}

}  // namespace echoloop
