// Files of arrays without a known layout: by the names of their arrays, by a description beside them, raw bytes, lines.
// Samples are a known function of their indices (hdf5_fixture.h), so that a wrong axis or array cannot pass.
#include <cmath>
#include <numbers>
#include <set>

#include "core/facts.h"
#include "formats/file_outline.h"
#include "formats/hdf5_fixture.h"
#include "formats/import/guess.h"
#include "formats/readers/description_json.h"
#include "formats/support.h"

namespace echoloop::import_test {
namespace {

using namespace test;

const Extents kSize{.frames = 1, .transmits = 3, .elements = 16, .samples = 256};

// One file with names of its own: 3 angles in degrees, pitch in mm, sampling in MHz.
void write_plain(Hdf5Fixture& file) {
  file.numbers("acq/rf", sample_dims("tei", kSize), sample_table("tei", kSize), {.type = H5T_STD_I16LE, .chunk = {}});
  file.number("acq/fs_MHz", 20.0);
  file.number("acq/f0", 5e6);
  file.number("acq/t_start", 2e-6);
  file.number("medium/sound_speed", 1500.0);
  file.number("probe/pitch_mm", 0.3);
  file.numbers("tx/angles", {3}, {-10.0, 0.0, 10.0});
}

TEST(Import, ReadsAnHdf5FileByItsNames) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  expect_samples(recording, kSize);
  EXPECT_EQ(recording.format, "HDF5, read by names");
  EXPECT_DOUBLE_EQ(a.sampling_hz, 20e6);
  EXPECT_DOUBLE_EQ(a.center_hz, 5e6);
  EXPECT_DOUBLE_EQ(a.sound_speed_m_s, 1500.0);
  EXPECT_NEAR(a.probe.pitch_m, 0.3e-3, 1e-10);
  EXPECT_NEAR(a.transmits[0].angle_rad, -10.0 * std::numbers::pi / 180.0, 1e-12);
  EXPECT_NEAR(a.transmits[1].t0_s, 2e-6, 1e-12);
  for (const char* const said :
       {"fs_hz: acq/fs_MHz", "fc_hz: acq/f0", "pitch_m: probe/pitch_mm, 0.3 mm", "tx_angles_rad: tx/angles",
        "read as degrees", "t0_s: acq/t_start, 2 us", "data: by name"})
    EXPECT_TRUE(assumes(*recording.acquisition, said)) << said;
}

TEST(Import, KnowsSpellings) {
  const std::pair<const char*, const char*> kNames[] = {{"data/us_data", "data"},
                                                        {"RF_channel", "data"},
                                                        {"fullMatrix", "data"},
                                                        {"fsamp_MHz", "fs_hz"},
                                                        {"samp_freq", "fs_hz"},
                                                        {"cent_freq", "fc_hz"},
                                                        {"probe_center_frequency", "fc_hz"},
                                                        {"line_x_m", "element_pos_m"},
                                                        {"array_pitch_mm", "pitch_m"},
                                                        {"elem_pitch", "pitch_m"},
                                                        {"xPiez", "element_pos_m"},
                                                        {"pw_angle", "tx_angles_rad"},
                                                        {"transmit_angle", "tx_angles_rad"},
                                                        {"virt_src", "virtual_source_m"},
                                                        {"speed_of_sound_mps", "c_m_s"},
                                                        {"c_mm_us", "c_m_s"},
                                                        {"speed_of_sound_m_per_s", "c_m_s"},
                                                        {"c_water", "c_m_s"},
                                                        {"probe_x", "element_pos_m"},
                                                        {"mic_positions", "element_pos_m"},
                                                        {"pitch_lambda", "pitch_m"},
                                                        {"wave_azimuth", "tx_angles_rad"},
                                                        {"receiver_positions", "element_pos_m"}};
  for (const auto& [name, fact] : kNames) {
    const auto found = named_fact(name);
    ASSERT_TRUE(found.has_value()) << name;
    EXPECT_EQ(found->fact->key, std::string_view(fact)) << name;
  }
  EXPECT_EQ(named_fact("fsamp_MHz")->unit, find_unit("MHz"));
}

TEST(Import, EachSpellingIsOfOneFactAndEachPlaceOfOneForm) {
  std::set<std::string_view> keys, words;
  std::set<int> places;
  for (const FactRow& row : kFacts) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_TRUE(row.place == 0 || places.insert(row.place).second) << row.key;
    EXPECT_EQ(row.asked.id != nullptr, row.place > 0 && row.place % 10 == 0) << row.key;
    EXPECT_TRUE(row.given.place == 0 || *row.name != '\0') << row.key;
    any_word(row.spellings, [&](std::string_view word, std::size_t) {
      EXPECT_TRUE(words.insert(word).second) << word;
      return false;
    });
  }
}

TEST(Import, AsManyTransmitsAsElementsAreAFullMatrix) {
  const std::optional<AxesGuess> guess = guess_axes({64, 64, 1024}, {});
  ASSERT_TRUE(guess.has_value());
  EXPECT_EQ(guess->axes, (std::vector<std::string>{"transmit", "element", "time"}));
  const std::optional<AxesGuess> frames = guess_axes({50, 64, 1024}, {});  // not as many: the user decides
  ASSERT_TRUE(frames.has_value());
  EXPECT_FALSE(frames->open.empty());
}

// More frames than samples: the order of the axes says which are which, and the user is asked.
TEST(Import, ManyFramesAreTheSlowestAxis) {
  const std::optional<AxesGuess> rows = guess_axes({1000, 2, 32, 700}, {.n_transmits = 2}),
                                 columns = guess_axes({700, 32, 1000}, {.first_fastest = true}),
                                 few = guess_axes({700, 32, 500}, {.first_fastest = true});
  ASSERT_TRUE(rows && columns && few);
  EXPECT_EQ(rows->axes, (std::vector<std::string>{"frame", "transmit", "element", "time"}));
  EXPECT_EQ(columns->axes, (std::vector<std::string>{"time", "element", "frame"}));
  EXPECT_NE(rows->undecided, "");
  EXPECT_NE(columns->undecided, "");
  EXPECT_EQ(few->undecided, "");
}

// Unsigned samples about the middle of their range: said, and subtracted by a description.
TEST(Import, TheZeroOfUnsignedSamplesOfHdf5IsSaidAndSubtracted) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  std::vector<double> raised = sample_table("tei", kSize);
  for (double& value : raised) value += 30'000.0;
  file.numbers("acq/rf", sample_dims("tei", kSize), raised, {.type = H5T_STD_U16LE, .chunk = {}});
  const std::filesystem::path path = file.close();
  EXPECT_TRUE(assumes(*open_recording(path).acquisition, "unsigned samples, of which 0 is taken for zero"));
  Json meta = Json::parse(description_template(outline_file(path), "a.h5"), nullptr, true, true);
  meta["offset"] = 30'000;
  const Recording recording = open_recording_as(path, meta.dump());
  expect_samples(recording, kSize);
  EXPECT_FALSE(assumes(*recording.acquisition, "unsigned samples"));
}

TEST(Import, TheEventAtTimeZeroMayBeASentence) {
  const auto event_of = [](const char* name, const char* sentence) {
    Hdf5Fixture file("a.h5");
    write_plain(file);
    file.text(name, sentence);
    return Json::parse(description_template(outline_file(file.close()), "a.h5"), nullptr, true, true)["t_zero"];
  };
  EXPECT_EQ(event_of("acq/reference_time", "when the first element fires."), "first_firing");
  EXPECT_EQ(event_of("time_zero", "wave passes the origin"), "origin");
  EXPECT_EQ(event_of("t_zero", "centre"), "centre");
  EXPECT_EQ(event_of("time_origin", "center of the array"), "centre");
  EXPECT_EQ(event_of("note", "wave passes the origin"), "first_firing");
  EXPECT_EQ(event_of("time_zero", "origin or first element"), "first_firing");
}

// Of a unit beside the numbers: metres are no milliseconds, and one that is not known is asked about.
TEST(Import, UnitsBesideTheNumbers) {
  const auto outline_with = [](const char* unit_of_angles, const char* unit_of_pitch) {
    Hdf5Fixture file("a.h5");
    write_plain(file);
    file.remove("probe/pitch_mm");
    file.number("probe/pitch", 0.3e-3);
    file.attribute("probe/pitch", "units", unit_of_pitch);
    file.attribute("tx/angles", "units", unit_of_angles);
    return outline_file(file.close());
  };
  const auto json = [](const FileOutline& outline) {
    return Json::parse(description_template(outline, "a.h5"), nullptr, true, true);
  };
  EXPECT_EQ(json(outline_with("mrad", "m"))["tx_angles_rad"], "tx/angles * 0.001");
  EXPECT_EQ(json(outline_with("mrad", "m"))["pitch_m"], "probe/pitch");
  const FileOutline asked = outline_with("gon", "m");
  ASSERT_EQ(asked.missing.size(), 1U);
  EXPECT_EQ(asked.missing[0].key, "tx_angles_rad");
  EXPECT_EQ(asked.missing[0].reason, "unit of tx/angles (\"gon\" is not known)");
  EXPECT_TRUE(outline_with("degrees", "millimetre").missing.empty());
}

// A group of the name that PICMUS gives to its datasets.
TEST(Import, ArraysInAGroupUsAreNotPicmus) {
  Hdf5Fixture file("a.h5");
  file.numbers("US/rf", sample_dims("tei", kSize), sample_table("tei", kSize));
  file.number("US/fs", 20e6);
  file.number("US/fc", 5e6);
  file.number("US/pitch", 0.3e-3);
  file.numbers("US/angles", {3}, {-0.1, 0.0, 0.1});
  const Recording recording = open_recording(file.close());
  EXPECT_EQ(recording.format, "HDF5, read by names");
  expect_samples(recording, kSize);
}

// Two values a sample, whatever the name: no frames.
TEST(Import, TwoAsTheFastestAxisAreAskedAbout) {
  const std::optional<AxesGuess> rows = guess_axes({3, 64, 350, 2}, {.n_transmits = 3}),
                                 frames = guess_axes({2, 3, 64, 350}, {.n_transmits = 3});
  ASSERT_TRUE(rows && frames);
  EXPECT_EQ(rows->axes, (std::vector<std::string>{"transmit", "element", "time", "iq"}));
  EXPECT_NE(rows->undecided, "");
  EXPECT_EQ(frames->undecided, "");
}

TEST(Import, APairByNameIsIAndQ) {
  AxisHints hints{.n_elements = 64, .n_transmits = 5};
  hints.named_iq = true;
  const std::optional<AxesGuess> guess = guess_axes({1, 5, 64, 512, 2}, hints);
  ASSERT_TRUE(guess.has_value());
  EXPECT_EQ(guess->axes.back(), "iq");
}

const Extents kPairs{.frames = 1, .transmits = 3, .elements = 16, .samples = 256, .values = 2};

TEST(Import, IAndQInTwoArraysOrAsTheLastAxis) {
  for (const bool apart : {true, false}) {
    Hdf5Fixture file("a.h5");
    write_plain(file);
    file.remove("acq/rf");
    file.number("acq/f_demod", 5e6);
    if (apart) {
      file.numbers("acq/rf_real", sample_dims("tei", kPairs), sample_table("tei", kPairs, 0));
      file.numbers("acq/rf_imag", sample_dims("tei", kPairs), sample_table("tei", kPairs, 1));
    } else {
      file.numbers("acq/iq_data", sample_dims("teiq", kPairs), sample_table("teiq", kPairs));
    }
    const Recording recording = open_recording(file.close());
    EXPECT_EQ(recording.acquisition->signal, SignalKind::iq) << apart;
    EXPECT_EQ(recording.frame_count, 1U) << apart;
    const double level = std::hypot(sample(recording, 0, 1, 4, 7, 0), sample(recording, 0, 1, 4, 7, 1));
    EXPECT_NEAR(level, std::hypot(sample_value(0, 1, 4, 7, 0), sample_value(0, 1, 4, 7, 1)), 1e-3 * level);
  }
}

TEST(Import, TimesOfFieldIICountFromTheCentre) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  file.remove("acq/t_start");
  file.number("acq/tstart", 2e-6);
  const Recording centre = open_recording(file.close());
  EXPECT_TRUE(assumes(*centre.acquisition, "as tstart of Field II"));
  for (const Transmit& t : centre.acquisition->transmits) EXPECT_NEAR(t.t0_s, 2e-6, 1e-12);
}

// Facts that do not fit the samples are not passed over in silence.
TEST(Import, AnglesAndTimesThatDoNotFitAreSaid) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  file.numbers("acq/t_start", {7}, {1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6});
  const std::string times = refusal(file.close());
  EXPECT_TRUE(contains(times, "time of the first sample (acq/t_start has 7 values, the samples 3 transmits)"));
  Hdf5Fixture same("c.h5");
  write_plain(same);
  same.numbers("acq/t_start", {7}, std::vector<double>(7, 2e-6));
  EXPECT_NEAR(open_recording(same.close()).acquisition->transmits[1].t0_s, 2e-6, 1e-12);
  Hdf5Fixture one("b.h5");
  write_plain(one);
  one.numbers("acq/rf", {16, 256}, std::vector<double>(16 * 256, 1.0));
  const std::string line = refusal(one.close());
  EXPECT_TRUE(contains(line, "transmits (tx/angles has 3 values, the samples one transmit)"));
}

TEST(Import, TransmitsThatAreOtherThanPlaneAreAsked) {
  const auto line_with = [&](const char* name, const std::vector<double>& values) {
    Hdf5Fixture file("a.h5");
    write_plain(file);
    file.remove("tx/angles");
    if (std::string(name) != "tx/angles") file.numbers("tx/angles", {3}, {-0.1, 0.0, 0.1});
    file.numbers(name, {values.size()}, values);
    return refusal(file.close());
  };
  EXPECT_TRUE(contains(line_with("tx/focus", {0.02}), "tx/focus = 0.02: focused at that depth, or plane waves"));
  EXPECT_TRUE(contains(line_with("tx/angles", {-1.5, 0.0, 1.5}), "unit of tx/angles (up to 1.5: degrees or radians)"));
  EXPECT_TRUE(
      contains(line_with("tx/angles", {-0.1, 0.0, 0.1, 0.2, 0.3}), "tx/angles has 5 values, the samples one transmit"));
}

// Whatever the order of the axes, the lengths of the lists tell them.
TEST(Import, AxesInEveryOrder) {
  const Extents size{.frames = 4, .transmits = 3, .elements = 16, .samples = 256};
  for (const char* const letters : {"eit", "efit"}) {
    std::string axes = letters;
    std::ranges::sort(axes);
    const Extents extents = axes.size() == 3 ? kSize : size;
    do {
      Hdf5Fixture file("a.h5");
      write_plain(file);
      file.numbers("acq/rf", sample_dims(axes, extents), sample_table(axes, extents));
      const Recording recording = open_recording(file.close());
      ASSERT_EQ(recording.frame_count, static_cast<std::uint64_t>(extents.frames)) << axes;
      expect_samples(recording, extents);
    } while (std::ranges::next_permutation(axes).found);
  }
}

TEST(Import, AxesOfEqualLengthsAreAsked) {
  const AxisHints angles{.n_transmits = 64};
  EXPECT_NE(guess_axes({64, 64, 1024}, angles)->undecided, "");
  EXPECT_EQ(guess_axes({64, 64, 1024}, {})->undecided, "");  // a full matrix is the same both ways
  EXPECT_NE(guess_axes({5, 5, 64, 1024}, {.n_elements = 64, .n_transmits = 5})->undecided, "");
  EXPECT_NE(guess_axes({128, 128, 5}, {.n_transmits = 5})->undecided, "");
  EXPECT_NE(guess_axes({128, 80, 1024}, {.n_transmits = 1})->undecided, "");
  EXPECT_EQ(guess_axes({128, 80, 1024}, {.n_elements = 80, .n_transmits = 1})->undecided, "");
}

// Samples x (elements of all waves): the number of elements says how they are split; without it they are asked for.
TEST(Import, WavesSideBySideInAMatrix) {
  const TemporaryFolder folder;
  const auto write = [&](bool count) {
    Hdf5Fixture file(folder.path() / "a.h5");
    write_plain(file);
    file.numbers("acq/rf", {256, 48}, sample_table("ite", kSize));
    if (count) file.number("probe/n_elements", 16);
    return file.close();
  };
  const std::string line = refusal(write(false));
  EXPECT_TRUE(contains(line, "3 waves of 16 elements side by side (\"shape\": [256,3,16]) or one wave"));
  expect_samples(open_recording(write(true)), kSize);
  folder.write("a.json", R"({"data": "acq/rf", "shape": [256, 3, 16], "axes": ["time", "transmit", "element"],
      "fs_hz": 2e7, "fc_hz": 5e6, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "tx_angles_rad": [-0.1, 0, 0.1]})");
  expect_samples(open_recording(write(false)), kSize);
  folder.write("a.json", R"({"data": "acq/rf", "shape": [256, 3, 15], "axes": ["time", "transmit", "element"],
      "fs_hz": 2e7, "fc_hz": 5e6, "pitch_m": 3e-4, "t0_s": 0, "t_zero": "origin", "tx_angles_rad": [-0.1, 0, 0.1]})");
  const std::string other = refusal(write(false));
  EXPECT_TRUE(contains(other, "shape = (256, 3, 15) of an array (256, 48)"));
  EXPECT_EQ(guess_split({1024, 320}, 5, 0, MemoryOrder::fortran)->shape, (std::vector<std::size_t>{1024, 64, 5}));
  EXPECT_EQ(guess_split({5120, 64}, 5, 64, MemoryOrder::fortran)->shape, (std::vector<std::size_t>{1024, 5, 64}));
  EXPECT_EQ(guess_split({1024, 4800}, 75, 0, MemoryOrder::fortran)->shape, (std::vector<std::size_t>{1024, 64, 75}));
  EXPECT_EQ(guess_split({1024, 4096}, 64, 64, MemoryOrder::c)->shape, (std::vector<std::size_t>{1024, 64, 64}));
  EXPECT_FALSE(guess_split({1024, 321}, 5, 0, MemoryOrder::fortran).has_value());
}

// A full matrix as columns, by lists of the sending and the receiving element.
TEST(Import, ColumnsOfAFullMatrix) {
  const TemporaryFolder folder;
  const Extents size{.frames = 1, .transmits = 16, .elements = 16, .samples = 256};
  const auto of = [&](std::size_t turn) {
    Hdf5Fixture file(folder / "b.h5");
    write_plain(file);
    file.remove("tx/angles");
    Extents longer = size;
    longer.samples = 300;
    file.numbers("acq/rf", {256, 300}, sample_table("tei", longer));
    std::vector<double> tx, rx;
    for (std::size_t k = 0; k < 256; ++k) {
      tx.push_back(static_cast<double>((k + turn) % 256 / 16 + 1));
      rx.push_back(static_cast<double>((k + turn) % 16 + 1));
    }
    file.numbers("acq/tx", {256}, tx);
    file.numbers("acq/rx", {256}, rx);
    return file.close();
  };
  const Recording recording = open_recording(of(0));
  ASSERT_EQ(recording.acquisition->n_transmits(), 16);
  ASSERT_EQ(recording.acquisition->n_elements(), 16);
  EXPECT_NEAR(sample(recording, 0, 3, 7, 40), sample_value(0, 3, 7, 40, 0), 1e-3);
  const Recording turned = open_recording(of(1));  // the same pairs, in another order
  ASSERT_EQ(turned.acquisition->n_transmits(), 16);
  EXPECT_NEAR(sample(turned, 0, 3, 7, 40), sample_value(0, 3, 6, 40, 0), 1e-3);
}

TEST(Import, SaysWhatIsMissingInOneLine) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  file.remove("tx/angles");
  file.remove("probe/pitch_mm");
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, "transmits (angles"));
  EXPECT_LT(line.find("transmits (angles"), line.find("element positions or pitch")) << line;
  EXPECT_TRUE(contains(line, "echoloop describe a.h5 > a.json"));
  Hdf5Fixture unnamed("b.h5");
  unnamed.numbers("Messdaten", {16, 256}, std::vector<double>(16 * 256, 1.0));
  const std::string other = refusal(unnamed.close());
  EXPECT_TRUE(contains(other, "echoloop describe b.h5 > b.json"));
}

TEST(Import, MeasuresACentreFrequencyThatIsNotInTheFile) {
  Hdf5Fixture file("a.h5");
  write_plain(file);
  file.remove("acq/f0");
  std::vector<double> values;
  for (int k = 0; k < 3 * 16; ++k) {
    for (int i = 0; i < 256; ++i)
      values.push_back(1000.0 * std::exp(-std::pow((i - 128) / 6.0, 2)) * std::cos(2.0 * std::numbers::pi * 0.21 * i));
  }
  file.numbers("acq/rf", sample_dims("tei", kSize), values);
  const Recording recording = open_recording(file.close());
  EXPECT_NEAR(recording.acquisition->center_hz, 0.21 * 20e6, 0.02 * 20e6);
  EXPECT_TRUE(assumes(*recording.acquisition, "from the spectrum of the first frame"));
}

TEST(Import, ADescriptionNamesVariables) {
  const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "a.h5");
  write_plain(file);
  file.numbers("other", {4, 4}, std::vector<double>(16, 1.0));
  folder.write("a.json", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": "acq.fs_MHz * 2e6",
      "fc_hz": "f0", "c_m_s": 1540, "t0_s": "t_start", "t_zero": "origin", "pitch_m": "probe.pitch_mm * 1e-3",
      "tx": {"kind": "plane", "angle_rad": "tx.angles * 0.01"}} // a comment)");
  const Recording recording = open_recording(file.close());
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(recording.format, "HDF5 with JSON description");
  EXPECT_DOUBLE_EQ(a.sampling_hz, 40e6);
  EXPECT_NEAR(a.transmits[2].angle_rad, 0.1, 1e-12);
  EXPECT_NEAR(a.transmits[2].t0_s, 2e-6, 1e-12);
  expect_samples(recording, kSize);
}

struct Wrong {
  const char* name;
  const char* description;
  const char* said;
};

class ImportRefused : public ::testing::TestWithParam<Wrong> {};

TEST_P(ImportRefused, InOneLine) {
  const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "a.h5");
  write_plain(file);
  folder.write("a.json", GetParam().description);
  const std::string line = refusal(file.close());
  EXPECT_TRUE(contains(line, GetParam().said));
  EXPECT_TRUE(contains(line, "a.json"));
}

const Wrong kWrong[] = {
    {"NearlyAKey", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_Hz": 2e7})",
     "the unknown key 'fs_Hz'; expected 'fs_hz'"},
    {"MisspeltKey", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "pich_m": 2e7})",
     "expected 'pitch_m'"},
    {"NoVariable", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": "acq.fs"})",
     "fs_hz = \"acq.fs\", no such variable; expected one of acq/"},
    {"NoData", R"({"data": "acq/rg", "axes": ["transmit", "element", "time"]})", "data = \"acq/rg\", no such variable"},
    {"NoSampling", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"]})", "no 'fs_hz'"},
    {"TooManyAxes", R"({"data": "acq/rf", "axes": ["frame", "transmit", "element", "time", "iq"], "fs_hz": 1e7})",
     "one axis name for each axis"},
    {"NotJson", "{", "invalid JSON: parse error at line 1, column 2"},
    {"UnknownInsteadOfSampling", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "sampling": 2e7})",
     "the unknown key 'sampling'; expected a known key, or one of your own that begins with x_"},
    {"TwoOfAKind",
     R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": 2e7, "pitch_m": 3e-4, "pitch_mm": 0.3})",
     "the unknown key 'pitch_mm'; expected 'pitch_m' alone"},
    {"PlacesOfFrames", R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": 2e7, "poses": []})",
     "the unknown key 'poses'; expected a known key"},
    {"TracesWithoutPairs", R"({"data": "acq/rf", "axes": ["frame", "trace", "time"], "fs_hz": 2e7})",
     "no 'tx_of_trace'"},
    {"TracesOfTwoKinds",
     R"({"data": "acq/rf", "axes": ["frame", "trace", "time"], "fs_hz": 2e7, "tx_angles_rad": [0, 0, 0]})",
     "both an axis \"trace\" and tx_angles_rad"},
    {"EntryOfDegrees",
     R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": 2e7, "fc_hz": 5e6, "pitch_m": 3e-4,
         "t0_s": 0, "t_zero": "origin", "tx": [{"angle_deg": 5}, {"angle_deg": 0}, {"angle_deg": -5}]})",
     "tx entry with the unknown key 'angle_deg'; expected 'angle_rad'"},
    {"EntryOfAnotherWord",
     R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": 2e7, "fc_hz": 5e6, "pitch_m": 3e-4,
         "t0_s": 0, "t_zero": "origin", "tx": [{"kind": "plane", "steering": 5}]})",
     "tx entry with the unknown key 'steering'; expected a known key"},
    {"EntryWithoutAKnownKey",
     R"({"data": "acq/rf", "axes": ["transmit", "element", "time"], "fs_hz": 2e7, "fc_hz": 5e6, "pitch_m": 3e-4,
         "t0_s": 0, "t_zero": "origin", "tx": [{"steering": 5}]})",
     "tx entry with the unknown key 'steering'; expected a known key"},
};

INSTANTIATE_TEST_SUITE_P(Descriptions, ImportRefused, ::testing::ValuesIn(kWrong),
                         [](const auto& info) { return std::string(info.param.name); });

// header, 2 frames of 3 transmits x 16 elements x 256 samples of int16.
std::string raw_frames(Endian endian, const std::string& frame_header) {
  std::string bytes(32, 'h');
  for (int f = 0; f < 2; ++f) {
    std::vector<std::int16_t> values;
    for (int k = 0; k < 3 * 16 * 256; ++k)
      values.push_back(static_cast<std::int16_t>(sample_value(f, k / 256 / 16, k / 256 % 16, k % 256, 0)));
    bytes += frame_header + packed(values, endian);
  }
  return bytes;
}

Json raw_meta() {
  return {{"dtype", "int16"},
          {"header_bytes", 32},
          {"shape", {0, 3, 16, 256}},
          {"axes", {"frame", "transmit", "element", "time"}},
          {"fs_hz", 20e6},
          {"fc_hz", 5e6},
          {"pitch_m", 0.3e-3},
          {"t0_s", 0},
          {"t_zero", "origin"},
          {"tx_angles_rad", {-0.1, 0.0, 0.1}}};
}

TEST(Import, RawBytesAreWhatTheDescriptionSays) {
  const Extents two{.frames = 2, .transmits = 3, .elements = 16, .samples = 256};
  for (const Endian endian : {Endian::little, Endian::big}) {
    for (const std::string& frame_header : {std::string(), std::string(8, 't')}) {
      for (const char* const name : {"a.bin", "a.raw", "a.dat", "a.rf"}) {
        const TemporaryFolder folder;
        Json meta = raw_meta();
        meta["byte_order"] = endian == Endian::big ? "big" : "little";
        meta["frame_header_bytes"] = frame_header.size();
        folder.write("a.json", meta.dump());
        expect_samples(open_recording(folder.write(name, raw_frames(endian, frame_header))), two);
      }
    }
  }
}

TEST(Import, RawBytesAreCounted) {
  const TemporaryFolder folder;
  Json meta = raw_meta();
  meta["shape"] = {3, 3, 16, 256};
  folder.write("a.json", meta.dump());
  const std::string line = refusal(folder.write("a.bin", raw_frames(Endian::little, "")));
  EXPECT_TRUE(contains(line, "32 + (3, 3, 16, 256) x 2 bytes = 73760 in a file of 49184 bytes"));
  folder.write("a.json", raw_meta().dump());
  const Recording recording = open_recording(folder.write("a.bin", raw_frames(Endian::little, "") + "abc"));
  EXPECT_TRUE(assumes(*recording.acquisition, "3 of 49187 bytes at the end of the file are left over"));
}

// Every way to say what is sent, on one array: the transmits that come out of it.
TEST(Import, TransmitsOfEveryKind) {
  const auto first = [](const char* key, const Json& value) {
    const TemporaryFolder folder;
    Json meta = raw_meta();
    meta.erase("tx_angles_rad");
    meta[key] = value;
    folder.write("a.json", meta.dump());
    return open_recording(folder.write("a.bin", raw_frames(Endian::little, ""))).acquisition->transmits.at(2);
  };
  const Transmit diverging = first("virtual_source_m", {{-1e-3, -5e-3}, {0.0, -5e-3}, {1e-3, -5e-3}});
  EXPECT_EQ(diverging.kind, TransmitKind::diverging);
  EXPECT_EQ(diverging.source_x_m, 1e-3);
  const Transmit focused = first("tx_foci_m", {{-1e-3, 0.02}, {0.0, 0.02}, {2e-3, 0.03}});
  EXPECT_EQ(focused.kind, TransmitKind::focused);
  EXPECT_EQ(focused.source_x_m, 2e-3);
  EXPECT_EQ(focused.source_z_m, 0.03);
  const Transmit element = first("tx_elements", {1, 8, 16});
  EXPECT_EQ(element.kind, TransmitKind::diverging);
  EXPECT_NEAR(element.source_x_m, 7.5 * 0.3e-3, 1e-12);
  Json laws = Json::array();
  for (int k = 0; k < 3; ++k) {
    laws.push_back(Json::array());
    for (int e = 0; e < 16; ++e) laws.back().push_back(e == 3 && k == 2 ? Json() : Json((e * e % 7) * 1e-7));
  }
  const Transmit delays = first("tx_delays_s", laws);
  EXPECT_EQ(delays.kind, TransmitKind::delays);
  EXPECT_TRUE(std::isnan(delays.element_delays_s.at(3)));
}

constexpr int kPulseMiddle = 1000;
double oversampled_envelope(int i) { return 100.0 * std::exp(-std::pow((i - kPulseMiddle) / 120.0, 2)); }

TEST(Import, LinesStayAsTheyAre) {
  const TemporaryFolder folder;
  std::vector<float> values(8 * 256, 0.0F);
  for (int i = 0; i < 256; ++i) {
    values[static_cast<std::size_t>(3 * 256 + i)] = static_cast<float>(100.0 * std::exp(-std::pow((i - 150) / 8.0, 2)) *
                                                                       std::cos(2.0 * std::numbers::pi * 0.25 * i));
  }
  folder.write("a.json", R"({"axes": ["line", "time"], "fs_hz": 20e6, "fc_hz": 5e6, "pitch_m": 0.5e-3})");
  const Recording recording = open_recording(folder.write("a.npy", npy("<f4", false, "(8, 256)", packed(values))));
  const Acquisition& a = *recording.acquisition;
  EXPECT_EQ(a.data, DataKind::beamformed);
  EXPECT_EQ(a.signal, SignalKind::iq);
  EXPECT_NEAR(std::hypot(sample(recording, 0, 0, 3, 150, 0), sample(recording, 0, 0, 3, 150, 1)), 100.0, 2.0);
  EXPECT_LT(std::hypot(sample(recording, 0, 0, 3, 60, 0), sample(recording, 0, 0, 3, 60, 1)), 0.5);
  EXPECT_EQ(sample(recording, 0, 0, 2, 150, 0), 0.0);
}

// A line with a pulse of 1.5 MHz at 100 MHz, as simulations have it; `stated`: the centre frequency, or nothing.
Recording oversampled_lines(const TemporaryFolder& folder, const std::string& stated) {
  constexpr int kSamples = 2048;
  std::vector<float> values(2 * kSamples, 0.0F);
  for (int i = 0; i < kSamples; ++i) {
    values[static_cast<std::size_t>(kSamples + i)] =
        static_cast<float>(oversampled_envelope(i) * std::cos(2.0 * std::numbers::pi * 0.015 * (i - kPulseMiddle)));
  }
  folder.write("a.json", R"({"axes": ["line", "time"], "fs_hz": 100e6, )" + stated + R"("pitch_m": 0.7e-3})");
  return open_recording(folder.write("a.npy", npy("<f4", false, "(2, 2048)", packed(values))));
}

// The envelope of the samples at any stated frequency, without a ripple of twice the frequency.
TEST(Import, OversampledLinesHaveTheEnvelopeOfTheirPulse) {
  for (const char* const stated : {R"("fc_hz": 1.5e6, )", R"("fc_hz": 10e6, )", ""}) {
    const TemporaryFolder folder;
    const Recording recording = oversampled_lines(folder, stated);
    for (int i = kPulseMiddle - 250; i <= kPulseMiddle + 250; ++i) {
      const double level = std::hypot(sample(recording, 0, 0, 1, i, 0), sample(recording, 0, 0, 1, i, 1));
      EXPECT_NEAR(level, oversampled_envelope(i), 0.5) << stated << i;
    }
  }
}

TEST(Import, LinesWithoutACentreFrequencyAreMeasured) {
  const TemporaryFolder folder;
  const Recording recording = oversampled_lines(folder, "");
  EXPECT_NEAR(recording.acquisition->center_hz, 1.5e6, 0.1e6);
  EXPECT_DOUBLE_EQ(recording.acquisition->demod_hz, recording.acquisition->center_hz);
  EXPECT_TRUE(assumes(*recording.acquisition, "from the spectrum of the first frame"));
}

// Lines of unequal length are filled up so.
TEST(Import, SamplesThatAreNoNumbersLeaveTheRestOfTheirLine) {
  const TemporaryFolder folder;
  std::vector<float> values(2 * 512, 0.0F);
  for (int i = 0; i < 512; ++i)
    values[static_cast<std::size_t>(i)] = i < 400 ? i % 4 == 0 ? 100.0F : i % 4 == 2 ? -100.0F : 0.0F : NAN;
  folder.write("a.json", R"({"axes": ["line", "time"], "fs_hz": 20e6, "fc_hz": 5e6, "pitch_m": 0.5e-3})");
  const Recording recording = open_recording(folder.write("a.npy", npy("<f4", false, "(2, 512)", packed(values))));
  EXPECT_NEAR(std::hypot(sample(recording, 0, 0, 0, 200, 0), sample(recording, 0, 0, 0, 200, 1)), 100.0, 2.0);
  EXPECT_TRUE(std::isnan(sample(recording, 0, 0, 0, 450, 0)));
  EXPECT_EQ(sample(recording, 0, 0, 1, 450, 0), 0.0);
}

TEST(Import, UltrasonixLines) {
  const TemporaryFolder folder;
  std::vector<std::int32_t> header(19, 0);
  header[0] = 16, header[1] = 2, header[2] = 8, header[3] = 256, header[4] = 16, header[14] = 5'000'000,
  header[15] = 40'000'000;
  std::vector<std::int16_t> values(2 * 8 * 256, 0);
  values[8 * 256 + 5 * 256 + 100] = 1000;
  const Recording recording = open_recording(folder.write("a.rf", packed(header) + packed(values)));
  EXPECT_EQ(recording.frame_count, 2U);
  EXPECT_EQ(recording.acquisition->data, DataKind::beamformed);
  EXPECT_DOUBLE_EQ(recording.acquisition->sampling_hz, 40e6);
  EXPECT_GT(std::hypot(sample(recording, 1, 0, 5, 100, 0), sample(recording, 1, 0, 5, 100, 1)), 200.0);
  EXPECT_EQ(sample(recording, 0, 0, 5, 100, 0), 0.0);
}

TEST(Import, NamesWhatItIsNot) {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> kinds[] = {
      {std::string(128, '\0') + "DICM" + std::string(200, '\0'), "a DICOM file"},
      {"\x89PNG\r\n\x1a\n0000", "a PNG image"},
      {"\xff\xd8\xff\xe0 JFIF", "a JPEG image"},
      {"0000ftypisom0000", "a video"},
      {"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"},
      {zip({{"readme.txt", "hello"}}), "a zip archive without .npy arrays"},
      {"1.0, 2.0\n3.0, 4.0\n", "a table of numbers as text"}};
  for (const auto& [content, said] : kinds) {
    const std::string line = refusal(folder.write("x.dat", content));
    EXPECT_TRUE(contains(line, said));
  }
}

// What `describe` prints opens the file as the names alone do.
TEST(Import, ThePrintedDescriptionOpensTheFile) {
  const TemporaryFolder folder;
  Hdf5Fixture file(folder.path() / "a.h5");
  write_plain(file);
  const auto path = file.close();
  const Recording by_names = open_recording(path);
  const std::string text = description_template(outline_file(path), "a.h5");
  folder.write("a.json", text);
  const Recording described = open_recording(path);
  EXPECT_EQ(described.format, "HDF5 with JSON description") << text;
  const Acquisition &a = *by_names.acquisition, &b = *described.acquisition;
  EXPECT_EQ(a.sampling_hz, b.sampling_hz);
  EXPECT_EQ(a.transmits[0].angle_rad, b.transmits[0].angle_rad);
  EXPECT_EQ(a.transmits[0].t0_s, b.transmits[0].t0_s);
  EXPECT_EQ(a.probe.elements[3].x_m, b.probe.elements[3].x_m);
  expect_samples(described, kSize);
}

TEST(Import, KeysAreNearOnlyWhenTheyAreAlike) {
  EXPECT_STREQ(nearest_description_key("FS_HZ")->key, "fs_hz");
  EXPECT_STREQ(nearest_description_key("t_zerro")->key, "t_zero");
  EXPECT_STREQ(nearest_description_key("tx_angle_rad")->key, "tx_angles_rad");
  EXPECT_STREQ(nearest_description_key("tx_angles_deg")->key, "tx_angles_rad");
  EXPECT_STREQ(nearest_description_key("virtual_source_mm")->key, "virtual_source_m");
  EXPECT_EQ(nearest_transmit_key("angle_deg"), "angle_rad");
  EXPECT_EQ(nearest_transmit_key("sorce_m"), "source_m");
  EXPECT_EQ(nearest_transmit_key("comment"), "");
  EXPECT_EQ(nearest_description_key("comment"), nullptr);
  EXPECT_EQ(nearest_description_key("reference"), nullptr);
  for (const FactRow& row : description_keys()) EXPECT_EQ(find_description_key(row.key), &row);
}

}  // namespace
}  // namespace echoloop::import_test
