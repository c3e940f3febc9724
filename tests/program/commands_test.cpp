// Every file that says how it was made, of every kind of source: its command, run as it is in an empty home, makes it
// again, bit for bit; or it says why there is no command. Those that a window saves: gui/commands_window_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <tuple>
#include <vector>

#include "formats/open_recording.h"
#include "history/film.h"
#include "history/page_canvas.h"
#include "program/run_program.h"
#include "program/started_program.h"
#include "support/embedded_command.h"
#include "support/environment_variable.h"
#include "support/npy_file.h"
#include "support/recorded_data.h"
#include "support/repeated_command.h"

namespace echoloop::commands_test {
namespace {

using namespace testing;
using nlohmann::json;

// A kind of file: the option that makes it, where its command stands, and what is compared.
struct Kind {
  const char* name;
  const char* option;
  const char* file;                      // as the command names it
  const char* beside;                    // the JSON with the command
  const char* key;                       // of the object in it; empty: the whole
  std::vector<std::string> values = {};  // of a JSON file: what is compared; empty: all bytes
  Words more = {};                       // further options
};

const std::vector<Kind> kKinds = {
    {"image", "--image-out", "image.npy", "image.json", ""},
    {"images", "--images-out", "images.npy", "images.json", ""},
    {"measurements", "--measurements", "measurements.json", "measurements.json", "", {"regions", "pairs", "points"}},
    {"measurements_of_two",
     "--measurements",
     "measurements.json",
     "measurements.json",
     "",
     {"regions", "pairs", "points", "a"},
     {"--compare-set", "f_number=3,gain_db=2"}},
    {"measurements_of_recordings",
     "--measurements",
     "measurements.json",
     "measurements.json",
     "",
     {"regions", "pairs", "points", "a"},
     {"--compare", "sim:points", "--compare-frame", "2"}},
    {"video", "--video", "video.mp4", "report.json", "video"},
    {"raw", "--raw-out", "raw.npy", "report.json", "raw_out"},
    {"recording", "--record", "recording.uff", "report.json", "recording"},
    {"iq", "--iq-out", "iq.npy", "iq.json", ""},
    {"compared",
     "--figure",
     "compared.png",
     "compared.json",
     "",
     {},
     {"--compare-set", "f_number=3", "--match-levels"}},
};

const std::vector<std::string> kBox = {"--set", "depth_min_m=0.005", "--set", "depth_max_m=0.02",
                                       "--set", "grid_nx=48",        "--set", "grid_nz=96"};

// Two transmits on 16 elements, a point at 10 mm; three frames.
std::string channel_data() {
  std::string data;
  for (int line = 0; line < 3 * 2 * 16; ++line) {
    const int e = line % 16, frame = line / 32;
    for (int i = 0; i < 700; ++i) {
      const double late = i / 20e6 - (10e-3 + std::hypot((e - 7.5) * 3e-4, 10e-3)) / 1540.0;
      const auto value = static_cast<float>((100.0 + frame) * std::exp(-std::pow(4e6 * late, 2)) *
                                            std::cos(2.0 * 3.141592653589793 * 4.2e6 * late));
      data.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  return data;
}

const std::string kDescription =
    R"({"axes": ["frame", "transmit", "element", "time"], "fs_hz": 20e6, "fc_hz": 4.2e6, "pitch_m": 3e-4,
        "tx_angles_rad": [0, 0], "t0_s": 0, "t_zero": "centre", "c_m_s": 1531.5, "frame_rate_hz": 40})";

// A recording by numpy, without anything beside it.
std::filesystem::path unknown_recording(const TemporaryFolder& folder) {
  return folder.write("user's scan.npy", npy("<f4", false, "(3, 2, 16, 700)", channel_data()));
}

// A source: its words of the command line, made in a folder that is also the home.
struct SourceRow {
  const char* name;
  std::function<Words(const TemporaryFolder&)> words;
};

const std::vector<SourceRow> kSources = {
    {"phantom",
     [](const TemporaryFolder&) {
       return Words{"sim:cyst,noise_db=-30,seed=5", "--set", "sound_speed_m_s=1531.25,f_number=1.7"};
     }},
    {"persistence",
     [](const TemporaryFolder&) {
       return Words{"sim:heart", "--set", "persistence_s=0.1"};
     }},
    {"preset",
     [](const TemporaryFolder& folder) {
       const auto preset = folder.write("own.toml", "[parameters]\nf_number = 1.25\napodization = \"hann\"\n");
       return Words{"sim:points", "--preset", preset.string(), "--set", "adaptive=coherence"};
     }},
    {"course",
     [](const TemporaryFolder&) {
       return Words{"sim:points", "--recipe", "course"};
     }},
    {"recording",
     [](const TemporaryFolder&) { return Words{(data_folder() / "must_pwi_disk" / "PWI_disk.mat").string()}; }},
    {"facts",
     [](const TemporaryFolder&) {
       return Words{(data_folder() / "fk_gammex_nylon" / "RFdata1.mat").string(), "--set",
                    "center_hz=4.24e6,first_sample_s=1.1e-6"};
     }},
    {"described",
     [](const TemporaryFolder& folder) {
       folder.write("user's scan.json", kDescription);
       return Words{unknown_recording(folder).string()};
     }},
    {"option",
     [](const TemporaryFolder& folder) {
       return Words{unknown_recording(folder).string(), "--description", kDescription, "--set", "center_hz=4e6"};
     }},
    {"own",  // in the user's own folder
     [](const TemporaryFolder& folder) {
       const std::filesystem::path file = unknown_recording(folder);
       const std::string bytes = read_text(file);
       std::filesystem::create_directories(folder / ".config/echoloop/descriptions");
       folder.write(".config/echoloop/descriptions/" + content_name(std::as_bytes(std::span(bytes))), kDescription);
       return Words{file.string()};
     }},
};

// Under the address sanitizer, which takes four times as long, a phantom and a described recording.
std::vector<SourceRow> tried_sources() {
#if defined(__SANITIZE_ADDRESS__)
  return {kSources.front(), kSources.back()};
#else
  return kSources;
#endif
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Kind, SourceRow>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

class CommandOf : public ::testing::TestWithParam<std::tuple<Kind, SourceRow>> {};

json command_object(const Kind& kind, const std::filesystem::path& beside) {
  const json whole = json::parse(read_text(beside));
  return *kind.key == '\0' ? whole : whole.at(kind.key);
}

// Their numbers are those of the stream, in which a recording may begin again.
json without_frames(json values) {
  if (values.is_object()) values.erase("frame");
  for (json& value : values) {
    if (value.is_structured()) value = without_frames(value);
  }
  return values;
}

// A recording says when it was made: what it holds is compared.
std::string samples_and_facts(const std::filesystem::path& uff) {
  const TemporaryFolder folder;
  const std::filesystem::path raw = folder / "raw.npy";
  const Ended ended = run_program(
      {uff.string(), "--headless", "--backend", "cpu", "--rate", "max", "--no-loop", "--raw-out", raw.string()});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return run_program({"info", uff.string(), "--json"}).out + read_text(raw);
}

void expect_same(const Kind& kind, const std::filesystem::path& file, const std::filesystem::path& again) {
  const std::string bytes = read_text(file);
  ASSERT_FALSE(bytes.empty()) << file;
  if (file.extension() == ".uff") {
    EXPECT_TRUE(samples_and_facts(file) == samples_and_facts(again)) << again;
    return;
  }
  if (kind.values.empty()) {
    EXPECT_TRUE(bytes == read_text(again)) << again;
    return;
  }
  const json a = json::parse(bytes), b = json::parse(read_text(again));
  for (const std::string& key : kind.values) EXPECT_EQ(without_frames(a.at(key)), without_frames(b.at(key))) << key;
}

const std::string kMarks = json{{"marks",
                                 {{{"number", 1}, {"kind", "point"}, {"points_mm", {{0.0, 10.0}}}},
                                  {{"number", 2}, {"kind", "circle"}, {"points_mm", {{0.0, 12.0}, {1.5, 12.0}}}}}}}
                               .dump();

TEST_P(CommandOf, MakesItAgain) {
  const auto& [kind, source] = GetParam();
  if (std::string_view(kind.name) == "video" && !why_no_films().empty()) GTEST_SKIP() << why_no_films();
  if (std::string_view(kind.name) == "iq" && std::string_view(source.name) == "course") {
    GTEST_SKIP() << "the recipe course has no complex pixels";
  }
  ECHO_NEED_DATA("must_pwi_disk/PWI_disk.mat");
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const TemporaryFolder folder, empty;
  const Variable home("HOME", folder.path().string()), config("XDG_CONFIG_HOME", (folder / ".config").string());
  Words words = joined(source.words(folder), kBox);
  words = joined(words, {"--headless", "--backend", "cpu", "--rate", "max", "--frames", "3", kind.option,
                         (folder / kind.file).string(), "--report", (folder / "report.json").string()});
  words = joined(words, kind.more);
  if (!kind.values.empty()) words = joined(words, {"--marks", folder.write("marks.json", kMarks).string()});
  const Ended ended = run_program(words);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json object = command_object(kind, folder / kind.beside);
  ASSERT_TRUE(object.contains("command")) << object.value("command_missing", "");
  ASSERT_EQ(repeat_command(object["command"], empty), 0);
  expect_same(kind, folder / kind.file, empty / kind.file);
}

INSTANTIATE_TEST_SUITE_P(Files, CommandOf,
                         ::testing::Combine(::testing::ValuesIn(kKinds), ::testing::ValuesIn(tried_sources())),
                         name_of);

// A file that holds its command: the option that makes it, the JSON of the same run that has the same command, but for
// its output, and the file of the run that the command makes.
struct Holder {
  const char* name;
  const char* option;
  const char* file;
  const char* beside;
  const char* key = "";
  const char* made = nullptr;  // null: `file`
  Words more = {};
};

const Words kPair = {"--compare-set", "f_number=3", "--match-levels", "--figure-dark"};
const std::vector<Holder> kHolders = {
    {"png16", "--png16", "levels.png", "image.json"},
    {"figure_png", "--figure", "figure.png", "image.json", "", "image.npy"},
    {"figure_svg", "--figure", "figure.svg", "image.json", "", "image.npy"},
    {"figure_pdf", "--figure", "figure.pdf", "image.json", "", "image.npy"},
    {"compared_png", "--figure", "two images.png", "two images.json", "", nullptr, kPair},
    {"compared_svg", "--figure", "two images.svg", "two images.json", "", nullptr, kPair},
    {"compared_pdf", "--figure", "two images.pdf", "two images.json", "", nullptr, kPair},
    {"mp4", "--video", "video.mp4", "report.json", "video"},
    {"mkv", "--video", "video.mkv", "report.json", "video"},
};

class CommandIn : public ::testing::TestWithParam<std::tuple<Holder, SourceRow>> {};

// A PDF says when it was made, Matroska has an identity of its own.
std::string comparable(const std::filesystem::path& file) {
  if (file.extension() == ".mkv") {
    std::string all;
    for (const auto& luma : read_film(file).luma) all.append(luma.begin(), luma.end());
    return all;
  }
  const std::string bytes = read_text(file);
  return file.extension() == ".pdf" ? std::regex_replace(bytes, std::regex("/CreationDate [^\n]*"), "") : bytes;
}

TEST_P(CommandIn, IsThatOfTheJsonAndMakesItAgain) {
  const auto& [holder, source] = GetParam();
  if (holder.option == std::string_view("--video") && !why_no_films().empty()) GTEST_SKIP() << why_no_films();
  if (std::string_view(holder.file).ends_with(".pdf") && !why_no_pdf().empty()) GTEST_SKIP() << why_no_pdf();
  ECHO_NEED_DATA("must_pwi_disk/PWI_disk.mat");
  ECHO_NEED_DATA("fk_gammex_nylon/RFdata1.mat");
  const TemporaryFolder folder, empty;
  const Variable home("HOME", folder.path().string()), config("XDG_CONFIG_HOME", (folder / ".config").string());
  Words words = joined(source.words(folder), kBox);
  words = joined(words, {"--headless", "--backend", "cpu", "--rate", "max", "--frames", "3", holder.option,
                         (folder / holder.file).string(), "--image-out", (folder / "image.npy").string(), "--report",
                         (folder / "report.json").string()});
  const Ended ended = run_program(joined(words, holder.more));
  ASSERT_EQ(ended.status, 0) << ended.err;
  const json whole = json::parse(read_text(folder / holder.beside));
  std::string said = (*holder.key == '\0' ? whole : whole.at(holder.key)).at("command");
  const std::string held = command_in(folder / holder.file);
  if (holder.name == std::string_view("png16")) said = said.substr(0, said.find("--image-out")) + "--png16 levels.png";
  EXPECT_EQ(held, said);
  EXPECT_NE(held.find(" --backend cpu "), std::string::npos) << held;
  ASSERT_EQ(repeat_command(held, empty), 0);
  const char* const made = holder.made != nullptr ? holder.made : holder.file;
  EXPECT_TRUE(comparable(folder / made) == comparable(empty / made)) << held;
}

INSTANTIATE_TEST_SUITE_P(Files, CommandIn,
                         ::testing::Combine(::testing::ValuesIn(kHolders), ::testing::ValuesIn(tried_sources())),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

// Of frames that do not come again, or not all of them from the first one on.
void expect_no_commands(const TemporaryFolder& folder, const std::string& reason) {
  for (const Kind& kind : kKinds) {
    if (!std::filesystem::exists(folder / kind.file)) continue;
    const json object = command_object(kind, folder / kind.beside);
    EXPECT_FALSE(object.contains("command")) << kind.name;
    EXPECT_NE(object.value("command_missing", "").find(reason), std::string::npos) << kind.name << object;
  }
}

Words every_file(const TemporaryFolder& folder) {
  Words words =
      joined(kBox, {"--headless", "--backend", "cpu", "--frames", "3", "--report", (folder / "report.json").string(),
                    "--marks", folder.write("marks.json", kMarks).string()});
  for (const Kind& kind : kKinds) {
    if (std::string_view(kind.name) == "video" && !why_no_films().empty()) continue;
    if (!kind.more.empty()) continue;  // of one image
    words = joined(joined(words, {kind.option, (folder / kind.file).string()}), kind.more);
  }
  return words;
}

TEST(Commands, OfAScannerThereAreNone) {
  const TemporaryFolder folder;
  const Variable runtime("XDG_RUNTIME_DIR", folder.path().string());
  StartedProgram sender({"send", "sim:points", "--to", "live:test"}, folder);
  const Ended ended = run_program(joined({"live:test"}, every_file(folder)));
  ASSERT_EQ(ended.status, 0) << ended.err;
  for (const Kind& kind : kKinds) {
    if (std::string_view(kind.name) == "video" && !why_no_films().empty()) continue;
    if (!kind.more.empty()) continue;
    EXPECT_TRUE(std::filesystem::exists(folder / kind.file)) << kind.name;
  }
  expect_no_commands(folder, "scanner");
}

TEST(Commands, OfFramesWithHolesThereAreNone) {
  const TemporaryFolder folder;
  Words words = joined({"sim:heart", "--set", "persistence_s=0.1", "--inject", "missing_every=2"}, every_file(folder));
  const Ended ended = run_program(words);
  ASSERT_EQ(ended.status, 0) << ended.err;
  expect_no_commands(folder, "frames");
}

TEST(Commands, AreNotSaidWhereTheDescriptionIsTooLong) {
  const TemporaryFolder folder;
  json description = json::parse(kDescription);
  description["name"] = std::string(120'000, 'x');
  const auto file = folder.write("long.json", description.dump());
  const Ended ended =
      run_program(joined({unknown_recording(folder).string(), "--description", file.string()}, every_file(folder)));
  ASSERT_EQ(ended.status, 0) << ended.err;
  expect_no_commands(folder, "save it beside the recording");
}

TEST(Commands, ADescriptionIsOfARecording) {
  const TemporaryFolder folder;
  const Ended phantom = run_program({"sim:points", "--headless", "--description", "{}"});
  EXPECT_EQ(phantom.status, 2);
  EXPECT_NE(phantom.err.find("--description"), std::string::npos) << phantom.err;
  const std::string file = unknown_recording(folder).string();
  for (const char* const text : {"{", "{\"axes\": 3}", "nothing.json"}) {
    const Ended wrong = run_program({file, "--headless", "--description", text});
    EXPECT_EQ(wrong.status, 2) << text;
    EXPECT_EQ(complaints_of(wrong).size(), 1U) << wrong.err;
  }
}

}  // namespace
}  // namespace echoloop::commands_test
