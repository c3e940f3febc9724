#include "formats/import/import.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/base/format_table.h"
#include "formats/containers/archives.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/pickle.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

void say_guesses(LibraryRecording& recording, const GuessedDescription& guess) {
  Acquisition a = *recording.acquisition;
  std::vector<Assumption> said;
  for (const Guess& one : guess.guesses) {
    const FactRow* const row = one.assumed ? find_description_key(one.key) : nullptr;
    said.emplace_back(one.key + ": " + printable(one.reason, 160),
                      row != nullptr && row->given.place > 0 ? row->name : "");
  }
  a.assumptions.insert(a.assumptions.begin(), said.begin(), said.end());
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
}

// Returns true if the first frame is constant: files of settings have transmit parameters or empty buffers.
bool is_silent(const LibraryRecording& recording) {
  const Acquisition& a = *recording.acquisition;
  const std::vector<std::byte> frame = first_frame(recording);
  const std::size_t n = bytes_per_value(a.sample_type);
  return std::ranges::equal(std::span(frame).subspan(n), std::span(frame).first(frame.size() - n));
}

LibraryRecording guessed_recording(const OpenRequest& request, const ArrayTree& tree, const Error& unknown) {
  const GuessedDescription guess = guess_description(tree);
  const std::string what = request.what();
  if (!guess.has_samples) throw unknown;
  const std::string path = request.path.filename().string();
  const std::string how = "echoloop describe " + printable(path) + " > " + printable(request.path.stem().string()) +
                          ".json prints one to complete";
  if (!guess.refusal.empty()) throw Error(what, guess.refusal, "channel data of a row of elements", how);
  if (!guess.missing.empty()) {
    const auto misses = [&](const char* key) {
      return std::ranges::any_of(guess.missing, [&](const Missing& one) { return one.key == key; });
    };
    if (request.folder == nullptr && !guess.named_samples && misses("fs_hz") && misses("pitch_m"))
      throw Error::from_line(unknown.what() + (" (" + how + ")"));  // no evidence of channel data
    std::string list;
    for (const Missing& one : guess.missing) list += (list.empty() ? "" : ", ") + one.text;
    throw Error(what,
                tree.container() + " with samples " + printable(guess.guesses[0].reason, 120) + ", but without " + list,
                "a description beside the file", how);
  }
  LibraryRecording recording = described_tree(request, what, guess.meta, tree, tree.container() + ", read by names");
  if (!guess.named_samples && is_silent(recording))
    throw Error(
        what,
        tree.container() + " with " + printable(guess.guesses[0].reason, 120) + ", all of whose values are the same",
        "channel data, of a scanner rather than its settings", how);
  say_guesses(recording, guess);
  return recording;
}

// Returns true for a JSON file in the folder itself, by any writer.
bool is_inside(const OpenRequest& request, const SidecarFile& beside) {
  return request.folder != nullptr && beside.path.parent_path() == request.path;
}

// Adds the facts in JSON files of the folder, by name.
std::unique_ptr<ArrayTree> with_facts_inside(const OpenRequest& request, std::unique_ptr<ArrayTree> tree) {
  std::vector<NamedText> texts;
  for (const SidecarFile& beside : request.sidecars) {
    const auto bytes = beside.file->bytes();
    if (is_inside(request, beside) && bytes.size() <= kMostJson)
      texts.push_back(
          {beside.path.stem().string(), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
  }
  return texts.empty() || tree == nullptr ? std::move(tree) : with_stacks(std::move(tree), texts);
}

}  // namespace

std::optional<Sidecar> description_beside(const OpenRequest& request) {
  const std::string wanted = request.path.filename().string();
  for (const SidecarFile& beside : request.sidecars) {
    if (const auto ending = beside.path.extension(); ending == ".yml" || ending == ".yaml" || ending == ".bin")
      continue;
    Sidecar sidecar{.what = beside.path.string(), .meta = {}};
    try {
      sidecar.meta = parse_description(sidecar.what, beside.file->bytes());
    } catch (const Error&) {
      if (sidecar_kind(request, beside) == SidecarKind::shared || is_inside(request, beside)) continue;
      throw;
    }
    if (describes(sidecar.meta, wanted, sidecar_kind(request, beside))) return sidecar;
  }
  return std::nullopt;
}

OpenTree open_tree(const OpenRequest& request) {
  if (request.folder != nullptr) return {nullptr, with_facts_inside(request, folder_tree(request, open_tree))};
  OpenTree open{.mat = nullptr, .tree = nullptr, .file = request.file};
  const auto bytes = request.bytes();
  if (looks_like_npy(bytes)) {
    const NpyFile file = read_npy(request.what(), bytes);
    if (!file.is_text) open.tree = npy_tree(request, file);
  } else if (looks_like_pickle(bytes)) {
    open.tree = pickle_tree(request, std::make_shared<const pickle::Tree>(pickle::load(request.what(), bytes)));
  } else if (looks_like_zip(bytes)) {
    const NpzMembers members = read_npz_members(request.what(), bytes, [&request] { request.check_stop(); });
    if (!members.empty()) open.tree = npz_tree(request, members);
  } else if (looks_like_mat(bytes)) {
    open.mat = std::make_unique<MatFile>(request.what(), request.path_to_open.string(), bytes);
    open.tree = mat_tree(request, *open.mat);
  } else if (looks_like_hdf5(bytes)) {
    open.tree =
        hdf5_tree(request, hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size()),
                  AxisCount::stored);
  } else {
    open.tree = known_lines_tree(request);
  }
  return open;
}

LibraryRecording read_described(const OpenRequest& request, const Sidecar& sidecar) {
  const auto bytes = request.bytes();
  const bool container = looks_like_npy(bytes) || looks_like_pickle(bytes) || looks_like_zip(bytes) ||
                         looks_like_mat(bytes) || looks_like_hdf5(bytes);
  if (!container && sidecar.meta.contains("dtype")) return read_raw_bytes(request, sidecar.what, sidecar.meta);
  const OpenTree open = open_tree(request);
  if (open.tree == nullptr) {
    throw Error(sidecar.what, "a description of raw bytes without \"dtype\"", "\"dtype\": \"int16\" and \"shape\"",
                "echoloop describe --help");
  }
  return described_tree(request, sidecar.what, sidecar.meta, *open.tree,
                        open.tree->container() + " with JSON description");
}

LibraryRecording read_folder(const OpenRequest& request) {
  const std::optional<Sidecar> sidecar = description_beside(request);
  if (sidecar) return read_described(request, *sidecar);
  const OpenTree open = open_tree(request);
  const std::string found = "a folder of " + std::to_string(request.folder->files.size()) + " files ";
  if (open.tree == nullptr)
    throw Error(request.what(), found + "without a known container", "a description beside the folder",
                "raw samples need dtype, shape and axes: echoloop describe --help");
  return import_tree(
      request, sidecar, *open.tree,
      Error(request.what(), found + "without samples that are known by name", "a description beside the folder",
            "echoloop describe " + printable(request.path.filename().string()) + " prints one to complete"));
}

LibraryRecording import_tree(const OpenRequest& request, const std::optional<Sidecar>& sidecar, const ArrayTree& tree,
                             const Error& unknown) {
  const bool described = sidecar && sidecar->meta.size() > 1;  // more than the name of the file
  if (described)
    return described_tree(request, sidecar->what, sidecar->meta, tree, tree.container() + " with JSON description");
  if (auto known = read_named_layout(request, tree)) return std::move(*known);
  return guessed_recording(request, tree, unknown);
}

bool looks_like_hdf5(std::span<const std::byte> bytes) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  for (std::size_t at = 0; at + kHdf5.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at)
    if (std::memcmp(bytes.data() + at, kHdf5.data(), kHdf5.size()) == 0) return true;
  return false;
}

// Files of other kinds, by name, with advice. Reader process.

namespace {

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* found;
  const char* hint;
};

using namespace std::string_view_literals;
constexpr const char* kFinished = "finished images cannot be beamformed; open the channel data (RF or IQ)";
constexpr const char* kUnpack = "unpack it and open a file inside";
constexpr std::array kSignatures{
    Signature{128, "DICM"sv, "a DICOM file", "DICOM holds finished images; export the channel data (RF or IQ) instead"},
    Signature{0, "\x89PNG\r\n\x1a\n"sv, "a PNG image", kFinished},
    Signature{0, "\xff\xd8\xff"sv, "a JPEG image", kFinished},
    Signature{0, "GIF8"sv, "a GIF image", kFinished},
    Signature{0, "BM"sv, "a BMP image", kFinished},
    Signature{0, "II*\0"sv, "a TIFF image", kFinished},
    Signature{0, "MM\0*"sv, "a TIFF image", kFinished},
    Signature{4, "ftyp"sv, "a video (MP4 or QuickTime)", kFinished},
    Signature{0, "\x1a\x45\xdf\xa3"sv, "a video (Matroska or WebM)", kFinished},
    Signature{8, "AVI "sv, "a video (AVI)", kFinished},
    Signature{8, "WEBP"sv, "a WebP image", kFinished},
    Signature{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself",
              "fetch the file with git lfs pull"},
    Signature{0, "/annex/objects/"sv, "a git-annex pointer, not the file itself", "fetch the file with git annex get"},
    Signature{0, "%PDF"sv, "a PDF document", "open the data file that belongs to it"},
    Signature{0, "\x1f\x8b"sv, "a gzip archive", kUnpack},
    Signature{0, "7z\xbc\xaf"sv, "a 7z archive", kUnpack},
    Signature{0, "Rar!"sv, "a RAR archive", kUnpack},
    Signature{0, "\x89LZO\0\r\n\x1a\n"sv, "a file compressed with LZO", "unpack it with lzop -d"},
    Signature{0, "BZh"sv, "a bzip2 archive", kUnpack},
    Signature{0,
              "\xfd"
              "7zXZ"sv,
              "an xz archive", kUnpack},
    Signature{257, "ustar"sv, "a tar archive", kUnpack},
    Signature{0, "<!DOCTYPE html"sv, "a web page", "the download went wrong: fetch the file itself"},
    Signature{0, "<html"sv, "a web page", "the download went wrong: fetch the file itself"},
    Signature{0, "\x93NUMPY"sv, "a damaged .npy file", ""},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "a Zstandard archive", kUnpack},
    Signature{0, "TDSm"sv, "a LabVIEW TDMS file", "save the samples as .npy, .mat or .h5"},
    Signature{344, "n+1\0"sv, "a NIfTI image", kFinished},
    Signature{344, "ni1\0"sv, "a NIfTI image", kFinished},
    Signature{0, "PAR1"sv, "a Parquet table", "save the samples as .npy, .mat or .h5"},
    Signature{0, "ARROW1"sv, "an Arrow file", "save the samples as .npy, .mat or .h5"},
    Signature{0, "SIMPLE  ="sv, "a FITS file", "save the samples as .npy, .mat or .h5"},
};

// Recognises MATLAB v4: no signature, but a header of five integers: type (0 to 52), rows, columns, complex or not,
// length of the name, which ends in a zero.
bool is_mat4(std::string_view start) {
  std::array<std::int32_t, 5> header{};
  if (start.size() < sizeof(header)) return false;
  std::memcpy(header.data(), start.data(), sizeof(header));
  const auto [type, rows, columns, complex, length] = header;
  const std::size_t end = sizeof(header) + static_cast<std::size_t>(std::clamp(length, 1, 64));
  return type >= 0 && type <= 52 && rows > 0 && columns > 0 && (complex == 0 || complex == 1) && length > 1 &&
         length <= 64 && start.size() >= end && start.find('\0', sizeof(header)) == end - 1 &&
         std::isalpha(static_cast<unsigned char>(start[sizeof(header)])) != 0;
}

}  // namespace

OtherKind identify_other_kind(std::span<const std::byte> bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 1024));
  for (const Signature& kind : kSignatures)
    if (start.size() >= kind.at && start.substr(kind.at).starts_with(kind.bytes)) return {kind.found, kind.hint};
  if (is_mat4(start)) return {"a MATLAB v4 file", "save the variables again with save -v7"};
  const bool elf = start.starts_with(
      "\x7f"
      "ELF");
  if (elf) return {"a program", "open a recording"};
  const bool text = !start.empty() && std::ranges::all_of(start, [](char c) {
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
  if (text && start.find_first_of(",;\t ") != std::string_view::npos &&
      start.find_first_not_of("0123456789+-.eE,; \t\r\n") == std::string_view::npos)
    return {"a table of numbers as text", "save the samples as .npy, .mat or .h5"};
  if (text) return {"a text file", "open the data file that belongs to it"};
  return {};
}

// JSON outline of a file for `echoloop describe` and the window: entries with a value or a range, guesses, missing
// keys. Reader process.

namespace {

constexpr std::size_t kMostShown = 400;               // entries
constexpr std::size_t kSmall = 8, kRanged = 1 << 20;  // numbers listed; numbers searched for their range

std::string value_text(const ArrayTree& tree, std::size_t k) {
  const TreeEntry& entry = tree.entries()[k];
  if (!entry.text.empty()) return "\"" + entry.text + "\"";
  if (!entry.numeric || entry.complex || entry.count() > kRanged) return "";
  try {
    const std::vector<double> values = tree.numbers(k, kRanged);
    std::string text;
    if (values.size() <= kSmall) {
      for (const double value : values) text += (text.empty() ? "" : ", ") + word(value);
      return text;
    }
    const auto [least, most] = std::ranges::minmax(values);
    return words(least, " ... ", most);
  } catch (const Error&) {
    return "";
  }
}

// Returns the type; some containers detect complex numbers only by reading them.
std::string type_text(const ArrayTree& tree, std::size_t k, bool samples) {
  const TreeEntry& entry = tree.entries()[k];
  if (!entry.numeric || entry.complex || (!samples && entry.count() > kRanged)) return entry.type;
  try {
    return (tree.is_complex(k) ? "complex " : "") + entry.type;
  } catch (const Error&) {
    return entry.type;
  }
}

}  // namespace

std::string outline_of_file(const OpenRequest& request) {
  const OpenTree open = open_tree(request);
  Json outline = {{"bytes", request.bytes().size()},
                  {"entries", Json::array()},
                  {"guesses", Json::array()},
                  {"missing", Json::array()},
                  {"meta", Json::object()},
                  {"refusal", ""},
                  {"container", ""}};
  if (request.folder != nullptr) {
    outline["files"] = request.folder->files.size();
    outline["bytes"] = request.folder->files.size() * request.bytes().size();
  }
  if (open.tree == nullptr) {
    const OtherKind other = identify_other_kind(request.bytes());
    if (!other.found.empty())
      throw Error(request.what(), other.found, "a file with arrays, or raw samples", other.hint);
    outline["container"] = "raw bytes";
    std::string first;
    for (std::size_t k = 0; k < std::min<std::size_t>(request.bytes().size(), 256); ++k) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const auto byte = std::to_integer<unsigned>(request.bytes()[k]);
      first += {kHex[byte >> 4], kHex[byte & 15]};
    }
    outline["first_bytes"] = first;
    return outline.dump();
  }
  const ArrayTree& tree = *open.tree;
  outline["container"] = tree.container();
  const auto header = guess_known_lines(request);
  const GuessedDescription guess = header ? *header : guess_description(tree);
  const std::string samples = guess.meta.is_object() && guess.meta.contains("data") && guess.meta["data"].is_string()
                                  ? guess.meta["data"].get<std::string>()
                                  : "";
  for (std::size_t k = 0; k < std::min(tree.entries().size(), kMostShown); ++k) {
    const TreeEntry& entry = tree.entries()[k];
    outline["entries"].push_back({{"path", printable(entry.path, 200)},
                                  {"type", type_text(tree, k, entry.path == samples)},
                                  {"shape", entry.shape},
                                  {"numeric", entry.numeric},
                                  {"value", value_text(tree, k)}});
  }
  outline["meta"] = guess.meta;
  outline["refusal"] = guess.refusal;
  for (const Guess& one : guess.guesses)
    outline["guesses"].push_back({{"key", one.key}, {"reason", printable(one.reason, 200)}, {"assumed", one.assumed}});
  if (guess.measure_center)
    outline["missing"].push_back(
        {{"key", "fc_hz"}, {"text", "centre frequency (without this key: measured in the first frame)"}});
  for (const Missing& one : guess.missing)
    outline["missing"].push_back({{"key", one.key}, {"text", printable(one.text, 200)}});
  return json_dump(outline);
}

// BRAIN (University of Bristol): a struct exp_data with time_data (time x A-scan), tx and rx (element of each A-scan,
// from 1), time (s), array.el_xc and el_zc (m), array.centre_freq, material.vel_spherical_harmonic_coeffs (older files:
// ph_velocity). Every transmit fires one element, time counts from its firing.

namespace {

constexpr const char* kExpData =
    "exp_data with time_data, tx, rx, time, array and material.vel_spherical_harmonic_coeffs or ph_velocity";

bool is_speed(double c_m_s) { return c_m_s >= 300.0 && c_m_s <= 20'000.0; }

struct MaterialSpeed {
  double c_m_s = 0.0;     // 0: not in the file
  std::string note = {};  // for a speed that depends on direction
};

// Returns the speed; if it depends on direction, its mean, the coefficient of degree 0: centre of the first row.
MaterialSpeed brain_speed(const ArrayTree& tree) {
  if (const auto entry = tree.find("exp_data.material.vel_spherical_harmonic_coeffs")) {
    const std::vector<std::size_t>& shape = tree.entries()[*entry].shape;
    const std::vector<double> all = tree.numbers(*entry, 1 << 16);
    const std::size_t columns = shape.empty() ? 1 : std::max<std::size_t>(shape.back(), 1);
    const double mean = all.size() == 1 ? all[0] : all.at((columns - 1) / 2);
    const std::string note =
        all.size() == 1 ? "" : words("mean velocity ", mean, " m/s of a material whose velocity depends on direction");
    if (is_speed(mean)) return {mean, note};
  }
  for (const char* const name : {"exp_data.ph_velocity", "exp_data.material_L_velocity"}) {
    const auto entry = tree.find(name);
    const double speed = entry ? tree.numbers(*entry, 16).at(0) : 0.0;
    if (is_speed(speed)) return {speed};
  }
  return {};
}

}  // namespace

std::optional<LibraryRecording> read_named_layout(const OpenRequest& request, const ArrayTree& tree) {
  const auto data = tree.find("exp_data.time_data"), tx = tree.find("exp_data.tx"), rx = tree.find("exp_data.rx"),
             x = tree.find("exp_data.array.el_xc"), time = tree.find("exp_data.time");
  if (!data || !tx || !rx || !x || !time) return std::nullopt;
  const std::string what = request.what();
  if (const auto y = tree.find("exp_data.array.el_yc")) {
    const std::vector<double> y_m = tree.numbers(*y, static_cast<std::size_t>(kMaxElements));
    const auto [low, high] = std::ranges::minmax(y_m);
    if (high - low > 1e-4) throw Error(what, "a matrix array (several values of array.el_yc)", "one row of elements");
  }
  const MaterialSpeed speed = brain_speed(tree);
  const std::size_t n_lines = tree.entries()[*tx].count(), n_samples = tree.entries()[*time].count();
  const std::vector<std::size_t>& shape = tree.entries()[*data].shape;
  const bool by_column = shape == std::vector{n_samples, n_lines}, by_row = shape == std::vector{n_lines, n_samples};
  if (speed.c_m_s == 0.0 || tree.entries()[*rx].count() != n_lines || (!by_column && !by_row) || n_samples < 2)
    throw Error(what,
                speed.c_m_s == 0.0 ? "exp_data without a velocity"
                                   : "exp_data with time_data of shape " + shape_text(shape) + ", " +
                                         std::to_string(n_lines) + " tx and " + std::to_string(n_samples) + " times",
                kExpData);
  const auto center = tree.find("exp_data.array.centre_freq");
  const std::vector<double> times_s = tree.numbers(*time, static_cast<std::size_t>(kMaxSamples));
  Json meta = {{"data", tree.entries()[*data].path},
               {"axes", by_column ? Json{"time", "trace"} : Json{"trace", "time"}},
               {"time_s", times_s},
               {"c_m_s", speed.c_m_s},
               {"fc_hz", center ? tree.numbers(*center, 16).at(0)
                                : 0.25 * static_cast<double>(n_samples - 1) / (times_s.back() - times_s[0])},
               {"element_x_m", tree.entries()[*x].path},
               {"tx_of_trace", tree.entries()[*tx].path},
               {"rx_of_trace", tree.entries()[*rx].path},
               {"t_zero", "first_firing"}};
  if (const auto z = tree.find("exp_data.array.el_zc")) meta["element_z_m"] = tree.entries()[*z].path;
  LibraryRecording recording = described_tree(request, what, meta, tree, tree.container() + " (BRAIN exp_data)");
  Acquisition a = *recording.acquisition;
  if (!center) a.assumptions.emplace_back("centre frequency fs / 4 assumed: no array.centre_freq", "center_hz");
  if (!speed.note.empty()) a.assumptions.emplace_back(speed.note);
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  recording.named.why_not = "A-scans are put in order by tx and rx";
  return recording;
}

}  // namespace echoloop
