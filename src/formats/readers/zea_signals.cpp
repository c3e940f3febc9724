// Signals of zea files: metadata/ecg, metadata/probe_pose and others of that form.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/units.h"
#include "formats/base/mapping.h"
#include "formats/containers/array_view.h"
#include "formats/readers/zea_contents.h"

namespace echoloop {
namespace {

using hdf5::Node;

constexpr std::size_t kMostSamples = 10'000'000;

// Returns the unit of a dataset; none for the dashes that stand for one.
std::string unit_of(const Node& dataset) {
  const std::string unit = dataset.text_attribute("unit").value_or("");
  return unit == "-" || unit == "–" || unit == "—" ? std::string() : printable(unit, 30);
}

double number_or(const Node& group, const char* name, double otherwise) {
  const auto found = group.find(name);
  return found ? found->number() : otherwise;
}

double median_step(const std::vector<double>& times_s) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < times_s.size(); ++k) steps.push_back(times_s[k] - times_s[k - 1]);
  if (steps.empty()) return 0.0;
  std::ranges::nth_element(steps, steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2));
  return steps[steps.size() / 2];
}

// Sets the times of n samples from timestamps or sampling_frequency, and start_time_offset.
void set_times(const Node& group, std::size_t n, Signal& signal) {
  const double offset_s = number_or(group, "start_time_offset", 0.0);
  if (!std::isfinite(offset_s)) throw Error(group.where(), "a start_time_offset that is no number", "seconds");
  signal.start_s = offset_s;
  if (const auto stamps = group.find("timestamps")) {
    signal.times_s = stamps->numbers(kMostSamples);
    if (signal.times_s.size() != n) {
      throw Error(stamps->where(), counted(signal.times_s.size(), "time"),
                  "one for each of the " + counted(n, "sample"));
    }
    for (double& time : signal.times_s) time += offset_s;
    signal.step_s = median_step(signal.times_s);
    const bool rising = std::ranges::is_sorted(signal.times_s, std::less_equal<>()) || n == 1;
    if (!rising || !std::ranges::all_of(signal.times_s, [](double t) { return std::isfinite(t); }))
      signal.note = "timestamps that do not rise";
    return;
  }
  const double rate_hz = group.at("sampling_frequency").number();
  if (!(rate_hz > 0.0 && std::isfinite(rate_hz)))
    throw Error(group.where(), "a sampling_frequency of " + std::to_string(rate_hz), "above 0 Hz");
  signal.step_s = 1.0 / rate_hz;
}

using Vector = std::array<double, 3>;

// Returns the rotation vector, rad, of a unit quaternion w + xi + yj + zk; its length is the angle, -pi to pi.
Vector rotation_vector(double w, Vector v) {
  const double length = std::hypot(w, std::hypot(v[0], v[1], v[2]));
  if (!(length > 0.0)) throw Error("probe_pose", "a quaternion of length 0", "unit quaternions");
  if (w < 0.0) w = -w, v = {-v[0], -v[1], -v[2]};
  const double sine = std::hypot(v[0], v[1], v[2]);
  const double factor = sine > 0.0 ? 2.0 * std::atan2(sine, w) / sine : 0.0;
  return {factor * v[0], factor * v[1], factor * v[2]};
}

// Intrinsic rotations about x, y, z, in this order: the product of the three quaternions.
Vector of_euler(const double* angles) {
  const double cx = std::cos(angles[0] / 2), sx = std::sin(angles[0] / 2), cy = std::cos(angles[1] / 2),
               sy = std::sin(angles[1] / 2), cz = std::cos(angles[2] / 2), sz = std::sin(angles[2] / 2);
  return rotation_vector(cx * cy * cz - sx * sy * sz,
                         {sx * cy * cz + cx * sy * sz, cx * sy * cz - sx * cy * sz, cx * cy * sz + sx * sy * cz});
}

std::vector<double> rows_of(const Node& group, const char* name, std::size_t columns) {
  const Node found = group.at(name);
  const std::vector<std::size_t> shape = found.extents();
  if (shape.size() != 2 || shape[1] != columns)
    throw Error(found.where(), "an array of shape " + shape_text(shape), "(samples, " + std::to_string(columns) + ")");
  return found.numbers(columns * kMostSamples);
}

}  // namespace

std::vector<Signal> zea_signals(const Node& group, const std::string& name) {
  const Node samples = group.at("samples");
  const std::vector<std::size_t> shape = samples.extents();
  if (shape.empty() || shape.size() > 2)
    throw Error(samples.where(), "samples of shape " + shape_text(shape), "(samples) or (samples, signals)");
  const std::size_t n = shape[0], columns = shape.size() == 2 ? shape[1] : 1;
  if (columns > 64) throw Error(samples.where(), counted(columns, "signal"), "up to 64");
  const std::vector<double> all = samples.numbers(kMostSamples);
  Signal like{.name = name, .unit = unit_of(samples)};
  set_times(group, n, like);
  std::vector<Signal> signals(columns, like);
  for (std::size_t c = 0; c < columns; ++c) {
    if (columns > 1) signals[c].name += "/" + std::to_string(c + 1);
    for (std::size_t k = 0; k < n; ++k) signals[c].values.push_back(static_cast<float>(all[k * columns + c]));
  }
  return signals;
}

std::vector<Signal> zea_pose(const Node& group) {
  constexpr double kMillimetre = 1e-3;
  const auto kind = group.find("rotation_representation");
  const std::string form = kind ? kind->text() : "quaternion_wxyz";
  const bool euler = form == "euler_xyz", w_first = form == "quaternion_wxyz";
  if (!euler && !w_first && form != "quaternion_xyzw")
    throw Error(group.where(), "rotation_representation " + printable(form, 40),
                "euler_xyz, quaternion_wxyz or quaternion_xyzw");
  const std::vector<double> places = rows_of(group, "translation", 3),
                            turns = rows_of(group, "rotation", euler ? 3 : 4);
  const std::size_t n = places.size() / 3, width = euler ? 3 : 4;
  if (turns.size() != n * width)
    throw Error(group.where(), counted(turns.size() / width, "rotation"), "one for each of the " + counted(n, "place"));
  Signal like;
  set_times(group, n, like);
  std::vector<Signal> signals(6, like);
  for (std::size_t k = 0; k < 6; ++k) {
    signals[k].name = std::string("probe_pose/") + (k < 3 ? "" : "r") + "xyz"[k % 3];
    signals[k].unit = k < 3 ? "mm" : "deg";
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double* const q = turns.data() + k * width;
    const Vector turn = euler     ? of_euler(q)
                        : w_first ? rotation_vector(q[0], {q[1], q[2], q[3]})
                                  : rotation_vector(q[3], {q[0], q[1], q[2]});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      signals[axis].values.push_back(static_cast<float>(places[3 * k + axis] / kMillimetre));
      signals[3 + axis].values.push_back(static_cast<float>(turn[axis] / kRadiansPerDegree));
    }
  }
  return signals;
}

}  // namespace echoloop
