#include "formats/import/guess_sampling.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "formats/import/guess_time.h"
#include "formats/import/guess_units.h"
#include "formats/import/spellings.h"
#include "formats/import/words.h"

namespace echoloop {
namespace {

class SamplingGuesser {
 public:
  SamplingGuesser(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out)
      : facts_(facts), times_(times), signal_(signal), out_(out) {}

  Sampling found;

  void sampling() {
    double fs_hz = 0.0;
    const FactNumbers* fc = facts_.scalar(Fact::center);
    if (fc == nullptr && !is_iq()) fc = facts_.scalar(Fact::demodulation);  // USTB and CUBDL: of RF as well
    const double stated_hz = fc != nullptr && fc->values[0] > 0.0 ? fc->values[0] * hertz(*fc) : 0.0;
    if (const FactNumbers* const fs = sampling_of_data(); fs != nullptr && fs->values[0] > 0.0) {
      const double factor = sampling_factor(*fs, stated_hz);
      fs_hz = fs->values[0] * factor;
      out_.say("fs_hz", named(*fs, factor),
               words(fs->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::frequency)));
    } else if (times_ != nullptr) {
      const double step =
          (times_->values.back() - times_->values.front()) / static_cast<double>(times_->values.size() - 1);
      const double factor = times_factor(*times_, stated_hz);
      fs_hz = 1.0 / (step * factor);
      out_.say("time_s", named(*times_, factor),
               words(times_->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else if (const FactNumbers* const dt = facts_.scalar(Fact::sample_step); dt != nullptr && dt->values[0] > 0.0) {
      const double factor = step_factor(*dt, dt->values[0], stated_hz);
      fs_hz = 1.0 / (dt->values[0] * factor);
      out_.say("fs_hz", dt->literal ? Json(fs_hz) : Json(words(1.0 / factor, " / ", dt->path)),
               words(dt->path, ", ", fs_hz * 1e-6, " MHz", unit_note(factor, Quantity::duration)));
    } else {
      out_.miss("fs_hz", "sampling frequency");
    }
    if (stated_hz > 0.0) {
      const double factor = hertz(*fc);
      found.center_hz = fc->values[0] * factor;
      out_.say("fc_hz", named(*fc, factor),
               words(fc->path, ", ", found.center_hz * 1e-6, " MHz", unit_note(factor, Quantity::frequency)),
               "center_hz");
    } else if (fs_hz > 0.0 && !is_iq()) {
      out_.measure_center = true;
    } else if (const FactNumbers* const f = facts_.scalar(Fact::demodulation); f != nullptr && f->values[0] > 0.0) {
      found.center_hz = f->values[0] * hertz(*f);
      out_.assume("fc_hz", named(*f, hertz(*f)), words("IQ demodulated at the centre frequency, ", f->path),
                  "center_hz");
    } else if (fs_hz > 0.0) {
      out_.miss("fc_hz", "centre frequency");
    }
    found.fs_hz = fs_hz;
    speed();
    if (is_iq()) demodulation();
    band_and_rate();
  }

 private:
  [[nodiscard]] bool is_iq() const { return signal_ == SignalKind::iq; }
  // Of ARRUS that of the data, after decimation; of two with one name neither is more likely.
  const FactNumbers* sampling_of_data() {
    if (const FactNumbers* const of_data = facts_.first(Fact::sampling, [](const FactNumbers& c) {
          return c.values.size() == 1 && c.path.find("data_char") != std::string::npos;
        }))
      return of_data;
    const FactNumbers* const fs = facts_.scalar(Fact::sampling);
    if (fs == nullptr) return nullptr;
    const FactNumbers* const other = facts_.first(Fact::sampling, [&](const FactNumbers& c) {
      return c.values.size() == 1 && plain_name(c.path) == plain_name(fs->path) && c.values[0] != fs->values[0];
    });
    if (other != nullptr)
      out_.miss("fs_hz", words("choice of the sampling frequency (", fs->path, " = ", fs->values[0], ", ", other->path,
                               " = ", other->values[0], ")"));
    return fs;
  }

  // Of a number without a unit that the times of the samples contradict: the unit that fits them. Times are certain
  // with a unit, or where they can only be seconds; others where the number would be below the centre frequency.
  double sampling_factor(const FactNumbers& fs, double stated_hz) {
    const double by_name = hertz(fs), said_hz = fs.values[0] * by_name;
    if (times_ == nullptr) return by_name;
    const double step =
        (times_->values.back() - times_->values.front()) / static_cast<double>(times_->values.size() - 1);
    const double of_times = times_factor(*times_, stated_hz), axis_hz = 1.0 / (step * of_times);
    const auto fits = [&](double hz) { return std::abs(hz / axis_hz - 1.0) < 0.01; };
    const bool certain = times_->named.unit != NamedUnit::none || of_times == 1.0;
    if (fits(said_hz) || !(certain || said_hz < stated_hz)) return by_name;
    for (const double factor : {1.0, 1e3, 1e6, 1e9})
      if (fs.named.unit == NamedUnit::none && fits(fs.values[0] * factor)) return factor;
    out_.miss("fs_hz", words("choice of the sampling frequency (", fs.path, ": ", said_hz * 1e-6, " MHz, the steps of ",
                             times_->path, ": ", axis_hz * 1e-6, " MHz)"));
    return by_name;
  }

  void speed() {
    const FactNumbers* const c = facts_.scalar(Fact::speed);
    const FactNumbers* const map =
        c != nullptr ? c : facts_.first(Fact::speed, [](const FactNumbers&) { return true; });
    double value = c == nullptr ? 0.0 : c->values[0];
    if (value >= 300.0 && value <= 12'000.0) {
      out_.say("c_m_s", named(*c, 1.0), words(c->path, ", ", value, " m/s"));
    } else if (value >= 0.3 && value <= 12.0) {
      value *= 1e3;
      out_.say("c_m_s", named(*c, 1e3), words(c->path, ", ", value, " m/s, read as mm/us"));
    } else if (value >= 30'000.0 && value <= 1'200'000.0) {
      value *= 1e-2;
      out_.say("c_m_s", named(*c, 1e-2), words(c->path, ", ", value, " m/s, read as cm/s"));
    } else if (map != nullptr && map->values.size() > 1 && std::ranges::min(map->values) >= 300.0) {
      std::vector<double> all = map->values;
      std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
      value = all[all.size() / 2];
      out_.assume(
          "c_m_s", value,
          words("median of ", map->path, ", which has ", std::ranges::min(all), " to ", std::ranges::max(all), " m/s"));
    } else {
      const std::string why =
          c == nullptr ? "not in the file" : words("as ", c->path, " = ", value, " is no speed of sound");
      value = 1540.0;
      out_.assume("c_m_s", value, "1540 m/s, " + why);
    }
    found.speed_m_s = value;
  }

  void demodulation() {
    if (const FactNumbers* const f = facts_.scalar(Fact::demodulation); f != nullptr && f->values[0] > 0.0) {
      out_.say("demod_hz", named(*f, hertz(*f)), words(f->path, ", ", f->values[0] * hertz(*f) * 1e-6, " MHz"));
    } else if (found.center_hz > 0.0) {
      out_.assume("demod_hz", found.center_hz, "IQ demodulated at the centre frequency");
    }
  }

  void band_and_rate() {
    if (const FactNumbers* const bw = facts_.scalar(Fact::bandwidth);
        bw != nullptr && bw->values[0] > 0.0 && found.center_hz > 0.0) {
      const double value = bw->values[0], factor = value <= 2.0     ? found.center_hz
                                                   : value <= 200.0 ? 0.01 * found.center_hz
                                                                    : 1.0;
      out_.say("bandwidth_hz", named(*bw, factor), words(bw->path, ", ", value * factor * 1e-6, " MHz"));
    }
    if (const FactNumbers* const rate = facts_.scalar(Fact::frame_rate); rate != nullptr && rate->values[0] > 0.0) {
      out_.say("frame_rate_hz", named(*rate, 1.0), words(rate->path, ", ", rate->values[0], " Hz"), "frame_rate_hz");
    } else if (const FactNumbers* const prf = facts_.scalar(Fact::transmit_rate);
               prf != nullptr && prf->values[0] > 0.0) {
      out_.say("prf_hz", named(*prf, 1.0), words(prf->path, ", ", prf->values[0], " Hz, taken as transmits a second"),
               "frame_rate_hz");
    }
  }

  const GuessFacts& facts_;
  const FactNumbers* times_;
  SignalKind signal_;
  GuessedDescription& out_;
};

}  // namespace

Sampling guess_sampling(const GuessFacts& facts, const FactNumbers* times, SignalKind signal, GuessedDescription& out) {
  SamplingGuesser guesser(facts, times, signal, out);
  guesser.sampling();
  return guesser.found;
}

}  // namespace echoloop
