#include "backend/pixel_terms.h"

#include "backend/fp16/packed_plan.h"

namespace echoloop {
namespace {

// Lines and tables are those of the picked transmits; the inspector counts all transmits.
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
    for (int t = 0; t < g_.n_tx; ++t) {
      list.push_back(of_all(pick_, transmit_place(g_, t, ix_, iz_).transmit));
    }
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

  // Real: twice its positive frequencies, as the analytic signal.
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

}  // namespace

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

}  // namespace echoloop
