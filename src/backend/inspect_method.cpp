#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "backend/inspector.h"
#include "core/units.h"
#include "dsp/methods/das_channels.h"
#include "dsp/methods/methods.h"

namespace echoloop {
namespace {

using PixelChannels = DasChannels<DasForm::general>;

constexpr int kMostFrequencies = 32;  // shown on either side of 0
constexpr int kMostLags = 40;         // shown
constexpr int kPatternPoints = 181;
constexpr double kLeastPattern_db = -60.0;

// A channel compared by a method's weight.
struct Channel {
  float weight;
  std::complex<double> value;
  int place;  // index among those of its transmit
};

std::complex<double> wide(Complex v) { return {static_cast<double>(v.re), static_cast<double>(v.im)}; }

void add_elements(std::vector<Channel>& to, const PixelChannels& channels, int t) {
  const PixelChannels::Transmit transmit = channels.transmit(t);
  int place = 0;
  for (int e = 0; e < channels.n_elements(); ++e) {
    const PixelChannels::Element element = channels.element(e);
    if (element.weight == 0.0f) continue;
    const ChannelSample x = channels.sample(transmit, element);
    if (x.recorded) to.push_back({element.weight, wide(x.value), place++});
  }
}

std::vector<Channel> compounded(const PixelChannels& channels) {
  const CompoundedElements<PixelChannels> elements(channels);
  std::vector<Channel> made;
  for (int e = 0; e < channels.n_elements(); ++e) {
    const PixelChannels::Element element = channels.element(e);
    if (element.weight == 0.0f) continue;
    const ChannelSample s = elements.sample(element);
    if (s.recorded) made.push_back({element.weight, wide(s.value), static_cast<int>(made.size())});
  }
  return made;
}

std::vector<Channel> channels_of(const MethodSettings& s, const PixelChannels& channels, int sum) {
  const bool elements = !is_weight(s.method) || s.axis == AdaptiveAxis::elements;
  if (elements && s.order == AdaptiveOrder::compounded) return compounded(channels);
  std::vector<Channel> made;
  if (elements) {
    add_elements(made, channels, sum);
    return made;
  }
  for (int t = 0; t < channels.n_transmits(); ++t) {
    const float weight = channels.transmit(t).weight;
    if (weight == 0.0f) continue;
    std::vector<Channel> own;
    add_elements(own, channels, t);
    if (s.axis == AdaptiveAxis::both) {
      for (Channel& c : own) c.weight *= weight;
      made.insert(made.end(), own.begin(), own.end());
    } else if (!own.empty()) {
      std::complex<double> all = 0.0;
      for (const Channel& c : own) all += static_cast<double>(c.weight) * c.value;
      made.push_back({weight, all, static_cast<int>(made.size())});
    }
  }
  return made;
}

// Divides weights by their root mean square, so that floats hold their squares.
void take_phasors(MethodView& to, const MethodSettings& s, std::vector<Channel> channels) {
  double weights = 0.0;
  double energy = 0.0;
  int count = 0;
  for (const Channel& c : channels) {
    const auto w = static_cast<double>(std::abs(c.weight));
    weights += w;
    energy += w * std::norm(c.value);
    count = std::max(count, c.place + 1);
  }
  if (!(energy > 0.0)) return;
  const double rms = std::sqrt(energy / weights);
  std::complex<double> mean = 0.0;
  for (Channel& c : channels) {
    c.value /= rms;
    mean += static_cast<double>(c.weight) / weights * c.value;
    to.phasors.emplace_back(c.value);
  }
  to.mean = std::complex<float>(mean);
  with_method(s, [&](const auto& method) {
    using Method = std::decay_t<decltype(method)>;
    if constexpr (!Method::replaces) {
      ChannelSet<Method> set;
      const auto n = static_cast<float>(count);
      for (const Channel& c : channels) {
        const Complex x{static_cast<float>(c.value.real()), static_cast<float>(c.value.imag())};
        set.add(method, c.weight, x, {static_cast<float>(c.place), n});
      }
      FormedPixel made{.factor = 1.0f};
      made.add(method, set, 1.0f);
      to.factor = made.template pixel<Method>().weight;
    }
  });
  if (s.method != Adaptive::generalized) return;
  const int most = std::min(count / 2, kMostFrequencies);
  to.curve_first = -most;
  for (int k = -most; k <= most; ++k) {
    std::complex<double> sum = 0.0;
    for (const Channel& c : channels)
      sum += std::polar(static_cast<double>(c.weight), -2.0 * kPi * k * c.place / count) * c.value;
    to.curve.push_back(static_cast<float>(std::norm(sum) / (weights * weights)));
  }
}

// Rows around the pixel, as left by store_channels().
struct StoredRows {
  int n;  // channels of a row
  int count = 0, centre = 0;
  std::vector<Complex> values;

  StoredRows(const DasGeometry& g, const MethodSettings& s, const Complex* lines, int ix, int iz, int neighbours)
      : n(n_channels(g.n_el, neighbours)) {
    const int first = std::max(iz - s.rows, 0);
    count = std::min(iz + s.rows, g.nz - 1) - first + 1;
    centre = iz - first;
    values.resize(static_cast<std::size_t>(count) * static_cast<std::size_t>(n + 1));
    for (int row = 0; row < count; ++row)
      store_channels(PixelChannels(g, lines, ix, first + row), neighbours, {values.data() + row * (n + 1), 1});
  }
  [[nodiscard]] StridedRows view() {
    return {.first = values.data(), .row_step = n + 1, .step = 1, .count = count, .centre = centre};
  }
};

void take_correlations(MethodView& to, const MethodSettings& s, StoredRows rows) {
  const ShortLagCoherence shown{std::min(rows.n - 1, kMostLags)};
  std::vector<double> pairs(static_cast<std::size_t>(shown.lags)), left = pairs, right = pairs;
  std::vector<Complex> terms(static_cast<std::size_t>(shown.n_terms()));
  const Strided of_row{terms.data(), 1};
  for (int row = 0; row < rows.count; ++row) {
    shown.store_terms(ScaledElements({rows.values.data() + row * (rows.n + 1), 1}, rows.n), rows.n, of_row);
    const auto factor = static_cast<double>(of_row[shown.factor_term()].re);
    if (factor == 0.0) continue;  // silent
    for (int m = 0; m < shown.lags; ++m) {
      const auto at = static_cast<std::size_t>(m);
      pairs[at] += static_cast<double>(of_row[m].re) / (factor * factor);
      left[at] += static_cast<double>(of_row[m].im) / (factor * factor);
      right[at] += static_cast<double>(shown.right_term(of_row, m)) / (factor * factor);
    }
  }
  double sum = 0.0;
  int count = 0;
  to.curve_first = 1;
  for (std::size_t m = 0; m < pairs.size(); ++m) {
    const double energy = std::sqrt(left[m]) * std::sqrt(right[m]);
    to.curve.push_back(energy > 0.0 ? static_cast<float>(pairs[m] / energy) : 0.0f);
    if (static_cast<int>(m) >= s.lags || !(energy > 0.0)) continue;
    sum += pairs[m] / energy;
    ++count;
  }
  to.factor = count > 0 ? static_cast<float>(sum / count) : 0.0f;
}

std::vector<float> response_db(const std::vector<std::complex<double>>& v, double turns_at_reach) {
  std::vector<float> made;
  for (int i = 0; i < kPatternPoints; ++i) {
    const double turns = turns_at_reach * (2.0 * i / (kPatternPoints - 1) - 1.0);
    std::complex<double> sum = 0.0;
    for (std::size_t l = 0; l < v.size(); ++l)
      sum += std::conj(v[l]) * std::polar(1.0, 2.0 * kPi * turns * static_cast<double>(l));
    made.push_back(static_cast<float>(std::max(20.0 * std::log10(std::max(std::abs(sum), 1e-30)), kLeastPattern_db)));
  }
  return made;
}

void take_capon(MethodView& to, const Plan& plan, StoredRows rows) {
  const MinimumVariance method{plan.method.subarray, plan.method.loading};
  std::vector<Complex> scratch(static_cast<std::size_t>(method.n_scratch(rows.n)));
  static_cast<void>(method.pixel(rows.view(), rows.n, {scratch.data(), 1}));  // for the weights
  int channels = 0;
  for (int i = 0; i < rows.n; ++i) channels += wide(rows.view().own(i)) != 0.0 ? 1 : 0;
  if (channels < 2) return;  // a single channel leaves no choice
  const Strided found = method.weights_in({scratch.data(), 1}, rows.n);
  std::vector<std::complex<double>> v;
  for (int l = 0; l < method.length_of(channels); ++l) {
    v.push_back(wide(found[l]));
    to.curve.push_back(static_cast<float>(std::abs(v.back())));
  }
  to.curve_first = 1;
  const Acquisition& a = *plan.formed;
  const double wavelengths =
      a.probe.pitch_m * plan.method.neighbours * a.center_hz / plan.params.formation.sound_speed_m_s;
  if (!(wavelengths > 0.0)) return;
  to.pattern_reach = std::min(1.0, 0.5 / wavelengths);
  to.pattern_db = response_db(v, wavelengths * to.pattern_reach);
  const std::complex<double> equal = 1.0 / static_cast<double>(v.size());
  to.equal_pattern_db = response_db(std::vector(v.size(), equal), wavelengths * to.pattern_reach);
}

}  // namespace

MethodView inspect_method(const Plan& plan, const Complex* lines, int ix, int iz, int sum) {
  MethodView made;
  const MethodSettings& s = plan.method;
  if (s.method == Adaptive::off || plan.das == nullptr) return made;
  made.method = s.method;
  const DasGeometry& g = plan.das->geometry;
  if (s.method == Adaptive::slsc)
    take_correlations(made, s, {g, s, lines, ix, iz, 1});
  else if (s.method == Adaptive::minimum_variance)
    take_capon(made, plan, {g, s, lines, ix, iz, s.neighbours});
  else
    take_phasors(made, s, channels_of(s, PixelChannels(g, lines, ix, iz), sum));
  return made;
}

}  // namespace echoloop
