// What the user says about a recording in place of what its reader assumed.
#include "core/acquisition_facts.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/acquisitions.h"

namespace echoloop::acquisition_facts_test {
namespace {

AcquisitionPtr assumed() {
  Acquisition a = testing::linear_acquisition();
  a.assumptions.emplace_back("centre frequency 5 MHz assumed", "center_hz");
  a.assumptions.emplace_back("8-bit samples");
  return std::make_shared<const Acquisition>(std::move(a));
}

TEST(AcquisitionFacts, AreTakenOutOfTheSettings) {
  std::vector<std::string> settings = {"f_number=2", "center_hz=7.5e6", "gamma=1.5", "first_sample_s=-1e-6"};
  EXPECT_EQ(take_facts(settings), (Facts{{"center_hz", 7.5e6}, {"first_sample_s", -1e-6}}));
  EXPECT_EQ(settings, (std::vector<std::string>{"f_number=2", "gamma=1.5"}));
}

TEST(AcquisitionFacts, ReplaceWhatWasAssumed) {
  const AcquisitionPtr a = with_facts("file", assumed(), {{"center_hz", 7.5e6}, {"first_sample_s", 2e-6}});
  EXPECT_EQ(a->center_hz, 7.5e6);
  for (const Transmit& t : a->transmits) EXPECT_EQ(t.t0_s, 2e-6);
  ASSERT_EQ(a->assumptions.size(), 3U);
  EXPECT_EQ(a->assumptions[0].text, "8-bit samples");
  EXPECT_EQ(a->assumptions[1].text, "Centre frequency 7.5 MHz (set by the user)");
  EXPECT_EQ(a->assumptions[1].fact, "center_hz");
}

TEST(AcquisitionFacts, AFirstSampleLeavesWhatTheTransmitsDifferBy) {
  Acquisition a = testing::linear_acquisition(16, 256, {-5.0, 0.0, 5.0});
  for (std::size_t k = 0; k < a.transmits.size(); ++k) a.transmits[k].t0_s = -4e-6 + 1e-6 * static_cast<double>(k);
  const AcquisitionPtr b = with_facts("file", std::make_shared<const Acquisition>(a), {{"first_sample_s", 2e-6}});
  for (std::size_t k = 0; k < a.transmits.size(); ++k) {
    EXPECT_NEAR(b->transmits[k].t0_s, a.transmits[k].t0_s + 6e-6, 1e-18) << k;
  }
}

TEST(AcquisitionFacts, EveryFactIsReadBackAsItWasSet) {
  for (const FactSpec& spec : fact_specs()) {
    Acquisition a = testing::linear_acquisition();
    const double value = 0.5 * (spec.track_least + spec.track_most);
    spec.set(a, value);
    EXPECT_EQ(spec.get(a), value) << spec.key;
    EXPECT_LE(spec.least, spec.track_least) << spec.key;
    EXPECT_GE(spec.most, spec.track_most) << spec.key;
  }
}

TEST(AcquisitionFacts, RefuseWhatIsNoNumberOrOutOfRange) {
  for (const char* bad : {"center_hz=", "center_hz=5MHz", "center_hz=nan", "center_hz=-1", "frame_rate_hz=1e9"}) {
    std::vector<std::string> settings = {bad};
    EXPECT_THROW((void)take_facts(settings), Error) << bad;
  }
  EXPECT_THROW((void)with_facts("file", assumed(), {{"no_such_fact", 1.0}}), Error);
}

}  // namespace
}  // namespace echoloop::acquisition_facts_test
