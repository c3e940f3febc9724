#include "app/doubts/channel_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "app/doubts/hypotheses.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/library_recording.h"

namespace echoloop {
namespace {

using Analytic = std::complex<float>;

constexpr std::size_t kWindows = 96;
constexpr double kSaid = 0.2, kSaidFew = 0.6;  // few: fewer than 8 pairs change
constexpr std::size_t kFew = 8;
constexpr double kUnlike = 0.04, kLeastRolled = 0.1, kLeastRise = 0.025;

// Analytic windows of three periods of all elements, of up to two transmits.
constexpr double kLeastPair = 1e-12;

class Windows {
 public:
  // `line_of`: line of the frame of a transmit and an element.
  template <class LineOf>
  Windows(const Acquisition& a, std::span<const std::byte> frame, double centre_hz, LineOf line_of)
      : n_(static_cast<std::size_t>(a.n_elements())) {
    const auto samples = static_cast<std::size_t>(a.n_samples);
    const double period = a.sampling_hz / centre_hz;
    const bool iq = a.signal == SignalKind::iq;
    length_ = std::max<std::size_t>(3, static_cast<std::size_t>(std::lround(3.0 * period)));
    const std::size_t first = std::max<std::size_t>(samples / 25, static_cast<std::size_t>(16.0 * period));
    if (samples < first + 8 * length_) return;
    const std::size_t step = std::max(length_, (samples - first) / kWindows);
    const std::size_t middle = a.transmits.size() / 2;
    std::vector<std::size_t> transmits{middle};
    if (a.transmits.size() > 1) transmits.push_back(middle > 1 ? middle / 2 : 0);
    for (const std::size_t t : transmits) {
      for (std::size_t from = first; from + length_ < samples; from += step) {
        starts_.push_back(values_.size());
        for (std::size_t e = 0; e < n_; ++e) {
          const std::size_t line = line_of(t, e) * samples + from;
          double re = 0.0, im = 0.0;
          for (std::size_t i = 0; i < length_; ++i) {
            if (iq) {
              re = sample_value(a, frame, 2 * (line + i)), im = sample_value(a, frame, 2 * (line + i) + 1);
            } else {
              re = sample_value(a, frame, line + i);
            }
            values_.emplace_back(static_cast<float>(re), static_cast<float>(im));
          }
        }
      }
    }
    of_middle_ = starts_.size() / transmits.size();
    if (!iq) analytic(period);
    energy_.resize(starts_.size() * n_);
    for (std::size_t w = 0; w < starts_.size(); ++w)
      for (std::size_t e = 0; e < n_; ++e)
        for (std::size_t i = 0; i < length_; ++i)
          energy_[w * n_ + e] += std::norm(values_[starts_[w] + e * length_ + i]);
    drop_silence();
    total_.assign(n_, 0.0);
    for (std::size_t w = 0; w < starts_.size(); ++w)
      for (std::size_t e = 0; e < n_; ++e) total_[e] += static_cast<double>(energy_[w * n_ + e]);
    std::vector<double> sorted = total_;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(n_ / 2));
    least_ = 1e-4 * sorted[n_ / 2];
    like_.assign(n_ * n_, NAN);
  }

  [[nodiscard]] bool usable() const { return !starts_.empty() && least_ > 0.0; }
  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] bool alive(std::size_t e) const { return total_[e] > least_; }

  // Returns G of two elements, 0 to 1; NaN for a silent one.
  double likeness(std::size_t a, std::size_t b) {
    double& g = like_[a * n_ + b];
    if (!std::isnan(g) || !alive(a) || !alive(b)) return g;
    double sum = 0.0;
    int count = 0;
    for (std::size_t w = 0; w < starts_.size(); ++w) {
      const double energy = static_cast<double>(energy_[w * n_ + a]) * static_cast<double>(energy_[w * n_ + b]);
      if (!(energy > kLeastPair * total_[a] * total_[b])) continue;
      sum += static_cast<double>(std::norm(product(w, a, b))) / energy;
      ++count;
    }
    return g = like_[b * n_ + a] = count > 0 ? sum / count : 0.0;
  }
  // Returns the real part of the correlation of two elements in the middle transmit, -1 to 1.
  [[nodiscard]] double correlation(std::size_t a, std::size_t b) const {
    double sum = 0.0;
    int count = 0;
    for (std::size_t w = 0; w < of_middle_; ++w) {
      const double energy = static_cast<double>(energy_[w * n_ + a]) * static_cast<double>(energy_[w * n_ + b]);
      if (!(energy > kLeastPair * total_[a] * total_[b])) continue;
      sum += static_cast<double>(product(w, a, b).real()) / std::sqrt(energy);
      ++count;
    }
    return count > 0 ? sum / count : 0.0;
  }

 private:
  [[nodiscard]] Analytic product(std::size_t w, std::size_t a, std::size_t b) const {
    const Analytic *const x = &values_[starts_[w] + a * length_], *const y = &values_[starts_[w] + b * length_];
    float re = 0.0F, im = 0.0F;
    for (std::size_t i = 0; i < length_; ++i) {
      re += x[i].real() * y[i].real() + x[i].imag() * y[i].imag();
      im += x[i].imag() * y[i].real() - x[i].real() * y[i].imag();
    }
    return {re, im};
  }
  // Drops windows without echoes, whose values are remainders of the arithmetic.
  void drop_silence() {
    constexpr double kLeast = 1e-5;  // of the mean
    std::vector<double> all(starts_.size(), 0.0);
    double mean = 0.0;
    for (std::size_t w = 0; w < all.size(); ++w) {
      for (std::size_t e = 0; e < n_; ++e) all[w] += static_cast<double>(energy_[w * n_ + e]);
      mean += all[w] / static_cast<double>(all.size());
    }
    std::size_t kept = 0, of_middle = 0;
    for (std::size_t w = 0; w < all.size(); ++w) {
      if (!(all[w] > kLeast * mean)) continue;
      of_middle += w < of_middle_ ? 1 : 0;
      starts_[kept] = starts_[w];
      std::copy_n(energy_.begin() + static_cast<std::ptrdiff_t>(w * n_), n_,
                  energy_.begin() + static_cast<std::ptrdiff_t>(kept++ * n_));
    }
    starts_.resize(kept);
    of_middle_ = of_middle;
  }
  // Adds the quadrature: the difference to the samples a quarter of a period away, on both sides.
  void analytic(double period) {
    const double quarter = 0.25 * period;
    const auto whole = static_cast<std::ptrdiff_t>(quarter);
    const auto part = static_cast<float>(quarter - static_cast<double>(whole));
    std::vector<float> line(length_);
    for (std::size_t at = 0; at < values_.size(); at += length_) {
      float mean = 0.0F;
      for (std::size_t i = 0; i < length_; ++i) mean += values_[at + i].real() / static_cast<float>(length_);
      for (std::size_t i = 0; i < length_; ++i) line[i] = values_[at + i].real() - mean;
      const auto value = [&](std::ptrdiff_t i) {
        return i < 0 || i >= static_cast<std::ptrdiff_t>(length_) ? 0.0F : line[static_cast<std::size_t>(i)];
      };
      for (std::size_t k = 0; k < length_; ++k) {
        const auto i = static_cast<std::ptrdiff_t>(k);
        const float before = value(i - whole) + part * (value(i - whole - 1) - value(i - whole));
        const float after = value(i + whole) + part * (value(i + whole + 1) - value(i + whole));
        values_[at + k] = {line[k], 0.5F * (before - after)};
      }
    }
  }

  std::size_t n_, length_ = 0, of_middle_ = 0;  // of_middle_: windows of the first transmit
  std::vector<std::size_t> starts_;
  std::vector<Analytic> values_;  // [window][element][length]
  std::vector<float> energy_;     // [window][element]
  std::vector<double> total_, like_;
  double least_ = 0.0;
};

double median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return NAN;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

struct Order {
  std::vector<int> channel_of;  // of each element
  std::string words;
  bool rolled = false;
};

std::vector<Order> orders(Windows& w) {
  const auto n = static_cast<int>(w.n());
  std::vector<Order> all;
  std::vector<int> order(w.n());
  const auto add = [&](const std::string& words, bool rolled, auto&& channel_of) {
    for (int e = 0; e < n; ++e) order[static_cast<std::size_t>(e)] = channel_of(e);
    all.push_back({order, words, rolled});
  };
  if (n % 2 == 0) {
    add("neighbours exchanged in pairs", false, [](int e) { return e ^ 1; });
    add("odd elements first, then even ones", false, [n](int e) { return e % 2 == 0 ? e / 2 : n / 2 + e / 2; });
    add("even elements first, then odd ones", false, [n](int e) { return e % 2 == 0 ? n / 2 + e / 2 : e / 2; });
    add("the halves interleaved", false, [n](int e) { return e < n / 2 ? 2 * e : 2 * (e - n / 2) + 1; });
  }
  for (int block = 4; block <= 64; block *= 2) {
    if (n % block != 0 || n == block) continue;
    add(fmt::format("blocks of {} reversed", block), false,
        [block](int e) { return e / block * block + block - 1 - e % block; });
    if (2 * block == n) continue;
    add(fmt::format("blocks of {} exchanged in pairs", block), false, [block, n](int e) {
      const int other = (e / block) ^ 1;
      return (other + 1) * block <= n ? other * block + e % block : e;
    });
  }
  int weakest = 0;
  for (int e = 1; e + 1 < n; ++e) {
    const auto at = static_cast<std::size_t>(e), least = static_cast<std::size_t>(weakest);
    if (w.likeness(at, at + 1) < w.likeness(least, least + 1)) weakest = e;
  }
  const int by = weakest + 1;
  if (n >= 24 && by >= 2 && by <= n - 2)
    add(2 * by == n ? "the halves exchanged" : fmt::format("rolled by {}", std::min(by, n - by)), true,
        [by, n](int e) { return (e + by) % n; });
  return all;
}

std::optional<ChannelFinding> test_order(Windows& w, double neighbours, double far) {
  const std::size_t n = w.n();
  const double span = neighbours - far;
  std::optional<ChannelFinding> best;
  double most = 0.0;
  for (Order& order : orders(w)) {
    const auto channel = [&](std::size_t e) { return static_cast<std::size_t>(order.channel_of[e]); };
    std::vector<char> kept(n, 0);
    double made = 0.0, broken = 0.0;
    std::size_t n_made = 0, n_broken = 0;
    for (std::size_t e = 0; e + 1 < n; ++e) {
      const std::size_t a = channel(e), b = channel(e + 1);
      if (a + 1 == b || b + 1 == a) {
        kept[std::min(a, b)] = 1;
        continue;
      }
      const double g = w.likeness(a, b);
      if (!std::isnan(g)) made += g, ++n_made;
    }
    for (std::size_t e = 0; e + 1 < n; ++e) {
      if (kept[e] != 0) continue;
      const double g = w.likeness(e, e + 1);
      if (!std::isnan(g)) broken += g, ++n_broken;
    }
    if (n_made == 0 || n_broken == 0) continue;
    made /= static_cast<double>(n_made), broken /= static_cast<double>(n_broken);
    // Neighbours of the found order, as those of the stated one may be none.
    const double scale = std::max(span, n_made >= n / 2 ? made - far : span);
    const double gain = scale > 0.0 ? (made - broken) / scale : 0.0;
    const bool joint = !order.rolled || (span > kLeastRolled && broken < far + 0.4 * span && made > far + 0.6 * span);
    if (!joint || made - far < kUnlike || made - broken < kLeastRise || gain < (n_made < kFew ? kSaidFew : kSaid))
      continue;
    if (gain * static_cast<double>(n_made) <= most) continue;
    most = gain * static_cast<double>(n_made);
    best = ChannelFinding{.words = std::move(order.words),
                          .reading = {.channel_of = std::move(order.channel_of)},
                          .stated = broken,
                          .found = made};
  }
  return best;
}

std::optional<ChannelFinding> test_polarity(const Windows& w) {
  const std::size_t n = w.n();
  double first = 0.0, second = 0.0;
  int n_first = 0, n_second = 0;
  std::vector<double> z(n - 1, 0.0);
  for (std::size_t e = 0; e + 1 < n; ++e) {
    if (!w.alive(e) || !w.alive(e + 1)) continue;
    z[e] = w.correlation(e, e + 1);
    first += z[e], ++n_first;
    if (e + 2 < n && w.alive(e + 2)) second += w.correlation(e, e + 2), ++n_second;
  }
  if (n_first == 0 || n_second == 0) return std::nullopt;
  first /= n_first, second /= n_second;
  ChannelFinding finding{.kind = ChannelFinding::Kind::polarity, .stated = first, .found = -first};
  if (first < -0.1 && second > 0.03) {
    finding.words = "every second element inverted";
    for (std::size_t e = 0; e < n; ++e) finding.reading.sign.push_back(e % 2 == 0 ? 1.0F : -1.0F);
    return finding;
  }
  if (first <= 0.2) return std::nullopt;
  std::vector<std::size_t> inverted;
  finding.reading.sign.assign(n, 1.0F);
  for (std::size_t e = 0; e < n; ++e) {
    const bool before = e == 0 || z[e - 1] < -0.5 * first, after = e + 1 == n || z[e] < -0.5 * first;
    if (!before || !after || !w.alive(e)) continue;
    inverted.push_back(e + 1);
    finding.reading.sign[e] = -1.0F;
  }
  if (inverted.empty() || inverted.size() > n / 4) return std::nullopt;
  finding.words =
      fmt::format("{} {} inverted", inverted.size() == 1 ? "element" : "elements", fmt::join(inverted, ", "));
  return finding;
}

}  // namespace

std::vector<ChannelFinding> test_channels(const Acquisition& a, std::span<const std::byte> frame, double centre_hz) {
  constexpr double kNearlyAlike = 0.1;
  if (a.n_elements() < kLeastOrdered || a.n_elements() > kMostOrdered) return {};
  const auto n = static_cast<std::size_t>(a.n_elements()), n_transmits = a.transmits.size();
  Windows w(a, frame, centre_hz, [n](std::size_t t, std::size_t e) { return t * n + e; });
  if (!w.usable()) return {};
  std::vector<double> next, apart;
  for (std::size_t e = 0; e + 1 < n; ++e) next.push_back(w.likeness(e, e + 1));
  for (std::size_t e = 0; e < n - n / 3; ++e) apart.push_back(w.likeness(e, (e + n / 3 + (7 * e) % (n / 3)) % n));
  const double neighbours = median(next), far = median(apart);
  const auto order = test_order(w, neighbours, far);
  const bool unlike = neighbours - far < kUnlike;
  std::vector<ChannelFinding> found;
  if (order) found.push_back(*order);
  if ((order || unlike) && n_transmits > 1 && n_transmits != n) {  // a full matrix is the same by reciprocity
    Windows swapped(a, frame, centre_hz, [n_transmits](std::size_t t, std::size_t e) { return e * n_transmits + t; });
    std::vector<double> other;
    for (std::size_t e = 0; e + 1 < n && swapped.usable(); ++e) other.push_back(swapped.likeness(e, e + 1));
    const double alike = median(other);
    if (order ? alike > std::max(neighbours, order->found - kNearlyAlike) : alike > neighbours + kNearlyAlike)
      found.push_back(
          {.kind = ChannelFinding::Kind::axes, .reading = {.by_element = true}, .stated = neighbours, .found = alike});
  }
  if (!found.empty()) return found;
  if (auto polarity = test_polarity(w)) return {*polarity};
  if (unlike) return {{.kind = ChannelFinding::Kind::unlike, .stated = neighbours, .found = far}};
  return {};
}

UnlikeElements find_unlike_elements(const Acquisition& a, std::span<const std::byte> frame) {
  constexpr double kLeastSpan = 0.1, kLeastShare = 0.4;  // of the way from distant elements to neighbours
  const auto n = static_cast<std::size_t>(a.n_elements());
  UnlikeElements unlike{.elements = std::vector<bool>(n, false)};
  const auto spectrum = measure_spectrum(a, frame);
  if (a.n_elements() < kLeastOrdered || a.n_elements() > kMostOrdered || !spectrum || !(spectrum->center_hz > 0.0))
    return unlike;
  Windows w(a, frame, spectrum->center_hz, [n](std::size_t t, std::size_t e) { return t * n + e; });
  if (!w.usable()) return unlike;
  std::vector<double> near(n, NAN), apart;
  for (std::size_t e = 0; e < n; ++e) {
    for (const std::size_t other : {e - 1, e + 1})
      if (other < n && w.alive(e) && w.alive(other)) near[e] = std::fmax(near[e], w.likeness(e, other));
    apart.push_back(w.likeness(e, (e + n / 3 + (7 * e) % (n / 3)) % n));
  }
  // The upper quartile: up to half of the elements may be unlike.
  std::vector<double> sorted = near;
  std::erase_if(sorted, [](double v) { return std::isnan(v); });
  if (sorted.size() < n / 4) return unlike;
  std::ranges::sort(sorted);
  const double neighbours = sorted[sorted.size() * 3 / 4], far = median(apart);
  if (!(neighbours - far > kLeastSpan)) return unlike;
  double sum = 0.0, others = 0.0;
  std::size_t count = 0;
  for (std::size_t e = 0; e < n; ++e) {
    unlike.elements[e] = !w.alive(e) || near[e] < far + kLeastShare * (neighbours - far);
    (unlike.elements[e] ? sum : others) += std::isnan(near[e]) ? 0.0 : near[e];
    count += unlike.elements[e] ? 1 : 0;
  }
  if (count == 0 || 4 * count > 3 * n) return {.elements = std::vector<bool>(n, false)};
  unlike.likeness = sum / static_cast<double>(count);
  unlike.likeness_of_others = others / static_cast<double>(n - count);
  return unlike;
}

}  // namespace echoloop
