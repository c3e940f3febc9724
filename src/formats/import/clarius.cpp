// Clarius raw data, as described in https://github.com/clariusdev/research (docs/raw-data-format.md): a header of five
// uint32 (id, frames, lines, samples per line, bytes per sample), then for each frame a time (uint64, ns) and the
// lines; a .yml of the same name holds sampling, delay, probe and lines. The scanner packs both into a .tar. RF and IQ
// are beamformed. "delay samples": samples before the first valid one; a line including them is as long as the imaging
// depth (3120 samples at 60 MHz for 40 mm in github.com/clariusdev/raw, viewer/data/wirephantom), so sample 1 is at
// depth 0. Of Doppler data each line is repeated, and its samples begin after the delay (352 + 108 samples at 15 MHz
// for less than 30 mm, viewer/data/carotid/doppler). The sign of "angle" is not published.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/containers/archives.h"
#include "formats/import/guess.h"
#include "formats/import/import.h"

namespace echoloop {
namespace {

constexpr double kUsualPitch = 0.2e-3;  // of the linear probes
constexpr std::size_t kHeaderBytes = 20, kTimeBytes = 8, kMostYml = std::size_t{1} << 20;

struct ClariusHeader {
  std::uint32_t id = 0, n_frames = 0, n_lines = 0, n_samples = 0, sample_bytes = 0;
};

// Returns nullopt if the numbers do not match the size of the file.
std::optional<ClariusHeader> clarius_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes + 512) return std::nullopt;
  ClariusHeader h;
  std::memcpy(&h, bytes.data(), kHeaderBytes);
  const bool sane = h.n_frames >= 1 && h.n_frames < 1'000'000 && h.n_lines >= 2 && h.n_lines <= 4096 &&
                    h.n_samples >= 64 && h.n_samples <= 1'000'000 &&
                    (h.sample_bytes == 1 || h.sample_bytes == 2 || h.sample_bytes == 4);
  const double wanted = kHeaderBytes + static_cast<double>(h.n_frames) *
                                           (kTimeBytes + static_cast<double>(h.n_lines) * h.n_samples * h.sample_bytes);
  return sane && static_cast<double>(bytes.size()) == wanted ? std::optional(h) : std::nullopt;
}

struct ClariusYml {
  std::map<std::string, double> values;                // SI; letters and digits of the key in lower case
  std::vector<double> line_elements, line_angles_rad;  // per line
};

std::string plain_key(std::string_view text) {
  std::string key;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) key += c;
  return lower_case(std::move(key));
}

// Reads "30 MHz", "300 um" or "1.5"; returns nullopt without a number.
std::optional<double> with_unit(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value)) return std::nullopt;
  std::string unit(end);
  std::erase_if(unit, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
  for (const auto& [name, factor] :
       {std::pair{"MHz", 1e6}, {"kHz", 1e3}, {"mm", 1e-3}, {"um", 1e-6}, {"cm", 1e-2}, {"dB", 1.0}})
    if (unit == name) return value * factor;
  return value;
}

// Reads "key: value", and "key: {name: value, name: value}" as keyname.
ClariusYml parse_yml(std::span<const std::byte> bytes) {
  std::istringstream text(
      std::string(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), kMostYml)));
  ClariusYml yml;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(':'), brace = line.find('{');
    if (colon == std::string::npos) continue;
    if (brace == std::string::npos) {
      if (const auto value = with_unit(line.substr(colon + 1)))
        yml.values.emplace(plain_key(line.substr(0, colon)), *value);
      continue;
    }
    const bool of_line = brace < colon;  // "- {rx element: 0, tx element: 1.5, angle: 0}"
    const std::string group = of_line ? "" : plain_key(line.substr(0, colon));
    std::map<std::string, double> items;
    std::istringstream parts(line.substr(brace + 1));
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t at = part.find(':');
      if (at == std::string::npos) continue;
      if (const auto value = with_unit(part.substr(at + 1)))
        items.emplace(group + plain_key(part.substr(0, at)), *value);
    }
    if (!of_line) {
      yml.values.merge(items);
    } else if (items.contains("rxelement")) {
      yml.line_elements.push_back(items["rxelement"]);
      yml.line_angles_rad.push_back(items["angle"] * 0.017453292519943295);
    }
  }
  return yml;
}

std::optional<double> value_of(const ClariusYml& yml, std::initializer_list<const char*> keys) {
  for (const char* const key : keys)
    if (const auto found = yml.values.find(key); found != yml.values.end()) return found->second;
  return std::nullopt;
}

// Keeps one of the equal neighbours among the lines; returns their number, if it is the same for all lines,
// otherwise 1.
std::size_t take_ensemble(ClariusYml& yml, std::size_t n) {
  if (yml.line_elements.size() != n) return 1;
  const auto same = [&](std::size_t a, std::size_t b) {
    return yml.line_elements[a] == yml.line_elements[b] && yml.line_angles_rad[a] == yml.line_angles_rad[b];
  };
  std::size_t size = 1;
  while (size < n && same(0, size)) ++size;
  if (size == 1 || size == n || n % size != 0) return 1;
  for (std::size_t l = 0; l < n; ++l)
    if (!same(l, l - l % size) || (l % size == 0 && l > 0 && same(l, l - 1))) return 1;
  for (std::size_t l = 0; l < n / size; ++l) {
    yml.line_elements[l] = yml.line_elements[l * size];
    yml.line_angles_rad[l] = yml.line_angles_rad[l * size];
  }
  yml.line_elements.resize(n / size);
  yml.line_angles_rad.resize(n / size);
  return size;
}

// Checks the elements of the lines and their angles to the normal, from left to right; otherwise spreads the lines.
void order_lines(ClariusYml& yml, std::size_t n, double elements) {
  bool placed = yml.line_elements.size() == n;
  for (std::size_t l = 1; placed && l < n; ++l) {
    const double right = yml.line_elements[l] - yml.line_elements[l - 1];
    placed = right > 0.0 || (right == 0.0 && yml.line_angles_rad[l] > yml.line_angles_rad[l - 1]);
  }
  if (placed) return;
  yml.line_elements.clear();
  for (std::size_t l = 0; l < n; ++l)
    yml.line_elements.push_back((static_cast<double>(l) + 0.5) * elements / static_cast<double>(n) - 0.5);
  yml.line_angles_rad.assign(n, 0.0);
}

// Sets line positions from their elements, the pitch and the radius. Depth 0 is the chord between the outer lines.
void place_lines(ClariusYml yml, KnownLines& lines) {
  const std::size_t n = lines.raw.shape[1] / lines.ensemble;
  const auto pitch = value_of(yml, {"probepitch", "pitch"});
  const double pitch_m = !pitch ? kUsualPitch : *pitch > 1.0 ? *pitch * 1e-6 : *pitch;  // without unit: micrometres
  const auto stated = value_of(yml, {"probeelements", "elements"});
  const double elements = stated.value_or(static_cast<double>(n));
  order_lines(yml, n, elements);
  const std::vector<double>& at = yml.line_elements;
  if (!pitch)
    lines.assumed_pitch = words("pitch ", pitch_m * 1e3,
                                " mm assumed: not in the .yml; otherwise pitch_m (of "
                                "the lines) in a JSON file of the same name");
  lines.radius_m = value_of(yml, {"proberadius", "radius"}).value_or(0.0);
  if (lines.radius_m > 1.0) lines.radius_m *= 1e-3;  // without unit: millimetres
  const bool steered = std::ranges::any_of(yml.line_angles_rad, [](double a) { return std::abs(a) > 1e-3; });
  const bool convex = lines.radius_m > 0.0;
  const double middle =
      pitch || elements != static_cast<double>(n) ? 0.5 * (elements - 1.0) : 0.5 * (at.front() + at.back());
  const double outer_rad = convex ? std::max(middle - at.front(), at.back() - middle) * pitch_m / lines.radius_m : 0.0;
  Json x_m = Json::array(), z_m = Json::array(), normal_rad = Json::array();
  for (std::size_t l = 0; l < n; ++l) {
    const double arc_m = (at[l] - middle) * pitch_m, bend_rad = convex ? arc_m / lines.radius_m : 0.0;
    x_m.push_back(convex ? lines.radius_m * std::sin(bend_rad) : arc_m);
    z_m.push_back(convex ? lines.radius_m * (std::cos(bend_rad) - std::cos(outer_rad)) : 0.0);
    normal_rad.push_back(bend_rad + yml.line_angles_rad[l]);
  }
  lines.meta["element_x_m"] = std::move(x_m);
  if (!convex && !steered) return;
  lines.meta["element_z_m"] = std::move(z_m);
  lines.meta["element_normal_rad"] = std::move(normal_rad);
  if (convex)
    lines.assumptions.push_back(
        words("convex probe of ", lines.radius_m * 1e3, " mm; depth 0 is the chord between the outer lines, ",
              lines.radius_m * (1.0 - std::cos(outer_rad)) * 1e3, " mm above the middle of the probe"));
  if (steered)
    lines.assumptions.emplace_back(
        "angles of the lines taken from the probe's normal, positive towards larger x (assumed: their sign is not "
        "published)");
}

void take_yml(std::span<const std::byte> bytes, KnownLines& lines) {
  ClariusYml yml = parse_yml(bytes);
  lines.ensemble = take_ensemble(yml, lines.raw.shape[1]);
  if (const auto fs = value_of(yml, {"samplingrate", "samplingfrequency"})) lines.meta["fs_hz"] = *fs;
  if (const auto fc = value_of(yml, {"transmitfrequency", "frequency"})) lines.meta["fc_hz"] = *fc;
  const auto rate =
      lines.ensemble > 1 ? value_of(yml, {"prf", "pulserepetitionfrequency"}) : value_of(yml, {"framerate"});
  if (rate && *rate > 0.0) lines.meta["frame_rate_hz"] = *rate;
  if (const auto speed = value_of(yml, {"soundspeed", "speedofsound"})) lines.meta["c_m_s"] = *speed;
  const auto delay = value_of(yml, {"delaysamples"});
  if (lines.ensemble > 1) {
    const double delay_s = delay && lines.meta.contains("fs_hz") ? *delay / lines.meta["fs_hz"].get<double>() : 0.0;
    if (delay_s > 0.0) lines.meta["t0_s"] = delay_s;
    lines.assumptions.push_back(words("each line is repeated: ", lines.ensemble, " firings of ",
                                      lines.raw.shape[1] / lines.ensemble,
                                      " lines, which follow each other as frames; the first sample ",
                                      delay.value_or(0.0), " samples (delay samples of the .yml) after the firing"));
  } else if (delay && *delay > 0.0)
    lines.assumptions.push_back(words("sample 1 of a line taken at time 0; the first ", *delay,
                                      " (delay samples of the .yml) are not valid; otherwise t0_s in a JSON file of "
                                      "the same name"));
  place_lines(yml, lines);
}

std::unique_ptr<KnownLines> lines_of(const std::string& what, std::span<const std::byte> bytes) {
  const auto header = clarius_header(bytes);
  if (!header) return nullptr;
  if (header->sample_bytes == 1)
    throw Error(what, "an envelope of a Clarius scanner (8 bits a sample)", "RF or IQ lines",
                "open the _rf.raw or _iq.raw of the same recording");
  auto lines = std::make_unique<KnownLines>();
  lines->container = header->sample_bytes == 2 ? "Clarius RF" : "Clarius IQ";
  lines->bytes = bytes;
  lines->raw = {.type = {NumberKind::signed_integer, 2, ByteOrder::little},
                .header_bytes = kHeaderBytes,
                .frame_header_bytes = kTimeBytes,
                .shape = {header->n_frames, header->n_lines, header->n_samples}};
  lines->meta = {{"axes", {"frame", "line", "time"}}};
  if (header->sample_bytes == 4) {
    lines->raw.shape.push_back(2);
    lines->meta["axes"].push_back("iq");
  }
  return lines;
}

// Returns RF, else IQ, each with its .yml. Null: no such files in the archive.
std::unique_ptr<KnownLines> packed_lines(const OpenRequest& request) {
  const std::vector<TarMember> members = tar_members(request.what(), request.bytes());
  std::string packed;
  bool envelope = false;
  for (const char* const ending : {"_rf.raw", "_iq.raw", ".raw"}) {
    for (const TarMember& member : members) {
      if (member.name.ends_with(std::string(ending) + ".lzo") && packed.empty()) packed = member.name;
      envelope = envelope || member.name.find("_env.raw") != std::string::npos;
      if (!member.name.ends_with(ending) || member.name.ends_with("_env.raw")) continue;
      auto lines = lines_of(request.what(), member.bytes);
      if (!lines) continue;
      lines->assumptions.push_back(printable(member.name, 80) + " in the archive");
      const std::string yml = member.name.substr(0, member.name.size() - 4) + ".yml";
      const auto beside = std::ranges::find(members, yml, &TarMember::name);
      if (beside != members.end()) take_yml(beside->bytes, *lines);
      return lines;
    }
    if (!packed.empty() && packed.find("_env.raw") == std::string::npos) {
      throw Error(request.what(), "Clarius raw data compressed with LZO (" + printable(packed, 80) + ")",
                  "a .raw that is not compressed",
                  "unpack the archive, then lzop -d " + printable(packed, 80) + " and open the .raw beside its .yml");
    }
  }
  if (envelope)
    throw Error(request.what(), "Clarius raw data of the envelope only", "an archive with _rf.raw or _iq.raw");
  return nullptr;
}

}  // namespace

std::unique_ptr<KnownLines> clarius_lines(const OpenRequest& request) {
  if (looks_like_tar(request.bytes())) return packed_lines(request);
  auto lines = lines_of(request.what(), request.bytes());
  if (!lines) return lines;
  for (const SidecarFile& beside : request.sidecars) {
    const auto ending = beside.path.extension();
    if (ending == ".yml" || ending == ".yaml") {
      take_yml(beside.file->bytes(), *lines);
      return lines;
    }
  }
  lines->meta["pitch_m"] = kUsualPitch;
  lines->assumed_pitch = words("pitch ", kUsualPitch * 1e3, " mm assumed: no .yml beside the .raw");
  return lines;
}

}  // namespace echoloop
