#include "formats/readers/zea_layout.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/error.h"
#include "formats/base/format_table.h"
#include "formats/base/printable.h"
#include "formats/containers/array_view.h"

namespace echoloop {

using hdf5::Node;

namespace {

// In the group `probe`, or in older files in the root's attributes; "generic" is zea's word for none.
void name_probe(const Node& root, const std::optional<Node>& described, Probe& probe) {
  const auto told = [&](const char* what) {
    const auto found = described ? described->find(what) : std::nullopt;
    return found && found->is_dataset() ? found->text() : std::string();
  };
  std::string name = told("name");
  for (const char* const attribute : {"probe_name", "probe"}) {
    if (name.empty()) name = root.text_attribute(attribute).value_or(std::string());
  }
  if (!name.empty() && name != "generic") probe.name = printable(name, 60);
  if (told("type") == "phased" && probe.kind == ProbeKind::linear) probe.kind = ProbeKind::phased;
}

}  // namespace

bool looks_like_zea(const Node& root) {
  if (root.has("event_0") || (root.has("tracks") && root.at("tracks").is_group())) return true;
  if (!root.has("data") || !root.at("data").is_group()) return false;
  if (root.has("scan") || H5Aexists(root.id(), "event_structure") > 0) return true;
  const Node data = root.at("data");
  return data.has("raw_data") || data.has("image") || data.has("image_sc");  // pictures: their line says so
}

std::string zea_part(const Node& root, Acquisition& a) {
  if (root.has("event_0")) {
    return "event_0";
  }
  if (!root.has("tracks")) return "";
  const Node tracks = root.at("tracks");
  std::vector<std::string> names = tracks.children();
  if (names.empty()) throw Error(tracks.where(), "no track", "a zea file with tracks/track_0");
  std::stable_sort(names.begin(), names.end(), [](const auto& l, const auto& r) { return l.size() < r.size(); });
  std::string path = names.front();
  for (std::size_t k = names.size(); k-- > 0;) {
    const auto data = tracks.at(names[k]).find("data");
    if (data && data->has("raw_data")) path = names[k];
  }
  if (names.size() > 1) {
    const auto label = tracks.at(path).find("label");
    a.assumptions.push_back("only " + printable(path, 30) + (label ? " (" + printable(label->text(), 60) + ")" : "") +
                            " of " + std::to_string(names.size()) + " tracks is read");
  }
  return "tracks/" + path;
}

Node zea_raw_data(const Node& data) {
  if (auto raw = data.find("raw_data")) return std::move(*raw);
  std::string held;
  for (const std::string& name : data.children()) held += (held.empty() ? "" : ", ") + printable(name, 30);
  throw Error(data.where(), held.empty() ? "no samples" : "no channel data, only " + printable(held, 120),
              "a zea file with data/raw_data");
}

PlacedProbe zea_probe(const Node& root, const Node& scan) {
  const auto described = root.find("probe");
  const bool apart = !scan.has("probe_geometry") && described && described->has("probe_geometry");
  const Node& holder = apart ? *described : scan;
  const Node geometry = holder.at("probe_geometry");
  const std::vector<std::size_t> shape = geometry.extents();
  if (shape.size() != 2 || shape[1] != 3)
    throw Error(geometry.where(), "an array of shape " + shape_text(shape), "(elements, 3): x, y, z");
  PlacedProbe placed = place_probe(
      geometry.where(), places_of(geometry.where(), geometry.numbers(3 * static_cast<std::size_t>(kMaxElements)), 3,
                                  TableOrder::element_first));
  if (const auto width = holder.find("element_width")) placed.probe.element_width_m = width->number();
  name_probe(root, described, placed.probe);
  return placed;
}

}  // namespace echoloop
