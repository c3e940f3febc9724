#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>
#include <vector>

#include "backend/fp16/packed_plan.h"
#include "backend/inspector.h"
#include "backend/plan.h"
#include "core/units.h"
#include "dsp/fir_design.h"
#include "dsp/level.h"
#include "dsp/spectrum.h"

namespace echoloop {
namespace {

// Terms that a pixel is summed from, for every recipe: one interface over dsp/das.h and dsp/course.h.

// Position on the line and weight of a term.
struct TermPlace {
  double sample = 0.0;  // of the raw line
  float weight = 0.0f;
};

class PixelTerms {
 public:
  virtual ~PixelTerms() = default;
  // Returns the transmit of each sum, as an index of the picked ones; -1: none.
  [[nodiscard]] virtual std::vector<int> transmits() const = 0;
  [[nodiscard]] virtual TermPlace place(int sum, int element) const = 0;
  // Returns the element's contribution, read `later_s` after the pixel's own time.
  [[nodiscard]] virtual std::complex<float> term(int sum, int element, double later_s) const = 0;
  // One element's conditioned line, for spectra.
  struct Line {
    std::vector<Complex> samples;
    double rate_hz, demod_hz;
  };
  [[nodiscard]] virtual Line line(int sum, int element) const = 0;
};

// Converts a picked transmit, as in lines and tables, to the inspector's index of all transmits.
int of_all(const TransmitPick& pick, int transmit) {
  return transmit < 0 ? transmit : pick.first + pick.every * transmit;
}

class AnalyticTerms final : public PixelTerms {
 public:
  AnalyticTerms(const Plan& plan, const BandPlan& band, const DasPlan& das, const std::vector<float>& lines, int ix,
                int iz)
      : band_(band),
        pick_(plan.pick),
        g_(das.geometry),
        lines_(reinterpret_cast<const Complex*>(lines.data())),
        raw_per_sample_(plan.acquisition->sampling_hz / band.line_rate_hz),
        at_(place_of(g_, ix, iz)),
        ix_(ix),
        iz_(iz) {}

  [[nodiscard]] std::vector<int> transmits() const override {
    std::vector<int> list;
    for (int t = 0; t < g_.n_tx; ++t) list.push_back(of_all(pick_, transmit_place(g_, t, ix_, iz_).transmit));
    return list;
  }

  [[nodiscard]] TermPlace place(int sum, int element) const override {
    const TransmitPlace tx = transmit_place(g_, sum, ix_, iz_);
    const ReceiveTerm rx = receive_term(g_, g_.elements[element], at_);
    const double sample = static_cast<double>(tx.base) + static_cast<double>(tx.excess + rx.excess);
    return {sample * raw_per_sample_, rx.weight};
  }

  [[nodiscard]] std::complex<float> term(int sum, int element, double later_s) const override {
    const TransmitPlace tx = transmit_place(g_, sum, ix_, iz_);
    ReceiveTerm rx = receive_term(g_, g_.elements[element], at_);
    if (tx.transmit < 0 || rx.weight == 0.0f) return {};
    rx.excess += static_cast<float>(later_s * band_.line_rate_hz);
    const Complex* line = lines_ + (static_cast<std::ptrdiff_t>(tx.transmit) * g_.n_el + element) * g_.n_line;
    const Complex value = transmit_rotor(g_, sum, ix_, iz_, tx.excess) *
                          (receive_rotor(g_, rx) * interpolate(line, g_.n_valid, tx.base, tx.excess + rx.excess));
    return {value.re, value.im};
  }

  [[nodiscard]] Line line(int sum, int element) const override {
    const std::ptrdiff_t transmit = transmit_place(g_, sum, ix_, iz_).transmit;
    const Complex* first = lines_ + (transmit * g_.n_el + element) * g_.n_line;
    return {{first, first + g_.n_valid}, band_.line_rate_hz, band_.demod_hz};
  }

 private:
  const BandPlan& band_;
  TransmitPick pick_;
  const DasGeometry& g_;
  const Complex* lines_;
  double raw_per_sample_;
  PixelPlace at_;
  int ix_, iz_;
};

class CourseTerms final : public PixelTerms {
 public:
  CourseTerms(const Plan& plan, const std::vector<float>& lines, int ix, int iz)
      : pick_(plan.pick), g_(plan.course->geometry), lines_(lines.data()), x_(g_.x_m[ix]), z_(g_.z_m[iz]) {}

  [[nodiscard]] std::vector<int> transmits() const override {
    std::vector<int> list;
    for (int t = 0; t < g_.n_tx; ++t) list.push_back(of_all(pick_, t));
    return list;
  }

  [[nodiscard]] TermPlace place(int sum, int element) const override { return {position(sum, element), 1.0f}; }

  [[nodiscard]] std::complex<float> term(int sum, int element, double later_s) const override {
    return course_sample(g_, lines_, sum, element, position(sum, element) + later_s * g_.sampling_hz);
  }

  // Returns a real line: twice its positive frequencies, as in the analytic signal.
  [[nodiscard]] Line line(int sum, int element) const override {
    Line line{{}, g_.sampling_hz, 0.0};
    const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(sum) * g_.n_el + element) * g_.n_samples;
    for (int k = 0; k < g_.n_samples; ++k) line.samples.push_back({2.0f * lines_[first + k], 0.0f});
    return line;
  }

 private:
  [[nodiscard]] double position(int t, int e) const {
    return course_position(g_, t, e, z_ * g_.tx_cos[t] + x_ * g_.tx_sin[t], x_, z_);
  }

  TransmitPick pick_;
  const CourseGeometry& g_;
  const float* lines_;
  double x_, z_;
};

// Terms of pixel (ix, iz) of the beamformed grid. `lines` as read back from a lane with this plan; both must outlive
// the result. Their size shows whether the lane worked in half precision.
std::unique_ptr<PixelTerms> make_pixel_terms(const Plan& plan, const std::vector<float>& lines, int ix, int iz) {
  if (plan.course != nullptr) return std::make_unique<CourseTerms>(plan, lines, ix, iz);
  const Acquisition& a = *plan.formed;
  const std::size_t pairs = a.transmits.size() * a.probe.elements.size() * 2;
  const bool packed =
      plan.packed != nullptr && lines.size() == pairs * static_cast<std::size_t>(plan.packed->band->n_out);
  return packed ? std::make_unique<AnalyticTerms>(plan, *plan.packed->band, *plan.packed->das, lines, ix, iz)
                : std::make_unique<AnalyticTerms>(plan, *plan.band, *plan.das, lines, ix, iz);
}

const Grid& beamformed_grid(const Plan& plan) { return plan.course != nullptr ? plan.grid : plan.das->tables->grid; }

constexpr double kPeriodsAbout = 4.0;                   // of the pulse, on each side of the pixel's time
constexpr int kStepsInPeriod = 12;                      // so that the waves look smooth
constexpr std::size_t kMostRaw = std::size_t{1} << 21;  // values of the raw map
constexpr int kSpectrumPoints = 192;
constexpr double kSegmentSamples = 256.0;

float value_at(const std::byte* samples, SampleType type, std::size_t at) {
  if (type == SampleType::int16) {
    std::int16_t v = 0;
    std::memcpy(&v, samples + at * sizeof v, sizeof v);
    return static_cast<float>(v);
  }
  float v = 0.0f;
  std::memcpy(&v, samples + at * sizeof v, sizeof v);
  return valid_sample(v);
}

std::size_t line_start(const Acquisition& a, int transmit, int element) {
  const auto line = static_cast<std::size_t>(transmit) * a.probe.elements.size() + static_cast<std::size_t>(element);
  return line * static_cast<std::size_t>(a.n_samples) * static_cast<std::size_t>(a.values_per_sample());
}

// Chooses the samples of the map: the curve with a margin before and after.
void choose_samples(Inspection& i, const Acquisition& a) {
  double low = a.n_samples, high = 0.0;
  for (const InspectedChannel& c : i.channels) {
    if (c.weight == 0.0f) continue;
    low = std::min(low, c.sample);
    high = std::max(high, c.sample);
  }
  if (low > high) low = 0.0, high = a.n_samples;  // no element sees the pixel
  const double periods = 16.0 * a.sampling_hz / a.center_hz;
  const double about = std::max({0.5 * (high - low), periods, 24.0});
  const auto most = static_cast<int>(std::max<std::size_t>(kMostRaw / i.channels.size(), 2));
  const int first = static_cast<int>(std::clamp(std::floor(low - about), 0.0, a.n_samples - 1.0));
  const int last = static_cast<int>(std::clamp(std::ceil(high + about), 0.0, a.n_samples - 1.0));
  i.raw.count = std::min(last - first + 1, most);
  i.raw.first = first + (last - first + 1 - i.raw.count) / 2;
}

void take_raw(Inspection& i, const Acquisition& a, const RfFrame& frame) {
  choose_samples(i, a);
  const auto step = static_cast<std::size_t>(a.values_per_sample());
  for (int e = 0; e < a.n_elements(); ++e) {
    const std::size_t first = line_start(a, i.transmit, e) + static_cast<std::size_t>(i.raw.first) * step;
    for (int k = 0; k < i.raw.count; ++k)
      i.raw.values.push_back(value_at(frame.samples.data(), a.sample_type, first + static_cast<std::size_t>(k) * step));
  }
}

void take_channels(Inspection& i, const Acquisition& a, const PixelTerms& terms, int sum) {
  const int half = static_cast<int>(kPeriodsAbout * kStepsInPeriod);
  i.aligned.count = 2 * half + 1;
  i.aligned.step_s = 1.0 / (a.center_hz * kStepsInPeriod);
  for (int e = 0; e < a.n_elements(); ++e) {
    const TermPlace place = terms.place(sum, e);
    i.channels.push_back({place.sample, place.weight, terms.term(sum, e, 0.0)});
    for (int k = -half; k <= half; ++k) i.aligned.values.push_back(terms.term(sum, e, k * i.aligned.step_s).real());
  }
}

double decibels(double magnitude, double reference_db) {
  return static_cast<double>(to_db(static_cast<float>(magnitude), static_cast<float>(reference_db)));
}

void compare_sums(Inspection& i, const PixelInspection& w, const PixelTerms& terms) {
  const auto n_el = static_cast<int>(i.channels.size());
  std::complex<double> sum = 0.0;
  const int n_sums = static_cast<int>(terms.transmits().size());
  for (int s = 0; s < n_sums; ++s)
    for (int e = 0; e < n_el; ++e) sum += std::complex<double>(terms.term(s, e, 0.0));
  const Grid& grid = beamformed_grid(w.plan);
  const auto at = static_cast<std::size_t>(i.iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(i.ix);
  std::complex<double> pixel = 0.0;
  if (w.plan.course != nullptr)
    pixel = static_cast<double>(w.pixels[at]);
  else
    pixel = {static_cast<double>(w.pixels[2 * at]), static_cast<double>(w.pixels[2 * at + 1])};
  i.level.pixel_db = decibels(std::abs(pixel), w.reference_db);
  i.level.sum_db = decibels(std::abs(sum), w.reference_db);
  i.level.error = std::abs(sum - pixel) / std::max(std::abs(pixel), static_cast<double>(kMagnitudeFloor));
}

void take_line(Inspection& i, const PixelInspection& w) {
  const Grid& grid = beamformed_grid(w.plan);
  for (int iz = 0; iz < grid.nz; ++iz) {
    const auto at = static_cast<std::size_t>(iz) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(i.ix);
    const float level = w.plan.course != nullptr ? w.envelope[at] : magnitude({w.pixels[2 * at], w.pixels[2 * at + 1]});
    i.line.db.push_back(to_db(level, static_cast<float>(w.reference_db)));
  }
  // Depths of a sector: along the line straight down.
  i.line.first_m = grid.polar() ? grid.sector.apex_z_m + grid.sector.r0_m : grid.z0_m;
  i.line.last_m = grid.polar() ? grid.sector.apex_z_m + grid.sector.r1_m : grid.z1_m;
}

int nearest_element(const Acquisition& a, PlanePoint at) {
  int nearest = 0;
  const auto distance = [&](int e) {
    const Element& element = a.probe.elements[static_cast<std::size_t>(e)];
    return std::hypot(element.x_m - at.x_m, element.z_m - at.z_m);
  };
  for (int e = 1; e < a.n_elements(); ++e)
    if (distance(e) < distance(nearest)) nearest = e;
  return nearest;
}

PixelTerms::Line raw_line(const Acquisition& a, const RfFrame& frame, int transmit, int element) {
  const bool iq = a.signal == SignalKind::iq;
  PixelTerms::Line line{{}, a.sampling_hz, iq ? a.demod_hz : 0.0};
  const std::size_t first = line_start(a, transmit, element);
  const auto value = [&](std::size_t k) { return value_at(frame.samples.data(), a.sample_type, first + k); };
  double mean = 0.0;
  const auto n = static_cast<std::size_t>(a.n_samples);
  for (std::size_t k = 0; k < n; ++k) {
    line.samples.push_back(iq ? Complex{value(2 * k), value(2 * k + 1)} : Complex{2.0f * value(k), 0.0f});
    mean += static_cast<double>(line.samples.back().re) / static_cast<double>(n);
  }
  if (!iq)  // DC, removed by the filter as well
    for (Complex& v : line.samples) v.re -= static_cast<float>(mean);
  return line;
}

float response_db(const Plan& plan, double f_hz) {
  double gain = 0.0;
  if (plan.course != nullptr) {
    std::complex<double> sum = 0.0;
    for (std::size_t k = 0; k < plan.course->taps.size(); ++k) {
      const double turns = f_hz / plan.acquisition->sampling_hz * static_cast<double>(k);
      sum += static_cast<double>(plan.course->taps[k]) * std::polar(1.0, 2.0 * kPi * turns);
    }
    gain = std::abs(sum);
  } else {
    gain = band_response(f_hz, plan.params.formation.band_low_hz, plan.params.formation.band_high_hz);
  }
  return static_cast<float>(20.0 * std::log10(std::max(gain, 1e-10)));
}

void take_spectra(Inspection& i, const PixelInspection& w, const PixelTerms& terms, int sum) {
  const Acquisition& a = *w.plan.acquisition;
  const bool course = w.plan.course != nullptr;
  i.spectra.element = nearest_element(a, i.at);
  i.spectra.band_low_hz = course ? kCourseLowHz : w.plan.params.formation.band_low_hz;
  i.spectra.band_high_hz = course ? kCourseHighHz : w.plan.params.formation.band_high_hz;
  // Range of RF: the Nyquist zone that holds the pulse; of IQ: all.
  const bool iq = a.signal == SignalKind::iq;
  const double span_hz = iq ? a.sampling_hz : 0.5 * a.sampling_hz;
  i.spectra.first_hz = iq ? a.demod_hz - 0.5 * a.sampling_hz : std::floor(a.center_hz / span_hz) * span_hz;
  i.spectra.step_hz = span_hz / (kSpectrumPoints - 1);
  const double segment_s = kSegmentSamples / a.sampling_hz;
  const auto spectrum = [&](const PixelTerms::Line& line) {
    return power_spectrum_db({line.samples, line.rate_hz, line.demod_hz}, segment_s, i.spectra.first_hz,
                             i.spectra.step_hz, kSpectrumPoints);
  };
  i.spectra.raw_db = spectrum(raw_line(a, w.frame, i.transmit, i.spectra.element));
  const PixelTerms::Line filtered = terms.line(sum, i.spectra.element);
  i.spectra.filtered_db = spectrum(filtered);
  const float top = *std::max_element(i.spectra.raw_db.begin(), i.spectra.raw_db.end());
  for (int k = 0; k < kSpectrumPoints; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double f_hz = i.spectra.first_hz + k * i.spectra.step_hz;
    // Filtered lines hold half a sampling rate on each side of their centre; beyond, the spectrum repeats.
    const bool held = std::abs(f_hz - filtered.demod_hz) <= 0.5 * filtered.rate_hz || course;
    i.spectra.raw_db[at] -= top;
    i.spectra.filtered_db[at] = held ? i.spectra.filtered_db[at] - top : -300.0f;
    i.spectra.response_db.push_back(response_db(w.plan, f_hz));
  }
}

}  // namespace

std::shared_ptr<const Inspection> inspect_pixel(const PixelInspection& w) {
  const Acquisition& a = *w.plan.acquisition;
  const Grid& grid = beamformed_grid(w.plan);
  auto made = std::make_shared<Inspection>();
  Inspection& i = *made;
  i.stamp = w.frame.stamp;
  i.asked = w.at;
  const GridPlace place = grid.place(w.at.x_m, w.at.z_m);
  i.ix = std::clamp(static_cast<int>(std::lround(place.column)), 0, grid.nx - 1);
  i.iz = std::clamp(static_cast<int>(std::lround(place.row)), 0, grid.nz - 1);
  i.at = grid.point(i.ix, i.iz);
  const std::unique_ptr<PixelTerms> terms = make_pixel_terms(w.plan, w.lines, i.ix, i.iz);
  const std::vector<int> transmits = terms->transmits();
  for (const int t : transmits)
    if (t >= 0) i.summed.push_back(t);
  if (i.summed.empty()) return nullptr;
  const bool known = std::find(i.summed.begin(), i.summed.end(), w.transmit) != i.summed.end();
  i.transmit = known ? w.transmit : i.summed[i.summed.size() / 2];
  const auto sum = static_cast<int>(std::find(transmits.begin(), transmits.end(), i.transmit) - transmits.begin());
  i.first_s = a.transmits[static_cast<std::size_t>(i.transmit)].t0_s;
  i.sampling_hz = a.sampling_hz;
  i.raw.iq = a.signal == SignalKind::iq;
  take_channels(i, a, *terms, sum);
  take_raw(i, a, w.frame);
  compare_sums(i, w, *terms);
  take_line(i, w);
  take_spectra(i, w, *terms, sum);
  i.method = inspect_method(w.plan, reinterpret_cast<const Complex*>(w.lines.data()), i.ix, i.iz, sum);
  return made;
}

}  // namespace echoloop
