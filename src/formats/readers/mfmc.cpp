// MFMC 2, the University of Bristol's format for full matrix capture (Multi-Frame Matrix Capture, an HDF5 layout of
// non-destructive testing): groups with TYPE "PROBE", "SEQUENCE" and "LAW". A sequence has MFMC_DATA (frame, A-scan,
// time) and for each A-scan references to a transmit and a receive law; a law names elements from 1, with DELAY (s) and
// WEIGHTING. Lengths are in m, times in s, SPECIMEN_VELOCITY is (shear, longitudinal) in m/s. The delays of a law are
// relative to time zero of the file. Specification and writers: github.com/ndtatbristol/mfmc.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/format_table.h"
#include "formats/base/mapping.h"
#include "formats/base/open_request.h"
#include "formats/containers/hdf5_file.h"
#include "formats/readers/geometry.h"
#include "formats/readers/samples.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMaxScans = std::size_t{1} << 20;  // A-scans per frame: 1024 x 1024
constexpr double kMfmcTolerance_periods = 0.05;          // of a delay, as for other formats
constexpr const char* kWholeMatrix = "an A-scan of every element for each transmit, or half of a full matrix";
constexpr const char* kAcceptedLaws = "A-scans of one receiving element each, in any order";

struct Law {
  std::vector<std::size_t> elements;      // from 0
  std::vector<double> delays_s, weights;  // one per element; empty: all 0, all 1

  bool operator<(const Law& other) const {
    return std::tie(elements, delays_s, weights) < std::tie(other.elements, other.delays_s, other.weights);
  }
};

haddr_t address_of(const Node& node) {
#if H5_VERSION_GE(1, 12, 0)  // version 2 of the call there has no address
  H5O_info1_t info{};
#else
  H5O_info_t info{};
#endif
  return H5Oget_info1(node.id(), &info) < 0 ? HADDR_UNDEF : info.addr;
}

bool is_type(const Node& node, const char* type) { return node.is_group() && node.text_attribute("TYPE") == type; }

// Returns the names of the root's groups of one TYPE.
std::vector<std::string> groups_of_type(const Node& root, const char* type) {
  std::vector<std::string> found;
  for (const std::string& name : root.children())
    if (is_type(root.at(name), type)) found.push_back(name);
  return found;
}

std::vector<double> optional_numbers(const Node& law, const char* name, std::size_t n) {
  const auto there = law.find(name);
  if (!there) return {};
  std::vector<double> values = there->numbers(static_cast<std::size_t>(kMaxElements));
  if (values.size() == n) return values;
  throw Error(there->where(), counted(values.size(), "number") + " for " + counted(n, "element"),
              "one for each element of the law");
}

// Laws of the A-scans, each read once: a full matrix has many references, but few laws.
class MfmcLaws {
 public:
  MfmcLaws(const Node& probe, std::size_t n_elements) : probe_(address_of(probe)), n_elements_(n_elements) {}

  // Returns one index of a law for each A-scan.
  std::vector<std::size_t> read(const Node& references) {
    std::vector<std::size_t> indices;
    references.each_target(kMaxScans, [&](std::size_t, std::optional<Node> target) {
      if (!target || !target->is_group())
        throw Error(references.where(), "a reference that leads to no law", "references to groups of TYPE LAW");
      const auto [known, added] = by_address_.try_emplace(address_of(*target), laws_.size());
      if (added) laws_.push_back(law(*target));
      indices.push_back(known->second);
    });
    return indices;
  }
  [[nodiscard]] const Law& operator[](std::size_t index) const { return laws_[index]; }

 private:
  [[nodiscard]] Law law(const Node& group) const {
    Law read;
    const Node elements = group.at("ELEMENT");
    for (const double number : elements.numbers(static_cast<std::size_t>(kMaxElements))) {
      if (!(number >= 1.0 && number <= static_cast<double>(n_elements_)) || number != std::floor(number)) {
        throw Error(elements.where(), "element " + std::to_string(number),
                    "1 to " + std::to_string(n_elements_) + ", the elements of the probe");
      }
      read.elements.push_back(static_cast<std::size_t>(number) - 1);
    }
    group.at("PROBE").each_target(static_cast<std::size_t>(kMaxElements), [&](std::size_t, std::optional<Node> probe) {
      if (!probe || address_of(*probe) != probe_)
        throw Error(group.where(), "a law for another probe than the first of PROBE_LIST", "one probe for all A-scans");
    });
    read.delays_s = optional_numbers(group, "DELAY", read.elements.size());
    read.weights = optional_numbers(group, "WEIGHTING", read.elements.size());
    const auto all_are = [](const std::vector<double>& values, double one) {
      return std::all_of(values.begin(), values.end(), [one](double value) { return value == one; });
    };
    if (all_are(read.delays_s, 0.0)) read.delays_s.clear();
    if (all_are(read.weights, 1.0)) read.weights.clear();
    return read;
  }

  haddr_t probe_;
  std::size_t n_elements_;
  std::map<haddr_t, std::size_t> by_address_;
  std::vector<Law> laws_;
};

Node only_probe(const Node& sequence) {
  const Node list = sequence.at("PROBE_LIST");
  std::vector<Node> probes;
  list.each_target(static_cast<std::size_t>(kMaxElements), [&](std::size_t, std::optional<Node> probe) {
    if (probe && is_type(*probe, "PROBE")) probes.push_back(std::move(*probe));
  });
  if (probes.size() == 1) return probes.front();
  throw Error(list.where(), std::to_string(probes.size()) + " probes", "one probe that transmits and receives");
}

PlacedProbe mfmc_probe(const Node& group) {
  const Node positions = group.at("ELEMENT_POSITION");
  const std::vector<std::size_t> shape = positions.extents();
  if (shape.size() != 2 || shape[1] != 3)
    throw Error(positions.where(), "an array of shape " + shape_text(shape), "(elements, 3): x, y, z in metres");
  return place_probe(positions.where(),
                     places_of(positions.where(), positions.numbers(3 * static_cast<std::size_t>(kMaxElements)), 3,
                               TableOrder::element_first));
}

double attribute(const Node& node, const char* name, const char* unit) {
  if (const auto value = node.number_attribute(name)) return *value;
  throw Error(node.where(), std::string("no attribute ") + name, std::string("one number in ") + unit);
}

// Sets sampling_hz; returns START_TIME, the time of sample 0 on the clock of the laws.
double set_clock(const Node& sequence, Acquisition& a) {
  const double step_s = attribute(sequence, "TIME_STEP", "s"), start_s = attribute(sequence, "START_TIME", "s");
  if (!(step_s > 0.0)) throw Error(sequence.where(), "TIME_STEP = " + std::to_string(step_s), "above 0 s");
  a.sampling_hz = 1.0 / step_s;
  return start_s;
}

void set_speed(const Node& sequence, Acquisition& a) {
  const std::vector<double> speeds = sequence.numbers_attribute("SPECIMEN_VELOCITY", 2);
  if (speeds.size() != 2 || !(speeds[1] > 0.0)) {
    throw Error(sequence.where(), "no longitudinal speed in SPECIMEN_VELOCITY",
                "two numbers in m/s: shear and longitudinal");
  }
  a.sound_speed_m_s = speeds[1];
  a.assumptions.push_back("longitudinal waves assumed: the second number of SPECIMEN_VELOCITY is used");
}

// Sets the layer between array and specimen as the lens of the probe: a wedge, delay line or water whose surface is
// parallel to the array. Contact: none.
void set_wedge(const Node& group, const Node& sequence, Acquisition& a) {
  constexpr const char* kParallel = "contact, or a flat array with a surface parallel to it";
  constexpr double kParallel_rad = 1e-3;
  const std::vector<double> point_m = group.numbers_attribute("WEDGE_SURFACE_POINT", 3);
  const std::vector<double> normal = group.numbers_attribute("WEDGE_SURFACE_NORMAL", 3);
  const std::vector<double> speeds_m_s = sequence.numbers_attribute("WEDGE_VELOCITY", 2);
  const bool any = std::ranges::any_of(std::array{"WEDGE_SURFACE_POINT", "WEDGE_SURFACE_NORMAL"},
                                       [&](const char* name) { return H5Aexists(group.id(), name) > 0; });
  if (!any && H5Aexists(sequence.id(), "WEDGE_VELOCITY") <= 0) return;
  if (point_m.size() != 3 || normal.size() != 3 || speeds_m_s.size() != 2 || !(speeds_m_s[1] > 0.0)) {
    throw Error(group.where(), "a wedge without all of WEDGE_SURFACE_POINT, WEDGE_SURFACE_NORMAL and WEDGE_VELOCITY",
                "x, y, z of point and normal, and two speeds (shear, longitudinal)");
  }
  const double inclined_rad = std::atan2(std::hypot(normal[0], normal[1]), std::abs(normal[2]));
  if (!(inclined_rad <= kParallel_rad))
    throw Error(group.where(), "a wedge inclined by " + std::to_string(inclined_rad / kRadiansPerDegree) + " degrees",
                kParallel);
  if (a.probe.kind == ProbeKind::convex) throw Error(group.where(), "a curved array on a wedge", kParallel);
  const double thickness_m = point_m[2] - a.probe.elements.front().z_m;
  if (!(thickness_m > 0.0))
    throw Error(group.where(), "WEDGE_SURFACE_POINT at z = " + std::to_string(1e3 * point_m[2]) + " mm",
                "a surface in front of the elements, at larger z");
  a.probe.lens = {thickness_m, speeds_m_s[1]};
  char text[160];
  std::snprintf(text, sizeof text,
                "paths are refracted at the surface of the wedge (%.2f mm at %.0f m/s, longitudinal waves); depths are "
                "measured from the elements",
                1e3 * thickness_m, speeds_m_s[1]);
  a.assumptions.emplace_back(text);
}

// Returns the wave of a transmit law; t0_s relative to its passage of the origin.
Transmit transmit_of(const Law& law, const Acquisition& a, double start_s, const std::string& what) {
  std::vector<double> delays_s(a.probe.elements.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < law.elements.size(); ++k) {
    const double delay_s = law.delays_s.empty() ? 0.0 : law.delays_s[k];
    if (!(std::abs(delay_s) < 1.0))
      throw Error(what, "a transmit DELAY of " + std::to_string(delay_s) + " s", "finite delays within 1 s");
    if (law.weights.empty() || law.weights[k] != 0.0) delays_s[law.elements[k]] = delay_s;
  }
  if (std::all_of(delays_s.begin(), delays_s.end(), [](double delay) { return std::isnan(delay); }))
    throw Error(what, "a transmit law without a firing element", "at least one WEIGHTING other than 0");
  WaveFit fit = fit_wave(delays_s, a.probe, a.sound_speed_m_s, kMfmcTolerance_periods / a.center_hz, {});
  fit.transmit.t0_s = start_s - fit.passage_s;
  return fit.transmit;
}

std::size_t receiving_element(const Law& law, const std::string& what) {
  if (law.elements.size() == 1 && law.delays_s.empty() && law.weights.empty()) return law.elements.front();
  throw Error(what,
              law.elements.size() > 1 ? "a receive law of " + counted(law.elements.size(), "element")
                                      : "a receive law with a DELAY or WEIGHTING",
              kAcceptedLaws, "data that were focused in reception cannot be beamformed again");
}

// Assignment of A-scans to the rows of the acquisition's frame, [transmit][element].
struct Matrix {
  std::vector<std::size_t> transmits;  // law of each, in the order of first A-scans
  std::vector<std::size_t> scans;      // of each line, from 0
  std::size_t n_mirrored = 0;          // lines of a half matrix, copied from the opposite direction
};

Matrix arrange(const MfmcLaws& laws, const std::vector<std::size_t>& sent, const std::vector<std::size_t>& received,
               std::size_t n_elements, const std::string& what) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  Matrix matrix;
  std::map<Law, std::size_t> rows;
  std::map<std::size_t, std::size_t> row_of_element;  // transmits by a single element
  for (const std::size_t index : sent) {
    const auto [row, added] = rows.try_emplace(laws[index], rows.size());
    if (!added) continue;
    matrix.transmits.push_back(index);
    if (laws[index].elements.size() == 1 && laws[index].delays_s.empty())
      row_of_element.emplace(laws[index].elements.front(), row->second);
  }
  if (rows.size() > static_cast<std::size_t>(kMaxTransmits))
    throw Error(what, counted(rows.size(), "transmit"), "up to " + std::to_string(kMaxTransmits));
  if (rows.size() * n_elements > 2 * sent.size()) {
    throw Error(what,
                counted(sent.size(), "A-scan") + " of " + counted(rows.size(), "transmit") + " and " +
                    counted(n_elements, "element"),
                kWholeMatrix);
  }
  matrix.scans.assign(rows.size() * n_elements, kNone);
  for (std::size_t scan = 0; scan < sent.size(); ++scan) {
    std::size_t& line =
        matrix.scans[rows.at(laws[sent[scan]]) * n_elements + receiving_element(laws[received[scan]], what)];
    if (line != kNone) throw Error(what, "two A-scans of one transmit law and element", "each pair once in a frame");
    line = scan;
  }
  for (std::size_t k = 0; k < matrix.scans.size(); ++k) {
    if (matrix.scans[k] != kNone) continue;
    const std::size_t element = k % n_elements, row = k / n_elements;
    const Law& law = laws[matrix.transmits[row]];
    const auto mirrored = row_of_element.find(element);
    const bool one = row_of_element.contains(law.elements.front()) && law.elements.size() == 1;
    const std::size_t opposite = one && mirrored != row_of_element.end()
                                     ? matrix.scans[mirrored->second * n_elements + law.elements.front()]
                                     : kNone;
    if (opposite == kNone) {
      throw Error(what,
                  "no A-scan of transmit " + std::to_string(row + 1) + " and element " + std::to_string(element + 1),
                  kWholeMatrix);
    }
    matrix.scans[k] = opposite;
    ++matrix.n_mirrored;
  }
  return matrix;
}

void note_what_is_left_out(const Node& sequence, const Node& probe, std::size_t n_frames, Acquisition& a) {
  if (sequence.has("MFMC_DATA_IM")) a.assumptions.push_back("MFMC_DATA_IM is not read: MFMC_DATA is the RF signal");
  if (sequence.has("DAC_CURVE")) a.assumptions.push_back("DAC_CURVE is not applied");
  if (const auto dead = probe.find("DEAD_ELEMENT")) {
    const std::vector<double> marks = dead->numbers(static_cast<std::size_t>(kMaxElements));
    const auto n = std::count_if(marks.begin(), marks.end(), [](double mark) { return mark != 0.0; });
    if (n > 0) a.assumptions.push_back(counted(n, "element") + " marked as dead (DEAD_ELEMENT); all are used");
  }
  if (n_frames > 1) a.assumptions.push_back("images in the coordinates of the probe: PROBE_POSITION is not applied");
  a.assumptions.emplace_back("frame rate unknown: not part of the format", "frame_rate_hz");
}

}  // namespace

bool looks_like_mfmc(const Node& root) { return root.text_attribute("TYPE") == "MFMC"; }

LibraryRecording read_mfmc(const OpenRequest& request, const Node& root) {
  const std::string version = root.text_attribute("VERSION").value_or("");
  if (!version.starts_with("2"))
    throw Error(request.what(), "MFMC of version " + printable(version, 20), "MFMC of version 2");
  const std::vector<std::string> sequences = groups_of_type(root, "SEQUENCE");
  if (sequences.empty()) throw Error(request.what(), "an MFMC file without a sequence", "a group of TYPE SEQUENCE");
  const Node sequence = root.at(sequences.front()), probe = only_probe(sequence);
  const std::string what = sequence.where();
  Hdf5Parts parts{.acquisition = {}, .samples = {}, .format = "MFMC"};
  Acquisition& a = parts.acquisition;
  const PlacedProbe placed = mfmc_probe(probe);
  a.probe = placed.probe;
  if (const std::string moved = moved_text(placed); !moved.empty()) a.assumptions.push_back(moved);
  a.center_hz = attribute(probe, "CENTRE_FREQUENCY", "Hz");
  if (const auto bandwidth_hz = probe.number_attribute("BANDWIDTH")) a.bandwidth_hz = *bandwidth_hz;
  const double start_s = set_clock(sequence, a);
  set_speed(sequence, a);
  set_wedge(probe, sequence, a);

  const Node data = sequence.at("MFMC_DATA");
  const std::vector<std::size_t> shape = data.extents();
  MfmcLaws laws(probe, a.probe.elements.size());
  const std::vector<std::size_t> sent = laws.read(sequence.at("TRANSMIT_LAW"));
  const std::vector<std::size_t> received = laws.read(sequence.at("RECEIVE_LAW"));
  if (shape.size() != 3 || sent.size() != shape[1] || received.size() != shape[1]) {
    throw Error(data.where(),
                "samples of shape " + shape_text(shape) + " with " + std::to_string(sent.size()) + " transmit and " +
                    counted(received.size(), "receive law"),
                "axes (frame, A-scan, time) and one law of both for each A-scan");
  }
  Matrix matrix = arrange(laws, sent, received, a.probe.elements.size(), what);
  for (const std::size_t law : matrix.transmits) a.transmits.push_back(transmit_of(laws[law], a, start_s, what));
  if (matrix.n_mirrored > 0)
    a.assumptions.push_back("half matrix: " + counted(matrix.n_mirrored, "A-scan") +
                            " taken from the opposite direction (reciprocity)");
  note_what_is_left_out(sequence, probe, shape[0], a);
  if (sequences.size() > 1)
    a.assumptions.push_back("only the first of " + std::to_string(sequences.size()) + " sequences is read");
  parts.samples.axes = {Axis::frame, Axis::element, Axis::time};
  parts.samples.datasets = {sequences.front() + "/MFMC_DATA"};
  parts.samples.lines = std::move(matrix.scans);
  return make_hdf5_recording(request, root, std::move(parts));
}

}  // namespace echoloop
