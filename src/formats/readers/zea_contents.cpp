#include "formats/readers/zea_contents.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMostListed = 4096, kMostMaps = 64, kMostSignals = 64, kMostTexts = 65536;
constexpr std::size_t kMostAllSamples = 16'000'000;  // of all signals: they travel in one message

// Fields that the reader of zea uses, by the group that has them: part/scan and part, probe, and the root.
constexpr std::string_view kUsedScan[] = {
    "sampling_frequency",  "center_frequency", "demodulation_frequency", "sound_speed",         "t0_delays",
    "tx_apodizations",     "focus_distances",  "polar_angles",           "azimuth_angles",      "transmit_origins",
    "initial_times",       "tgc_gain_curve",   "waveforms_two_way",      "tx_waveform_indices", "time_to_next_transmit",
    "probe_geometry",      "element_width",    "lens_thickness",         "lens_sound_speed",    "lens_correction",
    "rx_aperture_indices", "bandwidth_percent"};
constexpr std::string_view kUsedPart[] = {"label", "transmit_only", "data/raw_data"};
constexpr std::string_view kUsedProbe[] = {"probe_geometry", "element_width",  "name",
                                           "type",           "lens_thickness", "lens_sound_speed"};

// Fields that are not used, and why.
struct Reason {
  std::string_view name, reason;
};
constexpr Reason kReasons[] = {
    {"waveforms_one_way", "the pulse of an echo is taken from waveforms_two_way"},
    {"element_height", "of the probe; the image plane has no height"},
    {"probe_center_frequency", "of the probe; the pulse has center_frequency"},
    {"probe_bandwidth_percent", "of the probe; the band follows from the pulse"},
    {"aligned_data", "channel data after delays: neither samples of the channels nor an image"},
    {"n_ax", "a count, known from the samples"},
    {"n_el", "a count, known from the samples"},
    {"n_tx", "a count, known from the samples"},
    {"n_ch", "a count, known from the samples"},
    {"n_frames", "a count, known from the samples"},
};

template <std::size_t kN>
bool is_one_of(const std::string_view (&names)[kN], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

std::string joined(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

class Listing {
 public:
  Listing(const Node& root, const ContentsPart& part) : root_(root), part_(part) {}

  SourceContents take() {
    attempt("", [&] {
      for (const std::string& name : root_.children()) {
        if (name == "tracks" || name.starts_with("event_"))
          list_parts(name);
        else if (!part_.path.empty() || (name != "data" && name != "scan"))
          list_member(name);
      }
    });
    attempt(part_.path, [&] { list_part(); });
    std::ranges::stable_partition(found_.signals, [](const Signal& s) { return s.path != "metadata/probe_pose"; });
    for (const char* const name : {"description", "us_machine", "acquisition_time", "probe"})
      if (const auto text = root_.text_attribute(name); text && !text->empty()) add_text(name, {*text});
    return std::move(found_);
  }

 private:
  // Lists `path` with the message of an Error.
  template <class List>
  void attempt(const std::string& path, List&& list) {
    try {
      list();
    } catch (const Error& error) {
      const std::string line = error.what();
      const std::size_t colon = line.find("): ");  // behind the file's name and the object's
      skip(path.empty() ? "/" : path, colon == std::string::npos ? line : line.substr(colon + 3));
    }
  }

  void skip(const std::string& path, const std::string& reason) {
    if (found_.not_used.size() < kMostListed) {
      found_.not_used.push_back({printable(path, 200), printable(reason, 300)});
    } else if (found_.not_used.size() == kMostListed) {
      found_.not_used.push_back({"...", "more members than are listed"});
    }
  }
  void use(const std::string& path) {
    if (found_.used.size() < kMostListed) found_.used.push_back(printable(path, 200));
  }
  void add_text(const std::string& name, std::vector<std::string> texts) {
    for (std::string& text : texts) text = printable(text, 400);
    found_.annotations.push_back({printable(name, 100), std::move(texts)});
  }
  void add_signals(const std::string& path, std::vector<Signal> signals) {
    std::size_t n = 0;
    for (const Signal& signal : signals) n += signal.values.size();
    if (found_.signals.size() + signals.size() > kMostSignals || n > kMostAllSamples - n_samples_)
      return skip(path, "more than " + std::to_string(kMostSignals) + " signals, or too many samples");
    n_samples_ += n;
    for (Signal& signal : signals) {
      signal.path = printable(path, 200);
      found_.signals.push_back(std::move(signal));
    }
  }

  // Returns "float32 (3, 4), 21.5 C: water".
  static std::string words_of(const Node& node) {
    if (!node.is_dataset()) return "a group";
    const hdf5::Id type(H5Dget_type(node.id()));
    std::string words = hdf5::type_text(type);
    const std::vector<std::size_t> shape = node.extents();
    if (!shape.empty()) words += " " + shape_text(shape);
    if (checked_bytes(shape, 1) == std::size_t{1} && hdf5::is_plain_number(type)) {
      const std::string number = std::to_string(node.number());
      const std::size_t last = number.find_last_not_of('0');
      words += ", " + number.substr(0, number[last] == '.' ? last : last + 1);
    }
    const std::string unit = node.text_attribute("unit").value_or("");
    if (!unit.empty() && unit != "–" && unit != "-") words += " " + unit;
    if (const auto text = node.text_attribute("description"); text && !text->empty()) words += ": " + *text;
    return words;
  }

  // Calls `take` for each dataset below a group, or for the dataset itself.
  template <class Take>
  void each_dataset(const Node& node, const std::string& path, const Take& take) {
    if (++n_seen_ > kMostListed) return;
    if (!node.is_group()) return take(node, path);
    for (const std::string& name : node.children())
      attempt(joined(path, name), [&] { each_dataset(node.at(name), joined(path, name), take); });
  }

  // Other tracks, and events of older files.
  void list_parts(const std::string& name) {
    const std::vector<std::string> paths = name == "tracks" ? tracks() : std::vector<std::string>{name};
    for (const std::string& path : paths) {
      if (path == part_.path) continue;
      const Node part = root_.at_path(path);
      const auto label = part.find("label");
      const std::string named = label && label->is_dataset() ? " (" + printable(label->text(), 60) + ")" : "";
      const auto data = part.find("data");
      skip(path, (data && data->has("raw_data") ? "another track" : "a track without channel data") + named);
    }
  }
  std::vector<std::string> tracks() const {
    const Node all = root_.at("tracks");
    std::vector<std::string> paths;
    for (const std::string& name : all.children()) paths.push_back("tracks/" + name);
    return paths;
  }

  void list_member(const std::string& name) {
    attempt(name, [&] {
      const Node member = root_.at(name);
      if (name == "probe" && member.is_group()) return list_fields(member, name, kUsedProbe);
      if (name == "metadata" && member.is_group()) return list_metadata(member);
      if (name == "metrics" && member.is_group()) return list_metrics(member);
      if (name == "custom") return list_custom(member);
      if (name == "track_schedule") return use(name);
      each_dataset(member, name, [&](const Node& found, const std::string& path) {
        skip(path, "an unknown member: " + words_of(found));
      });
    });
  }

  template <std::size_t kN>
  void list_fields(const Node& group, const std::string& path, const std::string_view (&used)[kN]) {
    for (const std::string& name : group.children()) {
      attempt(joined(path, name), [&] {
        each_dataset(group.at(name), joined(path, name), [&](const Node& found, const std::string& at) {
          if (is_one_of(used, name)) return use(at);
          const auto* const known = std::ranges::find(kReasons, std::string_view(name), &Reason::name);
          skip(at, known != std::end(kReasons) ? std::string(known->reason) : "an unknown member: " + words_of(found));
        });
      });
    }
  }

  void list_part() {
    const Node part = part_.path.empty() ? root_ : root_.at_path(part_.path);
    for (const std::string& name : part.children()) {
      if (part_.path.empty() && name != "data" && name != "scan") continue;
      const std::string path = joined(part_.path, name);
      attempt(path, [&] {
        const Node member = part.at(name);
        if (name == "data" && member.is_group()) return list_data(member, path);
        if (name == "scan" && member.is_group()) return list_fields(member, path, kUsedScan);
        if (is_one_of(kUsedPart, name)) return use(path);
        each_dataset(member, path, [&](const Node& found, const std::string& at) {
          skip(at, "an unknown member: " + words_of(found));
        });
      });
    }
  }

  void list_data(const Node& data, const std::string& path) {
    for (const std::string& name : data.children()) {
      const std::string at = joined(path, name);
      if (name == "raw_data") {
        use(at);
      } else if (const auto* const known = std::ranges::find(kReasons, std::string_view(name), &Reason::name);
                 known != std::end(kReasons)) {
        skip(at, std::string(known->reason));
      } else {
        attempt(at, [&] {
          for (StoredMap& map : zea_maps(data.at(name), at, part_.shift_x_m)) {
            if (found_.maps.size() >= kMostMaps) throw Error("maps", "more than 64", "64 maps");
            found_.maps.push_back(std::move(map));
          }
        });
      }
    }
  }

  void list_metadata(const Node& metadata) {
    for (const std::string& name : metadata.children()) {
      const std::string path = "metadata/" + name;
      attempt(path, [&] {
        const Node member = metadata.at(name);
        if (name == "probe_pose") return add_signals(path, zea_pose(member));
        if (member.is_group() && member.has("samples"))
          return add_signals(path, zea_signals(member, printable(name, 60)));
        each_dataset(member, path, [&](const Node& found, const std::string& at) {
          const hdf5::Id type(H5Dget_type(found.id()));
          if (H5Tget_class(type) != H5T_STRING) return skip(at, "no text and no signal: " + words_of(found));
          const std::string prefix = "metadata/annotations/";
          add_text(at.substr(at.starts_with(prefix) ? prefix.size() : std::string("metadata/").size()),
                   found.texts(kMostTexts));
          use(at);
        });
      });
    }
  }

  // Numbers for each frame, at the times of the frames.
  void list_metrics(const Node& metrics) {
    each_dataset(metrics, "metrics", [&](const Node& found, const std::string& path) {
      const std::vector<double> values = found.numbers(1'000'000);
      if (found.extents().size() != 1 || values.size() != part_.frame_times_s.size())
        return skip(path, "not one number for each frame: " + words_of(found));
      Signal signal{.name = printable(path.substr(path.rfind('/') + 1), 60), .unit = {}};
      signal.times_s = part_.frame_times_s;
      for (const double value : values) signal.values.push_back(static_cast<float>(value));
      add_signals(path, {signal});
      use(path);
    });
  }

  void list_custom(const Node& custom) {
    if (!custom.is_group()) return skip("custom", words_of(custom));
    for (const std::string& name : custom.children()) {
      const std::string path = "custom/" + name;
      attempt(path, [&] {
        const Node member = custom.at(name);
        if (member.is_group() && member.has("samples"))
          return add_signals(path, zea_signals(member, printable(name, 60)));
        each_dataset(member, path, [&](const Node& found, const std::string& at) { skip(at, words_of(found)); });
      });
    }
  }

  const Node& root_;
  const ContentsPart& part_;
  SourceContents found_;
  std::size_t n_seen_ = 0, n_samples_ = 0;
};

}  // namespace

std::vector<double> frame_times_s(const LibraryRecording& recording) {
  if (!recording.scanner.times_s.empty()) return recording.scanner.times_s;
  std::vector<double> times_s;
  const double rate_hz = recording.acquisition->frame_rate_hz;
  for (std::uint64_t k = 0; rate_hz > 0.0 && k < recording.frame_count; ++k)
    times_s.push_back(static_cast<double>(k) / rate_hz);
  return times_s;
}

SourceContents zea_contents(const Node& root, const ContentsPart& part) { return Listing(root, part).take(); }

std::string contents_words(const SourceContents& contents) {
  std::string maps, signals;
  for (const StoredMap& map : contents.maps) {
    maps += (maps.empty() ? "" : ", ") + map.name + " (" + counted(static_cast<std::size_t>(map.frames), "frame") +
            ", " + std::to_string(map.rows) + " x " + std::to_string(map.columns) + ")";
  }
  for (const Signal& signal : contents.signals) signals += (signals.empty() ? "" : ", ") + signal.name;
  std::string words = maps.empty() ? "" : "maps " + maps;
  if (!signals.empty()) words += (words.empty() ? "" : "; ") + ("signals " + signals);
  return words;
}

}  // namespace echoloop
