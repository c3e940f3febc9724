#include "formats/import/import.h"

#include <algorithm>
#include <cstring>

#include "formats/base/format_table.h"
#include "formats/base/printable.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/npz.h"
#include "formats/containers/pickle.h"
#include "formats/containers/zip.h"
#include "formats/import/described.h"
#include "formats/import/folder_tree.h"
#include "formats/import/guessed_description.h"
#include "formats/import/known_lines.h"
#include "formats/import/raw_bytes.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

void say_guesses(LibraryRecording& recording, const GuessedDescription& guess) {
  Acquisition a = *recording.acquisition;
  std::vector<Assumption> said;
  for (const Guess& one : guess.guesses)
    said.emplace_back(one.key + ": " + printable(one.reason, 160), one.assumed ? one.fact : "");
  a.assumptions.insert(a.assumptions.begin(), said.begin(), said.end());
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
}

// The first frame: that of settings, which hold what is sent or room for what is not there yet.
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
      throw Error::from_line(unknown.what() + (" (" + how + ")"));  // nothing speaks for channel data
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

// In a folder, of whatever writer.
bool is_inside(const OpenRequest& request, const SidecarFile& beside) {
  return request.folder != nullptr && beside.path.parent_path() == request.path;
}

// What JSON files in the folder say by their names.
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
    if (const auto ending = beside.path.extension(); ending == ".yml" || ending == ".yaml") continue;
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
  const bool described = sidecar && sidecar->meta.size() > 1;  // beyond the name of the file
  if (described)
    return described_tree(request, sidecar->what, sidecar->meta, tree, tree.container() + " with JSON description");
  if (auto known = read_named_layout(request, tree)) return std::move(*known);
  return guessed_recording(request, tree, unknown);
}

bool looks_like_hdf5(std::span<const std::byte> bytes) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
  for (std::size_t at = 0; at + kHdf5.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (std::memcmp(bytes.data() + at, kHdf5.data(), kHdf5.size()) == 0) return true;
  }
  return false;
}

}  // namespace echoloop
