// How a frame travels: kind of memory, streams, lanes, and the rest that the source takes after each frame.
#include <fmt/format.h>

#include "gui/number_text.h"
#include "gui/panels/stream_parts.h"

namespace echoloop {
namespace {

constexpr std::array<Choice, 4> kMemory = {{{"Pageable"}, {"Pinned"}, {"Write-combined"}, {"Mapped"}}};
constexpr std::array<Choice, 2> kStreams = {{{"Overlap"}, {"Serial"}}};
constexpr std::array<Choice, 4> kLanes = {{{"1"}, {"2"}, {"3"}, {"4"}}};

bool memory_row(PanelContext& c, Column& column) {
  StreamSettings& s = c.state.stream;
  const std::string& why = c.state.no_effect.host_memory;
  std::string help = "Where frames wait. Pinned memory is copied to the GPU fastest and while kernels run.";
  if (const std::size_t slot = c.state.memory.slot_bytes; slot > 0) {
    help += fmt::format(" {} slots need {} of it.", s.slots, byte_text(slot * static_cast<std::size_t>(s.slots)));
  }
  const auto memory = static_cast<std::size_t>(why.empty() ? s.host_memory : HostMemory::pageable);
  const auto picked =
      c.ui.combo("host_memory", c.ui.labelled(column, c.compact ? "Memory" : "Host memory", {}, why.empty()),
                 kMemory[memory], kMemory, static_cast<int>(memory), {"Host memory", help, why});
  if (picked) s.host_memory = static_cast<HostMemory>(*picked);
  return picked.has_value();
}

bool streams_row(PanelContext& c, Column& column) {
  const std::string& why = c.state.no_effect.streams;
  const auto picked = c.ui.segmented("streams", c.ui.labelled(column, "Streams", {}, why.empty()), kStreams,
                                     static_cast<int>(c.state.stream.streams),
                                     {"Streams",
                                      "Overlap copies the next frame while this one is processed; serial does one "
                                      "after the other, for comparison.",
                                      why});
  if (picked) c.state.stream.streams = static_cast<StreamMode>(*picked);
  return picked.has_value();
}

bool lanes_row(PanelContext& c, Column& column) {
  const std::string& why = c.state.no_effect.lanes;
  const MemoryView& memory = c.state.memory;
  std::string help = "Frames that are in the pipeline at the same time.";
  if (memory.lane_bytes > 0) {
    help += fmt::format(" Another lane needs {} on the device", byte_text(memory.lane_bytes));
    help += memory.device_free > 0 ? fmt::format(", {} are free.", byte_text(memory.device_free)) : ".";
  }
  const auto picked = c.ui.segmented("lanes", c.ui.labelled(column, "Lanes", {}, why.empty()), kLanes,
                                     c.state.stream.lanes - 1, {"Lanes", help, why});
  if (picked) c.state.stream.lanes = *picked + 1;
  return picked.has_value();
}

bool delay_row(PanelContext& c, Column& column) {
  const auto wanted =
      slider_from_off(c.ui, column,
                      {.id = "pace_ms",
                       .label = "Delay after each frame",
                       .unit = "ms",
                       .decimals = 1,
                       .track_max = 100.0,
                       .most = 100.0,
                       .help = "The source rests at least so long after each frame, whatever its rate."},
                      c.state.stream.pace_ms, 0.1);
  if (wanted) c.state.stream.pace_ms = *wanted;
  return wanted.has_value();
}

}  // namespace

void way_rows(PanelContext& c, Column& column) {
  bool changed = memory_row(c, column);
  changed |= streams_row(c, column);
  changed |= lanes_row(c, column);
  changed |= delay_row(c, column);
  if (changed) call(c.commands.stream_changed);
}

}  // namespace echoloop
