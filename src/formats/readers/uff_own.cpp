#include "formats/readers/uff_own.h"

#include <algorithm>
#include <utility>

#include "formats/base/acquisition_json.h"

namespace echoloop {

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
  return true;
}

}  // namespace echoloop
