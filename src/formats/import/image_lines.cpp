// RF lines in ITK image files: MetaImage (text lines "key = value" up to ElementDataFile = LOCAL) and NRRD (text lines
// "key: value" up to an empty one), then the numbers, first axis fastest: depth, lines, frames. Spacings are in
// millimetres.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/mapping.h"
#include "formats/import/guess.h"
#include "formats/import/import.h"

namespace echoloop {
namespace {

constexpr std::size_t kMostHeader = 16'384;

struct ImageHeader {
  std::map<std::string, std::string> values;
  std::size_t bytes = 0;
};

std::string stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// Reads up to the line for which `ends` returns true.
template <class Ends>
ImageHeader read_header(std::string_view head, char between, Ends&& ends) {
  ImageHeader header;
  while (header.bytes < head.size()) {
    const std::size_t end = head.find('\n', header.bytes);
    if (end == std::string_view::npos) break;
    const std::string_view line = head.substr(header.bytes, end - header.bytes);
    header.bytes = end + 1;
    const std::size_t at = line.find(between);
    if (at != std::string_view::npos) header.values[stripped(line.substr(0, at))] = stripped(line.substr(at + 1));
    if (ends(stripped(line))) break;
  }
  return header;
}

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> list;
  std::istringstream words(text);
  for (double value = 0.0; words >> value;) list.push_back(value);
  return list;
}

std::optional<NumberType> named_type(const std::string& name) {
  constexpr NumberType kShort{NumberKind::signed_integer, 2, ByteOrder::little};
  constexpr NumberType kUshort{NumberKind::unsigned_integer, 2, ByteOrder::little};
  constexpr NumberType kChar{NumberKind::signed_integer, 1, ByteOrder::little};
  constexpr NumberType kInt{NumberKind::signed_integer, 4, ByteOrder::little};
  constexpr NumberType kFloat{NumberKind::real, 4, ByteOrder::little};
  constexpr NumberType kDouble{NumberKind::real, 8, ByteOrder::little};
  constexpr std::pair<std::string_view, NumberType> kTypes[] = {
      {"MET_SHORT", kShort}, {"MET_USHORT", kUshort},    {"MET_CHAR", kChar},
      {"MET_INT", kInt},     {"MET_FLOAT", kFloat},      {"MET_DOUBLE", kDouble},
      {"short", kShort},     {"int16", kShort},          {"int16_t", kShort},
      {"ushort", kUshort},   {"uint16", kUshort},        {"uint16_t", kUshort},
      {"int8", kChar},       {"int8_t", kChar},          {"int", kInt},
      {"int32", kInt},       {"int32_t", kInt},          {"float", kFloat},
      {"double", kDouble},   {"signed short", kShort},   {"signed char", kChar},
      {"signed int", kInt},  {"unsigned short", kUshort}};
  const auto* const found =
      std::ranges::find(kTypes, std::string_view(name), [](const auto& row) { return row.first; });
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

struct Image {
  const char* container;
  std::optional<NumberType> type;
  ByteOrder order = ByteOrder::little;
  std::vector<double> size, spacing_mm;
  std::size_t header_bytes = 0;
};

// Returns null if the image cannot be RF lines.
std::unique_ptr<KnownLines> lines_of_image(const OpenRequest& request, const Image& image) {
  const bool counts =
      std::ranges::all_of(image.size, [](double n) { return n >= 1 && n <= 1e9 && n == std::floor(n); });
  if (!image.type || !counts || image.size.size() < 2 || image.size.size() > 3 || image.spacing_mm.size() < 2 ||
      !(image.spacing_mm[0] > 0.0) || !(image.spacing_mm[1] > 0.0))
    return nullptr;
  auto lines = std::make_unique<KnownLines>();
  lines->container = image.container;
  lines->bytes = request.bytes();
  lines->raw.type = *image.type;
  lines->raw.type.order = image.order;
  lines->raw.header_bytes = image.header_bytes;
  for (const double n : {image.size.size() > 2 ? image.size[2] : 1.0, image.size[1], image.size[0]})
    lines->raw.shape.push_back(static_cast<std::size_t>(n));
  lines->meta = {{"axes", {"frame", "line", "time"}}, {"c_m_s", 1540}};
  if (image.spacing_mm[0] == 1.0) {  // ITK's default; no line is sampled every millimetre
    lines->lacks = words("a spacing of ", image.spacing_mm[0], " x ", image.spacing_mm[1], ", which is no length");
    if (image.spacing_mm[1] != 1.0) lines->meta["pitch_m"] = image.spacing_mm[1] * 1e-3;
    return lines;
  }
  // Spacing along the lines: millimetres of depth; two-way path at 1540 m/s.
  const double fs_hz = 0.5 * 1540.0 / (image.spacing_mm[0] * 1e-3);
  lines->meta["fs_hz"] = fs_hz;
  lines->meta["pitch_m"] = image.spacing_mm[1] * 1e-3;
  lines->assumptions.push_back(
      words("spacing taken as mm of depth and width: ", fs_hz * 1e-6, " MHz sampling at 1540 m/s"));
  return lines;
}

std::unique_ptr<KnownLines> meta_image(const OpenRequest& request, std::string_view head) {
  ImageHeader header =
      read_header(head, '=', [](const std::string& line) { return line.starts_with("ElementDataFile"); });
  auto& values = header.values;
  const std::string file = values["ElementDataFile"];
  if (!file.empty() && file != "LOCAL")
    throw Error(request.what(), "a MetaImage header whose samples are in " + printable(file, 60),
                "a .mha with both in one file", "or that file with a JSON description: echoloop describe --help");
  if (lower_case(values["CompressedData"]) == "true")
    throw Error(request.what(), "a compressed MetaImage", "CompressedData = False");
  std::vector<double> spacing_mm = numbers_in(values["ElementSpacing"]);
  if (spacing_mm.empty()) spacing_mm = numbers_in(values["ElementSize"]);
  const bool big = values["BinaryDataByteOrderMSB"] == "True" || values["ElementByteOrderMSB"] == "True";
  return lines_of_image(request, {.container = "MetaImage RF lines",
                                  .type = named_type(values["ElementType"]),
                                  .order = big ? ByteOrder::big : ByteOrder::little,
                                  .size = numbers_in(values["DimSize"]),
                                  .spacing_mm = std::move(spacing_mm),
                                  .header_bytes = header.bytes});
}

// Returns the length of each direction in "(0.03,0) (0,0.3)".
std::vector<double> lengths_of(std::string directions) {
  std::vector<double> lengths;
  std::ranges::replace(directions, ',', ' ');
  for (std::size_t at = directions.find('('); at != std::string::npos; at = directions.find('(', at + 1)) {
    const std::size_t end = std::min(directions.find(')', at), directions.size());
    double square = 0.0;
    for (const double part : numbers_in(directions.substr(at + 1, end - at - 1))) square += part * part;
    lengths.push_back(std::sqrt(square));
  }
  return lengths;
}

std::unique_ptr<KnownLines> nrrd(const OpenRequest& request, std::string_view head) {
  ImageHeader header = read_header(head, ':', [](const std::string& line) { return line.empty(); });
  auto& values = header.values;
  const std::string file = values.contains("data file") ? values["data file"] : values["datafile"];
  if (!file.empty())
    throw Error(request.what(), "an NRRD header whose samples are in " + printable(file, 60),
                "a .nrrd with both in one file", "or that file with a JSON description: echoloop describe --help");
  if (values["encoding"] != "raw")
    throw Error(request.what(), "NRRD with encoding " + printable(values["encoding"], 30), "encoding: raw");
  std::vector<double> spacing_mm = numbers_in(values["spacings"]);
  if (spacing_mm.empty()) spacing_mm = lengths_of(values["space directions"]);
  return lines_of_image(request, {.container = "NRRD RF lines",
                                  .type = named_type(values["type"]),
                                  .order = values["endian"] == "big" ? ByteOrder::big : ByteOrder::little,
                                  .size = numbers_in(values["sizes"]),
                                  .spacing_mm = std::move(spacing_mm),
                                  .header_bytes = header.bytes});
}

}  // namespace

std::unique_ptr<KnownLines> image_lines(const OpenRequest& request) {
  const auto bytes = request.bytes();
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kMostHeader));
  if (head.starts_with("ObjectType") || head.starts_with("NDims")) return meta_image(request, head);
  return head.starts_with("NRRD000") ? nrrd(request, head) : nullptr;
}

// Converts RF lines to IQ: their analytic signal (Hilbert transform), mixed to the centre frequency, so that the viewer
// shows their envelope.

namespace {

constexpr double kLowEdge = 0.05;      // of the centre frequency; offsets and drifts below are removed
constexpr std::size_t kSilence = 256;  // zero samples after a line: its end does not affect its start

// Returns the weight of a frequency from 0 to fs / 2 in the analytic signal: 2, rising from 0 at DC.
double analytic_weight(double hertz, double center_hz) {
  const double at = hertz / (kLowEdge * center_hz);
  return at < 1.0 ? 1.0 - std::cos(kPi * at) : 2.0;
}

class Mixer {
 public:
  // `a`: of the output lines, longer than the stored ones if these start at different times.
  explicit Mixer(const Acquisition& a)
      : n_(static_cast<std::size_t>(a.n_samples)), size_(std::bit_ceil(n_ + kSilence)), fourier_(size_) {
    for (std::size_t k = 0; k < size_ / 2; ++k)
      weights_.push_back(
          analytic_weight(static_cast<double>(k) * a.sampling_hz / static_cast<double>(size_), a.center_hz) /
          static_cast<double>(size_));
    for (std::size_t i = 0; i < n_; ++i)
      carrier_.push_back(
          std::polar(1.0, -2.0 * kPi * a.center_hz * (a.transmits[0].t0_s + static_cast<double>(i) / a.sampling_hz)));
  }

  // Places `from[0]` at sample `first`. Samples that are not finite remain so, and count as 0 for the others.
  template <class T>
  void line(std::span<const T> from, std::size_t first, float* to) {
    values_.assign(size_, 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto value = static_cast<double>(from[i]);
      if (std::isfinite(value)) values_[first + i] = value;
    }
    fourier_.forward(values_);
    for (std::size_t k = 0; k < size_; ++k) values_[k] *= k < weights_.size() ? weights_[k] : 0.0;
    fourier_.inverse(values_);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::complex<double> mixed = values_[i] * carrier_[i];
      to[2 * i] = static_cast<float>(mixed.real());
      to[2 * i + 1] = static_cast<float>(mixed.imag());
    }
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!std::isfinite(static_cast<double>(from[i]))) to[2 * (first + i)] = static_cast<float>(from[i]);
  }

 private:
  std::size_t n_, size_;
  FourierTransform fourier_;
  std::vector<double> weights_;
  std::vector<std::complex<double>> carrier_, values_;
};

// Returns the start of each line in samples after the earliest line.
std::vector<std::size_t> first_samples(const Acquisition& a, const std::vector<double>& t0_s) {
  std::vector<std::size_t> first(a.probe.elements.size(), 0);
  for (std::size_t e = 0; e < std::min(first.size(), t0_s.size()); ++e)
    first[e] = static_cast<std::size_t>(std::lround((t0_s[e] - std::ranges::min(t0_s)) * a.sampling_hz));
  return first;
}

}  // namespace

LibraryRecording beamformed_lines(LibraryRecording lines, const std::vector<double>& t0_s) {
  const AcquisitionPtr rf = lines.acquisition;
  Acquisition a = *rf;
  const std::vector<std::size_t> first = first_samples(a, t0_s);
  a.n_samples += static_cast<int>(std::ranges::max(first));
  a.data = are_parallel(a.probe) ? DataKind::beamformed : DataKind::channels;
  a.signal = SignalKind::iq;
  a.sample_type = SampleType::float32;
  a.demod_hz = a.center_hz;
  a.validate("beamformed lines");
  lines.frame_offsets.clear();
  const auto mixer = std::make_shared<Mixer>(a);
  lines.read_frame = [rf, mixer, first, n_out = static_cast<std::size_t>(a.n_samples),
                      read = std::move(lines.read_frame),
                      stored = std::vector<std::byte>()](std::uint64_t index, std::span<std::byte> out) mutable {
    stored.resize(rf->frame_bytes());
    read(index, stored);
    const auto n = static_cast<std::size_t>(rf->n_samples);
    float* const to = reinterpret_cast<float*>(out.data());
    for (std::size_t e = 0; e < rf->probe.elements.size(); ++e) {
      if (rf->sample_type == SampleType::int16) {
        const auto* const from = reinterpret_cast<const std::int16_t*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      } else {
        const auto* const from = reinterpret_cast<const float*>(stored.data());
        mixer->line(std::span(from + e * n, n), first[e], to + 2 * e * n_out);
      }
    }
  };
  lines.acquisition = std::make_shared<const Acquisition>(std::move(a));
  return lines;
}

}  // namespace echoloop
