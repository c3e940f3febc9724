#include "app/doubts/find_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include "app/doubts/channel_tests.h"
#include "app/doubts/fact_search.h"
#include "core/grid.h"
#include "core/units.h"
#include "formats/base/echo_spectrum.h"
#include "formats/base/library_recording.h"

namespace echoloop {
namespace {

constexpr double kGain = 1.4, kGainSmooth = 1.27;  // smooth: of scale and time, whose neighbours confirm a gain
constexpr double kGainKind = 3.0;                  // beams beside waves: fewer pairs of channels
constexpr double kLeastFound = 0.08, kLeastFoundOne = 0.15;
constexpr double kLeastOverChance = 3.0;
constexpr double kNoAgreement = 0.012, kNoAgreementTransmits = 0.15;
constexpr double kLeastOfAssumed = 0.15;  // error of a centre frequency that is assumed
constexpr double kAlike = 1.2;            // largest ratio of two explanations that count as equal
constexpr double kLeastShift_s = 1.2e-6, kMostShift_s = 18e-6, kMostScale = 0.78;  // a gain at an end is no finding

std::string in_place_of(const Agreement& found, const Agreement& stated) {
  return fmt::format("the channels agree {:.2f} in place of {:.2f}", std::max(found.channels, 0.0),
                     std::max(stated.channels, 0.0));
}

std::string cure_text(const nlohmann::json& patch) {
  if (patch.empty()) return {};
  if (patch.size() == 1 && patch.contains("fc_hz"))
    return fmt::format("--set center_hz={:.3g}", patch["fc_hz"].get<double>());
  if (patch.size() == 1 && patch.contains("c_m_s"))
    return fmt::format("--set sound_speed_m_s={:.0f}", patch["c_m_s"].get<double>());
  std::string text;
  for (const auto& [key, value] : patch.items()) text += (text.empty() ? "\"" : ", \"") + key + "\": " + value.dump();
  return text + " in a description";
}

// Names the fact of a scale k (a factor on the sound speed) and what the spectrum says of the sampling frequency.
// `of_rate`: quality relative to that of the best sound speed.
FactDoubt scale_doubt(const StatedFacts& stated, const Trial& best, double rho, double of_rate) {
  const Acquisition& a = stated.a;
  const bool by_rate = best.change.family == Family::rate, by_pitch = best.change.family == Family::pitch;
  double k = by_rate ? 1.0 / best.change.rate : by_pitch ? 1.0 / best.change.pitch : best.change.scale;
  FactDoubt doubt{.fact = "scale"};
  const auto choose = [&](const char* fact, const char* key, double value, const std::string& words) {
    doubt.fact = fact;
    doubt.patch = {{key, value}};
    doubt.text = words;
  };
  // Twice and half are common mistakes, and more precise than the measure.
  for (const double common : {0.5, 2.0})
    if (std::abs(k / common - 1.0) < 0.07) k = common;
  const double c = a.sound_speed_m_s, fits = k * c;
  const auto tissue = [](double v) { return v >= 1400.0 && v <= 1650.0; };
  const bool named_rate = (by_rate && of_rate > kAlike) || std::abs(rho / k - 1.0) < 0.1 ||
                          (rho / k > 0.68 && rho / k < 1.3 && (rho < 0.7 || rho > 1.4));
  const bool other_speed = (tissue(fits) && !tissue(c)) || std::abs(k - 1.0) <= 0.12;
  const bool other_pitch = std::abs(k - 0.5) < 0.03 || std::abs(k - 2.0) < 0.08;
  if (named_rate && (by_rate || std::abs(k - 1.0) > 0.12)) {
    choose("fs_hz", "fs_hz", a.sampling_hz / k,
           fmt::format("The sampling frequency of {:.4g} MHz contradicts the echoes: with {:.4g} MHz",
                       a.sampling_hz * 1e-6, a.sampling_hz / k * 1e-6));
  } else if (by_pitch || (other_pitch && !other_speed)) {
    choose("pitch", "pitch_m", a.probe.pitch_m / k,
           fmt::format("The pitch of {:.4g} mm contradicts the echoes: with {:.4g} mm", a.probe.pitch_m * 1e3,
                       a.probe.pitch_m / k * 1e3));
  } else if (other_speed && !by_rate) {
    choose("c", "c_m_s", std::round(fits),
           fmt::format("The sound speed of {:.0f} m/s contradicts the echoes: with {:.0f} m/s", c, fits));
  } else {
    doubt.readings = {"pitch", "sound speed", "sampling frequency"};
    doubt.text = fmt::format(
        "Pitch, sound speed or sampling frequency contradict the echoes, in which pitch x fs / c is {:.3g} times {}",
        k > 1.0 ? k : 1.0 / k, k > 1.0 ? "smaller" : "larger");
  }
  return doubt;
}

FactDoubt doubt_of(const StatedFacts& stated, const Trial& best, double rho, double of_rate) {
  FactDoubt doubt;
  const Change& c = best.change;
  switch (c.family) {
    case Family::none:
    case Family::scale:
    case Family::rate:
    case Family::pitch:
      return scale_doubt(stated, best, rho, of_rate);
    case Family::t0:
      doubt = {.fact = "t0_s",
               .text = fmt::format("The time of sample 0 contradicts the echoes: {:+.2f} us later", c.shift_s * 1e6)};
      break;
    case Family::event:
      doubt = {.fact = "t_zero",
               .text = fmt::format("Time 0 at {} contradicts the echoes: at {}", event_words(stated.event), c.words)};
      break;
    case Family::side:
      doubt = {.fact = "side",
               .text = "The sides of transmits and elements contradict each other: with " + c.words,
               .readings = {"transmits mirrored", "elements reversed", "transmits in reversed order"}};
      break;
    case Family::order:
      doubt = {.fact = "tx", .text = "The order of the transmits contradicts the echoes: " + c.words};
      break;
    case Family::angles:
      doubt = {.fact = "angles", .text = "The angles contradict the echoes: " + c.words};
      break;
    case Family::kind:
      doubt = {.fact = "kind", .text = "The kind of the transmits contradicts the echoes: as " + c.words + " waves"};
      break;
    case Family::polarity:
      doubt = {.fact = "element_sign", .text = "The polarity of the elements contradicts the echoes: with " + c.words};
      break;
    case Family::demod:
      doubt = {.fact = "demod_hz",
               .text = fmt::format("Demodulation at {:.4g} MHz contradicts the echoes: with {:.4g} MHz",
                                   stated.a.demod_hz * 1e-6, c.demod_hz * 1e-6)};
      break;
    case Family::samples:
      doubt = {.fact = c.reading.time_reversed ? "time_reversed" : "conjugate",
               .text = "The samples contradict the echoes' geometry: with " + c.words};
      break;
  }
  doubt.patch = c.patch(stated);
  doubt.mirrored = c.mirrored && !c.event;
  return doubt;
}

// Stated facts with the measured centre of the echoes.
struct Echoes {
  double centre_hz = 0.0, low_hz = 0.0, high_hz = 0.0;
  double rho = 1.0;     // centre / stated centre
  bool folded = false;  // RF sampled on purpose below twice its frequency
};

std::optional<Echoes> measure_echoes(const Acquisition& a, std::span<const std::byte> frame) {
  const auto measured = measure_spectrum(a, frame);
  if (!measured || !(measured->center_hz > 0.0)) return std::nullopt;
  Echoes echoes{measured->center_hz, measured->low_hz, measured->high_hz, measured->center_hz / a.center_hz, false};
  const double alias_hz = std::abs(a.center_hz - a.sampling_hz * std::round(a.center_hz / a.sampling_hz));
  if (a.signal == SignalKind::rf && a.sampling_hz < 2.2 * a.center_hz &&
      std::abs(alias_hz - echoes.centre_hz) < 0.15 * a.center_hz)
    echoes.centre_hz = a.center_hz, echoes.rho = 1.0, echoes.folded = true;
  return echoes;
}

class Doubter {
 public:
  Doubter(const StatedFacts& stated, std::span<const std::byte> frame, const Echoes& echoes)
      : stated_(stated), frame_(frame), echoes_(echoes), one_(stated.a.n_transmits() == 1) {}

  std::vector<FactDoubt> run() {
    if (!test_without_delays()) return std::move(doubts_);
    const Trial plain = search_facts(stated_);
    if (doubts_.empty() && !one_ && plain.agreement.channels < kNoAgreement &&
        plain.agreement.transmits < kNoAgreementTransmits) {
      // A narrower aperture, if distances are stated twice too large.
      StatedFacts half = stated_;
      half.a.sound_speed_m_s *= 0.5;
      search_facts(half);
    }
    test_spectrum();
    if (doubts_.empty() && !one_ && plain.agreement.channels < kNoAgreement &&
        plain.agreement.transmits < kNoAgreementTransmits && most_ < kLeastFound)
      doubts_.push_back(
          {.fact = "unknown",
           .text = fmt::format("The channels do not agree under the stated facts ({:.2f}; recordings with right facts "
                               "reach 0.1 to 0.6)",
                               std::max(plain.agreement.channels, 0.0)),
           .stated = plain.agreement.channels,
           .found = most_});
    return std::move(doubts_);
  }

 private:
  // Returns false if nothing else can be tested.
  bool test_without_delays() {
    const std::vector<ChannelFinding> all = test_channels(stated_.a, frame_, echoes_.centre_hz);
    if (all.empty()) return true;
    const auto quality = [&](const ChannelFinding& one) {
      return FactSearch(stated_, frame_, echoes_.centre_hz, one.reading).trial({}).quality();
    };
    const ChannelFinding* const found = all.size() == 1 || quality(all[0]) >= quality(all[1]) ? &all[0] : &all[1];
    FactDoubt doubt{.stated = found->stated, .found = found->found};
    switch (found->kind) {
      case ChannelFinding::Kind::order:
        doubt.fact = "element_order";
        doubt.text = fmt::format(
            "The order of the elements contradicts the echoes, {}: neighbours are alike {:.2f} in place of {:.2f}",
            found->words, found->found, found->stated);
        break;
      case ChannelFinding::Kind::polarity:
        if (!is_confirmed(found->reading)) return true;
        doubt.fact = "element_sign";
        doubt.text = fmt::format("The polarity of the elements contradicts the echoes: {}", found->words);
        break;
      case ChannelFinding::Kind::axes:
        doubt.fact = "axes";
        doubt.text = fmt::format(
            "The axes contradict the echoes: read as [element, transmit, time], neighbouring elements are alike {:.2f} "
            "in place of {:.2f}",
            found->found, found->stated);
        doubt.patch = {{"axes", {"element", "transmit", "time"}}};
        if (stated_.a.signal == SignalKind::iq) doubt.patch["axes"].push_back("iq");
        doubt.cure = cure_text(doubt.patch);
        doubts_.push_back(std::move(doubt));
        return false;
      case ChannelFinding::Kind::unlike:
        if (FactSearch(stated_, frame_, echoes_.centre_hz, {}).trial({}).agreement.channels > kNoAgreement) return true;
        doubt.fact = "axes";
        doubt.text = fmt::format(
            "Neighbouring elements are no more alike than distant ones ({:.2f} and {:.2f}): axes, or "
            "another order of the elements",
            found->stated, found->found);
        doubts_.push_back(std::move(doubt));
        return false;
    }
    reading_ = found->reading;
    doubt.patch = Change{.reading = reading_}.patch(stated_);
    doubt.cure = cure_text(doubt.patch);
    doubts_.push_back(std::move(doubt));
    return true;
  }

  // Returns true if the channels agree with this polarity only: echoes from the side of a wide pitch also have
  // neighbours of opposite sign.
  bool is_confirmed(const SampleReading& reading) const {
    double found = 0.0, stated = 0.0;
    const FactSearch with(stated_, frame_, echoes_.centre_hz, reading), without(stated_, frame_, echoes_.centre_hz, {});
    for (const double us : {0.0, -0.7, 0.7}) {
      const Change change{.shift_s = us * 1e-6};
      found = std::max(found, with.trial(change).quality());
      stated = std::max(stated, without.trial(change).quality());
    }
    return found > kGain * stated && found > (one_ ? 0.03 : 0.003);
  }

  // Adds a doubt for the best other facts. Returns the trial of the stated ones.
  Trial search_facts(const StatedFacts& aperture) {
    StatedFacts stated = stated_;
    FactSearch search(stated, aperture, frame_, echoes_.centre_hz, reading_);
    for (const double us : {0.0, -0.5, 0.5, -1.0, 1.0}) search.add(search.trial({.shift_s = us * 1e-6}));
    const Trial plain = search.trials().front();
    search.try_all(first_changes(stated, echoes_.rho));
    search.refine(Family::scale, {0.03, 0.015});
    search.refine(Family::rate, {0.04, 0.02});
    search.refine(Family::pitch, {0.04, 0.02});
    search.refine(Family::t0, {1.2, 0.6, 0.3});
    search.refine(Family::angles, {0.12, 0.06});
    search.refine(Family::kind, {0.1, 0.05});
    search.refine(Family::demod, {0.025});
    search.shift_finalists();
    const Trial base = *search.best_of(Family::none);
    for (const Trial& best : search.finalists()) {
      most_ = std::max(most_, best.agreement.channels);
      if (speaks(search, best, base) && say(stated, search, best, base)) return plain;
    }
    if (most_ > kLeastFound || plain.agreement.channels > 0.05) return plain;
    search.try_all(beam_changes(stated));
    search.refine(Family::kind, {0.1, 0.05});
    const Trial* const beams = search.best_of(Family::kind);
    if (beams != nullptr && beams->change.kind && speaks(search, *beams, base)) say(stated, search, *beams, base);
    return plain;
  }

  [[nodiscard]] bool speaks(const FactSearch& search, const Trial& best, const Trial& base) const {
    const Agreement& found = best.agreement;
    const double gain = best.quality() / base.quality();
    const Change& c = best.change;
    if (one_) {
      const bool polarity = c.family == Family::polarity && gain > 3.0 && found.channels > 0.03;
      return polarity || (gain >= kGain && found.channels >= kLeastFoundOne);
    }
    // The best of many trials of unrelated channels reaches 1 to 2 over their number.
    if (found.channels * found.per_pixel < kLeastOverChance) return false;
    const bool clear =
        found.channels >= kLeastFound || (found.channels >= 0.03 && found.transmits >= 0.3 && gain >= 3.0);
    if (!clear) return false;
    if (c.kind == TransmitKind::focused || (c.kind && all_focused(stated_.a))) return gain >= kGainKind;
    const bool smooth =
        c.family == Family::scale || c.family == Family::rate || c.family == Family::pitch || c.family == Family::t0;
    if (gain < (smooth ? kGainSmooth : kGain)) return false;
    if (c.family == Family::t0) return std::abs(search.vertex(Family::t0, shift_us, 5.0)) >= kLeastShift_s * 1e6;
    if (c.family == Family::scale) return std::abs(c.scale - 1.0) > 0.028;
    if (c.family == Family::demod) return best.quality() > kGainSmooth * search.best_of(Family::scale)->quality();
    return true;
  }

  static double shift_us(const Change& c) { return c.shift_s * 1e6; }

  // Measures the neighbours of the best facts with the aperture that follows them, and takes the middle of their curve.
  Trial polished(const StatedFacts& stated, const Trial& top) const {
    const Change& best = top.change;
    struct Fine {
      Family family;
      double step;
      double (*place)(const Change&);
      void (*move)(Change&, double);
    };
    static constexpr Fine kFine[] = {{Family::scale, 0.015, [](const Change& c) { return std::log(c.scale); },
                                      [](Change& c, double by) { c.scale *= std::exp(by); }},
                                     {Family::rate, 0.015, [](const Change& c) { return std::log(c.rate); },
                                      [](Change& c, double by) { c.rate *= std::exp(by); }},
                                     {Family::pitch, 0.015, [](const Change& c) { return std::log(c.pitch); },
                                      [](Change& c, double by) { c.pitch *= std::exp(by); }},
                                     {Family::demod, 0.015, [](const Change& c) { return std::log(c.demod_hz); },
                                      [](Change& c, double by) { c.demod_hz *= std::exp(by); }},
                                     {Family::t0, 1.0, shift_us, [](Change& c, double by) { c.shift_s += by * 1e-6; }}};
    for (const Fine& fine : kFine) {
      if (fine.family != best.family) continue;
      FactSearch search(stated, StatedFacts(best.apply(stated), best.event.value_or(stated.event)), frame_,
                        echoes_.centre_hz, reading_);
      std::vector<Change> around;
      for (int k = -5; k <= 5; ++k) {
        around.push_back(best);
        fine.move(around.back(), k * fine.step);
      }
      search.try_all(around);
      // The middle of what reaches 0.75 of the largest value: steadier than the largest.
      const double most = search.best_of(best.family)->quality();
      double sum = 0.0, moved = 0.0;
      for (const Trial& t : search.trials()) {
        const double weight = std::max(t.quality() / most - 0.75, 0.0);
        sum += weight, moved += weight * (fine.place(t.change) - fine.place(best));
      }
      Trial middle = *search.best_of(best.family);
      middle.change = best;
      fine.move(middle.change, moved / sum);
      return middle;
    }
    return top;
  }

  // Adds the doubt; returns false if the facts do not hold with the aperture that follows them.
  bool say(const StatedFacts& stated, const FactSearch& search, Trial best, const Trial& base) {
    const double of_rate = best.quality() / std::max(search.best_of(Family::scale)->quality(), 1e-9);
    const auto is_scale = [](const Change& c) {
      return (c.family == Family::scale && std::abs(c.scale - 1.0) <= 0.12) ||
             (c.family == Family::pitch && std::abs(c.pitch - 1.0) <= 0.12) ||
             (c.family == Family::rate && std::abs(c.rate - 1.0) <= 0.12);
    };
    // A sound speed that explains the echoes as well as another pitch is the more common mistake.
    const Trial *const scale = search.best_of(Family::scale), *const t0 = search.best_of(Family::t0);
    if (best.change.family == Family::pitch && is_scale(best.change) && scale->quality() * kAlike > best.quality())
      best = *scale;
    const double before = best.quality();
    best = polished(stated, best);
    const bool at_end =
        std::abs(best.change.shift_s) > kMostShift_s || std::abs(std::log(best.change.scale)) > kMostScale;
    if (best.quality() < 0.4 * before || at_end) return false;
    Trial other = best;
    if (is_scale(best.change) && t0->quality() * kAlike > base.quality()) other = polished(stated, *t0);
    if (best.change.family == Family::t0 && is_scale(scale->change)) other = polished(stated, *scale);
    const bool ambiguous = other.change.family != best.change.family && other.quality() * kAlike > best.quality();
    // A reading of the same echoes in the other family that is as good.
    FactDoubt doubt = doubt_of(stated, best, stated.a.signal == SignalKind::iq ? 1.0 : echoes_.rho, of_rate);
    doubt.stated = base.agreement.channels, doubt.found = best.agreement.channels;
    doubt.text += ", " + in_place_of(best.agreement, base.agreement);
    if (ambiguous) {
      const Change &speed = best.change.family == Family::t0 ? other.change : best.change,
                   &time = best.change.family == Family::t0 ? best.change : other.change;
      doubt.fact = "scale";
      doubt.patch = nlohmann::json::object();
      doubt.readings = {"sound speed", "time of sample 0"};
      doubt.text = fmt::format(
          "Sound speed or time of sample 0 contradict the echoes: {:.0f} m/s, or {:+.2f} us, explain them alike",
          stated.a.sound_speed_m_s * speed.scale / (speed.rate * speed.pitch), time.shift_s * 1e6);
    }
    doubt.cure = cure_text(doubt.patch);
    doubts_.push_back(std::move(doubt));
    return true;
  }

  // Compares the centre of the echoes with the stated one; a wrong sampling frequency has the same effect.
  void test_spectrum() {
    const Acquisition& a = stated_.a;
    const double rho = echoes_.rho;
    const bool assumed =
        std::ranges::any_of(a.assumptions, [](const Assumption& one) { return !one.given && one.fact == "center_hz"; });
    const bool inside = a.center_hz > echoes_.low_hz && a.center_hz < echoes_.high_hz;
    if (!doubts_.empty() || echoes_.folded) return;
    if (assumed ? std::abs(rho - 1.0) < kLeastOfAssumed : inside || (rho > 0.75 && rho < 1.3)) return;
    const FactSearch search(stated_, stated_, frame_, echoes_.centre_hz, reading_);
    double as_stated = 0.0, with_rate = 0.0;
    for (const double us : {0.0, -0.7, 0.7}) {
      as_stated = std::max(as_stated, search.trial({.shift_s = us * 1e-6}).quality());
      for (const double near : {0.9, 1.0, 1.1})
        with_rate = std::max(with_rate, search.trial({.rate = near / rho, .shift_s = us * 1e-6}).quality());
    }
    FactDoubt doubt{.fact = "fc_hz", .stated = as_stated, .found = with_rate};
    const bool rf = a.signal == SignalKind::rf;
    const std::string start =
        fmt::format("The centre frequency of {:.4g} MHz {} at {:.3g} MHz", a.center_hz * 1e-6,
                    assumed ? "is assumed; the echoes are centred" : "contradicts the echoes, which are centred",
                    echoes_.centre_hz * 1e-6);
    const bool is_clear = std::max(as_stated, with_rate) > (one_ ? 0.03 : 0.003);
    if (assumed) {
      doubt.patch = {{"fc_hz", rounded(echoes_.centre_hz)}};
      doubt.text = start;
    } else if (rf && is_clear && with_rate > 1.5 * as_stated) {
      const double fs = std::abs(std::log2(rho) - std::round(std::log2(rho))) < 0.35
                            ? a.sampling_hz / std::exp2(std::round(std::log2(rho)))
                            : a.sampling_hz / rho;
      doubt.fact = "fs_hz";
      doubt.patch = {{"fs_hz", fs}};
      doubt.text =
          start + fmt::format(": sampled at {:.4g} MHz in place of {:.4g} MHz", fs * 1e-6, a.sampling_hz * 1e-6);
    } else if (!rf || !one_ || (is_clear && as_stated > 1.5 * with_rate)) {
      doubt.patch = {{"fc_hz", rounded(echoes_.centre_hz)}};
      doubt.text = start;
    } else {
      doubt.readings = {"centre frequency", "sampling frequency"};
      doubt.text = start + ": centre frequency or sampling frequency";
    }
    doubt.cure = cure_text(doubt.patch);
    doubts_.push_back(std::move(doubt));
  }

  static double rounded(double hertz) {
    const double step = std::pow(10.0, std::floor(std::log10(hertz)) - 2.0);
    return std::round(hertz / step) * step;
  }

  const StatedFacts& stated_;
  std::span<const std::byte> frame_;
  Echoes echoes_;
  bool one_;
  SampleReading reading_;
  double most_ = 0.0;  // largest agreement of other facts
  std::vector<FactDoubt> doubts_;
};

// Returns true if less than half of the lines have samples: an empty or damaged frame.
bool is_empty(const Acquisition& a, std::span<const std::byte> frame) {
  const std::size_t line = frame.size() / (a.transmits.size() * a.probe.elements.size());
  std::size_t n = 0, n_empty = 0;
  for (std::size_t from = 0; from + line <= frame.size(); from += line, ++n)
    n_empty += std::ranges::all_of(frame.subspan(from, line), [](std::byte b) { return b == std::byte{}; }) ? 1 : 0;
  return 2 * n_empty > n;
}

// Returns true for IQ of one phase in all lines, |sum x^2| = sum |x|^2: a part of it is missing.
bool is_real(const Acquisition& a, std::span<const std::byte> frame) {
  constexpr std::size_t kMost = 400'000;  // samples
  if (a.signal != SignalKind::iq) return false;
  const std::size_t n = a.frame_values() / 2, step = n / kMost + 1;
  std::complex<double> squares;
  double energy = 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const std::complex<double> x(sample_value(a, frame, 2 * i), sample_value(a, frame, 2 * i + 1));
    squares += x * x;
    energy += std::norm(x);
  }
  return std::isfinite(energy) && energy > 0.0 && std::abs(squares) > 0.9 * energy;
}

}  // namespace

std::vector<FactDoubt> find_fact_doubts(const StatedFacts& stated, std::span<const std::byte> frame) {
  const Acquisition& a = stated.a;
  const double periods = a.n_samples * a.center_hz / a.sampling_hz;
  if (a.n_elements() < kLeastTested || a.n_samples < 64 || a.n_samples > kMostTestedSamples || !(periods > 40.0) ||
      !(periods < 5.0 * a.n_samples))
    return {};
  if (is_empty(a, frame.first(a.frame_bytes()))) return {};
  if (is_real(stated.a, frame))
    return {{.fact = "iq",
             .text = "The IQ has the same phase in all lines: Q is missing, or the samples are the real part only"}};
  const auto echoes = measure_echoes(a, frame);
  if (!echoes || echoes->centre_hz * a.n_samples < 40.0 * a.sampling_hz) return {};
  return Doubter(stated, frame, *echoes).run();
}

bool are_alike(const Acquisition& a, std::span<const std::byte> frames) {
  constexpr double kUnlike = 0.5;
  const std::size_t n = a.frame_values(), step = n / 200'000 + 1;
  double both = 0.0, first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < n; i += step) {
    const double x = sample_value(a, frames, i), y = sample_value(a, frames, n + i);
    both += x * y, first += x * x, second += y * y;
  }
  return !(first > 0.0) || !(second > 0.0) || std::abs(both) > kUnlike * std::sqrt(first * second);
}

std::vector<FactDoubt> find_frame_doubts(const StatedFacts& stated, std::span<const std::byte> frames) {
  constexpr double kLeastFan = 3.0;
  const std::size_t n = frames.size() / std::max<std::size_t>(stated.a.frame_bytes(), 1);
  if (stated.a.n_transmits() != 1 || n < 3 || stated.a.n_elements() < 8) return {};
  if (are_alike(stated.a, frames)) return {};
  const auto echoes = measure_echoes(stated.a, frames.first(stated.a.frame_bytes()));
  if (!echoes) return {};
  Acquisition together = stated.a;
  together.transmits.assign(n, stated.a.transmits.front());
  const StatedFacts all(together, stated.event);
  FactSearch search(all, frames, echoes->centre_hz, {});
  search.add(search.trial({}));
  search.try_all(fan_changes(all));
  const Trial base = search.trials().front(), best = *search.best();
  const bool clear = best.agreement.channels > 0.02 && best.agreement.transmits > 0.1;
  if (!clear || best.quality() < kLeastFan * base.quality()) return {};
  return {{.fact = "axes",
           .text = fmt::format("{} frames of one transmit contradict the echoes: as transmits of one frame, {}, {}", n,
                               best.change.words, in_place_of(best.agreement, base.agreement)),
           .stated = base.agreement.channels,
           .found = best.agreement.channels}};
}

}  // namespace echoloop
