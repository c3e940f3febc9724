// Folder of a Verasonics dump: the workspace in Parameters.mat, with RF_rows, RF_cols, RF_frames of each buffer and
// NonzeroRFcolumns, a mask of its columns; RF_data_k.bin has buffer k, int16, rows x saved columns x frames, first axis
// fastest. Each buffer is a track; one of zeros only is not saved. Reader process.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/readers/tracks.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop::verasonics {
namespace {

std::vector<std::size_t> counts(const std::string& what, const MatTree& tree, const char* name, std::size_t n) {
  const MatNode* const node = tree.find(name);
  std::vector<std::size_t> all;
  if (node != nullptr && node->kind == MatNode::Kind::numbers)
    for (const double value : node->numbers.reals()) all.push_back(whole(what, name, value, 0));
  if (all.empty() || all.size() > kMostDumpParts || (n > 0 && all.size() != n))
    throw Error(what, std::string(name) + " of " + counted(all.size(), "buffer"),
                "one number for each of 1 to " + std::to_string(kMostDumpParts) + " buffers");
  return all;
}

// Returns which columns were saved; empty: not stated.
std::vector<double> mask_of(const MatTree& tree, std::size_t buffer) {
  const MatNode* node = tree.find("NonzeroRFcolumns");
  if (node != nullptr && node->kind == MatNode::Kind::cell)
    node = buffer < node->cells.size() ? &node->cells[buffer] : nullptr;
  return node != nullptr && node->kind == MatNode::Kind::numbers ? node->numbers.reals() : std::vector<double>();
}

std::uint64_t transmits_of(const MatTree& tree, std::size_t number) {
  const MatNode* const receive = tree.find("Receive");
  std::uint64_t n = 0;
  for (std::size_t k = 0; receive != nullptr && k < receive->rows.size(); ++k)
    if (receive->number("bufnum", k).value_or(1) == static_cast<double>(number) &&
        receive->number("framenum", k).value_or(1) == 1.0)
      ++n;
  return n;
}

const SidecarFile* part_of(const OpenRequest& request, std::size_t number) {
  const auto found = std::ranges::find(request.sidecars, dump_part(number),
                                       [](const SidecarFile& beside) { return beside.path.filename().string(); });
  return found == request.sidecars.end() ? nullptr : &*found;
}

}  // namespace

Dump open_dump(const OpenRequest& request, const MatTree& tree, Acquisition& a) {
  const std::string what = request.what();
  const std::vector<std::size_t> rows = counts(what, tree, "RF_rows", 0);
  const std::vector<std::size_t> columns = counts(what, tree, "RF_cols", rows.size());
  const std::vector<std::size_t> frames = counts(what, tree, "RF_frames", rows.size());
  Dump dump;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    RecordedTrack track{.label = "buffer " + std::to_string(k + 1), .transmits = transmits_of(tree, k + 1)};
    track.frames = frames[k];
    if (part_of(request, k + 1) == nullptr) track.why_not = "no " + dump_part(k + 1) + ": present but not saved";
    dump.tracks.push_back(std::move(track));
  }
  const std::size_t chosen = choose_track(request, dump.tracks, a);
  dump.number = chosen + 1;
  const SidecarFile* const part = part_of(request, dump.number);
  if (part == nullptr)
    throw Error(what, "no " + dump_part(dump.number) + ": buffer " + std::to_string(dump.number) + " is not saved",
                "the folder with RF_data_1.bin ... beside " + std::string(kDumpList));
  const std::vector<double> mask = mask_of(tree, chosen);
  dump.n_columns = mask.empty() ? columns[chosen] : mask.size();
  for (std::size_t c = 0; c < dump.n_columns; ++c)
    dump.saved.push_back(mask.empty() || mask[c] != 0.0 ? dump.n_saved++ : kNoColumn);
  if (dump.n_saved != columns[chosen])
    throw Error(what,
                counted(dump.n_saved, "column") + " in NonzeroRFcolumns and " + std::to_string(columns[chosen]) +
                    " in RF_cols of buffer " + std::to_string(dump.number),
                "the same number");
  const auto bytes = checked_bytes(std::vector{rows[chosen], dump.n_saved, frames[chosen]}, sizeof(std::int16_t));
  if (!bytes || *bytes == 0 || part->file->bytes().size() != *bytes)
    throw Error(part->path.string(), std::to_string(part->file->bytes().size()) + " bytes",
                std::to_string(bytes.value_or(0)) + " bytes: int16, RF_rows x RF_cols x RF_frames");
  dump.part = part->file;
  dump.lines.kind = MatNode::Kind::numbers;
  dump.lines.dims = {rows[chosen], dump.n_saved, frames[chosen]};
  dump.lines.numbers = {.type = {NumberKind::signed_integer, 2, ByteOrder::little},
                        .shape = dump.lines.dims,
                        .order = MemoryOrder::fortran,
                        .bytes = part->file->bytes()};
  return dump;
}

}  // namespace echoloop::verasonics
