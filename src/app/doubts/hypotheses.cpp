#include "app/doubts/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/grid.h"
#include "core/units.h"

namespace echoloop {

const char* event_key(TimeEvent event) {
  constexpr std::array kKeys{"first_firing", "origin", "centre"};
  return kKeys[static_cast<std::size_t>(event)];
}

const char* event_words(TimeEvent event) {
  constexpr std::array kWords{"the first firing", "the passage of the wave through x = 0",
                              "the passage of the wave through the middle of the array"};
  return kWords[static_cast<std::size_t>(event)];
}

double event_s(TimeEvent event, const Transmit& t, const Acquisition& a) {
  const std::vector<Element>& elements = a.probe.elements;
  if (event == TimeEvent::centre) {
    const auto [left, right] = std::ranges::minmax(elements, {}, &Element::x_m);
    return arrival_s(t, a.probe, 0.5 * (left.x_m + right.x_m), 0.0, a.sound_speed_m_s);
  }
  if (event == TimeEvent::origin) return 0.0;
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const double fires = t.kind == TransmitKind::delays
                             ? t.element_delays_s[e]
                             : arrival_s(t, a.probe, elements[e].x_m, elements[e].z_m, a.sound_speed_m_s);
    if (!std::isnan(fires)) first = std::min(first, fires);
  }
  return std::isfinite(first) ? first : 0.0;
}

StatedFacts::StatedFacts(Acquisition facts, TimeEvent counted_from) : a(std::move(facts)), event(counted_from) {
  for (const Transmit& t : a.transmits) t0_s.push_back(t.t0_s - event_s(event, t, a));
}

namespace {

void turn(Transmit& t, double factor, double offset_rad) {
  if (t.kind == TransmitKind::plane) t.angle_rad = t.angle_rad * factor + offset_rad;
  if (t.kind != TransmitKind::focused && t.kind != TransmitKind::diverging) return;
  const double side = t.source_z_m < 0.0 ? -1.0 : 1.0, r = std::hypot(t.source_x_m, t.source_z_m);
  const double angle = std::atan2(t.source_x_m, std::abs(t.source_z_m)) * factor + offset_rad;
  t.source_x_m = r * std::sin(angle);
  t.source_z_m = side * r * std::cos(angle);
}

// Keeps the direction of the wave in front of the array.
void become(Transmit& t, TransmitKind kind, double distance_m) {
  double angle = t.angle_rad;
  if (t.kind == TransmitKind::focused) angle = std::atan2(t.source_x_m, t.source_z_m);
  if (t.kind == TransmitKind::diverging) angle = std::atan2(-t.source_x_m, -t.source_z_m);
  const double sign = kind == TransmitKind::diverging ? -1.0 : 1.0;
  t = {.kind = kind,
       .angle_rad = angle,
       .source_x_m = sign * distance_m * std::sin(angle),
       .source_z_m = sign * distance_m * std::cos(angle),
       .element_delays_s = {},
       .t0_s = t.t0_s,
       .aperture_m = t.aperture_m};
}

// Returns true for a transmit of one element.
bool fires_alone(const Transmit& t, const Probe& probe) {
  return t.kind == TransmitKind::diverging && std::ranges::any_of(probe.elements, [&](const Element& e) {
           return e.x_m == t.source_x_m && e.z_m == t.source_z_m;
         });
}

double reach_m(const Acquisition& a) {
  const auto [left, right] = std::ranges::minmax(a.probe.elements, {}, &Element::x_m);
  return right.x_m - left.x_m;
}

}  // namespace

Acquisition Change::apply(const StatedFacts& stated) const {
  Acquisition a = stated.a;
  a.sound_speed_m_s *= scale;
  a.sampling_hz *= rate;
  if (pitch != 1.0) {
    for (Element& e : a.probe.elements) e.x_m *= pitch, e.z_m *= pitch;
    a.probe.pitch_m *= pitch;
  }
  if (demod_hz > 0.0) a.demod_hz = demod_hz;
  for (std::size_t i = 0; i < a.transmits.size(); ++i) {
    Transmit& t = a.transmits[i];
    t = stated.a.transmits[order.empty() ? i : order[i]];
    if (pitch != 1.0 && fires_alone(t, stated.a.probe)) t.source_x_m *= pitch, t.source_z_m *= pitch;
    if (!angles_rad.empty()) turn(t, 0.0, t.kind == TransmitKind::diverging ? -angles_rad[i] : angles_rad[i]);
    if (single_elements) t.source_x_m = a.probe.elements[i].x_m, t.source_z_m = a.probe.elements[i].z_m;
    if (angle_factor != 1.0 || angle_offset_rad != 0.0) turn(t, angle_factor, angle_offset_rad);
    if (mirrored) {
      t.angle_rad = -t.angle_rad;
      t.source_x_m = -t.source_x_m;
      std::ranges::reverse(t.element_delays_s);
    }
    if (kind) become(t, *kind, reach_m(a));
    if (distance_factor != 1.0) t.source_x_m *= distance_factor, t.source_z_m *= distance_factor;
    t.t0_s = stated.t0_s[i] + shift_s + event_s(event.value_or(stated.event), t, a);
  }
  return a;
}

Change Change::with(const Change& other) const {
  Change both = *this;
  if (both.family == Family::none) both.family = other.family;
  both.scale *= other.scale;
  both.rate *= other.rate;
  both.pitch *= other.pitch;
  both.shift_s += other.shift_s;
  if (other.event) both.event = other.event;
  both.mirrored = both.mirrored != other.mirrored;
  if (!other.order.empty()) both.order = other.order;
  both.angle_factor *= other.angle_factor;
  both.angle_offset_rad += other.angle_offset_rad;
  if (!other.angles_rad.empty()) both.angles_rad = other.angles_rad;
  if (other.kind) both.kind = other.kind;
  both.distance_factor *= other.distance_factor;
  if (other.demod_hz > 0.0) both.demod_hz = other.demod_hz;
  if (!(other.reading == SampleReading{})) both.reading = other.reading;
  both.words += (both.words.empty() || other.words.empty() ? "" : " and ") + other.words;
  return both;
}

nlohmann::json Change::patch(const StatedFacts& stated) const {
  nlohmann::json json = nlohmann::json::object();
  if (scale != 1.0) json["c_m_s"] = stated.a.sound_speed_m_s * scale;
  if (rate != 1.0) json["fs_hz"] = stated.a.sampling_hz * rate;
  if (pitch != 1.0) json["pitch_m"] = stated.a.probe.pitch_m * pitch;
  if (shift_s != 0.0) {
    const bool same = std::ranges::all_of(stated.t0_s, [&](double t) { return std::abs(t - stated.t0_s[0]) < 1e-12; });
    if (same) {
      json["t0_s"] = stated.t0_s[0] + shift_s;
    } else {
      for (const double t : stated.t0_s) json["t0_s"].push_back(t + shift_s);
    }
  }
  if (event) json["t_zero"] = event_key(*event);
  const bool other_waves = !order.empty() || angle_factor != 1.0 || angle_offset_rad != 0.0 || !angles_rad.empty() ||
                           kind || distance_factor != 1.0;
  if (mirrored && !other_waves) json["tx_mirrored"] = true;
  if (other_waves) {
    const Acquisition a = apply(stated);
    nlohmann::json& list = json["tx"] = nlohmann::json::array();
    for (Transmit t : a.transmits) {
      if (std::abs(t.source_x_m) < 1e-12) t.source_x_m = 0.0;
      const auto element = std::ranges::find_if(a.probe.elements, [&](const Element& e) {
        return t.kind == TransmitKind::diverging && e.x_m == t.source_x_m && e.z_m == t.source_z_m;
      });
      if (element != a.probe.elements.end())
        list.push_back({{"kind", "element"}, {"element", element - a.probe.elements.begin() + 1}});
      else if (t.kind == TransmitKind::plane)
        list.push_back({{"kind", "plane"}, {"angle_rad", t.angle_rad}});
      else if (t.kind == TransmitKind::focused)
        list.push_back({{"kind", "focused"}, {"focus_m", {t.source_x_m, t.source_z_m}}});
      else
        list.push_back({{"kind", "diverging"}, {"source_m", {t.source_x_m, t.source_z_m}}});
    }
  }
  if (demod_hz > 0.0) json["demod_hz"] = demod_hz;
  if (!reading.channel_of.empty()) {
    for (const int channel : reading.channel_of) json["element_order"].push_back(channel + 1);
  }
  if (!reading.sign.empty()) {
    for (const float sign : reading.sign) json["element_sign"].push_back(sign < 0.0F ? -1 : 1);
  }
  if (reading.time_reversed) json["time_reversed"] = true;
  if (reading.conjugate || reading.exchanged) json["conjugate"] = true;
  return json;
}

namespace {

bool are_all(const Acquisition& a, TransmitKind kind) {
  return std::ranges::all_of(a.transmits, [&](const Transmit& t) { return t.kind == kind; });
}

// Direction of a transmit, to sort by.
double direction(const Transmit& t) {
  if (t.kind == TransmitKind::plane) return t.angle_rad;
  return t.kind == TransmitKind::diverging ? -t.source_x_m : t.source_x_m;
}

void add_orders(const StatedFacts& stated, std::vector<Change>& all) {
  const std::size_t n = stated.a.transmits.size();
  if (n < 2) return;
  std::vector<std::size_t> as_stated(n);
  std::iota(as_stated.begin(), as_stated.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> known{as_stated};
  const auto add = [&](std::vector<std::size_t> order, std::string words) {
    if (std::ranges::find(known, order) != known.end()) return;
    known.push_back(order);
    all.push_back({.family = Family::order, .order = std::move(order), .words = std::move(words)});
  };
  std::vector<std::size_t> order(as_stated.rbegin(), as_stated.rend());
  add(order, "reversed");
  for (const std::size_t by : {std::size_t{1}, n - 1}) {
    order = as_stated;
    std::ranges::rotate(order, order.begin() + static_cast<std::ptrdiff_t>(by));
    add(order, by == 1 ? "one later" : "one earlier");
  }
  const auto by_angle = [&](std::size_t i) { return direction(stated.a.transmits[i]); };
  order = as_stated;
  std::ranges::stable_sort(order, {}, by_angle);
  add(order, "sorted by direction");
  for (const double side : {1.0, -1.0}) {
    order = as_stated;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(std::round(std::abs(by_angle(i)) * 1e6), side * by_angle(i));
    });
    add(order, "sorted by size");
  }
  // Odd events first, and the inverse.
  order.clear();
  for (std::size_t first = 0; first < 2; ++first)
    for (std::size_t i = first; i < n; i += 2) order.push_back(i);
  std::vector<std::size_t> inverse(n);
  for (std::size_t i = 0; i < n; ++i) inverse[order[i]] = i;
  add(order, "every second first");
  add(inverse, "interleaved");
}

void add_kind(std::vector<Change>& all, TransmitKind kind, const char* words, std::initializer_list<double> factors) {
  for (const double factor : factors)
    all.push_back({.family = Family::kind, .kind = kind, .distance_factor = factor, .words = words});
}

void add_angles(const StatedFacts& stated, std::vector<Change>& all) {
  const Acquisition& a = stated.a;
  const bool plane = are_all(a, TransmitKind::plane), focused = are_all(a, TransmitKind::focused);
  const bool elements = std::ranges::all_of(a.transmits, [&](const Transmit& t) {
    return t.kind == TransmitKind::diverging && std::abs(t.source_z_m) < 1e-6;
  });
  const bool diverging = are_all(a, TransmitKind::diverging) && !elements;
  if (!plane && !focused && !diverging) return;
  double largest = 0.0;
  for (const Transmit& t : a.transmits) {
    const double angle = plane ? t.angle_rad : std::atan2(t.source_x_m, std::abs(t.source_z_m));
    largest = std::max(largest, std::abs(angle));
  }
  const bool several = a.transmits.size() > 1;
  if (largest > 1e-4) {
    for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
      if (largest * factor < 1.2)
        all.push_back({.family = Family::angles, .angle_factor = factor, .words = fmt::format("{:g} times", factor)});
    }
    if (largest > 0.1)
      all.push_back({.family = Family::angles, .angle_factor = kPi / 180.0, .words = "in degrees, read as radians"});
    if (largest < 0.027)
      all.push_back({.family = Family::angles, .angle_factor = 180.0 / kPi, .words = "in radians, read as degrees"});
  }
  for (const double degrees : {-5.0, -3.0, 3.0, 5.0})
    all.push_back({.family = Family::angles,
                   .angle_offset_rad = degrees * kPi / 180.0,
                   .words = fmt::format("all turned by {:+g} degrees", degrees)});
  const bool equal = std::ranges::all_of(
      a.transmits, [&](const Transmit& t) { return std::abs(t.angle_rad - a.transmits[0].angle_rad) < 1e-6; });
  if (plane && several && equal) {
    for (const double degrees : {1.5, 3.0, 5.0, 7.0, 10.0, 12.0, 15.0}) {
      Change change{.family = Family::angles, .words = fmt::format("from {:g} to {:g} degrees", -degrees, degrees)};
      const auto last = static_cast<double>(a.transmits.size() - 1);
      for (std::size_t i = 0; i < a.transmits.size(); ++i)
        change.angles_rad.push_back((2.0 * static_cast<double>(i) / last - 1.0) * degrees * kPi / 180.0);
      all.push_back(change);
      std::ranges::reverse(change.angles_rad);
      change.words = fmt::format("from {:g} to {:g} degrees", degrees, -degrees);
      all.push_back(std::move(change));
    }
  }
  if (several) {
    if (!plane && !focused) add_kind(all, TransmitKind::plane, "plane", {1.0});
    if (!diverging && !focused) add_kind(all, TransmitKind::diverging, "diverging", {0.35, 0.7, 1.4, 2.8});
  }
}

}  // namespace

namespace {

std::vector<Change> other_readings(const StatedFacts& stated) {
  const Acquisition& a = stated.a;
  std::vector<Change> all;
  const bool elements = std::ranges::all_of(a.transmits, [](const Transmit& t) {
    return t.kind == TransmitKind::diverging && std::abs(t.source_z_m) < 1e-6;
  });
  const bool delays =
      std::ranges::any_of(a.transmits, [](const Transmit& t) { return t.kind == TransmitKind::delays; });
  std::vector<Change> events;
  for (const TimeEvent event : {TimeEvent::first_firing, TimeEvent::origin, TimeEvent::centre}) {
    if (event == stated.event || elements) continue;
    double least = 1e9, most = -1e9;  // of the change
    for (const Transmit& t : a.transmits) {
      const double by = event_s(event, t, a) - event_s(stated.event, t, a);
      least = std::min(least, by), most = std::max(most, by);
    }
    const bool same_as_other = std::ranges::any_of(events, [&](const Change& other) {
      return std::ranges::all_of(a.transmits, [&](const Transmit& t) {
        return std::abs(event_s(event, t, a) - event_s(*other.event, t, a)) * a.center_hz < 0.1;
      });
    });
    if (std::max(most, -least) * a.center_hz < 0.5 || same_as_other) continue;
    events.push_back({.family = Family::event, .event = event, .words = event_words(event)});
  }
  all = events;
  const bool straight =
      a.n_transmits() == 1 && a.transmits[0].kind == TransmitKind::plane && std::abs(a.transmits[0].angle_rad) < 1e-3;
  if (!straight) {
    const Change side{.family = Family::side, .mirrored = true, .words = "left and right exchanged"};
    all.push_back(side);
    for (const Change& event : events) {
      all.push_back(side.with(event));
      all.back().family = Family::side;
    }
  }
  if (!delays) {
    add_orders(stated, all);
    add_angles(stated, all);
  }
  SampleReading alternating;
  for (int e = 0; e < a.n_elements(); ++e) alternating.sign.push_back(e % 2 == 0 ? 1.0F : -1.0F);
  all.push_back(
      {.family = Family::polarity, .reading = std::move(alternating), .words = "every second element inverted"});
  all.push_back({.family = Family::samples, .reading = {.time_reversed = true}, .words = "the time reversed"});
  if (a.signal == SignalKind::iq) {
    all.push_back({.family = Family::samples,
                   .reading = {.conjugate = true},
                   .words = "the quadrature part of the opposite sign"});
    all.push_back({.family = Family::samples, .reading = {.exchanged = true}, .words = "I and Q exchanged"});
  }
  return all;
}

}  // namespace

std::vector<Change> beam_changes(const StatedFacts& stated) {
  std::vector<Change> all;
  if (stated.a.n_transmits() < 2) return all;
  if (all_focused(stated.a)) {
    add_kind(all, TransmitKind::plane, "plane", {1.0});
    add_kind(all, TransmitKind::diverging, "diverging", {0.35, 0.7, 1.4, 2.8});
  } else {
    add_kind(all, TransmitKind::focused, "focused", {1.0, 2.0, 3.5});
  }
  return all;
}

std::vector<Change> first_changes(const StatedFacts& stated, double ratio) {
  std::vector<Change> all;
  const bool iq = stated.a.signal == SignalKind::iq;
  const auto add = [&](Family family, auto Change::*member, double value) {
    Change c{.family = family};
    c.*member = value;
    all.push_back(std::move(c));
  };
  for (double k = 0.47; k < 2.2; k *= 1.06) {
    if (std::abs(k - 1.0) > 0.03) add(Family::scale, &Change::scale, k);
  }
  const double largest_t0 = std::abs(*std::ranges::max_element(stated.t0_s, {}, [](double t) { return std::abs(t); }));
  if (iq || largest_t0 * stated.a.center_hz > 0.2) {
    for (const double rate : {0.5, 0.67, 0.8, 0.89, 1.12, 1.25, 1.5, 2.0}) add(Family::rate, &Change::rate, rate);
    if (std::abs(ratio - 1.0) > 0.03) add(Family::rate, &Change::rate, 1.0 / ratio);
  }
  const bool sources = std::ranges::any_of(stated.a.transmits, [](const Transmit& t) {
    return t.kind == TransmitKind::diverging || t.kind == TransmitKind::focused;
  });
  if (sources)
    for (const double pitch : {0.5, 0.67, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0}) add(Family::pitch, &Change::pitch, pitch);
  for (const double us : {0.7, 1.5, 2.5, 3.5, 5.0, 6.5, 8.0, 10.0, 12.5, 15.0, 20.0})
    for (const double sign : {-1.0, 1.0}) add(Family::t0, &Change::shift_s, sign * us * 1e-6);
  if (iq && stated.a.demod_hz > 0.0) {
    for (double f = 0.5; f < 2.05; f *= 1.05)
      if (std::abs(f - 1.0) > 0.025) add(Family::demod, &Change::demod_hz, f * stated.a.demod_hz);
  }
  for (Change& c : other_readings(stated)) all.push_back(std::move(c));
  return all;
}

std::vector<Change> fan_changes(const StatedFacts& all) {
  std::vector<Change> changes;
  const Acquisition& a = all.a;
  const auto last = static_cast<double>(a.transmits.size() - 1);
  const Transmit& first = a.transmits.front();
  for (const double degrees : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 37.5, 45.0}) {
    for (const double side : {-1.0, 1.0}) {
      Change change{.family = Family::angles,
                    .words = fmt::format("from {:g} to {:g} degrees", -side * degrees, side * degrees)};
      for (std::size_t i = 0; i < a.transmits.size(); ++i)
        change.angles_rad.push_back(side * (2.0 * static_cast<double>(i) / last - 1.0) * degrees * kPi / 180.0);
      changes.push_back(std::move(change));
    }
  }
  if (first.kind == TransmitKind::diverging && std::abs(first.source_z_m) < 1e-6 &&
      a.transmits.size() == a.probe.elements.size())
    changes.push_back({.family = Family::angles, .single_elements = true, .words = "of single elements"});
  return changes;
}

TestedFacts tested_facts(const Acquisition& a) {
  const bool one = a.n_transmits() == 1, iq = a.signal == SignalKind::iq;
  const bool angled = std::ranges::any_of(
      a.transmits, [](const Transmit& t) { return t.kind == TransmitKind::plane || t.kind == TransmitKind::focused; });
  const Transmit& first = a.transmits.front();
  const bool straight = one && first.kind == TransmitKind::plane && first.angle_rad == 0.0;
  const std::string all = a.data == DataKind::beamformed     ? "beamformed data"
                          : a.n_elements() < kLeastTested    ? "fewer than 8 elements"
                          : a.n_samples > kMostTestedSamples ? "lines of more than 131072 samples"
                                                             : "";
  const std::string order =
      a.n_elements() < kLeastOrdered || a.n_elements() > kMostOrdered ? "12 to 256 elements are tested" : "";
  const std::string single = one ? "one transmit" : "";
  const std::string of_rf = iq ? "" : "RF";
  const std::pair<const char*, std::string> facts[] = {{"c_m_s", ""},
                                                       {"fs_hz", ""},
                                                       {"pitch_m", ""},
                                                       {"t0_s", ""},
                                                       {"t_zero", ""},
                                                       {"fc_hz", ""},
                                                       {"kind", ""},
                                                       {"time_reversed", ""},
                                                       {"tx", single},
                                                       {"side", straight ? "one transmit at 0 degrees" : ""},
                                                       {"angles", angled ? single : "no angles"},
                                                       {"element_order", order},
                                                       {"element_sign", order},
                                                       {"axes", order.empty() ? single : order},
                                                       {"demod_hz", of_rf},
                                                       {"conjugate", of_rf}};
  TestedFacts tested;
  for (const auto& [fact, reason] : facts) {
    const bool of_lines = a.data == DataKind::beamformed && fact == std::string_view("fc_hz");
    if (const std::string& why = all.empty() || of_lines ? reason : all; !why.empty())
      tested.untested[fact] = why;
    else
      tested.tested.emplace_back(fact);
  }
  return tested;
}

}  // namespace echoloop
