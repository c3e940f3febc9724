// Verasonics workspaces saved from MATLAB: RcvData (or one of its cells with another name) with Trans, TX, Receive,
// Resource, Event, TW as defined by the Vantage software. Reader process.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/library_recording.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"
#include "formats/containers/mat_file.h"
#include "formats/readers/samples.h"
#include "formats/readers/verasonics_scheme.h"

namespace echoloop {
namespace {

using namespace verasonics;

// Decodes [transmit][element][row] in place.
void decode_lines(const Code& code, std::size_t n_elements, std::size_t n_rows, std::span<float> lines) {
  const std::size_t n = code.elements.size();
  std::vector<float> sent(n * n_rows);
  const auto line = [&](std::size_t transmit, std::size_t element) {
    return lines.subspan((transmit * n_elements + element) * n_rows, n_rows);
  };
  for (std::size_t element = 0; element < n_elements; ++element) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::span<const float> from = line(k, element);
      for (std::size_t i = 0; i < n_rows; ++i) sent[k * n_rows + i] = from[i];
    }
    for (std::size_t t = 0; t < n; ++t) {
      const std::span<float> out = line(t, element);
      std::fill(out.begin(), out.end(), 0.0F);
      for (std::size_t k = 0; k < n; ++k) {
        const float weight = code.inverse[t * n + k];
        const float* const from = sent.data() + k * n_rows;
        for (std::size_t i = 0; i < n_rows; ++i) out[i] += weight * from[i];
      }
    }
  }
}

constexpr std::array kDumpNames{"RF_rows", "RF_cols", "RF_frames", "NonzeroRFcolumns"};
constexpr std::array kStructs{"Trans", "TX", "TW", "Receive", "Resource", "Event", "SeqControl"};

const MatVariable* find(const MatFile& file, const char* name) {
  const auto found = std::ranges::find(file.variables(), name, &MatVariable::name);
  return found == file.variables().end() ? nullptr : &*found;
}

// Returns a struct with the workspace's variables as its fields; null: they are variables of the file itself.
const MatVariable* workspace_struct(const MatFile& file) {
  const auto holds = [](const MatVariable& v, const char* name) {
    return std::ranges::find(v.fields, name) != v.fields.end();
  };
  if (find(file, "Trans") != nullptr) return nullptr;
  for (const MatVariable& v : file.variables())
    if (v.kind == "struct" && holds(v, "Trans") && holds(v, "TX")) return &v;
  return nullptr;
}

// Returns RcvData, or if it is missing the only large array of int16, the only cell, or the only array of other numbers
// large enough for rows x channels.
std::string samples_name(const std::string& what, const MatFile& file) {
  if (find(file, "RcvData") != nullptr) return "RcvData";
  const auto could_be = [](const MatVariable& v, const std::string& kind) {
    const auto larger = [&](std::size_t rows, std::size_t columns) {
      return v.dims.size() >= 2 && v.dims[0] >= rows && v.dims[1] >= columns;
    };
    if (kind == "numbers") return v.numeric && v.kind != "int16" && larger(128, 8);
    return v.kind == kind && (kind == "cell" ? std::ranges::find(kStructs, v.name) == kStructs.end() : larger(2, 2));
  };
  for (const char* const kind : {"int16", "cell", "numbers"}) {
    std::string only;
    for (const MatVariable& v : file.variables()) {
      if (!could_be(v, kind)) continue;
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

// Returns the buffers used by Receive, lowest first; {1} if there are none.
std::vector<std::size_t> received_buffers(const std::string& what, const MatTree& tree) {
  std::vector<std::size_t> numbers;
  const MatNode* receive = tree.find("Receive");
  for (std::size_t k = 0; receive != nullptr && k < receive->rows.size(); ++k) {
    const std::size_t number = whole(what, "Receive.bufnum", receive->number("bufnum", k).value_or(1), 1);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  }
  if (numbers.empty()) numbers.push_back(1);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

struct Buffer {
  const MatNode* lines = nullptr;
  std::size_t number = 1;  // Receive.bufnum
};

// Returns the first buffer received into and present. RcvData: a cell with one array per buffer, or one buffer's array.
Buffer choose_buffer(const std::string& what, const std::string& name, const MatTree& tree, Acquisition& a) {
  const MatNode* const data = tree.find(name);
  const std::vector<std::size_t> used = received_buffers(what, tree);
  std::vector<Buffer> there;
  if (data != nullptr && holds_lines(*data)) there.push_back({data, used.front()});
  for (std::size_t k = 0; data != nullptr && k < data->cells.size(); ++k)
    if (holds_lines(data->cells[k])) there.push_back({&data->cells[k], k + 1});
  if (there.empty()) throw Error(what, name + " that is not an array of rows x channels x frames", kVerasonicsAccepted);
  if (there.size() > 1)
    a.assumptions.emplace_back("only one buffer was read; " + name + " holds " + std::to_string(there.size()));
  for (const std::size_t number : used) {
    for (const Buffer& buffer : there)
      if (buffer.number == number) return buffer;
  }
  return {there.front().lines, used.front()};  // one of several, saved alone
}

// Returns true for rows x channels x acquisitions of the first frame, instead of consecutive acquisitions in the rows.
bool is_reshaped(const std::string& what, const MatTree& tree, std::size_t n_rows, std::size_t n_pages) {
  const MatNode* receive = tree.find("Receive");
  std::size_t last = 0;
  for (std::size_t k = 0; receive != nullptr && k < receive->rows.size(); ++k) {
    const std::size_t from = whole(what, "Receive.startSample", receive->number("startSample", k).value_or(0), 1) - 1;
    const std::size_t to = whole(what, "Receive.endSample", receive->number("endSample", k).value_or(0), 1);
    if (from % n_rows != 0 || to > from + n_rows) return false;
    last = std::max(last, to);
  }
  return last > n_rows && last <= n_rows * n_pages;
}

struct Samples {
  std::shared_ptr<const void> owner;
  ArrayView lines;  // all of them, or the page read last
  std::function<void(std::uint64_t page, std::span<std::byte> out)> read_page = {};  // empty: `lines` has all
  std::vector<std::byte> page = {};
  std::optional<std::size_t> page_number = {};
  std::size_t rows, columns;
  Scheme scheme;
  std::vector<Columns> apertures;
  std::vector<double> rotation_rad = {};  // pairs: one per transmit
  Code code = {};
};

constexpr NumberType kInt16{NumberKind::signed_integer, 2, ByteOrder::little};

// Copies a line: one row is one sample; rows of a column are contiguous.
template <class T>
void copy_line(const Samples& s, std::size_t at, std::span<T> out) {
  if (s.lines.type == kInt16 && std::is_same_v<T, std::int16_t>) {
    std::memcpy(out.data(), s.lines.bytes.data() + at * sizeof(T), out.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(s.lines.real_at(at + i));
}

// Converts pairs of rows I, -Q to IQ relative to the program's time zero.
void mix_pairs(double rotation_rad, std::span<float> lines) {
  const auto cos_r = static_cast<float>(std::cos(rotation_rad)), sin_r = static_cast<float>(std::sin(rotation_rad));
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    const float in_phase = lines[i], quadrature = -lines[i + 1];
    lines[i] = in_phase * cos_r - quadrature * sin_r;
    lines[i + 1] = in_phase * sin_r + quadrature * cos_r;
  }
}

// Copies int16 unchanged, other types as float32; zeros for unconnected elements.
template <class T>
void copy_frame(const Samples& s, const Frame& frame, std::span<T> out) {
  const std::size_t n = s.scheme.n_rows, page = s.read_page ? 0 : frame.page;
  for (std::size_t k = 0; k < s.scheme.shots.size(); ++k) {
    for (const std::size_t column : s.apertures[s.scheme.shots[k].aperture]) {
      const std::span<T> line = out.first(n);
      out = out.subspan(n);
      if (column == kNoColumn)
        std::fill(line.begin(), line.end(), T{0});
      else
        copy_line(s, (page * s.columns + column) * s.rows + frame.first_rows[k], line);
    }
  }
}

void read_frame(Samples& s, SampleType type, std::uint64_t index, std::span<std::byte> out) {
  const Frame& frame = s.scheme.frames.at(static_cast<std::size_t>(index));
  if (s.read_page && s.page_number != frame.page) {
    s.page_number.reset();
    s.read_page(frame.page, s.page);
    s.page_number = frame.page;
  }
  const std::size_t n_elements = s.apertures.front().size(), n_shots = s.scheme.shots.size();
  const std::size_t n_values = n_shots * n_elements * s.scheme.n_rows;
  if (type == SampleType::int16)
    return copy_frame<std::int16_t>(s, frame, {reinterpret_cast<std::int16_t*>(out.data()), n_values});
  const std::span<float> lines(reinterpret_cast<float*>(out.data()), n_values);
  copy_frame<float>(s, frame, lines);
  if (!s.code.inverse.empty()) decode_lines(s.code, n_elements, s.scheme.n_rows, lines);
  const std::size_t per_transmit = n_values / n_shots;
  for (std::size_t k = 0; k < s.rotation_rad.size(); ++k)
    mix_pairs(s.rotation_rad[k], lines.subspan(k * per_transmit, per_transmit));
}

// Prepares reading lines that were left in the file. One frame of a reshaped buffer consists of all pages.
void read_pages(const OpenRequest& request, const MatNode& lines, bool reshaped, Samples& s) {
  Hdf5Samples stored;
  stored.axes = {Axis::element, Axis::time};
  stored.datasets = {lines.left_at};
  if (lines.dims.size() > 2) stored.axes.insert(stored.axes.begin(), reshaped ? Axis::transmit : Axis::frame);
  const auto root = hdf5::Node::open(request.what(), request.path_to_open.string(), request.bytes().size());
  Hdf5Frames frames = hdf5_frames(root, stored);
  s.lines.type = frames.type == SampleType::int16 ? kInt16 : NumberType{NumberKind::real, 4, ByteOrder::little};
  s.page.resize(s.rows * s.columns * s.lines.type.bytes);
  s.lines.bytes = s.page;
  s.read_page = std::move(frames.read);
}

void check_lines(const std::string& what, const std::string& name, const Samples& s) {
  for (const Frame& frame : s.scheme.frames) {
    for (const std::size_t first : frame.first_rows)
      if (first + s.scheme.n_rows > s.rows) throw Error(what, "lines beyond the rows of " + name, kVerasonicsAccepted);
  }
  for (const Shot& shot : s.scheme.shots) {
    if (shot.aperture >= s.apertures.size()) {
      throw Error(what,
                  "Receive.aperture " + std::to_string(shot.aperture + 1) + " of " +
                      std::to_string(s.apertures.size()) + " in Trans.HVMux",
                  kVerasonicsAccepted);
    }
  }
}

// Treats pairs as IQ. Q was sampled a quarter of a period after I: the mean of both times is used.
void set_pairs(Samples& s, Acquisition& a) {
  a.signal = SignalKind::iq;
  a.demod_hz = s.scheme.sampling.demod_hz;
  for (Transmit& t : a.transmits) {
    s.rotation_rad.push_back(-2.0 * kPi * a.demod_hz * t.t0_s);
    t.t0_s += 0.125 / a.demod_hz;
  }
}

// Returns the name of the samples' variable, and all variables.
std::pair<std::string, MatTree> read_workspace(const OpenRequest& request, const MatFile& file) {
  const std::string what = request.what();
  const MatVariable* const inside = workspace_struct(file);
  const bool whole = inside != nullptr && std::ranges::find(inside->fields, "RcvData") != inside->fields.end();
  const bool dump = find(file, kDumpNames[0]) != nullptr && find(file, "RcvData") == nullptr;
  const std::string name = whole || dump ? "RcvData" : samples_name(what, file);
  std::vector<std::string> names(kStructs.begin(), kStructs.end());
  if (dump) names.insert(names.end(), kDumpNames.begin(), kDumpNames.end());
  if (!whole) names.push_back(name);
  if (inside != nullptr) names.push_back(inside->name);
  MatTree tree(what, request.path_to_open.string(), request.bytes().size(), names, file.container(), name);
  if (inside != nullptr) tree.unpack(inside->name);
  for (const char* const one : kStructs) tree.join_structs(one);
  return {name, std::move(tree)};
}

// Sets the facts of the samples, except the transmits, in `a`.
void describe_samples(const MatTree& tree, const Scales& s, Samples& samples, Acquisition& a) {
  Scheme& sent = samples.scheme;
  const bool as_stored = samples.lines.type == kInt16 && samples.code.inverse.empty();
  const bool pairs = sent.sampling.demod_hz > 0.0;
  if (pairs) {
    sent.n_rows -= sent.n_rows % 2;
    set_pairs(samples, a);
  }
  const std::size_t n_samples = pairs ? sent.n_rows / 2 : sent.n_rows;
  a.n_samples = static_cast<int>(std::min<std::size_t>(n_samples, static_cast<std::size_t>(kMaxSamples) + 1));
  a.sample_type = as_stored && !pairs ? SampleType::int16 : SampleType::float32;
  a.sampling_hz = sent.sampling.sampling_hz;
  a.center_hz = s.frequency_hz;
  const std::vector<double> band = tree.find("Trans")->values("Bandwidth");
  if (band.size() == 2 && band[1] > band[0]) a.bandwidth_hz = (band[1] - band[0]) * kHertzPerMegahertz;
  a.sound_speed_m_s = s.sound_speed_m_s;
  a.frame_rate_hz = sent.frame_rate_hz;
  if (!(a.frame_rate_hz > 0.0)) a.assumptions.emplace_back("frame rate unknown: not in the file", "frame_rate_hz");
}

}  // namespace

bool looks_like_verasonics(const MatFile& file) {
  if (workspace_struct(file) != nullptr) return true;
  return std::ranges::all_of(std::array{"Trans", "TX"}, [&](const char* name) {  // may also be cells of structs
    const MatVariable* const v = find(file, name);
    return v != nullptr && (v->kind == "struct" || v->kind == "cell" || v->kind == "references");
  });
}

bool looks_like_part_of_verasonics(const MatFile& file) {
  int n_found = 0;
  for (const char* const name : {"RcvData", "Trans", "TX", "Receive", "Event"}) n_found += find(file, name) != nullptr;
  return n_found >= 2;
}

LibraryRecording read_verasonics(const OpenRequest& request, const MatFile& file) {
  const std::string what = request.what();
  const auto [name, tree] = read_workspace(request, file);
  request.advance(0.5);
  Acquisition a;
  const bool from_dump = tree.find(kDumpNames[0]) != nullptr;
  Dump dump = from_dump ? open_dump(request, tree, a) : Dump();
  const Buffer buffer = from_dump ? Buffer{&dump.lines, dump.number} : choose_buffer(what, name, tree, a);
  std::vector<std::size_t> dims = buffer.lines->dims;
  dims.resize(3, 1);
  const Scales s = scales(what, tree, a);
  ProbeParts parts = probe(what, tree, s, from_dump ? dump.n_columns : dims[1], a);
  for (Columns& aperture : parts.apertures)
    for (std::size_t& column : aperture)
      if (from_dump && column != kNoColumn) column = dump.saved[column];
  const bool reshaped = is_reshaped(what, tree, dims[0], dims[2]);
  const std::size_t n_rows = reshaped ? dims[0] * dims[2] : dims[0];
  const auto samples = std::make_shared<Samples>(
      Samples{.owner = from_dump ? dump.part : tree.owner(),
              .lines = buffer.lines->numbers,
              .rows = n_rows,
              .columns = dims[1],
              .scheme = scheme(what, tree, s, {n_rows, reshaped ? 1 : dims[2], buffer.number}, a),
              .apertures = parts.apertures});
  check_lines(what, name, *samples);
  if (!buffer.lines->left_at.empty()) read_pages(request, *buffer.lines, reshaped, *samples);
  if (reshaped) {
    a.assumptions.emplace_back("third axis of " + printable(name) + " read as the acquisitions of one frame");
    for (Frame& frame : samples->scheme.frames)
      for (std::size_t& first : frame.first_rows) first *= dims[1];  // each a whole page
    samples->rows = dims[0];
  }
  a.probe = parts.probe;
  Sending sending = transmits(what, tree, s, parts, samples->scheme, a);
  a.transmits = std::move(sending.transmits);
  samples->code = std::move(sending.code);
  describe_samples(tree, s, *samples, a);
  a.validate(what);
  LibraryRecording recording;
  recording.acquisition = std::make_shared<const Acquisition>(std::move(a));
  recording.frame_count = samples->scheme.frames.size();
  recording.frame_by_frame = true;
  recording.named.why_not = "rows of a buffer are acquisitions, and columns connectors, by Receive and Trans";
  recording.format =
      file.container() == MatContainer::v5 ? "Verasonics workspace (MATLAB v5)" : "Verasonics workspace (MATLAB v7.3)";
  recording.tracks = std::move(dump.tracks);
  if (from_dump) recording.properties = {"track"};
  recording.read_frame = [samples, part = dump.part, type = recording.acquisition->sample_type](
                             std::uint64_t index, std::span<std::byte> out) {
    read_frame(*samples, type, index, out);
    if (part) require_readable(part->bytes());
  };
  return recording;
}

}  // namespace echoloop
