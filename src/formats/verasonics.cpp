#include "formats/verasonics.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/units.h"
#include "formats/verasonics_scheme.h"

namespace echoloop {
namespace {

using namespace verasonics;

const MatVariable* find(const MatFile& file, const char* name) {
  for (const MatVariable& v : file.variables()) {
    if (v.name == name) return &v;
  }
  return nullptr;
}

// RcvData, or the only large array of int16, or the only cell, under a name of the user's.
std::string samples_name(const std::string& what, const MatFile& file) {
  if (find(file, "RcvData") != nullptr) return "RcvData";
  for (const char* const kind : {"int16", "cell"}) {
    std::string only;
    for (const MatVariable& v : file.variables()) {
      const bool large = v.dims.size() >= 2 && v.dims[0] >= 2 && v.dims[1] >= 2;
      if (v.kind != kind || (v.kind == "int16" && !large)) continue;
      if (!only.empty())
        throw Error(what, std::string("several variables of ") + kind + " and no RcvData", kVerasonicsAccepted);
      only = v.name;
    }
    if (!only.empty()) return only;
  }
  throw Error(what, "no RcvData", kVerasonicsAccepted);
}

bool holds_lines(const MatNode& node) {
  return node.kind == MatNode::Kind::numbers && node.imaginary.bytes.empty() && node.dims.size() >= 2 &&
         node.dims.size() <= 3;
}

struct Buffer {
  const MatNode* lines = nullptr;
  std::size_t number = 1;  // Receive.bufnum
};

// RcvData is a cell with one array a buffer, or one buffer's array. The first one that is received into and is there.
Buffer choose_buffer(const std::string& what, const std::string& name, const MatTree& tree, Acquisition& a) {
  const MatNode* const data = tree.find(name);
  const std::vector<std::size_t> used = received_buffers(what, tree);
  std::vector<Buffer> there;
  if (data != nullptr && holds_lines(*data)) there.push_back({data, used.front()});
  for (std::size_t k = 0; data != nullptr && k < data->cells.size(); ++k) {
    if (holds_lines(data->cells[k])) there.push_back({&data->cells[k], k + 1});
  }
  if (there.empty()) throw Error(what, name + " that is no array of rows x channels x frames", kVerasonicsAccepted);
  if (there.size() > 1) {
    a.assumptions.emplace_back("only one buffer is read; " + name + " holds " + std::to_string(there.size()));
  }
  for (const std::size_t number : used) {
    for (const Buffer& buffer : there) {
      if (buffer.number == number) return buffer;
    }
  }
  return {there.front().lines, used.front()};  // one of several that was saved alone
}

struct Samples {
  std::shared_ptr<const void> owner;
  ArrayView lines;
  std::size_t rows, columns;
  Scheme scheme;
  std::vector<std::size_t> element_columns;
};

constexpr NumberType kInt16{NumberKind::signed_integer, 2, ByteOrder::little};

// Rows of a column lie together: a line is one piece. int16 as it is, everything else becomes float32.
void read_frame(const Samples& s, std::uint64_t index, std::span<std::byte> out) {
  const bool copied = s.lines.type == kInt16;
  const std::size_t page = s.scheme.pages.at(static_cast<std::size_t>(index)), n = s.scheme.n_samples;
  std::byte* to = out.data();
  for (const Shot& shot : s.scheme.shots) {
    for (const std::size_t column : s.element_columns) {
      const std::size_t at = (page * s.columns + column) * s.rows + shot.first_row;
      if (copied) std::memcpy(to, s.lines.bytes.data() + at * sizeof(std::int16_t), n * sizeof(std::int16_t));
      for (std::size_t i = 0; i < n && !copied; ++i) {
        const auto value = static_cast<float>(s.lines.real_at(at + i));
        std::memcpy(to + i * sizeof(float), &value, sizeof(float));
      }
      to += n * (copied ? sizeof(std::int16_t) : sizeof(float));
    }
  }
}

}  // namespace

bool looks_like_verasonics(const MatFile& file) {
  const MatVariable *const trans = find(file, "Trans"), *const tx = find(file, "TX");
  return trans != nullptr && trans->kind == "struct" && tx != nullptr && tx->kind == "struct";
}

bool looks_like_part_of_verasonics(const MatFile& file) {
  int n_found = 0;
  for (const char* const name : {"RcvData", "Trans", "TX", "Receive", "Event"}) n_found += find(file, name) != nullptr;
  return n_found >= 2;
}

LibraryRecording read_verasonics(const OpenRequest& request, const MatFile& file) {
  const std::string what = request.what();
  const std::string name = samples_name(what, file);
  const MatTree tree(what, request.path_to_open.string(), request.bytes().size(),
                     {name, "Trans", "TX", "TW", "Receive", "Resource", "Event"}, file.container());
  request.advance(0.5);
  Acquisition a;
  const Buffer buffer = choose_buffer(what, name, tree, a);
  std::vector<std::size_t> dims = buffer.lines->dims;
  dims.resize(3, 1);
  const Scales s = scales(what, tree, a);
  const ProbeParts parts = probe(what, tree, s, dims[1], a);
  auto samples =
      std::make_shared<Samples>(Samples{.owner = tree.owner(),
                                        .lines = buffer.lines->numbers,
                                        .rows = dims[0],
                                        .columns = dims[1],
                                        .scheme = scheme(what, tree, s, {dims[0], dims[2], buffer.number}, a),
                                        .element_columns = parts.columns});
  const Scheme& sent = samples->scheme;
  for (const Shot& shot : sent.shots) {
    if (shot.first_row + sent.n_samples > dims[0])
      throw Error(what, "lines beyond the rows of " + name, kVerasonicsAccepted);
  }
  a.probe = parts.probe;
  a.transmits = transmits(what, tree, s, parts, sent, a);
  a.n_samples = static_cast<int>(std::min<std::size_t>(sent.n_samples, static_cast<std::size_t>(kMaxSamples) + 1));
  a.sample_type = samples->lines.type == kInt16 ? SampleType::int16 : SampleType::float32;
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
  recording.format =
      file.container() == MatContainer::v5 ? "Verasonics workspace (MATLAB v5)" : "Verasonics workspace (MATLAB v7.3)";
  recording.read_frame = [samples](std::uint64_t index, std::span<std::byte> out) { read_frame(*samples, index, out); };
  return recording;
}

}  // namespace echoloop
