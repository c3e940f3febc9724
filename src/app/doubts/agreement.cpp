#include "app/doubts/agreement.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/grid.h"
#include "core/units.h"
#include "formats/base/library_recording.h"

namespace echoloop {
namespace {

using Analytic = ChannelLines::Analytic;

constexpr std::size_t kColumns = 40, kRows = 180, kCells = 5;
constexpr std::size_t kCoarseTransmits = 4;

std::vector<std::size_t> spread(std::size_t n, std::size_t most) {  // indices, including both ends
  std::vector<std::size_t> chosen;
  const std::size_t count = std::min(n, most);
  for (std::size_t k = 0; k < count; ++k) chosen.push_back(count < 2 ? 0 : k * (n - 1) / (count - 1));
  return chosen;
}

// Hann's window, two periods long: zero at twice the frequency.
std::vector<float> low_pass(double samples_per_period) {
  const int half = static_cast<int>(std::ceil(samples_per_period));
  std::vector<float> taps;
  float sum = 0.0F;
  for (int k = -half; k <= half; ++k) {
    const double u = k / samples_per_period;
    taps.push_back(std::abs(u) >= 1.0 ? 0.0F : static_cast<float>(0.5 + 0.5 * std::cos(kPi * u)));
    sum += taps.back();
  }
  for (float& tap : taps) tap *= 2.0F / sum;
  return taps;
}

}  // namespace

const Analytic* ChannelLines::turns() {
  static const auto table = [] {
    std::array<Analytic, kTurns> all;
    for (std::size_t k = 0; k < kTurns; ++k) {
      const double phase = 2.0 * kPi * static_cast<double>(k) / kTurns;
      all[k] = {static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase))};
    }
    return all;
  }();
  return table.data();
}

ChannelLines::ChannelLines(const Acquisition& a, std::span<const std::byte> frame, double centre_hz,
                           const SampleReading& reading)
    : transmits_(spread(a.transmits.size(), all_focused(a) ? kMostBeams : kMostTransmits)),
      elements_(spread(a.probe.elements.size(), kMostElements)),
      n_samples_(static_cast<std::size_t>(a.n_samples)),
      cycles_(centre_hz / a.sampling_hz),
      demod_hz_(a.demod_hz),
      sampling_hz_(a.sampling_hz),
      samples_per_period_(a.sampling_hz / centre_hz) {
  const bool iq = a.signal == SignalKind::iq;
  const double mix = iq ? (centre_hz - a.demod_hz) / a.sampling_hz : cycles_;
  const std::size_t stride = iq ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(0.25 * samples_per_period_));
  const std::vector<float> taps = iq ? std::vector<float>{1.0F} : low_pass(samples_per_period_);
  const std::size_t half = taps.size() / 2;
  length_ = (n_samples_ + stride - 1) / stride;
  per_stride_ = 1.0F / static_cast<float>(stride);
  values_.resize(transmits_.size() * elements_.size() * length_);
  std::vector<Analytic> carrier(n_samples_), line(n_samples_);
  for (std::size_t i = 0; i < n_samples_; ++i) {
    const double cycles = mix * static_cast<double>(i), phase = -2.0 * kPi * (cycles - std::floor(cycles));
    carrier[i] = {static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase))};
  }
  Analytic* out = values_.data();
  for (const std::size_t t : transmits_) {
    for (const std::size_t e : elements_) {
      const std::size_t channel = reading.channel_of.empty() ? e : static_cast<std::size_t>(reading.channel_of[e]);
      const double sign = reading.sign.empty() ? 1.0 : static_cast<double>(reading.sign[e]);
      const std::size_t first =
          n_samples_ * (reading.by_element ? channel * a.transmits.size() + t : t * a.probe.elements.size() + channel);
      double mean = 0.0;
      for (std::size_t i = 0; i < n_samples_ && !iq; ++i) mean += sample_value(a, frame, first + i);
      mean /= static_cast<double>(n_samples_);
      for (std::size_t i = 0; i < n_samples_; ++i) {
        const std::size_t at = first + (reading.time_reversed ? n_samples_ - 1 - i : i);
        double re = iq ? sample_value(a, frame, 2 * at) : sample_value(a, frame, at) - mean;
        double im = iq ? sample_value(a, frame, 2 * at + 1) : 0.0;
        if (reading.exchanged) std::swap(re, im);
        if (reading.conjugate) im = -im;
        line[i] = Analytic(static_cast<float>(sign * re), static_cast<float>(sign * im)) * carrier[i];
      }
      for (std::size_t k = 0; k < length_; ++k) {
        const std::size_t middle = k * stride;
        Analytic sum{};
        if (iq)
          sum = line[middle];
        else if (middle >= half && middle + half < n_samples_)
          for (std::size_t j = 0; j < taps.size(); ++j) sum += line[middle - half + j] * taps[j];
        largest_power_ = std::max(largest_power_, std::norm(sum));
        *out++ = sum;
      }
    }
  }
}

double Agreement::quality() const {
  const double b = std::max(channels, 1e-3);
  return several ? b * std::max(transmits, 0.03) : b;
}

// Line of pixels: from `x`, `z` at the array along the unit vector.
struct AgreementMeasure::Column {
  double x, z, sine, cosine;
  std::size_t transmit = 0;  // of a beam: index among the chosen ones
};

namespace {

double mean_t0(const Acquisition& a) {
  double sum = 0.0;
  for (const Transmit& t : a.transmits) sum += t.t0_s;
  return sum / static_cast<double>(a.transmits.size());
}

// Point of the array at a fraction of its elements.
Element element_at(const Probe& probe, double place) {
  const auto last = static_cast<double>(probe.elements.size() - 1);
  const double at = std::clamp(place, 0.0, last);
  const auto k = std::min(static_cast<std::size_t>(at), probe.elements.size() - 2);
  const double part = at - static_cast<double>(k);
  const Element &a = probe.elements[k], &b = probe.elements[k + 1];
  return {a.x_m + part * (b.x_m - a.x_m), a.z_m + part * (b.z_m - a.z_m),
          a.normal_rad + part * (b.normal_rad - a.normal_rad)};
}

}  // namespace

std::vector<AgreementMeasure::Column> AgreementMeasure::columns(const Acquisition& a) const {
  std::vector<Column> all;
  if (beams_) {
    const std::vector<BeamAxis> axes = beam_axes(a);
    const std::vector<std::size_t>& chosen = lines_.transmits();
    for (const std::size_t k : spread(chosen.size(), kColumns)) {
      const BeamAxis& axis = axes[chosen[k]];
      const double back = axis.cosine > 0.1 ? axis.focus_z_m / axis.cosine : 0.0;
      all.push_back({axis.focus_x_m - back * axis.sine, 0.0, axis.sine, axis.cosine, k});
    }
    return all;
  }
  double source_x = 0.0, source_z = 0.0, angle = 0.0;
  const auto n = static_cast<double>(a.transmits.size());
  for (const Transmit& t : a.transmits) {
    source_x += t.source_x_m / n;
    source_z += t.source_z_m / n;
    angle += t.kind == TransmitKind::plane ? t.angle_rad / n : 0.0;
  }
  const double width = std::abs(a.probe.elements.back().x_m - a.probe.elements.front().x_m);
  for (std::size_t i = 0; i < kColumns; ++i) {
    const double place = (static_cast<double>(i) + 0.5) / kColumns * static_cast<double>(a.probe.elements.size()) - 0.5;
    const Element foot = element_at(a.probe, place);
    double direction = angle + foot.normal_rad;
    if (fan_) direction = std::atan2(foot.x_m - source_x, foot.z_m - std::min(source_z, -0.5 * width));
    all.push_back({foot.x_m, foot.z_m, std::sin(direction), std::cos(direction)});
  }
  return all;
}

AgreementMeasure::AgreementMeasure(const Acquisition& stated, std::vector<double> clock_s, const ChannelLines& lines,
                                   const Acquisition& a)
    : lines_(lines),
      clock_s_(std::move(clock_s)),
      demod_hz_(stated.demod_hz),
      beams_(all_focused(a)),
      fan_(a.transmits.front().kind == TransmitKind::diverging && a.probe.kind != ProbeKind::convex) {
  for (std::size_t t = 0; t < stated.transmits.size(); ++t) turned_s_.push_back(stated.transmits[t].t0_s - clock_s_[t]);
  const double n = lines.n_samples(), period = lines.samples_per_period();
  const double wavelength = a.sound_speed_m_s / (a.sampling_hz * lines.cycles(a));
  first_sample_ = std::max({0.04 * n, 16.0 * period, -mean_t0(a) * a.sampling_hz + 16.0 * period});
  step_samples_ = std::max(0.0, 0.96 * n - first_sample_) / kRows;
  const double pitch = a.probe.elements.size() > 1 ? std::hypot(a.probe.elements[1].x_m - a.probe.elements[0].x_m,
                                                                a.probe.elements[1].z_m - a.probe.elements[0].z_m)
                                                   : wavelength;
  const double f_number = std::clamp(1.3 * pitch / wavelength, 1.0, 2.5);
  const std::vector<Column> all = columns(a);
  for (const Column& column : all) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const double sample = first_sample_ + (static_cast<double>(row) + 0.5) * step_samples_;
      const double depth = 0.5 * a.sound_speed_m_s * (sample / a.sampling_hz + mean_t0(a));
      std::uint64_t seen = 0;
      for (std::size_t e = 0; e < lines.elements().size(); ++e) {
        const Element& element = a.probe.elements[lines.elements()[e]];
        if (std::hypot(element.x_m - column.x, element.z_m - column.z) <= depth / (2.0 * f_number))
          seen |= std::uint64_t{1} << e;
      }
      apertures_.push_back(seen);
    }
  }
}

namespace {

struct Sums {
  Analytic all{};
  float energy = 0.0F, apart = 0.0F;  // apart: sum over transmits of |sum over elements|^2
  int count = 0, transmits = 0;
};

// Echo, by its pixel of the coarse image.
struct Echo {
  std::size_t column = 0, row = 0;
  double sample = 0.0;
  std::array<Sums, 15> pixels{};
  float energy = 0.0F;
};

// Power of the coarse image: kRows of each column.
struct CoarsePower {
  std::vector<float> of = {};
  std::ptrdiff_t n_columns = 0;
  float most = 0.0F;

  [[nodiscard]] float at(std::size_t column, std::size_t row) const { return of[column * kRows + row]; }
  [[nodiscard]] bool is_maximum(std::size_t column, std::size_t row) const {
    const auto i = static_cast<std::ptrdiff_t>(column), r = static_cast<std::ptrdiff_t>(row);
    const auto first = std::max<std::ptrdiff_t>(r - 1, 0),
               last = std::min(r + 1, static_cast<std::ptrdiff_t>(kRows) - 1);
    for (std::ptrdiff_t ii = std::max<std::ptrdiff_t>(i - 1, 0); ii <= std::min(i + 1, n_columns - 1); ++ii)
      for (std::ptrdiff_t rr = first; rr <= last; ++rr)
        if (at(static_cast<std::size_t>(ii), static_cast<std::size_t>(rr)) > at(column, row)) return false;
    return true;
  }
};

bool are_apart(const Echo& a, std::size_t column, std::size_t row) {
  const auto apart = [](std::size_t x, std::size_t y) { return x > y ? x - y : y - x; };
  return apart(a.column, column) >= 2 || apart(a.row, row) >= 4;
}

// Returns the strongest echo of each cell that has one.
// `largest`: power of the largest sample. Facts that leave all echoes outside the image have none: remainders of the
// filter, equal in all channels, are no echoes.
std::vector<Echo> strongest_echoes(const CoarsePower& power, float largest) {
  constexpr float kLeast = 1e-3F, kFloor = 1e-6F;  // of the largest
  std::vector<Echo> echoes;
  const auto n_columns = static_cast<std::size_t>(power.n_columns);
  for (std::size_t cell = 0; cell < kCells * kCells; ++cell) {
    const std::size_t cx = cell / kCells, cz = cell % kCells;
    Echo best;
    const float least = std::max(kLeast * power.most, kFloor * largest);
    float strongest = least;
    for (std::size_t i = cx * n_columns / kCells; i < (cx + 1) * n_columns / kCells; ++i) {
      for (std::size_t row = cz * kRows / kCells; row < (cz + 1) * kRows / kCells; ++row) {
        const auto apart = [&](const Echo& other) { return are_apart(other, i, row); };
        if (!(power.at(i, row) > strongest) || !power.is_maximum(i, row) || !std::ranges::all_of(echoes, apart))
          continue;
        strongest = power.at(i, row);
        best.column = i, best.row = row;
      }
    }
    if (strongest > least) echoes.push_back(best);
  }
  return echoes;
}

Agreement agreement_of(const std::vector<Echo>& echoes) {
  std::vector<float> energies;
  for (const Echo& echo : echoes) energies.push_back(echo.energy);
  std::ranges::nth_element(energies, energies.begin() + static_cast<std::ptrdiff_t>(energies.size() / 2));
  const auto median = static_cast<double>(energies[energies.size() / 2]);
  double pairs = 0.0, all_pairs = 0.0, of_transmits = 0.0, all_transmits = 0.0, counted = 0.0, pixels = 0.0;
  for (const Echo& echo : echoes) {
    const double w = 1.0 / (static_cast<double>(echo.energy) + median);
    if (!std::isfinite(w)) continue;
    for (const Sums& s : echo.pixels) {
      const auto power_of_all = static_cast<double>(std::norm(s.all));
      pairs += w * (power_of_all - static_cast<double>(s.energy));
      all_pairs += w * (s.count - 1) * static_cast<double>(s.energy);
      of_transmits += w * (power_of_all - static_cast<double>(s.apart));
      all_transmits += w * (s.transmits - 1) * static_cast<double>(s.apart);
      counted += s.count, pixels += 1.0;
    }
  }
  return {.channels = all_pairs > 0.0 ? pairs / all_pairs : 0.0,
          .transmits = all_transmits > 0.0 ? of_transmits / all_transmits : 0.0,
          .per_pixel = pixels > 0.0 ? counted / pixels : 0.0};
}

}  // namespace

struct AgreementMeasure::Frame {
  const AgreementMeasure& of;
  const Acquisition& a;
  const ChannelLines& lines;
  double cycles, common_t0_s;
  std::vector<float> carrier = {};  // per chosen transmit: cycles of the carrier at sample 0
  std::vector<Column> columns;
  std::vector<std::size_t> some;  // transmits of the coarse image
  std::uint64_t odd = 0;          // and its elements
  std::vector<float> path_samples = std::vector<float>(ChannelLines::kMostElements);

  Frame(const Acquisition& facts, const AgreementMeasure& measure)
      : of(measure),
        a(facts),
        lines(of.lines_),
        cycles(lines.cycles(facts)),
        common_t0_s(mean_t0(facts)),
        columns(of.columns(facts)),
        some(spread(lines.transmits().size(), kCoarseTransmits)) {
    for (const std::size_t t : lines.transmits()) {
      const double turns = of.demod_hz_ * of.turned_s_[t] + a.demod_hz * of.clock_s_[t];
      carrier.push_back(a.signal == SignalKind::iq ? static_cast<float>(std::fmod(turns, 1.0)) : 0.0F);
    }
    for (std::size_t e = 0; e < lines.elements().size(); e += 2) odd |= std::uint64_t{1} << e;
  }

  [[nodiscard]] double depth_m(const Column& column, double sample) const {
    const double t0_s = of.beams_ ? a.transmits[lines.transmits()[column.transmit]].t0_s : common_t0_s;
    return 0.5 * a.sound_speed_m_s * (sample / a.sampling_hz + t0_s);
  }
  [[nodiscard]] double sample_of(std::size_t row) const {
    return of.first_sample_ + (static_cast<double>(row) + 0.5) * of.step_samples_;
  }

  [[nodiscard]] Sums sums_at(double x, double z, std::span<const std::size_t> transmits, std::uint64_t seen) {
    Sums sums;
    for (std::uint64_t rest = seen; rest != 0; rest &= rest - 1) {
      const auto e = static_cast<std::size_t>(std::countr_zero(rest));
      const Element& element = a.probe.elements[lines.elements()[e]];
      const double dx = x - element.x_m, dz = z - element.z_m;
      path_samples[e] = static_cast<float>(std::sqrt(dx * dx + dz * dz) * a.sampling_hz / a.sound_speed_m_s);
    }
    for (const std::size_t t : transmits) {
      const Transmit& transmit = a.transmits[lines.transmits()[t]];
      const double sent = (arrival_s(transmit, a.probe, x, z, a.sound_speed_m_s) - transmit.t0_s) * a.sampling_hz;
      if (!std::isfinite(sent)) continue;
      const double turns = cycles * sent + static_cast<double>(carrier[t]);
      const auto turn = static_cast<float>(turns - std::floor(turns));
      Analytic one{};
      for (std::uint64_t rest = seen; rest != 0; rest &= rest - 1) {
        const auto e = static_cast<std::size_t>(std::countr_zero(rest));
        const Analytic v = lines.at(t, e, static_cast<float>(sent) + path_samples[e],
                                    turn + static_cast<float>(cycles) * path_samples[e]);
        one += v;
        sums.energy += std::norm(v);
        ++sums.count;
      }
      sums.apart += std::norm(one);
      sums.all += one;
      ++sums.transmits;
    }
    return sums;
  }

  [[nodiscard]] float coarse(const Column& column, double sample, std::uint64_t seen) {
    const double r = depth_m(column, sample);
    if (!(r > 0.0)) return 0.0F;
    const std::span<const std::size_t> own(&column.transmit, 1);
    const Sums sums =
        sums_at(column.x + r * column.sine, column.z + r * column.cosine, of.beams_ ? own : some, seen & odd);
    return sums.count > 0 ? sums.apart / static_cast<float>(sums.count) : 0.0F;
  }

  // Writes the power at the rows of a column, as coarse() does: line after line, each of which stays in the cache.
  void column_power(std::size_t i, std::span<float> power) {
    const Column& column = columns[i];
    const std::span<const std::size_t> own(&column.transmit, 1), transmits = of.beams_ ? own : some;
    std::array<std::uint64_t, kRows> seen{};
    std::array<double, kRows> x{}, z{};
    for (std::size_t row = 0; row < kRows; ++row) {
      const double r = depth_m(column, sample_of(row));
      x[row] = column.x + r * column.sine, z[row] = column.z + r * column.cosine;
      const std::uint64_t all = of.apertures_[i * kRows + row] & odd;
      seen[row] = r > 0.0 && std::popcount(all) >= 4 ? all : 0;
    }
    struct Way {
      float sent = 0.0F, turn = 0.0F;
      Analytic sum{};
    };
    std::vector<Way> ways(transmits.size() * kRows);
    std::array<int, kRows> count{};
    for (std::size_t t = 0; t < transmits.size(); ++t) {
      const Transmit& transmit = a.transmits[lines.transmits()[transmits[t]]];
      for (std::size_t row = 0; row < kRows; ++row) {
        if (seen[row] == 0) continue;
        const double sent =
            (arrival_s(transmit, a.probe, x[row], z[row], a.sound_speed_m_s) - transmit.t0_s) * a.sampling_hz;
        const double turns = cycles * sent + static_cast<double>(carrier[transmits[t]]);
        ways[t * kRows + row] = {static_cast<float>(sent), static_cast<float>(turns - std::floor(turns))};
        count[row] += std::isfinite(sent) ? std::popcount(seen[row]) : 0;
      }
    }
    std::array<float, kRows> path{};
    for (std::uint64_t rest = odd; rest != 0; rest &= rest - 1) {
      const auto e = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t bit = std::uint64_t{1} << e;
      const Element& element = a.probe.elements[lines.elements()[e]];
      for (std::size_t row = 0; row < kRows; ++row) {
        const double dx = x[row] - element.x_m, dz = z[row] - element.z_m;
        path[row] = static_cast<float>(std::sqrt(dx * dx + dz * dz) * a.sampling_hz / a.sound_speed_m_s);
      }
      for (std::size_t t = 0; t < transmits.size(); ++t) {
        for (std::size_t row = 0; row < kRows; ++row) {
          Way& way = ways[t * kRows + row];
          if ((seen[row] & bit) != 0)
            way.sum +=
                lines.at(transmits[t], e, way.sent + path[row], way.turn + static_cast<float>(cycles) * path[row]);
        }
      }
    }
    for (std::size_t row = 0; row < kRows; ++row) {
      float apart = 0.0F;
      for (std::size_t t = 0; t < transmits.size(); ++t) apart += std::norm(ways[t * kRows + row].sum);
      power[row] = count[row] > 0 && std::isfinite(apart) ? apart / static_cast<float>(count[row]) : 0.0F;
    }
  }

  [[nodiscard]] CoarsePower coarse_power() {
    CoarsePower power{.of = std::vector<float>(columns.size() * kRows, 0.0F),
                      .n_columns = static_cast<std::ptrdiff_t>(columns.size())};
    for (std::size_t i = 0; i < columns.size(); ++i) column_power(i, std::span(power.of).subspan(i * kRows, kRows));
    power.most = *std::ranges::max_element(power.of);
    return power;
  }

  // Finds the place of the echo between the rows, and sums its pixels: of three columns, half a column apart, and five
  // depths, 0.4 periods apart.
  void measure(Echo& echo) {
    const std::uint64_t seen = of.apertures_[echo.column * kRows + echo.row];
    const double period = lines.samples_per_period();
    const Column& own = columns[echo.column];
    float strongest = -1.0F;
    const int steps = static_cast<int>(std::min(12.0, of.step_samples_ / period));
    for (int k = -steps; k <= steps; ++k) {
      const double sample = sample_of(echo.row) + 0.5 * of.step_samples_ * k / std::max(steps, 1);
      const float p = coarse(own, sample, seen);
      if (p > strongest) strongest = p, echo.sample = sample;
    }
    std::vector<std::size_t> transmits;
    const std::size_t last = lines.transmits().size() - 1;
    const std::size_t from = !of.beams_ ? 0 : own.transmit > 0 ? own.transmit - 1 : 0;
    for (std::size_t t = from; t <= (of.beams_ ? std::min(own.transmit + 1, last) : last); ++t) transmits.push_back(t);
    std::size_t pixel = 0;
    for (int side = -1; side <= 1; ++side) {
      const auto beside = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(echo.column) + side, 0,
                                                     static_cast<std::ptrdiff_t>(columns.size()) - 1);
      const Column& other = columns[static_cast<std::size_t>(beside)];
      const Column middle{.x = 0.5 * (own.x + other.x),
                          .z = 0.5 * (own.z + other.z),
                          .sine = 0.5 * (own.sine + other.sine),
                          .cosine = 0.5 * (own.cosine + other.cosine),
                          .transmit = own.transmit};
      const double length = std::hypot(middle.sine, middle.cosine);
      for (int axial = -2; axial <= 2; ++axial) {
        const double r = depth_m(middle, echo.sample + 0.4 * axial * period);
        Sums& sums = echo.pixels[pixel++];
        if (r > 0.0)
          sums = sums_at(middle.x + r * middle.sine / length, middle.z + r * middle.cosine / length, transmits, seen);
        echo.energy += sums.energy;
      }
    }
  }
};

Agreement AgreementMeasure::under(const Acquisition& facts) const {
  Frame frame(facts, *this);
  std::vector<Echo> echoes = strongest_echoes(frame.coarse_power(), lines_.largest_power());
  for (Echo& echo : echoes) frame.measure(echo);
  Agreement agreement = echoes.empty() ? Agreement{} : agreement_of(echoes);
  agreement.several = lines_.transmits().size() > 1;
  return agreement;
}

}  // namespace echoloop
