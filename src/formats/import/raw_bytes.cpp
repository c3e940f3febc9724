#include "formats/import/raw_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "core/error.h"
#include "formats/base/printable.h"
#include "formats/import/described.h"
#include "formats/import/words.h"
#include "formats/readers/description.h"

namespace echoloop {
namespace {

NumberType described_type(const std::string& what, const Json& meta) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"int8", "i1"},  {"uint8", "u1"},  {"int16", "i2"},   {"uint16", "u2"},    {"int32", "i4"},      {"uint32", "u4"},
      {"int64", "i8"}, {"uint64", "u8"}, {"float16", "f2"}, {"float32", "f4"},   {"float64", "f8"},    {"single", "f4"},
      {"float", "f4"}, {"double", "f8"}, {"short", "i2"},   {"complex64", "c8"}, {"complex128", "c16"}};
  std::string name = json_text(what, meta.at("dtype"), "dtype");
  std::string order = meta.contains("byte_order") ? json_text(what, meta.at("byte_order"), "byte_order") : "little";
  if (order != "little" && order != "big")
    throw Error(what, "byte_order = \"" + printable(order) + "\"", "\"little\" or \"big\"");
  if (!name.empty() && std::string_view("<>|=").find(name[0]) != std::string_view::npos) {
    if (name[0] == '>') order = "big";
    name.erase(0, 1);
  }
  for (const auto& [word, code] : kNames) {
    if (name == word) name = code;
  }
  const bool byte = name == "i1" || name == "u1";
  const auto type = parse_number_type(name, byte ? '|' : order == "big" ? '>' : '<');
  if (type) return *type;
  throw Error(what, "dtype = " + json_excerpt(meta.at("dtype")),
              "int8 to int64, uint8 to uint64, float32, float64, complex64 or complex128");
}

std::size_t whole(const std::string& what, const Json& meta, const char* key) {
  if (!meta.contains(key)) return 0;
  const double value = json_number(what, meta.at(key), key);
  if (!(value >= 0.0 && value <= 1e15 && value == std::floor(value)))
    throw Error(what, std::string(key) + " = " + json_excerpt(meta.at(key)), "a whole number, 0 or more");
  return static_cast<std::size_t>(value);
}

struct RawLayout {
  NumberType type;
  std::size_t header_bytes = 0, frame_header_bytes = 0;
  std::vector<std::size_t> shape;  // slowest first
};

// A view of the file; with headers of frames, of the bytes behind the first one, with a stride of its own.
ArrayView raw_view(const std::string& what, std::span<const std::byte> file, const RawLayout& raw) {
  std::vector<std::size_t> frame(raw.shape.begin() + 1, raw.shape.end());
  const auto frame_bytes = checked_bytes(frame, raw.type.bytes);
  const std::size_t item = raw.frame_header_bytes + frame_bytes.value_or(0);
  const auto wanted = frame_bytes ? checked_bytes(std::vector{raw.shape[0]}, item) : std::nullopt;
  const std::size_t held = file.size() < raw.header_bytes ? 0 : file.size() - raw.header_bytes;
  if (!wanted || *wanted == 0 || *wanted > held) {
    throw Error(what,
                words(raw.header_bytes, " + ", shape_text(raw.shape), " x ", raw.type.bytes,
                      " bytes = ", raw.header_bytes + wanted.value_or(0), " in a file of ", file.size(), " bytes"),
                "header and shape that the file holds");
  }
  ArrayView view{.type = raw.type,
                 .shape = raw.shape,
                 .order = MemoryOrder::c,
                 .bytes = file.subspan(raw.header_bytes + raw.frame_header_bytes, *wanted - raw.frame_header_bytes)};
  if (raw.frame_header_bytes == 0) return view;
  ArrayView one = view;
  one.strides.clear();
  for (std::size_t a = 0; a < view.shape.size(); ++a) view.strides.push_back(one.stride_bytes(a));
  view.strides[0] = item;
  return view;
}

std::int32_t int_at(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

struct KnownLines {
  std::string container;
  RawLayout raw;
  Json meta;
  std::vector<std::string> assumptions;
};

// Ultrasonix (Sonix RP, Texo): 19 integers, of which type, frames, w, h, ss; probe, txf, sf. Type 16: RF, lines of h
// samples of int16.
std::unique_ptr<KnownLines> ultrasonix(std::span<const std::byte> bytes) {
  if (bytes.size() < 76 + 512) return nullptr;
  const auto field = [&](std::size_t k) { return static_cast<double>(int_at(bytes, k)); };
  const double n_frames = field(1), w = field(2), h = field(3), bits = field(4), fc_hz = field(14), fs_hz = field(15);
  const bool sane = (field(0) == 16.0) && n_frames >= 1 && n_frames < 1e6 && w >= 2 && w <= 4096 && h >= 64 &&
                    h <= 1e6 && bits == 16.0 && fs_hz >= 1e6 && fs_hz <= 2e8 && fc_hz >= 1e5 && fc_hz <= fs_hz;
  const double frame = w * h * 2.0, held = static_cast<double>(bytes.size() - 76);
  if (!sane || held < frame) return nullptr;
  const bool tagged = held >= n_frames * (frame + 4.0) && std::fmod(held, frame + 4.0) == 0.0;
  KnownLines lines;
  lines.container = "Ultrasonix RF";
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

// Clarius research data: id, frames, lines, samples, bytes a sample; 8 bytes of time before each frame.
std::unique_ptr<KnownLines> clarius(const OpenRequest& request) {
  const auto bytes = request.bytes();
  if (bytes.size() < 20 + 512) return nullptr;
  const double n_frames = int_at(bytes, 1), w = int_at(bytes, 2), h = int_at(bytes, 3), size = int_at(bytes, 4);
  const bool sane =
      n_frames >= 1 && n_frames < 1e6 && w >= 2 && w <= 4096 && h >= 64 && h <= 1e6 && (size == 2.0 || size == 4.0);
  if (!sane || static_cast<double>(bytes.size()) != 20.0 + n_frames * (8.0 + w * h * size)) return nullptr;
  KnownLines lines;
  lines.container = size == 2.0 ? "Clarius RF" : "Clarius IQ";
  lines.raw.type = {NumberKind::signed_integer, 2, ByteOrder::little};
  lines.raw.header_bytes = 20;
  lines.raw.frame_header_bytes = 8;
  for (const double n : {n_frames, w, h}) lines.raw.shape.push_back(static_cast<std::size_t>(n));
  lines.meta = {{"axes", {"frame", "line", "time"}}};
  if (size == 4.0) {
    lines.raw.shape.push_back(2);
    lines.meta["axes"].push_back("iq");
  }
  return std::make_unique<KnownLines>(std::move(lines));
}

// "sampling rate: 30 MHz" of the .yml beside it, by the beginning of the key.
void read_yml(std::span<const std::byte> bytes, KnownLines& lines) {
  std::istringstream text(
      std::string(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 65'536)));
  std::map<std::string, std::pair<double, std::string>> values;
  for (std::string line; std::getline(text, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key;
    for (const char c : line.substr(0, colon)) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    const char* const from = line.c_str() + colon + 1;
    char* end = nullptr;
    const double value = std::strtod(from, &end);
    if (end == from || !std::isfinite(value)) continue;
    std::string unit(end);
    std::erase_if(unit, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
    values.emplace(key, std::pair(value, unit));
  }
  const auto get = [&](std::initializer_list<const char*> keys) -> std::optional<double> {
    for (const char* const key : keys) {
      const auto found = values.find(key);
      if (found == values.end()) continue;
      const std::string& unit = found->second.second;
      const double factor = unit == "MHz"   ? 1e6
                            : unit == "kHz" ? 1e3
                            : unit == "mm"  ? 1e-3
                            : unit == "um"  ? 1e-6
                            : unit == "cm"  ? 1e-2
                                            : 1.0;
      return found->second.first * factor;
    }
    return std::nullopt;
  };
  if (const auto fs = get({"samplingrate", "samplingfrequency"})) lines.meta["fs_hz"] = *fs;
  if (const auto fc = get({"transmitfrequency", "frequency"})) lines.meta["fc_hz"] = *fc;
  if (const auto rate = get({"framerate"})) lines.meta["frame_rate_hz"] = *rate;
  if (const auto speed = get({"soundspeed", "speedofsound"})) lines.meta["c_m_s"] = *speed;
  if (const auto depth = get({"delaysamples"}); depth && lines.meta.contains("fs_hz"))
    lines.meta["t0_s"] = *depth / lines.meta["fs_hz"].get<double>();
  const double n_lines = static_cast<double>(lines.raw.shape[1]);
  if (const auto pitch = get({"probepitch", "pitch"})) {
    const double elements = get({"probeelements", "elements"}).value_or(n_lines);
    lines.meta["pitch_m"] = *pitch * elements / n_lines;
  }
  if (const auto radius = get({"proberadius", "radius"}); radius && *radius > 0.0)
    lines.assumptions.push_back(
        words("lines of a convex probe of ", *radius * 1e3, " mm drawn side by side, not as a sector"));
}

// MetaImage: text lines "key = value" up to ElementDataFile = LOCAL, then the numbers, first axis fastest.
std::unique_ptr<KnownLines> meta_image(std::span<const std::byte> bytes) {
  const std::string head(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 16'384));
  if (!head.starts_with("ObjectType") && !head.starts_with("NDims")) return nullptr;
  std::map<std::string, std::string> values;
  std::size_t at = 0;
  while (at < head.size() && !values.contains("ElementDataFile")) {
    const std::size_t end = head.find('\n', at);
    if (end == std::string::npos) break;
    const std::string line = head.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const auto strip = [](std::string text) {
      const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
      return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
    };
    values[strip(line.substr(0, equals))] = strip(line.substr(equals + 1));
  }
  const auto numbers = [&](const char* key) {
    std::vector<double> list;
    std::istringstream text(values[key]);
    for (double value = 0.0; text >> value;) list.push_back(value);
    return list;
  };
  const std::vector<double> size = numbers("DimSize");
  std::vector<double> spacing = numbers("ElementSpacing");
  if (spacing.empty()) spacing = numbers("ElementSize");
  constexpr std::pair<std::string_view, NumberType> kTypes[] = {
      {"MET_SHORT", {NumberKind::signed_integer, 2, ByteOrder::little}},
      {"MET_USHORT", {NumberKind::unsigned_integer, 2, ByteOrder::little}},
      {"MET_CHAR", {NumberKind::signed_integer, 1, ByteOrder::little}},
      {"MET_INT", {NumberKind::signed_integer, 4, ByteOrder::little}},
      {"MET_FLOAT", {NumberKind::real, 4, ByteOrder::little}},
      {"MET_DOUBLE", {NumberKind::real, 8, ByteOrder::little}}};
  const auto type = std::ranges::find(kTypes, values["ElementType"], [](const auto& row) { return row.first; });
  if (values["ElementDataFile"] != "LOCAL" || values["CompressedData"] == "True" || type == std::end(kTypes) ||
      size.size() < 2 || size.size() > 3 || spacing.size() < 2)
    return nullptr;
  KnownLines lines;
  lines.container = "MetaImage RF lines";
  lines.raw.type = type->second;
  lines.raw.header_bytes = at;
  lines.meta = {{"axes", {"frame", "line", "time"}}};
  if (values["BinaryDataByteOrderMSB"] == "True" || values["ElementByteOrderMSB"] == "True")
    lines.raw.type.order = ByteOrder::big;
  for (const double n : size) {
    if (!(n >= 1.0 && n <= 1e9 && n == std::floor(n))) return nullptr;
  }
  for (const double n : {size.size() > 2 ? size[2] : 1.0, size[1], size[0]})
    lines.raw.shape.push_back(static_cast<std::size_t>(n));
  // Along the lines: millimetres of depth; 1540 m/s there and back.
  lines.meta["fs_hz"] = 0.5 * 1540.0 / (spacing[0] * 1e-3);
  lines.meta["pitch_m"] = spacing[1] * 1e-3;
  lines.meta["c_m_s"] = 1540;
  lines.assumptions.push_back(words("ElementSpacing taken as mm of depth and width: ",
                                    lines.meta["fs_hz"].get<double>() * 1e-6, " MHz sampling at 1540 m/s"));
  return std::make_unique<KnownLines>(std::move(lines));
}

std::unique_ptr<KnownLines> known_lines(const OpenRequest& request) {
  auto lines = ultrasonix(request.bytes());
  if (!lines) lines = meta_image(request.bytes());
  if (lines) return lines;
  lines = clarius(request);
  if (!lines) return lines;
  for (const SidecarFile& beside : request.sidecars) {
    const auto ending = beside.path.extension();
    if (ending == ".yml" || ending == ".yaml") read_yml(beside.file->bytes(), *lines);
  }
  return lines;
}

}  // namespace

LibraryRecording read_raw_bytes(const OpenRequest& request, const std::string& what, const Json& meta) {
  check_description_keys(what, meta);
  RawLayout raw;
  raw.type = described_type(what, meta);
  raw.header_bytes = whole(what, meta, "header_bytes");
  raw.frame_header_bytes = whole(what, meta, "frame_header_bytes");
  const std::vector<double> shape = json_numbers(what, require_key(what, meta, "shape"), "shape");
  for (const double n : shape) {
    if (!(n >= 0.0 && n <= 1e12 && n == std::floor(n)) || shape.size() > 8)
      throw Error(what, "shape = " + json_excerpt(meta.at("shape")), "whole numbers, the slowest axis first");
    raw.shape.push_back(static_cast<std::size_t>(n));
  }
  if (raw.shape.empty()) throw Error(what, "shape = []", "whole numbers, the slowest axis first");
  if (raw.frame_header_bytes > 0 && described_axes(what, meta).front() != Axis::frame)
    throw Error(what, "frame_header_bytes without frames as the slowest axis", "axes that begin with \"frame\"");
  std::string left_over;
  if (raw.shape[0] == 0) {
    const std::vector<std::size_t> rest(raw.shape.begin() + 1, raw.shape.end());
    const std::size_t item = raw.frame_header_bytes + checked_bytes(rest, raw.type.bytes).value_or(0);
    const std::size_t held = request.bytes().size() - std::min(request.bytes().size(), raw.header_bytes);
    if (item == raw.frame_header_bytes)
      throw Error(what, "shape = " + json_excerpt(meta.at("shape")), "one length of 0, the first");
    raw.shape[0] = held / item;
    if (raw.shape[0] == 0) raw.shape[0] = 1;
  }
  const ArrayView view = raw_view(what, request.bytes(), raw);
  const std::size_t used = raw.header_bytes + raw.frame_header_bytes + view.bytes.size();
  const auto tree = view_tree("raw binary", {{"samples", {.real = view, .imaginary = {}, .owner = request.file}}});
  Json complete = meta;
  complete["data"] = "samples";
  LibraryRecording recording = described_tree(request, what, complete, *tree, "raw binary with JSON description");
  if (used != request.bytes().size()) {
    Acquisition a = *recording.acquisition;
    a.assumptions.push_back(words(request.bytes().size() - used, " of ", request.bytes().size(),
                                  " bytes at the end of the file are left over"));
    recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  }
  return recording;
}

std::unique_ptr<ArrayTree> raw_tree(const OpenRequest& request) {
  const auto lines = known_lines(request);
  if (!lines) return nullptr;
  const ArrayView view = raw_view(request.what(), request.bytes(), lines->raw);
  return view_tree(lines->container, {{"samples", {.real = view, .imaginary = {}, .owner = request.file}}});
}

std::optional<LibraryRecording> read_known_lines(const OpenRequest& request) {
  auto lines = known_lines(request);
  if (!lines) return std::nullopt;
  const ArrayView view = raw_view(request.what(), request.bytes(), lines->raw);
  const auto tree = view_tree(lines->container, {{"samples", {.real = view, .imaginary = {}, .owner = request.file}}});
  Json& meta = lines->meta;
  for (const auto& [key, text] : {std::pair{"fs_hz", "sampling frequency (of the .yml beside the .raw)"},
                                  {"pitch_m", "width of the lines (probe pitch in the .yml beside the .raw)"}}) {
    if (!meta.contains(key))
      throw Error(request.what(), lines->container + " without " + text, "the file beside it, or a description",
                  "echoloop describe --help");
  }
  if (!meta.contains("fc_hz")) {
    meta["fc_hz"] = 0.25 * meta["fs_hz"].get<double>();
    lines->assumptions.push_back("centre frequency fs / 4 assumed: not in the file");
  }
  if (view.shape.size() == 4 && !meta.contains("demod_hz")) meta["demod_hz"] = meta["fc_hz"];
  LibraryRecording recording = described_tree(request, request.what(), meta, *tree, lines->container);
  Acquisition a = *recording.acquisition;
  a.assumptions.push_back("lines are beamformed already: shown as they are");
  for (const std::string& text : lines->assumptions) a.assumptions.emplace_back(text);
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return recording;
}

}  // namespace echoloop
