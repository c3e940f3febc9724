// MFMC files: A-scans in any order, halves of a matrix, laws with delays, and what cannot be imaged.
#include <cmath>
#include <functional>

#include "formats/hdf5_fixture.h"

namespace echoloop::mfmc_test {
namespace {

using namespace test;

constexpr int kElements = 4, kSamples = 6, kFrames = 2;
constexpr const char* kData = "SEQUENCE<1>/MFMC_DATA";
const std::vector<double> kPlaces_m{-0.45e-3, -0.15e-3, 0.15e-3, 0.45e-3};

struct Pair {
  int sent, received;  // elements, from 0
};

std::vector<Pair> full_matrix() {
  std::vector<Pair> pairs;
  for (int t = 0; t < kElements; ++t) {
    for (int e = 0; e < kElements; ++e) pairs.push_back({t, e});
  }
  return pairs;
}

// One element a law, A-scans in the order of `pairs`.
void write_matrix(Hdf5Fixture& file, const std::vector<Pair>& pairs) {
  mfmc_probe(file, kPlaces_m);
  for (int e = 1; e <= kElements; ++e) mfmc_law(file, e, {static_cast<double>(e)}, {});
  std::vector<int> sent, received;
  std::vector<double> samples;
  for (const Pair& pair : pairs) sent.push_back(pair.sent + 1), received.push_back(pair.received + 1);
  for (int f = 0; f < kFrames; ++f) {
    for (const Pair& pair : pairs) {
      for (int i = 0; i < kSamples; ++i) samples.push_back(sample_value(f, pair.sent, pair.received, i, 0));
    }
  }
  mfmc_scans(file, sent, received);
  file.numbers(kData, {kFrames, pairs.size(), kSamples}, samples);
}

void wedge(Hdf5Fixture& file, double front_m, const std::vector<double>& normal) {
  file.attribute("PROBE<1>", "WEDGE_SURFACE_POINT", std::vector<double>{0, 0, front_m});
  file.attribute("PROBE<1>", "WEDGE_SURFACE_NORMAL", normal);
  file.attribute("SEQUENCE<1>", "WEDGE_VELOCITY", std::vector<double>{1200, 2330});
}

class Mfmc : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  Hdf5Fixture file_{folder_.path() / "a.mfmc"};
};

TEST_F(Mfmc, OneElementFiresAtATime) {
  write_matrix(file_, full_matrix());
  const Recording recording = open_recording(file_.close());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.format, "MFMC");
  expect_samples(recording, {.frames = kFrames, .transmits = kElements, .elements = kElements, .samples = kSamples});
  EXPECT_DOUBLE_EQ(a.sound_speed_m_s, kSpeed_m_s);  // the longitudinal one
  EXPECT_NEAR(a.sampling_hz, kSampling_hz, 1e-6);
  EXPECT_EQ(a.center_hz, kCenter_hz);
  for (std::size_t k = 0; k < kPlaces_m.size(); ++k) {
    const Transmit& t = a.transmits[k];
    EXPECT_EQ(t.kind, TransmitKind::diverging);
    EXPECT_NEAR(t.source_x_m, kPlaces_m[k], 1e-9);
    EXPECT_EQ(t.source_z_m, 0.0);
    EXPECT_NEAR(t.t0_s, 2e-6 - std::abs(kPlaces_m[k]) / kSpeed_m_s, 1e-12);  // START_TIME counts from the firing
  }
}

TEST_F(Mfmc, AScansLieInAnyOrder) {
  std::vector<Pair> pairs;
  for (const Pair& pair : full_matrix()) pairs.insert(pairs.begin(), {pair.received, pair.sent});
  write_matrix(file_, pairs);
  const Recording recording = open_recording(file_.close());
  for (int f = 0; f < kFrames; ++f) {
    for (int t = 0; t < kElements; ++t) {
      for (int e = 0; e < kElements; ++e) {
        // Transmits in the order in which the file names them: the last element first.
        EXPECT_EQ(sample(recording, static_cast<std::uint64_t>(f), t, e, 3),
                  sample_value(f, kElements - 1 - t, e, 3, 0));
      }
    }
  }
  EXPECT_NEAR(recording.acquisition->transmits[0].source_x_m, kPlaces_m.back(), 1e-9);
}

TEST_F(Mfmc, HalfOfAMatrixIsMirrored) {
  std::vector<Pair> pairs = full_matrix();
  std::erase_if(pairs, [](const Pair& pair) { return pair.received < pair.sent; });
  write_matrix(file_, pairs);
  const Recording recording = open_recording(file_.close());
  for (int t = 0; t < kElements; ++t) {
    for (int e = 0; e < kElements; ++e)
      EXPECT_EQ(sample(recording, 1, t, e, 5), sample_value(1, std::min(t, e), std::max(t, e), 5, 0));
  }
  bool said = false;
  for (const Assumption& assumption : recording.acquisition->assumptions)
    said = said || assumption.text == "half matrix: 6 A-scans taken from the opposite direction (reciprocity)";
  EXPECT_TRUE(said);
}

TEST_F(Mfmc, AFiringDelayIsCountedFromTheZeroOfTheLaw) {
  write_matrix(file_, full_matrix());
  file_.numbers("SEQUENCE<1>/LAW<1>/DELAY", {1}, {0.5e-6});
  // Law 1 receives as well, without its delay.
  mfmc_law(file_, 9, {1.0}, {});
  std::vector<int> sent, received;
  for (const Pair& pair : full_matrix()) {
    sent.push_back(pair.sent + 1);
    received.push_back(pair.received == 0 ? 9 : pair.received + 1);
  }
  mfmc_scans(file_, sent, received);
  const Recording recording = open_recording(file_.close());
  EXPECT_NEAR(recording.acquisition->transmits[0].t0_s, 2e-6 - 0.5e-6 - 0.45e-3 / kSpeed_m_s, 1e-12);
}

TEST_F(Mfmc, AParallelWedgeIsALens) {
  write_matrix(file_, full_matrix());
  wedge(file_, 12e-3, {0, 0, -1});
  const Recording recording = open_recording(file_.close());
  EXPECT_NEAR(recording.acquisition->probe.lens.thickness_m, 12e-3, 1e-12);
  EXPECT_EQ(recording.acquisition->probe.lens.sound_speed_m_s, 2330.0);
  EXPECT_TRUE(assumes(*recording.acquisition, "refracted at the surface of the wedge (12.00 mm at 2330 m/s"));
}

TEST_F(Mfmc, EveryTruncationIsRefused) {
  write_matrix(file_, full_matrix());
  expect_every_truncation_refused("t.mfmc", read_text(file_.close()), 997);
}

// What the program cannot image, or what is wrong, is refused in one line.
struct Refused {
  const char* name;
  std::function<void(Hdf5Fixture&)> change;
  const char* said;
};

class MfmcRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(MfmcRefused, InOneLine) {
  Hdf5Fixture file("r.mfmc");
  write_matrix(file, full_matrix());
  GetParam().change(file);
  EXPECT_TRUE(contains(refusal(file.close()), GetParam().said)) << refusal(file.path());
}

const Refused kRefused[] = {
    {"OldVersion", [](Hdf5Fixture& f) { f.attribute("/", "VERSION", "1.0.0"); }, "MFMC of version 1.0.0"},
    {"NoSequence", [](Hdf5Fixture& f) { f.attribute("SEQUENCE<1>", "TYPE", "LAW"); }, "without a sequence"},
    {"WedgeWithoutNormal",
     [](Hdf5Fixture& f) {
       f.attribute("PROBE<1>", "WEDGE_SURFACE_POINT", std::vector<double>{0, 0, 0.01});
     },
     "a wedge without all of"},
    {"WedgeOfTheSequence",
     [](Hdf5Fixture& f) {
       f.attribute("SEQUENCE<1>", "WEDGE_VELOCITY", std::vector<double>{1200, 2330});
     },
     "a wedge without all of"},
    {"InclinedWedge",
     [](Hdf5Fixture& f) {
       wedge(f, 0.01, {0.6, 0, 0.8});
     },
     "a wedge inclined by 36.86"},
    {"WedgeBehind",
     [](Hdf5Fixture& f) {
       wedge(f, -0.01, {0, 0, 1});
     },
     "in front of the elements"},
    {"WedgeTooThick",
     [](Hdf5Fixture& f) {
       wedge(f, 0.2, {0, 0, 1});
     },
     "lens thickness"},
    {"TwoProbes",
     [](Hdf5Fixture& f) {
       f.group("PROBE<2>");
       f.attribute("PROBE<2>", "TYPE", "PROBE");
       f.references("SEQUENCE<1>/PROBE_LIST", {"PROBE<1>", "PROBE<2>"});
     },
     "2 probes"},
    {"AnotherProbe",
     [](Hdf5Fixture& f) {
       f.group("PROBE<2>");
       f.references("SEQUENCE<1>/LAW<2>/PROBE", {"PROBE<2>"});
     },
     "a law for another probe"},
    {"MatrixArray",
     [](Hdf5Fixture& f) {
       f.numbers("PROBE<1>/ELEMENT_POSITION", {4, 3}, {0, 0, 0, 1e-3, 0, 0, 0, 1e-3, 0, 1e-3, 1e-3, 0});
     },
     "ELEMENT_POSITION"},
    {"NoCentreFrequency", [](Hdf5Fixture& f) { f.attribute("PROBE<1>", "CENTRE_FREQUENCY", "five"); },
     "no attribute CENTRE_FREQUENCY"},
    {"NoLongitudinalSpeed",
     [](Hdf5Fixture& f) {
       f.attribute("SEQUENCE<1>", "SPECIMEN_VELOCITY", std::vector<double>{3000, 0});
     },
     "no longitudinal speed"},
    {"NoTimeStep", [](Hdf5Fixture& f) { f.attribute("SEQUENCE<1>", "TIME_STEP", 0.0); }, "TIME_STEP = 0"},
    {"ElementZero",
     [](Hdf5Fixture& f) { f.numbers("SEQUENCE<1>/LAW<1>/ELEMENT", {1}, {0}, {.type = H5T_STD_I32LE, .chunk = {}}); },
     "element 0"},
    {"ElementBeyondTheProbe",
     [](Hdf5Fixture& f) { f.numbers("SEQUENCE<1>/LAW<1>/ELEMENT", {1}, {5}, {.type = H5T_STD_I32LE, .chunk = {}}); },
     "element 5"},
    {"ReceivedByTwo",
     [](Hdf5Fixture& f) {
       f.numbers("SEQUENCE<1>/LAW<1>/ELEMENT", {2}, {1, 2}, {.type = H5T_STD_I32LE, .chunk = {}});
     },
     "a receive law of 2 elements"},
    {"ReceivedLater", [](Hdf5Fixture& f) { f.numbers("SEQUENCE<1>/LAW<1>/DELAY", {1}, {1e-6}); },
     "a receive law with a DELAY or WEIGHTING"},
    {"ReceivedInverted", [](Hdf5Fixture& f) { f.numbers("SEQUENCE<1>/LAW<1>/WEIGHTING", {1}, {-1}); },
     "a receive law with a DELAY or WEIGHTING"},
    {"TwiceTheSame", [](Hdf5Fixture& f) { mfmc_scans(f, std::vector<int>(16, 1), std::vector<int>(16, 1)); },
     "two A-scans of one transmit law and element"},
    {"LawsOfOtherScans",
     [](Hdf5Fixture& f) {
       mfmc_scans(f, {1, 1}, {1, 2});
     },
     "2 transmit and 2 receive laws"},
    {"NoLaw", [](Hdf5Fixture& f) { f.references("SEQUENCE<1>/TRANSMIT_LAW", std::vector<std::string>(16)); },
     "leads to no law"},
    {"FewScans",
     [](Hdf5Fixture& f) {
       mfmc_scans(f, {1, 2, 3, 4}, {1, 2, 3, 4});
       f.numbers(kData, {1, 4, kSamples}, std::vector<double>(4 * kSamples, 1.0));
     },
     "4 A-scans of 4 transmits and 4 elements"},
    {"MissingScans",
     [](Hdf5Fixture& f) {
       mfmc_scans(f, {1, 1, 1, 2}, {1, 2, 3, 2});
       f.numbers(kData, {1, 4, kSamples}, std::vector<double>(4 * kSamples, 1.0));
     },
     "no A-scan of transmit"},
};

INSTANTIATE_TEST_SUITE_P(Variants, MfmcRefused, ::testing::ValuesIn(kRefused),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace echoloop::mfmc_test
