#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/facts.h"
#include "formats/base/library_recording.h"
#include "formats/import/guess.h"
#include "formats/import/import.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

std::int32_t int_at(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

// Reads Ultrasonix (Sonix RP, Texo): 19 integers, including type, frames, w, h, ss; probe, txf, sf. Type 16: RF, lines
// of h samples of int16; 2, 4 and 8: images before and after scan conversion.
std::unique_ptr<KnownLines> ultrasonix(const std::string& what, std::span<const std::byte> bytes) {
  if (bytes.size() < 76 + 512) return nullptr;
  const auto field = [&](std::size_t k) { return static_cast<double>(int_at(bytes, k)); };
  const double n_frames = field(1), w = field(2), h = field(3), bits = field(4), fc_hz = field(14), fs_hz = field(15);
  const bool image = (field(0) == 2.0 || field(0) == 4.0) && bits == 8.0;
  if (image && n_frames >= 1.0 && static_cast<double>(bytes.size()) == 76.0 + n_frames * w * h)
    throw Error(what, "an image of an Ultrasonix scanner (8 bits a sample)", "RF lines",
                "open the .rf of the same recording");
  const bool sane = (field(0) == 16.0) && n_frames >= 1 && n_frames < 1e6 && w >= 2 && w <= 4096 && h >= 64 &&
                    h <= 1e6 && bits == 16.0 && fs_hz >= 1e6 && fs_hz <= 2e8 && fc_hz >= 1e5 && fc_hz <= fs_hz;
  const double frame = w * h * 2.0, held = static_cast<double>(bytes.size() - 76);
  if (!sane || held < frame) return nullptr;
  const bool tagged = held >= n_frames * (frame + 4.0) && std::fmod(held, frame + 4.0) == 0.0;
  KnownLines lines;
  lines.container = "Ultrasonix RF";
  lines.bytes = bytes;
  lines.raw.type = {NumberKind::signed_integer, 2, ByteOrder::little};
  lines.raw.header_bytes = 76;
  lines.raw.frame_header_bytes = tagged ? std::size_t{4} : std::size_t{0};
  for (const double n : {std::min(n_frames, std::floor(held / frame)), w, h})
    lines.raw.shape.push_back(static_cast<std::size_t>(n));
  lines.meta = {{"axes", {"frame", "line", "time"}}, {"fs_hz", fs_hz}, {"fc_hz", fc_hz}};
  if (field(16) > 0.0 && field(16) < 10'000.0) lines.meta["frame_rate_hz"] = field(16);
  lines.meta["pitch_m"] = 38e-3 / w;
  lines.assumptions.push_back(
      words("width of the lines 38 mm assumed, drawn side by side: the file has a probe's number only (", field(13),
            "); otherwise pitch_m in a description beside the file"));
  return std::make_unique<KnownLines>(std::move(lines));
}

std::unique_ptr<KnownLines> known_lines(const OpenRequest& request) {
  auto lines = ultrasonix(request.what(), request.bytes());
  if (!lines) lines = image_lines(request);
  return lines ? std::move(lines) : clarius_lines(request);
}

// Lines of one firing of an ensemble.
std::unique_ptr<ArrayTree> tree_of_lines(const OpenRequest& request, const KnownLines& lines, std::size_t firing = 0) {
  ArrayView view = raw_view(request.what(), lines.bytes, lines.raw);
  if (lines.ensemble > 1) {
    std::vector<std::size_t> strides;
    for (std::size_t axis = 0; axis < view.shape.size(); ++axis) strides.push_back(view.stride_bytes(axis));
    view.bytes = view.bytes.subspan(firing * strides[1]);
    strides[1] *= lines.ensemble;
    view.shape[1] /= lines.ensemble;
    view.strides = std::move(strides);
  }
  return view_tree(lines.container, {.real = view, .imaginary = {}, .owner = request.file});
}

// Applies the user's corrections and additions to the header.
void take_corrections(const OpenRequest& request, KnownLines& lines) {
  for (const SidecarFile& beside : request.sidecars) {
    if (beside.path.extension() != ".json" || beside.path.filename() == "params.json") continue;
    const Json given = parse_description(beside.path.string(), beside.file->bytes());
    const auto items = given.items();
    if (std::none_of(items.begin(), items.end(), [](const auto& one) { return find_description_key(one.key()); }))
      continue;  // by another program
    check_description_keys(beside.path.string(), given);
    for (const auto& [key, value] : items) {
      if (key == "file" || is_free_key(key)) continue;
      if (key == "pitch_m") {
        for (const char* const place : {"element_x_m", "element_z_m", "element_normal_rad"}) lines.meta.erase(place);
        if (lines.radius_m > 0.0) lines.meta["radius_m"] = lines.radius_m;
        lines.assumed_pitch.clear();
      }
      lines.meta[key] = value;
      lines.assumptions.push_back(key + " from " + beside.path.filename().string());
    }
    return;
  }
}

// Reads the firings of each stored frame as frames that follow each other.
LibraryRecording with_ensemble(const OpenRequest& request, const KnownLines& lines, LibraryRecording first) {
  if (lines.ensemble == 1) return first;
  std::vector<std::function<void(std::uint64_t, std::span<std::byte>)>> firings{first.read_frame};
  for (std::size_t k = 1; k < lines.ensemble; ++k) {
    LibraryRecording other =
        described_tree(request, request.what(), lines.meta, *tree_of_lines(request, lines, k), lines.container);
    if (other.acquisition->sample_type != first.acquisition->sample_type)
      throw Error(request.what(), "firings with samples of different types", "the same type for all");
    firings.push_back(std::move(other.read_frame));
  }
  first.frame_count *= lines.ensemble;
  first.frame_offsets.clear();
  first.named = {.why_not = "the firings of a line are read as frames"};
  first.read_frame = [firings = std::move(firings)](std::uint64_t index, std::span<std::byte> out) {
    firings[index % firings.size()](index / firings.size(), out);
  };
  return first;
}

}  // namespace

std::unique_ptr<ArrayTree> known_lines_tree(const OpenRequest& request) {
  const auto lines = known_lines(request);
  return lines ? tree_of_lines(request, *lines) : nullptr;
}

std::optional<GuessedDescription> guess_known_lines(const OpenRequest& request) {
  const auto lines = known_lines(request);
  if (!lines) return std::nullopt;
  GuessedDescription guess;
  guess.meta = lines->meta;
  guess.has_samples = true;
  guess.meta["data"] = "samples";
  for (const auto& [key, value] : guess.meta.items()) {
    const bool places = key == "pitch_m" || key == "element_x_m";
    const bool assumed = places && !lines->assumed_pitch.empty();
    guess.guesses.push_back({key, assumed ? lines->assumed_pitch : "header of " + lines->container, assumed});
  }
  if (!guess.meta.contains("fs_hz")) guess.missing.push_back({"fs_hz", "sampling frequency"});
  if (!guess.meta.contains("pitch_m") && !guess.meta.contains("element_x_m"))
    guess.missing.push_back({"pitch_m", "distance of the lines"});
  return guess;
}

std::optional<LibraryRecording> read_known_lines(const OpenRequest& request) {
  auto lines = known_lines(request);
  if (!lines) return std::nullopt;
  take_corrections(request, *lines);
  const auto tree = tree_of_lines(request, *lines);
  Json& meta = lines->meta;
  const bool placed = meta.contains("pitch_m") || meta.contains("element_x_m");
  if (!meta.contains("fs_hz") || !placed) {
    std::string wanted;
    if (!meta.contains("fs_hz")) wanted = "\"fs_hz\"";
    if (!placed) wanted += std::string(wanted.empty() ? "" : " and ") + "\"pitch_m\" (distance of the lines)";
    throw Error(request.what(),
                lines->container + (lines->lacks.empty() ? " without the sampling frequency" : " with " + lines->lacks),
                (lines->lacks.empty() ? "the .yml of the same name beside the .raw, or " : "") + wanted +
                    " in a JSON file of the same name");
  }
  if (lines->raw.shape.size() == 4) {  // IQ
    if (!meta.contains("fc_hz")) {
      meta["fc_hz"] = 0.25 * meta["fs_hz"].get<double>();
      lines->assumptions.push_back("centre frequency fs / 4 assumed: not in the file");
    }
    if (!meta.contains("demod_hz")) meta["demod_hz"] = meta["fc_hz"];
  }
  LibraryRecording recording =
      with_ensemble(request, *lines, described_tree(request, request.what(), meta, *tree, lines->container));
  Acquisition a = *recording.acquisition;
  a.assumptions.push_back("lines are beamformed already: shown as they are");
  if (!lines->assumed_pitch.empty()) a.assumptions.emplace_back(lines->assumed_pitch);
  for (const std::string& text : lines->assumptions) a.assumptions.emplace_back(text);
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

// Converts beamformed lines that are not parallel (of a convex probe, or steered) to evenly spaced columns of a
// beamformed recording: IQ samples interpolated between two lines and along them.

namespace {

constexpr std::size_t kLeastColumns = 64, kMostColumns = 512, kColumnsPerLine = 4;
constexpr double kMostPixels = 1 << 26;
constexpr std::uint32_t kOutside = std::numeric_limits<std::uint32_t>::max();

struct SectorPixel {
  std::uint32_t line = kOutside;  // left one of two lines
  float next = 0.0F;              // weight of the right one
  float sample = 0.0F;            // position along both
};

struct SectorLine {
  explicit SectorLine(const Element& e)
      : x_m(e.x_m), z_m(e.z_m), sine(std::sin(e.normal_rad)), cosine(std::cos(e.normal_rad)) {}
  double x_m, z_m, sine, cosine;

  // Return the distance of (x, z) from the line, positive on its right, and its distance along it from its start.
  [[nodiscard]] double beside(double x, double z) const { return (x - x_m) * cosine - (z - z_m) * sine; }
  [[nodiscard]] double along(double x, double z) const { return (x - x_m) * sine + (z - z_m) * cosine; }
};

class SectorTable {
 public:
  SectorTable(const std::string& what, const Acquisition& a)
      : lines_(a.probe.elements.begin(), a.probe.elements.end()), n_in_(a.n_samples) {
    check_order(what, a.probe.elements);
    step_m_ = 0.5 * a.sound_speed_m_s / a.sampling_hz;
    first_m_ = 0.5 * a.sound_speed_m_s * a.transmits[0].t0_s;
    const double last_m = first_m_ + step_m_ * (n_in_ - 1);
    double right_m = -HUGE_VAL, bottom_m = -HUGE_VAL;
    left_m = top_m = HUGE_VAL;
    for (const SectorLine& line : lines_) {
      for (const double r : {first_m_, last_m}) {
        const double x = line.x_m + r * line.sine, z = line.z_m + r * line.cosine;
        left_m = std::min(left_m, x), right_m = std::max(right_m, x);
        top_m = std::min(top_m, z), bottom_m = std::max(bottom_m, z);
      }
    }
    const double deep = (bottom_m - top_m) / step_m_;
    n_columns = std::clamp(kColumnsPerLine * lines_.size(), kLeastColumns, kMostColumns);
    if (!(right_m > left_m && deep >= 2.0 && deep * static_cast<double>(n_columns) < kMostPixels))
      throw Error(what,
                  "lines over " + std::to_string((right_m - left_m) * 1e3) + " x " +
                      std::to_string((bottom_m - top_m) * 1e3) + " mm",
                  "lines of a sector");
    n_samples = static_cast<std::size_t>(deep) + 1;
    pitch_m = (right_m - left_m) / static_cast<double>(n_columns - 1);
    pixels_.reserve(n_columns * n_samples);
    for (std::size_t column = 0; column < n_columns; ++column) {
      for (std::size_t i = 0; i < n_samples; ++i)
        pixels_.push_back(
            pixel_at(left_m + static_cast<double>(column) * pitch_m, top_m + static_cast<double>(i) * step_m_));
    }
  }

  // Interpolates `values`, pairs (I, Q) of all lines, to `out`, those of all columns.
  void convert(const std::vector<float>& values, float* out) const {
    for (const SectorPixel& p : pixels_) {
      float parts[2] = {0.0F, 0.0F};
      if (p.line != kOutside) {
        const auto i = static_cast<std::size_t>(p.sample);
        const float later = p.sample - static_cast<float>(i);
        const std::size_t one = 2 * (p.line * static_cast<std::size_t>(n_in_) + i),
                          other = one + 2 * static_cast<std::size_t>(n_in_);
        for (std::size_t k = 0; k < 2; ++k) {
          const float a = values[one + k] + later * (values[one + 2 + k] - values[one + k]);
          const float b = values[other + k] + later * (values[other + 2 + k] - values[other + k]);
          parts[k] = a + p.next * (b - a);
        }
      }
      *out++ = parts[0];
      *out++ = parts[1];
    }
  }

  std::size_t n_columns = 0, n_samples = 0;
  double left_m = 0.0, top_m = 0.0, pitch_m = 0.0;

 private:
  static void check_order(const std::string& what, const std::vector<Element>& lines) {
    for (std::size_t l = 1; l < lines.size(); ++l) {
      const double right_m = lines[l].x_m - lines[l - 1].x_m, turned = lines[l].normal_rad - lines[l - 1].normal_rad;
      if (right_m < -1e-9 || turned < -1e-6 || (right_m < 1e-9 && turned < 1e-6))
        throw Error(what, "line " + std::to_string(l + 1) + " left of line " + std::to_string(l) + ", or crossing it",
                    "lines from left to right");
    }
  }

  [[nodiscard]] SectorPixel pixel_at(double x_m, double z_m) const {
    const auto right =
        std::ranges::partition_point(lines_, [&](const SectorLine& l) { return l.beside(x_m, z_m) >= 0.0; });
    if (right == lines_.begin() || right == lines_.end()) return {};
    const SectorLine &a = *std::prev(right), &b = *right;
    const double past = a.beside(x_m, z_m), before = -b.beside(x_m, z_m), next = past / (past + before);
    const double r_m = (1.0 - next) * a.along(x_m, z_m) + next * b.along(x_m, z_m);
    const double sample = (r_m - first_m_) / step_m_;
    if (!(sample >= 0.0 && sample < n_in_ - 1.0)) return {};
    return {.line = static_cast<std::uint32_t>(right - lines_.begin() - 1),
            .next = static_cast<float>(next),
            .sample = static_cast<float>(sample)};
  }

  std::vector<SectorLine> lines_;
  int n_in_;
  double step_m_ = 0.0, first_m_ = 0.0;
  std::vector<SectorPixel> pixels_;  // per column, from the top
};

}  // namespace

bool are_parallel(const Probe& lines) {
  return std::ranges::all_of(lines.elements, [](const Element& line) {
    return std::abs(line.normal_rad) < 1e-4 && std::abs(line.z_m) < 1e-9;
  });
}

LibraryRecording sector_columns(const std::string& what, LibraryRecording lines) {
  const AcquisitionPtr stored = lines.acquisition;
  const auto table = std::make_shared<const SectorTable>(what, *stored);
  Acquisition a = *stored;
  a.data = DataKind::beamformed;
  a.sample_type = SampleType::float32;
  a.n_samples = static_cast<int>(table->n_samples);
  a.transmits[0].t0_s = 2.0 * table->top_m / a.sound_speed_m_s;
  a.probe.kind = ProbeKind::linear;
  a.probe.pitch_m = table->pitch_m;
  a.probe.elements.clear();
  for (std::size_t k = 0; k < table->n_columns; ++k)
    a.probe.elements.push_back({.x_m = table->left_m + static_cast<double>(k) * table->pitch_m});
  a.assumptions.emplace_back(std::to_string(stored->probe.elements.size()) + " lines of a sector interpolated to " +
                             std::to_string(table->n_columns) + " columns");
  a.validate(what);
  lines.frame_offsets.clear();
  lines.read_frame = [stored, table, read = std::move(lines.read_frame), bytes = std::vector<std::byte>(),
                      values = std::vector<float>()](std::uint64_t index, std::span<std::byte> out) mutable {
    bytes.resize(stored->frame_bytes());
    read(index, bytes);
    values.resize(stored->frame_values());
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(sample_value(*stored, bytes, k));
    table->convert(values, reinterpret_cast<float*>(out.data()));
  };
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return lines;
}

}  // namespace echoloop
