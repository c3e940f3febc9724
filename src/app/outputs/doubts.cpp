#include "app/outputs/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/doubts/channel_tests.h"
#include "app/doubts/find_doubts.h"
#include "core/error.h"
#include "formats/base/echo_spectrum.h"
#include "gui/overlay/caption.h"

namespace echoloop {
namespace {

constexpr double kLeastCentreError = 0.15;  // of the stated frequency
constexpr double kLeastLinesError = 0.3;    // of the frequency of the demodulation
constexpr double kMostWidth = 1.3;          // at half power, of the centre frequency
constexpr double kLeastReciprocity = 0.3;
constexpr double kUltrasound_hz = 20e3;  // sound is audible below
constexpr double kLeastSampling = 2.2;   // of the highest frequency; below, the band is folded

// Rounds to three digits, the precision of a spectrum.
double rounded(double hertz) {
  const double step = std::pow(10.0, std::floor(std::log10(hertz)) - 2.0);
  return std::round(hertz / step) * step;
}

// Checks that RF is sampled at half of the pulse's frequency at least: the band then has a quarter of it.
void doubt_sampling(const Acquisition& a, std::vector<Doubt>& doubts) {
  if (a.signal != SignalKind::rf || a.center_hz <= 2.0 * a.sampling_hz) return;
  doubts.push_back({fmt::format("RF samples at {:.4g} MHz, less than half of the centre frequency, {:.4g} MHz",
                                a.sampling_hz * 1e-6, a.center_hz * 1e-6),
                    "\"fs_hz\" or \"fc_hz\" in a description", "fs_hz", a.sampling_hz});
}

// Checks that RF of a pulse above half of the sampling frequency appears at the distance to its next multiple.
void doubt_folding(const Acquisition& a, const EchoSpectrum& measured, std::vector<Doubt>& doubts) {
  constexpr double kEdge = 0.04;  // of the sampling frequency; a band so close to the limits is cut or folded
  const double at_hz = std::abs(a.center_hz - a.sampling_hz * std::round(a.center_hz / a.sampling_hz));
  const bool whole = measured.low_hz > kEdge * a.sampling_hz && measured.high_hz < (0.5 - kEdge) * a.sampling_hz;
  if (a.signal != SignalKind::rf || !whole ||
      a.sampling_hz >= kLeastSampling * std::max(a.center_hz, measured.high_hz) ||
      std::abs(measured.center_hz - at_hz) <= kLeastCentreError * a.center_hz)
    return;
  doubts.push_back(
      {fmt::format("a pulse of {:.4g} MHz lies at {:.4g} MHz in RF samples at {:.4g} MHz, but the echoes of "
                   "the first frame are centred at {:.3g} MHz",
                   a.center_hz * 1e-6, at_hz * 1e-6, a.sampling_hz * 1e-6, rounded(measured.center_hz) * 1e-6),
       "\"fs_hz\" or \"fc_hz\" in a description", "fs_hz", a.sampling_hz});
}

void doubt_band(const Acquisition& a, const EchoSpectrum& measured, std::vector<Doubt>& doubts) {
  const bool folded =
      a.signal == SignalKind::rf && a.sampling_hz < kLeastSampling * std::max(a.center_hz, measured.high_hz);
  const double within_hz = kLeastCentreError * a.center_hz;
  const double width_hz = measured.high_hz - measured.low_hz;
  if (a.signal == SignalKind::iq && width_hz > kMostWidth * a.center_hz &&
      std::abs(measured.center_hz - a.center_hz) < within_hz)
    doubts.push_back(
        {fmt::format("IQ at {:.4g} MHz, but the echoes of the first frame are then {:.3g} MHz wide at half "
                     "power, more than those of a pulse of {:.4g} MHz",
                     a.sampling_hz * 1e-6, width_hz * 1e-6, a.center_hz * 1e-6),
         "\"fs_hz\" of the IQ in a description", "fs_hz", a.sampling_hz});
  if (!(measured.center_hz > 0.0) || !(measured.low_hz > 0.0)) return;  // from 0 on: no echoes of a pulse
  if (folded) return;                                                   // see doubt_folding()
  const bool analytic = a.signal == SignalKind::iq && a.demod_hz > 0.0 &&
                        std::abs(measured.center_hz - a.demod_hz - a.center_hz) < within_hz;
  if (analytic) {
    doubts.push_back(
        {.text = fmt::format("IQ demodulated at {:.4g} MHz, but the echoes of the first frame lie at {:.3g} MHz in "
                             "the samples: analytic RF, not demodulated",
                             a.demod_hz * 1e-6, rounded(measured.center_hz - a.demod_hz) * 1e-6),
         .cure = "\"demod_hz\": 0 in a description",
         .key = "demod_hz",
         .stated = a.demod_hz,
         .word = "0"});
  }
  if (a.bandwidth_hz > 0.0 && width_hz > 2.0 * a.bandwidth_hz) {
    doubts.push_back(
        {fmt::format("bandwidth {:.3g} MHz, but the echoes of the first frame are {:.3g} MHz wide at half power",
                     a.bandwidth_hz * 1e-6, width_hz * 1e-6),
         fmt::format("--set bandwidth_hz={:.3g}", rounded(width_hz)), "bandwidth_hz", a.bandwidth_hz,
         rounded(width_hz)});
  }
}

// Checks beamformed lines, whose band is what remained near their demodulation frequency.
void doubt_lines(const Acquisition& a, std::span<const std::byte> frame, std::vector<Doubt>& doubts) {
  if (a.signal != SignalKind::iq || a.demod_hz != a.center_hz) return;
  const auto measured = measure_spectrum(a, frame);
  if (!measured || std::abs(measured->center_hz - a.center_hz) <= kLeastLinesError * a.center_hz) return;
  const double center_hz = rounded(measured->center_hz);
  if (!(center_hz > 0.0)) return;
  doubts.push_back(
      {fmt::format("lines of {:.4g} MHz, but the echoes of the first frame are centred at {:.3g} MHz (half power from "
                   "{:.3g} to {:.3g} MHz)",
                   a.center_hz * 1e-6, center_hz * 1e-6, measured->low_hz * 1e-6, measured->high_hz * 1e-6),
       fmt::format("\"fc_hz\": {:.4g} in a description", center_hz), "fc_hz", a.center_hz, center_hz});
}

double depth_of(const Acquisition& a) { return 0.5 * a.sound_speed_m_s * a.n_samples / a.sampling_hz; }

// Returns true for depths of the human body, or that suit the frequency: echoes reach about a thousand wavelengths.
bool has_plausible_depth(const Acquisition& a) {
  const double depth_m = depth_of(a);
  if (depth_m >= 2e-3 && depth_m <= 1.0) return true;
  const bool assumed = std::ranges::any_of(
      a.assumptions, [](const Assumption& assumption) { return !assumption.given && assumption.fact == "center_hz"; });
  const double wavelengths = depth_m * a.center_hz / a.sound_speed_m_s;
  return !assumed && a.center_hz >= kUltrasound_hz && wavelengths >= 10.0 && wavelengths <= 1e4;
}

void doubt_geometry(const Acquisition& a, std::vector<Doubt>& doubts) {
  if (a.n_samples < a.n_elements()) {
    doubts.push_back(
        {fmt::format("{} samples of {} elements: elements and time look swapped", a.n_samples, a.n_elements()),
         "\"axes\" in a description", "axes"});
  }
  if (!has_plausible_depth(a)) {
    const double depth_m = depth_of(a);
    doubts.push_back({fmt::format("{} samples at {:.4g} MHz reach {:.4g} mm deep: sampling frequency or time axis",
                                  a.n_samples, a.sampling_hz * 1e-6, depth_m * 1e3),
                      "\"fs_hz\" in a description", "fs_hz", a.sampling_hz});
  }
}

// Correlates RF lines with themselves, shifted by one sample and by two: cos(2 pi f / fs) and cos(4 pi f / fs) of a
// wave, so that the second is near -1 if the first is near 0. For alternating I and Q the second is positive.
template <class T>
bool are_pairs(const Acquisition& a, const T* frame) {
  constexpr double kUnlike = 0.2, kAlike = 0.3;
  constexpr std::size_t kMostLines = 512;
  const auto n = static_cast<std::size_t>(a.n_samples);
  const std::size_t n_lines = a.frame_values() / n, step = n_lines / kMostLines + 1;
  double next = 0.0, second = 0.0, energy = 0.0;
  for (std::size_t line = 0; line < n_lines; line += step) {
    const std::span<const T> values(frame + line * n, n);
    double mean = 0.0;
    for (const T value : values) mean += static_cast<double>(value) / static_cast<double>(n);
    for (std::size_t i = 0; i + 2 < n; ++i) {
      const double x = values[i] - mean;
      energy += x * x;
      next += x * (values[i + 1] - mean);
      second += x * (values[i + 2] - mean);
    }
  }
  return std::abs(next) < kUnlike * energy && second > kAlike * energy;
}

void doubt_pairs(const Acquisition& a, std::span<const std::byte> frame, std::vector<Doubt>& doubts) {
  if (a.signal != SignalKind::rf || a.n_samples % 2 != 0) return;
  const bool pairs = a.sample_type == SampleType::int16
                         ? are_pairs(a, reinterpret_cast<const std::int16_t*>(frame.data()))
                         : are_pairs(a, reinterpret_cast<const float*>(frame.data()));
  if (!pairs) return;
  doubts.push_back({fmt::format("RF, but every second of the {} samples are alike and neighbours are not: "
                                "alternating I and Q, {} of each",
                                a.n_samples, a.n_samples / 2),
                    "\"shape\" with time in two, and \"iq\" after \"time\" in \"axes\", in a description", "axes"});
}

// Returns true for single-element transmits in sequence: by reciprocity, the line of element t as transmitter and e as
// receiver equals the reverse. Frames mistaken for transmits are not reciprocal.
bool is_full_matrix(const Acquisition& a) {
  if (a.signal != SignalKind::rf || a.n_transmits() != a.n_elements() || a.n_elements() < 8) return false;
  for (std::size_t t = 0; t < a.transmits.size(); ++t) {
    const Transmit& transmit = a.transmits[t];
    const Element& element = a.probe.elements[t];
    if (transmit.kind != TransmitKind::diverging || transmit.source_x_m != element.x_m ||
        transmit.source_z_m != element.z_m)
      return false;
  }
  return true;
}

// Returns 1 for equal lines in both directions, 0 for unrelated ones.
template <class T>
double reciprocity(const Acquisition& a, const T* frame) {
  const auto n = static_cast<std::size_t>(a.n_elements()), n_samples = static_cast<std::size_t>(a.n_samples);
  const std::size_t step = std::max<std::size_t>(1, n / 16);
  double both = 0.0, energy = 0.0;
  for (std::size_t t = 0; t < n; t += step) {
    for (std::size_t e = t + step; e < n; e += step) {
      const T *const there = frame + (t * n + e) * n_samples, *const back = frame + (e * n + t) * n_samples;
      for (std::size_t i = 0; i < n_samples; ++i) {
        const double x = there[i], y = back[i];
        both += 2.0 * x * y;
        energy += x * x + y * y;
      }
    }
  }
  return energy > 0.0 ? both / energy : 1.0;
}

void doubt_full_matrix(const Acquisition& a, std::span<const std::byte> frame, std::vector<Doubt>& doubts) {
  if (!is_full_matrix(a)) return;
  const double found = a.sample_type == SampleType::int16
                           ? reciprocity(a, reinterpret_cast<const std::int16_t*>(frame.data()))
                           : reciprocity(a, reinterpret_cast<const float*>(frame.data()));
  if (!(found < kLeastReciprocity)) return;  // also for samples whose energy overflows
  doubts.push_back({fmt::format("{} transmits of single elements, but the samples from element to element differ from "
                                "those of the way back (correlation {:.2f}): frames, or other transmits",
                                a.n_transmits(), found),
                    "\"tx\" or \"axes\" in a description", "tx"});
}

// Checks facts without a frame.
std::vector<Doubt> doubts_of_facts(const Acquisition& a) {
  std::vector<Doubt> doubts;
  if (a.data == DataKind::beamformed) return doubts;
  doubt_geometry(a, doubts);
  doubt_sampling(a, doubts);
  return doubts;
}

}  // namespace

std::string doubt_line(const Doubt& doubt) { return doubt.text + (doubt.cure.empty() ? "" : ". Cure: " + doubt.cure); }

namespace {

nlohmann::json json_of(const std::vector<Doubt>& doubts, bool dismissed) {
  nlohmann::json json = nlohmann::json::array();
  for (const Doubt& doubt : doubts) {
    if (doubt.dismissed != dismissed) continue;
    nlohmann::json& one = json.emplace_back(nlohmann::json{{"text", doubt.text}, {"cure", doubt.cure}});
    if (!doubt.key.empty()) one["fact"] = doubt.key;
    if (!doubt.patch.empty()) one["patch"] = doubt.patch;
    if (doubt.agreement_found != 0.0)
      one["agreement_stated"] = doubt.agreement_stated, one["agreement_found"] = doubt.agreement_found;
    if (!doubt.readings.empty()) one["readings"] = doubt.readings;
  }
  return json;
}

}  // namespace

nlohmann::json doubts_json(const std::vector<Doubt>& doubts) { return json_of(doubts, false); }

void add_doubts(nlohmann::json& about, const std::vector<Doubt>& doubts) {
  about["doubts"] = doubts_json(doubts);
  if (nlohmann::json dismissed = json_of(doubts, true); !dismissed.empty())
    about["doubts_dismissed"] = std::move(dismissed);
}

void add_tested(nlohmann::json& about, const Acquisition& a) {
  const TestedFacts facts = tested_facts(a);
  about["doubts_tested"] = facts.tested;
  about["doubts_not_testable"] = facts.untested;
}

std::vector<std::string> dismissed_texts(const nlohmann::json& about) {
  std::vector<std::string> texts;
  const auto found = about.find("doubts_dismissed");
  if (found == about.end() || !found->is_array()) return texts;
  for (const nlohmann::json& one : *found)
    if (one.is_object() && one.contains("text") && one["text"].is_string())
      texts.push_back(one["text"].get<std::string>());
  return texts;
}

namespace {

// Returns the event that the times of a description are relative to; readers of other formats count from the origin.
TimeEvent stated_event(const AcquisitionPtr& acquisition) {
  const std::string zero = described_time_zero(acquisition);
  const auto says = [&](const char* words) { return zero.find(words) != std::string::npos; };
  if (says("first_firing") || says("first element fires")) return TimeEvent::first_firing;
  return says("centre") || says("center") ? TimeEvent::centre : TimeEvent::origin;
}

Doubt doubt_of(const FactDoubt& found, const StatedFacts& stated) {
  Doubt doubt{.text = found.text,
              .cure = found.cure,
              .key = found.fact,
              .patch = found.patch,
              .agreement_stated = found.stated,
              .agreement_found = found.found,
              .readings = found.readings};
  const Acquisition& a = stated.a;
  const auto number = [&](const char* key, double of_a) {
    if (!doubt.patch.contains(key)) return;
    doubt.key = key;
    doubt.stated = of_a;
    doubt.measured = doubt.patch[key].get<double>();
  };
  number("fc_hz", a.center_hz);
  number("fs_hz", a.sampling_hz);
  number("pitch_m", a.probe.pitch_m);
  number("c_m_s", a.sound_speed_m_s);
  number("demod_hz", a.demod_hz);
  if (doubt.patch.contains("t0_s")) {
    const nlohmann::json& t0 = doubt.patch["t0_s"];
    doubt.change = (t0.is_array() ? t0[0].get<double>() : t0.get<double>()) - stated.t0_s[0];
  }
  if (doubt.patch.contains("t_zero")) doubt.word = doubt.patch["t_zero"].get<std::string>();
  doubt.mirrored = found.mirrored;
  if (doubt.mirrored) doubt.key = "tx";
  return doubt;
}

// Returns false for paths that the tests do not compute: refracted, in space, or of receive-only events.
bool tests_paths(const Acquisition& a) {
  return !leaves_plane(a.probe) && !a.probe.lens.refracts() &&
         std::ranges::none_of(a.transmits, [](const Transmit& t) { return t.kind == TransmitKind::none; });
}

}  // namespace

std::vector<Doubt> measure_doubts(const AcquisitionPtr& acquisition, std::span<const std::byte> frame) {
  const Acquisition& a = *acquisition;
  std::vector<Doubt> doubts = doubts_of_facts(a);
  if (frame.size() < a.frame_bytes()) return doubts;
  if (a.data == DataKind::beamformed) {
    doubt_lines(a, frame, doubts);
    return doubts;
  }
  doubt_pairs(a, frame, doubts);
  const bool other_layout = std::ranges::find(doubts, "axes", &Doubt::key) != doubts.end();
  const auto measured = measure_spectrum(a, frame);
  if (measured) doubt_band(a, *measured, doubts);
  if (other_layout) return doubts;
  if (!tests_paths(a)) return doubts;
  const bool other_band = !doubts.empty();
  const StatedFacts stated(a, stated_event(acquisition));
  for (const FactDoubt& found : find_fact_doubts(stated, frame)) {
    if (found.fact == "fc_hz" && other_band) continue;
    doubts.push_back(doubt_of(found, stated));
  }
  if (measured && std::ranges::none_of(doubts, [](const Doubt& d) { return d.key == "fs_hz" || d.key == "fc_hz"; }))
    doubt_folding(a, *measured, doubts);
  if (std::ranges::none_of(doubts, [](const Doubt& d) { return d.patch.contains("tx") || d.mirrored; }))
    doubt_full_matrix(a, frame, doubts);
  return doubts;
}

std::vector<Doubt> measure_live_doubts(const AcquisitionPtr& acquisition, std::span<const std::byte> frame) {
  std::vector<Doubt> doubts = measure_doubts(acquisition, frame);
  const Acquisition& a = *acquisition;
  if (a.data == DataKind::beamformed || frame.size() < a.frame_bytes()) return doubts;
  const UnlikeElements unlike = find_unlike_elements(a, frame);
  if (std::ranges::none_of(unlike.elements, [](bool one) { return one; })) return doubts;
  // Orders and axes are tested by neighbours, too.
  std::erase_if(doubts,
                [](const Doubt& d) { return d.key == "element_order" || d.key == "axes" || d.key == "unknown"; });
  doubts.insert(
      doubts.begin(),
      {.text = fmt::format(
           "the channels do not agree: {} {} unlike the neighbouring ones ({:.2f}; the others {:.2f}): a "
           "loose connector, or dead elements",
           elements_text(unlike.elements, ElementWords::listed),
           std::ranges::count(unlike.elements, true) == 1 ? "is" : "are", unlike.likeness, unlike.likeness_of_others),
       .cure = "",
       .key = "channels"});
  return doubts;
}

namespace {

// Reads the first frames of one transmit.
std::vector<std::byte> first_frames(SeekableSource& source, std::size_t bytes, std::uint64_t count) {
  std::vector<std::byte> frames(bytes * count);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::span<std::byte> slot(frames.data() + k * bytes, bytes);
    const std::span<const std::byte> samples = source.at(k, slot);
    if (samples.data() != slot.data()) std::ranges::copy(samples.first(bytes), slot.begin());
  }
  return frames;
}

}  // namespace

std::vector<Doubt> measure_doubts(const OpenedSource& opened) {
  constexpr std::uint64_t kMostFrames = 64, kMostBytes = 256'000'000;
  const AcquisitionPtr& a = opened.info.acquisition;
  SeekableSource* const source = opened.source == nullptr ? nullptr : opened.source->seekable();
  if (!is_file_source(opened.name) || source == nullptr) return {};
  try {
    const std::size_t bytes = a->frame_bytes();
    std::vector<std::byte> slot(bytes);
    const std::uint64_t n =
        std::min({kMostFrames, source->frame_count(), kMostBytes / std::max<std::size_t>(bytes, 1)});
    if (a->n_transmits() == 1 && a->data == DataKind::channels && n > 2 && tests_paths(*a)) {
      const StatedFacts stated(*a, stated_event(a));
      std::vector<Doubt> doubts;
      const bool unlike = !are_alike(*a, first_frames(*source, bytes, 2));
      for (const FactDoubt& found :
           find_frame_doubts(stated, unlike ? first_frames(*source, bytes, n) : std::vector<std::byte>()))
        doubts.push_back(doubt_of(found, stated));
      if (!doubts.empty()) return doubts;
    }
    return measure_doubts(a, source->at(0, slot));
  } catch (const Error&) {  // frame cannot be read
    return doubts_of_facts(*a);
  }
}

}  // namespace echoloop
