#include "formats/import/known_lines.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "formats/base/description_keys.h"
#include "formats/import/described.h"
#include "formats/import/words.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

std::int32_t int_at(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

// Ultrasonix (Sonix RP, Texo): 19 integers, of which type, frames, w, h, ss; probe, txf, sf. Type 16: RF, lines of h
// samples of int16; 2, 4 and 8: images before and after scan conversion.
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

std::unique_ptr<ArrayTree> tree_of_lines(const OpenRequest& request, const KnownLines& lines) {
  const ArrayView view = raw_view(request.what(), lines.bytes, lines.raw);
  return view_tree(lines.container, {.real = view, .imaginary = {}, .owner = request.file});
}

// What the user knows better than the header, or what it lacks.
void take_corrections(const OpenRequest& request, KnownLines& lines) {
  for (const SidecarFile& beside : request.sidecars) {
    if (beside.path.extension() != ".json" || beside.path.filename() == "params.json") continue;
    const Json given = parse_description(beside.path.string(), beside.file->bytes());
    const auto items = given.items();
    if (std::none_of(items.begin(), items.end(), [](const auto& one) { return find_description_key(one.key()); }))
      continue;  // of another program
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
    guess.guesses.push_back({key, assumed ? lines->assumed_pitch : "header of " + lines->container, assumed, ""});
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
  LibraryRecording recording = described_tree(request, request.what(), meta, *tree, lines->container);
  Acquisition a = *recording.acquisition;
  a.assumptions.push_back("lines are beamformed already: shown as they are");
  if (!lines->assumed_pitch.empty()) a.assumptions.emplace_back(lines->assumed_pitch);
  for (const std::string& text : lines->assumptions) a.assumptions.emplace_back(text);
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

}  // namespace echoloop
