// Facts against samples: noise does not agree, phantoms with right facts have no doubt, and a wrong fact is found with
// its correction.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "app/doubts/channel_tests.h"
#include "app/doubts/find_doubts.h"
#include "app/outputs/doubts.h"
#include "source/phantom.h"
#include "support/sanitized.h"

namespace echoloop::fact_doubts_test {
namespace {

struct Taken {
  Acquisition a;
  std::vector<std::byte> frame;
};

Taken take(const PhantomSettings& settings, std::uint64_t frame = 3) {
  const auto source = make_phantom(settings);
  Taken taken{*source->acquisition(), std::vector<std::byte>(source->acquisition()->frame_bytes())};
  source->at(frame, taken.frame);
  return taken;
}

std::vector<FactDoubt> doubts_of(const Taken& t) {
  return find_fact_doubts(StatedFacts(t.a, TimeEvent::origin), t.frame);
}

const PhantomSettings kCyst{.name = "cyst", .probe = "L64"}, kPoints{.name = "points", .probe = "L128"},
    kSector{.name = "heart"};

TEST(Agreement, IsZeroForNoise) {
  Taken t = take(kCyst);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 1000.0);
  auto* const values = reinterpret_cast<std::int16_t*>(t.frame.data());
  for (std::size_t i = 0; i < t.a.frame_values(); ++i) values[i] = static_cast<std::int16_t>(noise(random));
  const ChannelLines lines(t.a, t.frame, t.a.center_hz, {});
  const StatedFacts stated(t.a, TimeEvent::origin);
  const Agreement found = AgreementMeasure(t.a, stated.t0_s, lines, t.a).under(t.a);
  EXPECT_NEAR(found.channels, 0.0, 5e-3);
}

// Recordings reach 0.1 to 0.6; the phantom has noise.
TEST(Agreement, IsHighForPointsUnderRightFacts) {
  const Taken t = take(kPoints);
  const ChannelLines lines(t.a, t.frame, t.a.center_hz, {});
  const StatedFacts stated(t.a, TimeEvent::origin);
  EXPECT_GT(AgreementMeasure(t.a, stated.t0_s, lines, t.a).under(t.a).channels, 0.08);
}

// What a filter leaves of silent samples is equal in all channels, and no echo.
TEST(Agreement, IsZeroWhereTheSamplesAreSilent) {
  Taken t = take(kPoints);
  auto* const values = reinterpret_cast<std::int16_t*>(t.frame.data());
  const auto n = static_cast<std::size_t>(t.a.n_samples);
  for (std::size_t i = 0; i < t.a.frame_values(); ++i)
    if (i % n > n / 2) values[i] = 0;
  const ChannelLines lines(t.a, t.frame, t.a.center_hz, {});
  const StatedFacts stated(t.a, TimeEvent::origin);
  Acquisition late = t.a;
  for (Transmit& transmit : late.transmits) transmit.t0_s -= 0.55 * static_cast<double>(n) / t.a.sampling_hz;
  EXPECT_EQ(AgreementMeasure(t.a, stated.t0_s, lines, t.a).under(late).channels, 0.0);
}

TEST(FactDoubts, RightFactsHaveNone) {
  for (const PhantomSettings& settings : {kCyst, kPoints, kSector, PhantomSettings{.name = "flow"}}) {
    const Taken t = take(settings);
    for (const FactDoubt& doubt : doubts_of(t)) ADD_FAILURE() << settings.name << ": " << doubt.text;
    if (testing::kSanitized) break;
  }
}

TEST(FactDoubts, RightFactsHaveNoneInTheFirstFrames) {
  for (const std::uint64_t frame : {0U, 1U}) {
    const Taken t = take(kSector, frame);
    for (const FactDoubt& doubt : doubts_of(t)) ADD_FAILURE() << frame << ": " << doubt.text;
    if (testing::kSanitized) break;
  }
}

struct Mistake {
  const char* fact;
  std::function<void(Acquisition&)> make;
  std::function<double(const nlohmann::json& patch, const Acquisition& right)> error = {};  // relative
};

double speed_error(const nlohmann::json& patch, const Acquisition& right) {
  return patch.at("c_m_s").get<double>() / right.sound_speed_m_s - 1.0;
}

TEST(FactDoubts, AWrongFactIsFoundWithItsCorrection) {
  const auto turn = [](double factor) {
    return [factor](Acquisition& a) {
      for (Transmit& t : a.transmits) t.angle_rad *= factor;
    };
  };
  const std::vector<Mistake> mistakes{
      {"c", [](Acquisition& a) { a.sound_speed_m_s *= 1.08; }, speed_error},
      {"c", [](Acquisition& a) { a.sound_speed_m_s *= 0.85; }, speed_error},
      {"fs_hz", [](Acquisition& a) { a.sampling_hz *= 2.0; },
       [](const nlohmann::json& patch, const Acquisition& right) {
         return patch.at("fs_hz").get<double>() / right.sampling_hz - 1.0;
       }},
      {"fc_hz", [](Acquisition& a) { a.center_hz *= 2.0; },
       [](const nlohmann::json& patch, const Acquisition& right) {
         return 0.1 * (patch.at("fc_hz").get<double>() / right.center_hz - 1.0);
       }},
      {"side", turn(-1.0)},
      {"angles", turn(2.0), [](const nlohmann::json& patch, const Acquisition& right) {
         return patch.at("tx").at(0).at("angle_rad").get<double>() / right.transmits[0].angle_rad - 1.0;
       }}};
  const Taken right = take(kCyst);
  for (const Mistake& mistake : mistakes) {
    if (testing::kSanitized && &mistake != &mistakes.front() && &mistake != &mistakes.back()) continue;
    Taken wrong = right;
    mistake.make(wrong.a);
    const std::vector<FactDoubt> doubts = doubts_of(wrong);
    ASSERT_FALSE(doubts.empty()) << mistake.fact;
    EXPECT_EQ(doubts[0].fact, mistake.fact) << doubts[0].text;
    if (!mistake.error || doubts[0].fact != mistake.fact) continue;
    EXPECT_NEAR(mistake.error(doubts[0].patch, right.a), 0.0, 0.05) << doubts[0].text;
  }
}

// A connector of 16 elements that has noise only, and three elements without a signal.
TEST(LiveDoubts, ElementsUnlikeTheirNeighboursAreListed) {
  for (const PhantomSettings& settings : {kCyst, kPoints, kSector}) {
    Taken t = take(settings);
    const auto n = static_cast<std::size_t>(t.a.n_elements()), line = static_cast<std::size_t>(t.a.n_samples);
    const auto listed = [&t] { return find_unlike_elements(t.a, t.frame).elements; };
    EXPECT_EQ(listed(), std::vector<bool>(n, false)) << settings.name;
    auto* const values = reinterpret_cast<std::int16_t*>(t.frame.data());
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0.0, 200.0);
    std::vector<bool> expected(n, false);
    for (std::size_t e = 16; e < 32; ++e) expected[e] = true;
    for (const std::size_t e : {std::size_t{2}, std::size_t{40}, n - 1}) expected[e] = true;
    for (std::size_t transmit = 0; transmit < t.a.transmits.size(); ++transmit) {
      for (std::size_t e = 0; e < n; ++e) {
        if (!expected[e]) continue;
        for (std::size_t i = 0; i < line; ++i)
          values[(transmit * n + e) * line + i] =
              e >= 16 && e < 32 ? static_cast<std::int16_t>(noise(random)) : std::int16_t{0};
      }
    }
    EXPECT_EQ(listed(), expected) << settings.name;
    if (settings.name != kCyst.name) continue;  // the search of facts takes long
    const std::vector<Doubt> doubts = measure_live_doubts(std::make_shared<const Acquisition>(t.a), t.frame);
    ASSERT_FALSE(doubts.empty());
    EXPECT_NE(doubts[0].text.find("the channels do not agree: elements 3, 17–32, 41, "), std::string::npos)
        << doubts[0].text;
  }
}

TEST(TestedFacts, OneTransmitHasNoOrderAndNoSide) {
  Acquisition a = take(kCyst).a;
  EXPECT_FALSE(tested_facts(a).untested.contains("tx"));
  EXPECT_EQ(tested_facts(a).untested.at("demod_hz"), "RF");
  a.transmits = {Transmit{}};
  const TestedFacts one = tested_facts(a);
  EXPECT_EQ(one.untested.at("side"), "one transmit at 0 degrees");
  EXPECT_TRUE(one.untested.contains("tx") && one.untested.contains("angles"));
  a.probe.elements.resize(6);
  EXPECT_TRUE(tested_facts(a).tested.empty());
}

TEST(FactDoubts, AnotherOrderOfTheElementsIsFound) {
  const Taken right = take(kCyst);
  const auto n = static_cast<std::size_t>(right.a.n_elements());
  const std::size_t line = static_cast<std::size_t>(right.a.n_samples) * sizeof(std::int16_t);
  const std::vector<std::pair<const char*, std::function<std::size_t(std::size_t)>>> orders{
      {"pairs", [](std::size_t e) { return e ^ 1U; }},
      {"odd elements first", [n](std::size_t e) { return e % 2 == 0 ? e / 2 : n / 2 + e / 2; }},
      {"blocks of 16", [](std::size_t e) { return e / 16 * 16 + 15 - e % 16; }}};
  for (const auto& [words, stored_at] : orders) {
    Taken wrong = right;
    for (std::size_t t = 0; t < right.a.transmits.size(); ++t)
      for (std::size_t e = 0; e < n; ++e)
        std::copy_n(right.frame.begin() + static_cast<std::ptrdiff_t>((t * n + e) * line), line,
                    wrong.frame.begin() + static_cast<std::ptrdiff_t>((t * n + stored_at(e)) * line));
    const std::vector<FactDoubt> doubts = doubts_of(wrong);
    ASSERT_FALSE(doubts.empty()) << words;
    ASSERT_EQ(doubts[0].fact, "element_order") << doubts[0].text;
    EXPECT_NE(doubts[0].text.find(words), std::string::npos) << doubts[0].text;
    for (std::size_t e = 0; e < n; ++e)
      EXPECT_EQ(doubts[0].patch["element_order"][e].get<std::size_t>(), stored_at(e) + 1) << words;
    EXPECT_EQ(doubts.size(), 1U) << "the rest of the facts is right";
    if (testing::kSanitized) break;
  }
}

}  // namespace
}  // namespace echoloop::fact_doubts_test
