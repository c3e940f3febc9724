// The description in the making: what is missing, in which order, what an answer becomes, and that each can be undone.
#include "formats/import_draft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/sanitized.h"

namespace echoloop::import_draft_test {
namespace {

using Json = nlohmann::json;

OutlineEntry entry(const std::string& path, std::vector<std::size_t> shape, const std::string& value) {
  return {.path = path, .type = "double", .shape = std::move(shape), .numeric = true, .value = value};
}

FileOutline outline() {
  FileOutline o;
  o.container = ".npz";
  o.bytes = 1'000'000;
  o.entries = {entry("rf", {1544, 64, 3, 8}, ""), entry("rate", {}, "62.5"), entry("xe", {64}, "-9.45 ... 9.45"),
               entry("src", {3, 2}, "-5, -12, 0, -13, 5, -12"), entry("late_us", {}, "4.5")};
  o.guesses = {{.key = "data", .value = "\"rf\"", .reason = "the largest array", .assumed = false},
               {.key = "axes", .value = R"(["time","element","transmit","frame"])", .reason = "", .assumed = false}};
  return o;
}

Json described(const ImportDraft& draft) { return Json::parse(draft.description()); }

std::vector<std::string> needed(const ImportDraft& draft) {
  std::vector<std::string> ids;
  for (const OpenQuestion& open : draft.questions()) {
    if (open.needed) ids.push_back(open.id);
  }
  return ids;
}

std::vector<std::string> open(const ImportDraft& draft) {
  std::vector<std::string> ids;
  for (const OpenQuestion& one : draft.questions()) ids.push_back(one.id);
  return ids;
}

TEST(ImportDraft, NamesWhatIsMissingMostImportantFirst) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_EQ(needed(draft), (std::vector<std::string>{"transmits", "sampling", "elements", "centre"}));
  EXPECT_EQ(draft.answer("sampling", "40"), "");
  EXPECT_EQ(needed(draft), (std::vector<std::string>{"transmits", "elements"}));  // the echoes say the rest
  EXPECT_EQ(draft.answer("transmits", "-10, 0, 10"), "");
  EXPECT_EQ(draft.answer("elements", "0.3"), "");
  EXPECT_EQ(draft.answer("centre", "5"), "");
  EXPECT_TRUE(needed(draft).empty());
  const Json json = described(draft);
  EXPECT_EQ(json.at("file"), "a.npz");
  EXPECT_EQ(json.at("data"), "rf");
  EXPECT_EQ(json.at("fs_hz"), 40e6);
  EXPECT_EQ(json.at("pitch_m"), 0.3e-3);
  EXPECT_NEAR(json.at("tx_angles_rad").at(2).get<double>(), 0.17453292519943295, 1e-15);
  EXPECT_EQ(json.at("t_zero"), "first_firing");
  EXPECT_FALSE(Json::parse(draft.description(ImportDraft::Naming::any_file)).contains("file"));
}

TEST(ImportDraft, AGuessThatMayBeWrongIsAskedFor) {
  FileOutline o = outline();
  o.guesses.push_back({.key = "t0_s", .value = "200e-6", .reason = "t0, 200 us", .assumed = false});
  o.guesses.push_back({.key = "tx_angles_rad", .value = "[0.7, 0, 0.7]", .reason = "angles", .assumed = false});
  o.missing = {{.key = "tx", .value = "", .reason = "unit of angles", .assumed = false},
               {.key = "t0_s", .value = "", .reason = "unit of t0 = 200: microseconds or samples", .assumed = false},
               {.key = "axes", .value = "", .reason = "axes 2 and 3", .assumed = false}};
  ImportDraft draft(o, "a.npz");
  EXPECT_EQ(draft.fact("zero").state, FactState::asked);
  EXPECT_EQ(draft.fact("zero").reason, "unit of t0 = 200: microseconds or samples");
  EXPECT_EQ(draft.fact("transmits").state, FactState::asked);
  ASSERT_EQ(open(draft).front(), "axes");
  EXPECT_EQ(draft.questions().front().reason, "axes 2 and 3");
  EXPECT_FALSE(draft.questions().front().needed);
  EXPECT_EQ(draft.answer("zero", "5"), "");
  EXPECT_EQ(draft.fact("zero").state, FactState::answered);
  EXPECT_EQ(draft.set_role(2, "element"), "");
  EXPECT_NE(open(draft).front(), "axes");
}

TEST(ImportDraft, WhatIsNotAnsweredIsSavedAsAssumed) {
  FileOutline o = outline();
  o.guesses.push_back({.key = "t0_s", .value = "200e-6", .reason = "t0, 200 us", .assumed = false});
  o.guesses.push_back({.key = "tx_angles_rad", .value = "[0.7, 0, 0.7]", .reason = "angles", .assumed = false});
  o.missing = {{.key = "tx", .value = "", .reason = "unit of angles", .assumed = false},
               {.key = "t0_s", .value = "", .reason = "unit of t0", .assumed = false},
               {.key = "axes", .value = "", .reason = "axes 2 and 3", .assumed = false}};
  ImportDraft draft(o, "a.npz");
  EXPECT_EQ(draft.answer("sampling", "40"), "");
  EXPECT_EQ(draft.answer("elements", "0.3"), "");
  EXPECT_EQ(open(draft), (std::vector<std::string>{"axes", "transmits", "centre", "zero", "rate"}));
  EXPECT_TRUE(needed(draft).empty());
  EXPECT_EQ(described(draft).at("assumed"),
            Json::parse(R"(["axes", "fc_hz", "c_m_s", "t0_s", "t_zero", "tx_angles_rad"])"));
  ImportDraft again(o, "a.npz");
  again.take_description(draft.description());
  EXPECT_EQ(open(again), open(draft));
  EXPECT_EQ(described(again), described(draft));
  for (const char* id : {"axes", "transmits", "centre", "zero"}) EXPECT_EQ(draft.confirm(id), "") << id;
  EXPECT_EQ(draft.fact("transmits").json, Json({0.7, 0, 0.7}));
  EXPECT_EQ(open(draft), std::vector<std::string>{"rate"});
  EXPECT_NE(draft.confirm("rate"), "") << "no value";
  EXPECT_EQ(described(draft).at("assumed"), Json::parse(R"(["c_m_s", "t_zero"])"));
  EXPECT_TRUE(draft.undo());
  EXPECT_EQ(described(draft).at("assumed"), Json::parse(R"(["c_m_s", "t0_s", "t_zero"])"));
  EXPECT_EQ(draft.answer("speed", "1540 m/s"), "");
  EXPECT_EQ(draft.answer("event", "first_firing"), "");
  EXPECT_EQ(draft.confirm("zero"), "");
  EXPECT_FALSE(described(draft).contains("assumed"));
}

TEST(ImportDraft, AVariableIsTakenInTheUnitThatItsSizeSays) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_EQ(draft.answer("sampling", "rate"), "");
  EXPECT_EQ(described(draft).at("fs_hz"), "rate * 1000000");
  EXPECT_EQ(draft.fact("sampling").reason, "read as MHz");
  EXPECT_EQ(draft.answer("elements", "xe"), "");
  EXPECT_TRUE(described(draft).at("element_x_m").get<std::string>().starts_with("xe * 0.001"));
  EXPECT_FALSE(described(draft).contains("pitch_m"));
  EXPECT_EQ(draft.answer("transmits", "src"), "");
  EXPECT_TRUE(described(draft).contains("virtual_source_m"));
  EXPECT_EQ(draft.answer("zero", "late_us * 1e-6"), "");
  EXPECT_EQ(described(draft).at("t0_s"), "late_us * 1e-6");
  EXPECT_EQ(draft.use_of(draft.outline().entries[2]), "x positions");
  EXPECT_EQ(draft.choose_form("transmits", 2), "");  // the same points, as foci
  EXPECT_TRUE(described(draft).contains("tx_foci_m"));
  EXPECT_FALSE(described(draft).contains("virtual_source_m"));
}

TEST(ImportDraft, AMatrixOfDelaysIsNoPoints) {
  for (const auto& [name, shape] : {std::pair{"laws", std::vector<std::size_t>{5, 64}}, {"tx_delays", {3, 64}}}) {
    FileOutline o = outline();
    o.entries.push_back(entry(name, shape, "0 ... 2e-06"));
    ImportDraft draft(o, "a.npz");
    EXPECT_EQ(draft.answer("transmits", name), "");
    EXPECT_EQ(described(draft).value("tx_delays_s", ""), name);
  }
}

TEST(ImportDraft, NumbersAreTypedWithTheirUnitsOrWithout) {
  ImportDraft draft(outline(), "a.npz");
  const auto value = [&](const char* id, const char* typed, const char* key) {
    EXPECT_EQ(draft.answer(id, typed), "") << typed;
    const Json json = described(draft).at(key);
    return json.is_array() ? json.back().get<double>() : json.get<double>();
  };
  for (const char* typed : {"40", "40 MHz", "40MHz", "40000 kHz", "4e7 Hz"})
    EXPECT_NEAR(value("sampling", typed, "fs_hz"), 40e6, 1e-6) << typed;
  for (const char* typed : {"0.3", "0.3 mm", "0.03cm", "300 µm", "300um", "3e-4 m"})
    EXPECT_NEAR(value("elements", typed, "pitch_m"), 0.3e-3, 1e-15) << typed;
  for (const char* typed :
       {"-10 0 10", "-10, 0, 10 deg", "-10 : 10 : 10°", "-0.17453292519943295 0 0.17453292519943295 rad"})
    EXPECT_NEAR(value("transmits", typed, "tx_angles_rad"), 0.17453292519943295, 1e-12) << typed;
  EXPECT_NEAR(value("speed", "1480 m/s", "c_m_s"), 1480.0, 1e-9);
  EXPECT_NEAR(value("zero", "250 ns", "t0_s"), 250e-9, 1e-18);
  for (const char* typed : {"MHz", "40 mm", "40 apples", "- MHz"})
    EXPECT_NE(draft.answer("sampling", typed), "") << typed;
}

TEST(ImportDraft, PointsAreTypedInTheWaysThatTheyAreWritten) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_EQ(draft.choose_form("transmits", 1), "");
  const Json want = Json::parse("[[-0.006, -0.01], [0, -0.01], [0.006, -0.01]]");
  for (const char* typed : {"-6 -10; 0 -10; 6 -10", "-6, -10; 0, -10; 6, -10;", "-6 -10, 0 -10, 6 -10",
                            "(-6, -10), (0, -10), (6, -10)", "(-6 -10) (0 -10) (6 -10)"}) {
    ASSERT_EQ(draft.answer("transmits", typed), "") << typed;
    const Json rows = described(draft).at("virtual_source_m");
    ASSERT_EQ(rows.size(), want.size()) << typed;
    for (std::size_t k = 0; k < want.size(); ++k) {
      ASSERT_EQ(rows[k].size(), 2U) << typed;
      for (std::size_t n = 0; n < 2; ++n)
        EXPECT_NEAR(rows[k][n].get<double>(), want[k][n].get<double>(), 1e-15) << typed;
    }
  }
  EXPECT_NE(draft.answer("transmits", "-6, -10, 0, -10, 6, -10"), "") << "six numbers are no point";
}

TEST(ImportDraft, RefusesInOneLineAndChangesNothing) {
  ImportDraft draft(outline(), "a.npz");
  const std::string before = draft.description();
  EXPECT_EQ(draft.answer("elements", "300 m"), "pitch = 300000 mm is out of range (0.01 to 10)");
  EXPECT_EQ(draft.answer("elements", "300"), "pitch = 300 mm is out of range (0.01 to 10)");
  EXPECT_EQ(draft.answer("speed", "20"), "speed of sound = 20 m/s is out of range (300 to 12000)");
  EXPECT_NE(draft.answer("sampling", "rf2"), "");
  EXPECT_NE(draft.answer("event", "soon"), "");
  EXPECT_NE(draft.answer("transmits", "1 : x : 2"), "");
  EXPECT_NE(draft.set_data("rate"), "");
  EXPECT_EQ(draft.description(), before);
  EXPECT_FALSE(draft.can_undo());
}

TEST(ImportDraft, EveryAnswerIsUndoneAndRedone) {
  ImportDraft draft(outline(), "a.npz");
  std::vector<std::string> all{draft.description()};
  const std::vector<std::function<std::string()>> steps = {
      [&] { return draft.answer("sampling", "40"); },    [&] { return draft.answer("transmits", "-1.5 : 1.5 : 1.5"); },
      [&] { return draft.choose_form("transmits", 4); }, [&] { return draft.set_role(0, "element"); },
      [&] { return draft.answer("event", "origin"); },   [&] { return draft.answer("sampling", ""); }};
  for (const auto& step : steps) {
    EXPECT_EQ(step(), "");
    EXPECT_NE(draft.description(), all.back());
    all.push_back(draft.description());
  }
  for (std::size_t k = all.size() - 1; k-- > 0;) {
    EXPECT_TRUE(draft.undo());
    EXPECT_EQ(draft.description(), all[k]);
  }
  EXPECT_FALSE(draft.undo());
  for (std::size_t k = 1; k < all.size(); ++k) {
    EXPECT_TRUE(draft.redo());
    EXPECT_EQ(draft.description(), all[k]);
  }
}

// Waves side by side in a matrix: split as guessed, or as they are stored.
TEST(ImportDraft, AnAxisIsSplitAndJoinedAgain) {
  FileOutline o = outline();
  o.entries[0].shape = {1544, 192};
  o.guesses = {{.key = "data", .value = "\"rf\"", .reason = "", .assumed = false},
               {.key = "shape", .value = "[1544,64,3]", .reason = "3 waves of 64 elements", .assumed = false},
               {.key = "axes", .value = R"(["time","element","transmit"])", .reason = "", .assumed = false}};
  ImportDraft draft(o, "a.npz");
  ASSERT_TRUE(draft.can_split() && draft.is_split());
  EXPECT_EQ(draft.count("element"), 64U);
  EXPECT_EQ(described(draft).at("shape"), Json({1544, 64, 3}));
  EXPECT_EQ(draft.toggle_split(), "");
  EXPECT_EQ(draft.shape(), (std::vector<std::size_t>{1544, 192}));
  EXPECT_EQ(draft.axes(), (std::vector<std::string>{"time", "element"}));
  EXPECT_FALSE(described(draft).contains("shape"));
  EXPECT_EQ(draft.toggle_split(), "");
  EXPECT_EQ(draft.count("transmit"), 3U);
  EXPECT_TRUE(draft.undo());
  EXPECT_FALSE(draft.is_split());
  EXPECT_FALSE(ImportDraft(outline(), "a.npz").can_split());
}

TEST(ImportDraft, ARoleThatIsTakenIsSwapped) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_EQ(draft.set_role(0, "element"), "");
  EXPECT_EQ(draft.axes(), (std::vector<std::string>{"element", "time", "transmit", "frame"}));
  EXPECT_EQ(draft.set_role(0, "line"), "");
  EXPECT_TRUE(draft.lines());
  EXPECT_EQ(needed(draft), (std::vector<std::string>{"sampling", "elements", "centre"}));  // no transmits
}

TEST(ImportDraft, AnAssumedTransmitFollowsTheAxes) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_EQ(draft.set_role(2, ""), "");
  EXPECT_EQ(described(draft).at("tx_angles_rad"), Json::array({0}));
  EXPECT_EQ(draft.set_role(2, "transmit"), "");
  EXPECT_FALSE(described(draft).contains("tx_angles_rad"));
  EXPECT_EQ(needed(draft).front(), "transmits");
}

TEST(ImportDraft, TimesOfTheSamplesSayTheSampling) {
  FileOutline o = outline();
  o.entries.push_back(entry("t_us", {1544}, "0 ... 38.575"));
  ImportDraft draft(o, "a.npz");
  EXPECT_EQ(draft.answer("sampling", "t_us"), "");
  EXPECT_NEAR(described(draft).at("fc_hz").get<double>(), 10e6, 1.0);  // a quarter, until the echoes are measured
  EXPECT_NE(needed(draft).back(), "centre");
}

// Of the file, although their meaning is assumed: not what is assumed of the axes.
TEST(ImportDraft, TransmitsOfTheFileStay) {
  FileOutline o = outline();
  o.guesses.push_back({.key = "tx_elements", .value = "[1, 5, 9]", .reason = "fired, counted from 0", .assumed = true});
  ImportDraft draft(o, "a.npz");
  EXPECT_EQ(described(draft).at("tx_elements"), Json::array({1, 5, 9}));
  EXPECT_EQ(draft.set_role(3, "transmit"), "");  // eight of them
  EXPECT_FALSE(described(draft).contains("tx_elements"));
}

TEST(ImportDraft, AMeasurementReplacesAnAssumptionOnly) {
  ImportDraft draft(outline(), "a.npz");
  EXPECT_TRUE(draft.suggest("centre", 4e6, "Echo spectrum"));
  EXPECT_EQ(described(draft).at("fc_hz"), 4e6);
  EXPECT_FALSE(draft.can_undo());
  EXPECT_EQ(draft.answer("centre", "5"), "");
  EXPECT_FALSE(draft.suggest("centre", 4e6, "Echo spectrum"));
  EXPECT_EQ(described(draft).at("fc_hz"), 5e6);
}

TEST(ImportDraft, AnExistingDescriptionIsWhereItBegins) {
  ImportDraft draft(outline(), "a.npz");
  draft.take_description(
      R"({"axes": ["frame", "transmit", "element", "time"], "fs_hz": 2e7, "tx_foci_m": [[0, 0.04]]})");
  EXPECT_EQ(draft.axes().front(), "frame");
  EXPECT_EQ(described(draft).at("fs_hz"), 2e7);
  EXPECT_EQ(draft.fact("transmits").as().key, std::string("tx_foci_m"));
  draft.take_description("[1]");
  draft.take_description("{\"axes\": 3, \"shape\": null, \"fs_hz\": {}}");
  EXPECT_NO_THROW(static_cast<void>(draft.facts()));
}

// Of another file: what this one says itself stays, and a variable has to be there.
TEST(ImportDraft, ADescriptionOfAFileAlikeFillsWhatIsUnknown) {
  FileOutline o = outline();
  o.guesses.push_back({.key = "fs_hz", .value = "\"rate * 1e6\"", .reason = "rate", .assumed = false});
  ImportDraft draft(o, "b.npz");
  draft.take_description(R"({"data": "rf", "axes": ["time", "element", "transmit", "frame"], "fs_hz": 2e7, "fc_hz": 5e6,
                             "element_x_m": "xe * 0.001", "t0_s": "lost", "tx_angles_rad": [-0.1, 0, 0.1]})",
                         kFromExample + std::string("a.json."));
  EXPECT_EQ(described(draft).at("fs_hz"), "rate * 1e6");
  EXPECT_EQ(described(draft).at("fc_hz"), 5e6);
  EXPECT_EQ(described(draft).at("element_x_m"), "xe * 0.001");
  EXPECT_EQ(described(draft).at("t0_s"), 0);
  EXPECT_EQ(draft.fact("transmits").state, FactState::guessed);
  EXPECT_EQ(draft.fact("transmits").reason, "As in a.json.");
}

std::vector<std::byte> raw_file(std::size_t header) {
  std::vector<std::byte> file(header);
  const auto put = [&](std::size_t at, std::int32_t value) { std::memcpy(file.data() + at, &value, 4); };
  put(8, 600), put(12, 32), put(16, 3), put(24, 20'000'000);
  for (int line = 0; line < 32 * 3; ++line) {
    for (int k = 0; k < 600; ++k) {
      const double echo =
          std::exp(-std::pow((k - 200 - line % 32) / 9.0, 2)) + 0.5 * std::exp(-std::pow((k - 450) / 9.0, 2));
      const auto value = static_cast<std::int16_t>(9000.0 * echo * std::cos(0.7 * (k - line % 32)));
      const std::size_t at = file.size();
      file.resize(at + 2);
      std::memcpy(file.data() + at, &value, 2);
    }
  }
  return file;
}

TEST(RawGuess, FindsTypeLineHeaderAndShape) {
  const std::vector<std::byte> file = raw_file(512);
  const RawGuess guess = guess_raw(file);
  EXPECT_EQ(guess.dtype, "int16");
  EXPECT_EQ(guess.byte_order, "little");
  EXPECT_NEAR(static_cast<double>(guess.line_values), 600.0, 2.0);
  EXPECT_EQ(guess.header_bytes, 512U);
  EXPECT_EQ(guess.shape, (std::vector<std::size_t>{3, 32, 600}));
  EXPECT_EQ(guess.sampling_hz, 20e6);
  FileOutline bytes;
  bytes.container = "raw bytes";
  bytes.bytes = file.size();
  ImportDraft draft(bytes, "a.raw", guess);
  EXPECT_EQ(draft.raw_bytes(), file.size());
  EXPECT_EQ(draft.set_extent(1, "16"), "");
  EXPECT_EQ(draft.shape(), (std::vector<std::size_t>{6, 16, 600})) << "the slowest axis takes the rest";
  EXPECT_EQ(draft.set_extent(0, "2"), "");
  EXPECT_LT(draft.raw_bytes(), file.size());
  EXPECT_NE(draft.set_raw("dtype", "int17"), "");
  EXPECT_NE(draft.set_raw("header_bytes", "-1"), "");
  EXPECT_EQ(draft.set_raw("byte_order", "big"), "");
  EXPECT_EQ(described(draft).at("byte_order"), "big");
}

// A header of bytes 0xff, and a frame of 5 transmits of 24 elements that recurs.
std::vector<std::byte> raw_frames(std::size_t header) {
  std::vector<std::byte> file(header);
  for (std::size_t k = 0; k < header; ++k) file[k] = static_cast<std::byte>(k % 4 < 2 ? 0xff : 0);
  for (int line = 0; line < 24 * 5 * 4; ++line) {
    const int element = line % 24, transmit = line / 24 % 5;
    for (int k = 0; k < 700; ++k) {
      const double at = 200.0 + 0.2 * std::pow(element - 12, 2) + 14.0 * transmit;
      const double echo = std::exp(-std::pow((k - at) / 12.0, 2)) + 0.7 * std::exp(-std::pow((k - 500) / 12.0, 2));
      const auto value = static_cast<std::int16_t>(9000.0 * echo * std::cos(0.7 * (k - at)));
      const std::size_t end = file.size();
      file.resize(end + 2);
      std::memcpy(file.data() + end, &value, 2);
    }
  }
  return file;
}

TEST(RawGuess, FindsElementsAndTransmitsThatRecur) {
  const RawGuess guess = guess_raw(raw_frames(512));
  EXPECT_EQ(guess.header_bytes, 512U);
  EXPECT_EQ(guess.shape, (std::vector<std::size_t>{4, 5, 24, 700}));
  EXPECT_EQ(guess.axes, (std::vector<std::string>{"frame", "transmit", "element", "time"}));
  EXPECT_TRUE(guess.numbers.empty());
}

// Axes of raw bytes are divided and joined; the roles go along.
TEST(RawGuess, AxesAreDividedAndJoined) {
  const std::vector<std::byte> file = raw_file(512);
  FileOutline bytes;
  bytes.container = "raw bytes";
  bytes.bytes = file.size();
  ImportDraft draft(bytes, "a.raw", guess_raw(file));
  EXPECT_EQ(draft.axes(), (std::vector<std::string>{"frame", "element", "time"}));
  EXPECT_EQ(draft.join_extent(0), "");
  EXPECT_EQ(draft.shape(), (std::vector<std::size_t>{96, 600}));
  EXPECT_EQ(draft.axes(), (std::vector<std::string>{"frame", "time"}));
  EXPECT_EQ(draft.divide_extent(0, 32), "");
  EXPECT_EQ(draft.divide_extent(1, 8), "");
  EXPECT_EQ(draft.shape(), (std::vector<std::size_t>{3, 4, 8, 600}));
  EXPECT_EQ(draft.raw_bytes(), file.size());
  EXPECT_NE(draft.divide_extent(0, 2), "");
  EXPECT_NE(draft.join_extent(3), "");
  while (draft.undo()) {
  }
  EXPECT_EQ(draft.shape(), (std::vector<std::size_t>{3, 32, 600}));
}

// Few echoes between zeros, which are alike in every type and order.
TEST(RawGuess, SparseEchoesDecideTypeAndOrder) {
  constexpr std::size_t kLines = 64, kLine = 2000;
  const auto echoes = [](auto number, bool big) {
    std::vector<std::byte> file;
    for (std::size_t k = 0; k < kLines * kLine; ++k) {
      const double t = static_cast<double>(k % kLine) - 900.0 - 0.3 * static_cast<double>(k / kLine);
      number = static_cast<decltype(number)>(std::round(30.0 * std::exp(-t * t / 36.0) * std::cos(0.785 * t)));
      std::array<std::byte, sizeof number> bytes{};
      std::memcpy(bytes.data(), &number, sizeof number);
      if (big) std::ranges::reverse(bytes);
      file.insert(file.end(), bytes.begin(), bytes.end());
    }
    const RawGuess guess = guess_raw(file);
    return guess.dtype + " " + guess.byte_order;
  };
  EXPECT_EQ(echoes(std::int16_t{}, true), "int16 big");
  if (testing::kSanitized) return;
  EXPECT_EQ(echoes(std::int16_t{}, false), "int16 little");
  EXPECT_EQ(echoes(std::int32_t{}, false), "int32 little");
  EXPECT_EQ(echoes(float{}, false), "float32 little");
  EXPECT_EQ(echoes(float{}, true), "float32 big");
}

TEST(RawGuess, LooksAtAnyBytesWithoutHarm) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{3}, std::size_t{64}, std::size_t{5000}, std::size_t{70'001}}) {
    std::vector<std::byte> file(n);
    for (std::size_t k = 0; k < n; ++k) file[k] = static_cast<std::byte>((k * 2654435761U) >> 13);
    const RawGuess guess = guess_raw(file);
    EXPECT_EQ(guess.shape.size(), guess.axes.size());
    EXPECT_FALSE(guess.shape.empty());
  }
}

}  // namespace
}  // namespace echoloop::import_draft_test
