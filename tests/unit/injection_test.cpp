// Faults on purpose as text: what goes in comes out, and whatever is no fault is one line that says what would be.
#include <gtest/gtest.h>

#include <set>

#include "core/stream_settings.h"
#include "support/one_line.h"

namespace echoloop::injection_test {
namespace {

using testing::refusal_of;

TEST(Injection, NothingIsEmptyText) {
  EXPECT_EQ(to_text(Injection{}), "");
  EXPECT_EQ(parse_injection("load_ms=0"), Injection{});
}

TEST(Injection, NamesWhatIsOnAndLeavesTheRestOff) {
  const Injection injection = parse_injection("load_ms=2.5,missing_every=100");
  Injection expected;
  expected.load_ms = 2.5;
  expected.missing_every = 100;
  EXPECT_EQ(injection, expected);
  EXPECT_EQ(injection.stall_every_s, 2.0);
  EXPECT_EQ(to_text(injection), "load_ms=2.5,missing_every=100");
}

TEST(Injection, EachFaultSurvivesTheWayThroughText) {
  Injection all;
  for (const InjectionSpec& spec : injection_specs()) {
    for (const double value : {2.0 * spec.step, spec.max, spec.max - spec.step}) {
      if (value > spec.max || value == Injection().*spec.member) continue;  // of a switch, which is 0 or 1
      Injection one;
      one.*spec.member = value;
      EXPECT_EQ(parse_injection(to_text(one)), one) << to_text(one);
      EXPECT_NE(to_text(one).find(std::string(spec.key) + "="), std::string::npos);
    }
    all.*spec.member = spec.max - spec.step;
  }
  EXPECT_EQ(parse_injection(to_text(all)), all) << to_text(all);
}

TEST(Injection, TheTableIsCompleteAndItsKeysDiffer) {
  std::set<std::string_view> keys;
  Injection all;
  for (const InjectionSpec& spec : injection_specs()) {
    keys.insert(spec.key);
    all.*spec.member = -1.0;
    EXPECT_LE(spec.step, spec.max);
    EXPECT_FALSE(spec.label.empty() || spec.help.empty()) << spec.key;
  }
  EXPECT_EQ(keys.size(), injection_specs().size());
  EXPECT_EQ(keys.size() * sizeof(double), sizeof(Injection)) << "a fault without a row";
}

TEST(CopySettings, EachSettingSurvivesTheWayThroughText) {
  EXPECT_EQ(to_text(CopySettings{}), "");
  CopySettings all;
  for (const CopySpec& spec : copy_specs()) {
    CopySettings one;
    one.*spec.member = all.*spec.member = spec.max;
    EXPECT_EQ(parse_copy(to_text(one)), one) << to_text(one);
  }
  EXPECT_EQ(parse_copy(to_text(all)), all) << to_text(all);
  EXPECT_EQ(copy_specs().size() * sizeof(double), sizeof(CopySettings)) << "a setting without a row";
  EXPECT_NE(refusal_of([] { parse_copy("chunks=0"); }).find("--copy chunks"), std::string::npos);
  EXPECT_NE(refusal_of([] { parse_copy("bus_gbps=-1"); }).find("0 to 64 GB/s"), std::string::npos);
  EXPECT_NE(refusal_of([] { parse_copy("pieces=2"); }).find("chunks, streams"), std::string::npos);
}

struct Bad {
  std::string text;
  std::vector<std::string> naming;  // key, value and range
};

TEST(Injection, EveryBadInputIsOneLineWithKeyValueAndRange) {
  const Bad table[] = {
      {"load_ms=1001", {"load_ms", "= 1001 is out of range", "0 to 1000 ms"}},
      {"load_ms=-0.1", {"load_ms", "= -0.1 is out of range", "0 to 1000 ms"}},
      {"load_ms=nan", {"load_ms", "'nan'", "0 to 1000 ms"}},
      {"load_ms=inf", {"load_ms", "'inf'", "0 to 1000 ms"}},
      {"load_ms=2ms", {"load_ms", "'2ms'", "0 to 1000 ms"}},
      {"load_ms=1e999", {"load_ms", "'1e999'", "0 to 1000 ms"}},
      {"load_ms=", {"load_ms", "''", "0 to 1000 ms"}},
      {"load_ms", {"load_ms", "''", "0 to 1000 ms"}},
      {"load_ms= 2", {"load_ms", "' 2'", "0 to 1000 ms"}},
      {"jitter_ms=1000.5", {"jitter_ms", "= 1000.5 is out of range", "0 to 1000 ms"}},
      {"burst_frames=2.5", {"burst_frames", "'2.5'", "whole numbers from 0 to 1000 frames"}},
      {"burst_frames=1001", {"burst_frames", "'1001'", "whole numbers from 0 to 1000 frames"}},
      {"stall_ms=10001", {"stall_ms", "= 10001 is out of range", "0 to 10000 ms"}},
      {"stall_every_s=0", {"stall_every_s", "= 0 is out of range", "0.1 to 3600 s"}},
      {"stall_every_s=3601", {"stall_every_s", "= 3601 is out of range", "0.1 to 3600 s"}},
      {"duplicate_every=0.5", {"duplicate_every", "'0.5'", "whole numbers from 0 to 1e+06 frames"}},
      {"missing_every=1", {"missing_every", "'1'", "not 1"}},
      {"missing_every=many", {"missing_every", "'many'", "whole numbers from 0 to 1e+06 frames"}},
      {"error_at=1e16", {"error_at", "'1e16'", "whole numbers from 0 to 1e+15"}},
      {"lost_at=-1", {"lost_at", "'-1'", "whole numbers from 0 to 1e+15"}},
      {"warp=9", {"--inject", "'warp=9'", "load_ms", "lost_at"}},
      {"load_ms=1,warp=9", {"'warp=9'", "missing_every"}},
      {"load_ms=1,", {"--inject", "''", "KEY=VALUE"}},
      {",load_ms=1", {"--inject", "''", "KEY=VALUE"}},
      {"LOAD_MS=1", {"'LOAD_MS=1'", "load_ms"}},
      {"=1", {"'=1'", "load_ms"}},
      {"load_ms=1;jitter_ms=2", {"load_ms", "'1;jitter_ms=2'"}},
      {"", {"--inject", "''"}},
  };
  for (const Bad& bad : table) {
    SCOPED_TRACE("'" + bad.text + "'");
    const std::string said = refusal_of([&] { (void)parse_injection(bad.text); });
    for (const std::string& part : bad.naming) {
      EXPECT_NE(said.find(part), std::string::npos) << said << " does not say " << part;
    }
  }
}

TEST(Injection, BothEndsOfARangeAreAccepted) {
  for (const InjectionSpec& spec : injection_specs()) {
    const std::string key(spec.key);
    char largest[32];
    std::snprintf(largest, sizeof largest, "%.17g", spec.max);
    EXPECT_EQ(parse_injection(key + "=" + largest).*spec.member, spec.max);
  }
  EXPECT_EQ(parse_injection("stall_every_s=0.1").stall_every_s, 0.1);
}

}  // namespace
}  // namespace echoloop::injection_test
