#include "app/window/window_maps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "app/outputs/stored_maps.h"
#include "core/error.h"
#include "formats/open_recording.h"
#include "measure/map_on_grid.h"

namespace echoloop {
void WindowMaps::take() {
  if (!work_.valid() || work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  Made made = work_.get();
  made_ = std::exchange(asked_, {});
  read_ = std::move(made.view);
  if (made.error.empty()) return;
  state_.say(Severity::error, made.error);
  if (state_.Edits::map.name == made_.name) state_.Edits::map.name.clear();
}

// Shows the map that was read, in the range of the user.
void WindowMaps::show() {
  const MapChoice& choice = state_.Edits::map;
  MapViewPtr& shown = state_.Model::map;
  if (read_ == nullptr) {
    shown = nullptr;
    return;
  }
  const double least = choice.least.value_or(read_->least), most = choice.most.value_or(read_->most);
  if (shown != nullptr && shown->least == least && shown->most == most && shown->frame == read_->frame &&
      shown->map.name == read_->map.name && shown->grid == read_->grid)
    return;
  auto ranged = std::make_shared<MapView>(*read_);
  ranged->least = least, ranged->most = most;
  shown = std::move(ranged);
}

void WindowMaps::look(const Image& shown) {
  take();
  const SourceInfo& source = state_.source;
  const std::string& name = state_.Edits::map.name;
  const StoredMap* map = nullptr;
  if (!name.empty() && shown.number > 0 && source.contents != nullptr) {
    const auto found = std::ranges::find(source.contents->maps, name, &StoredMap::name);
    if (found != source.contents->maps.end() && found->note.empty()) map = &*found;
  }
  const auto frame = map == nullptr ? std::nullopt
                                    : map_frame(*map, {.index = shown.stamp.source_index,
                                                       .n_frames = source.frame_count,
                                                       .time_s = shown.stamp.time_s,
                                                       .own = state_.Edits::map.frame});
  if (!frame) {
    state_.Model::map = nullptr;
    return;
  }
  const Wanted wanted{.source = source.opened_as, .name = name, .frame = *frame, .grid = map_grid(shown.grid)};
  if (wanted == made_) return show();
  if (made_.name != name || made_.source != wanted.source) state_.Model::map = nullptr;
  if (work_.valid()) return;
  asked_ = wanted;
  work_ = std::async(std::launch::async, [wanted, map = *map]() -> Made {
    try {
      return {.view = std::make_shared<const MapView>(read_map_view(wanted.source, map, wanted.frame, wanted.grid)),
              .error = {}};
    } catch (const std::exception& error) {
      return {.view = nullptr, .error = error.what()};
    }
  });
}

}  // namespace echoloop
