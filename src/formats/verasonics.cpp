#include "formats/verasonics.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/units.h"
#include "formats/verasonics_scheme.h"

namespace echoloop {
namespace {

using namespace verasonics;

constexpr const char* kAccepted = "a Verasonics workspace with RcvData, Trans, TX and Receive";

const MatVariable* find(const MatFile& file, const char* name, const char* kind) {
  for (const MatVariable& v : file.variables()) {
    if (v.name == name && v.kind == kind) return &v;
  }
  return nullptr;
}

// RcvData's first cell, or RcvData itself, or the only large array of int16 under a name of the user's.
std::string samples_name(const std::string& what, const MatFile& file) {
  if (find(file, "RcvData", "cell") != nullptr || find(file, "RcvData", "int16") != nullptr) return "RcvData";
  std::string only;
  for (const MatVariable& v : file.variables()) {
    if (v.kind != "int16" || v.dims.size() < 2 || v.dims[0] < 2 || v.dims[1] < 2) continue;
    if (!only.empty()) throw Error(what, "several arrays of int16 and no RcvData", kAccepted);
    only = v.name;
  }
  if (only.empty()) throw Error(what, "no RcvData", kAccepted);
  return only;
}

struct Samples {
  std::shared_ptr<const void> owner;
  const std::byte* first;
  std::size_t rows, columns;
  Scheme scheme;
  std::vector<std::size_t> element_columns;
};

// Rows of a column lie together: a line is one piece.
void read_frame(const Samples& s, std::uint64_t index, std::span<std::byte> out) {
  const std::size_t line_bytes = s.scheme.n_samples * sizeof(std::int16_t);
  const std::size_t page = s.scheme.pages.at(static_cast<std::size_t>(index));
  std::byte* to = out.data();
  for (const Shot& shot : s.scheme.shots) {
    for (const std::size_t column : s.element_columns) {
      const std::size_t at = (page * s.columns + column) * s.rows + shot.first_row;
      std::memcpy(to, s.first + at * sizeof(std::int16_t), line_bytes);
      to += line_bytes;
    }
  }
}

}  // namespace

bool looks_like_verasonics(const MatFile& file) {
  return find(file, "Trans", "struct") != nullptr && find(file, "TX", "struct") != nullptr;
}

LibraryRecording read_verasonics(const OpenRequest& request, const MatFile& file) {
  const std::string what = request.what();
  const std::string name = samples_name(what, file);
  const MatTree tree(what, request.path_to_open.string(), request.bytes().size(),
                     {name, "Trans", "TX", "TW", "Receive", "Resource", "Event"});
  request.advance(0.5);
  const MatNode* data = tree.find(name);
  if (data != nullptr && data->kind == MatNode::Kind::cell && !data->cells.empty()) data = &data->cells.front();
  if (data == nullptr || data->kind != MatNode::Kind::numbers || data->dims.size() < 2 || data->dims.size() > 3 ||
      data->numbers.type != NumberType{NumberKind::signed_integer, 2, ByteOrder::little}) {
    throw Error(what, name + " that is no int16 array of rows x channels x frames", kAccepted);
  }
  std::vector<std::size_t> dims = data->dims;
  dims.resize(3, 1);
  Acquisition a;
  const Scales s = scales(what, tree, a);
  const ProbeParts parts = probe(what, tree, s, dims[1], a);
  auto samples = std::make_shared<Samples>(Samples{.owner = tree.owner(),
                                                   .first = data->numbers.bytes.data(),
                                                   .rows = dims[0],
                                                   .columns = dims[1],
                                                   .scheme = scheme(what, tree, s, dims, a),
                                                   .element_columns = parts.columns});
  const Scheme& sent = samples->scheme;
  for (const Shot& shot : sent.shots) {
    if (shot.first_row + sent.n_samples > dims[0]) throw Error(what, "lines beyond the rows of " + name, kAccepted);
  }
  a.probe = parts.probe;
  a.transmits = transmits(what, tree, s, parts, sent, a);
  a.n_samples = static_cast<int>(std::min<std::size_t>(sent.n_samples, static_cast<std::size_t>(kMaxSamples) + 1));
  a.sample_type = SampleType::int16;
  a.sampling_hz = sent.sampling_hz;
  a.center_hz = s.frequency_hz;
  const std::vector<double> band = tree.find("Trans")->values("Bandwidth");
  if (band.size() == 2 && band[1] > band[0]) a.bandwidth_hz = (band[1] - band[0]) * kHertzPerMegahertz;
  a.sound_speed_m_s = s.sound_speed_m_s;
  a.assumptions.emplace_back("frame rate unknown: the file does not say it", "frame_rate_hz");
  if (sent.pages.size() > 1) a.assumptions.emplace_back("frames in the order of the buffer, which may have wrapped");
  a.validate(what);
  LibraryRecording recording;
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  recording.frame_count = sent.pages.size();
  recording.format = file.version() == 5 ? "Verasonics workspace (MATLAB v5)" : "Verasonics workspace (MATLAB v7.3)";
  recording.read_frame = [samples](std::uint64_t index, std::span<std::byte> out) { read_frame(*samples, index, out); };
  return recording;
}

}  // namespace echoloop
