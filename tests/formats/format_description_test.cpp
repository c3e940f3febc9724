// `echoloop describe` of files that open by a format of their own: the printed description, saved as it is, opens with
// the same facts and samples; or the description says that it cannot.
#include <fstream>

#include "formats/file_outline.h"
#include "formats/hdf5_fixture.h"
#include "formats/import_draft.h"
#include "formats/support.h"
#include "formats/verasonics_fixture.h"
#include "support/mat5_file.h"

namespace echoloop::format_description_test {
namespace {

using namespace test;

std::string saved_description(const std::filesystem::path& file) {
  const std::string text = description_template(outline_file(file), file.filename().string());
  std::ofstream(std::filesystem::path(file).replace_extension(".json")) << text;
  return text;
}

// Everything that an image is made from.
void expect_same(const Recording& a, const Recording& b) {
  const Acquisition &x = *a.acquisition, &y = *b.acquisition;
  ASSERT_EQ(a.frame_count, b.frame_count);
  EXPECT_EQ(x.sampling_hz, y.sampling_hz);
  EXPECT_EQ(x.center_hz, y.center_hz);
  EXPECT_EQ(x.bandwidth_hz, y.bandwidth_hz);
  EXPECT_EQ(x.demod_hz, y.demod_hz);
  EXPECT_EQ(x.sound_speed_m_s, y.sound_speed_m_s);
  EXPECT_EQ(x.frame_rate_hz, y.frame_rate_hz);
  EXPECT_EQ(x.probe.pitch_m, y.probe.pitch_m);
  ASSERT_EQ(x.n_elements(), y.n_elements());
  ASSERT_EQ(x.n_transmits(), y.n_transmits());
  ASSERT_EQ(x.frame_values(), y.frame_values());
  for (std::size_t e = 0; e < x.probe.elements.size(); ++e) EXPECT_EQ(x.probe.elements[e].x_m, y.probe.elements[e].x_m);
  for (std::size_t k = 0; k < x.transmits.size(); ++k) {
    EXPECT_EQ(x.transmits[k].kind, y.transmits[k].kind);
    EXPECT_EQ(x.transmits[k].angle_rad, y.transmits[k].angle_rad);
    EXPECT_EQ(x.transmits[k].t0_s, y.transmits[k].t0_s);
  }
  for (std::uint64_t frame = 0; frame < a.frame_count; ++frame) EXPECT_EQ(frame_sum(a, frame), frame_sum(b, frame));
}

void expect_described(const std::filesystem::path& file) {
  SCOPED_TRACE(file.filename());
  const Recording alone = open_recording(file);
  const std::string text = saved_description(file);
  EXPECT_FALSE(contains(text, "missing"));
  const Recording described = open_recording(file);
  EXPECT_TRUE(contains(described.format, "with JSON description")) << described.format << "\n" << text;
  expect_same(alone, described);
}

TEST(FormatDescription, SaysWhatTheReadersOfHdf5HaveRead) {
  const TemporaryFolder folder;
  const auto expect = [&](const char* name, void (*write)(Hdf5Fixture&, const Extents&), const Extents& n) {
    Hdf5Fixture file(folder / name);
    write(file, n);
    expect_described(file.close());
  };
  expect("a.uff", write_uff, {});
  expect("b.hdf5", write_picmus, {});
  expect("c.hdf5", write_pybf, {.frames = 1, .elements = 8, .samples = 64});
  expect("d.hdf5", write_zea, {});
}

TEST(FormatDescription, SaysWhatTheReaderOfAPickleHasRead) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.pkl", std::ios::binary) << pkl::recording();
  expect_described(folder / "a.pkl");
}

// Time from the first firing, delays of a plane wave, frames.
TEST(FormatDescription, SaysWhatTheReaderOfMustHasRead) {
  const TemporaryFolder folder;
  std::vector<double> samples(8 * 6 * 2);
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = static_cast<double>(k);
  std::ofstream(folder / "a.mat", std::ios::binary)
      << mat5_file({{"RF", {8, 6, 2}, samples},
                    {"fs", {1, 1}, {20e6}},
                    {"fc", {1, 1}, {5e6}},
                    {"t0", {1, 1}, {1e-6}},
                    {"pitch", {1, 1}, {0.3e-3}},
                    {"TXdelay", {1, 6}, {0, 1e-8, 2e-8, 3e-8, 4e-8, 5e-8}}});
  expect_described(folder / "a.mat");
}

// The import assistant begins with the same facts: its description of the untouched file opens as the format does.
TEST(FormatDescription, IsWhereTheAssistantBegins) {
  const TemporaryFolder folder;
  Hdf5Fixture uff(folder / "a.uff");
  write_uff(uff);
  const std::filesystem::path file = uff.close();
  const Recording alone = open_recording(file);
  const ImportDraft draft(outline_file(file), "a.uff");
  EXPECT_TRUE(draft.questions().empty());
  EXPECT_EQ(draft.fact("elements").state, FactState::read);
  expect_same(alone, open_recording_as(file, draft.description()));
}

// Numbers of MATLAB v5 that are complex only in their file, not in its table of names.
TEST(FormatDescription, ComplexSamplesKeepTheirDemodulation) {
  const TemporaryFolder folder;
  const std::vector<double> part(96 * 16 * 3, 1.0);
  const auto file = folder.write("a.mat", test::mat5_file({{"iq", {96, 16, 3}, part, part},
                                                           {"fs", {1, 1}, {10e6}},
                                                           {"fdemod", {1, 1}, {5e6}},
                                                           {"fc", {1, 1}, {5e6}},
                                                           {"pitch", {1, 1}, {0.3e-3}},
                                                           {"theta", {1, 3}, {-0.1, 0.0, 0.1}},
                                                           {"c", {1, 1}, {1540.0}}}));
  const ImportDraft draft(outline_file(file), "a.mat");
  EXPECT_TRUE(draft.iq());
  EXPECT_TRUE(contains(draft.description(), "\"demod_hz\": \"fdemod\""));
  expect_same(open_recording(file), open_recording_as(file, draft.description()));
}

// Positions and a pitch of their own in one description: neither takes the place of the other.
TEST(FormatDescription, KeepsPositionsBesideAPitch) {
  const TemporaryFolder folder;
  Hdf5Fixture uff(folder / "a.uff");
  write_uff(uff);
  ImportDraft draft(outline_file(uff.close()), "a.uff");
  draft.take_description(R"({"element_x_m": [-3e-4, -1e-4, 1e-4, 3e-4], "pitch_m": 2.1e-4})");
  const std::string text = draft.description();
  EXPECT_TRUE(contains(text, "\"pitch_m\": 0.00021"));
  EXPECT_TRUE(contains(text, "\"element_x_m\": [-0.0003,"));
}

// Lines in an order of the file's own, and rows that are acquisitions: the format stays in force.
TEST(FormatDescription, SaysThatNoneDoes) {
  const TemporaryFolder folder;
  Hdf5Fixture mfmc(folder / "a.mfmc"), pybf(folder / "b.hdf5");
  write_mfmc(mfmc);
  write_pybf(pybf);
  for (const auto& file : {mfmc.close(), pybf.close(), verasonics::write_workspace(folder.path(), {})}) {
    SCOPED_TRACE(file.filename());
    const Recording alone = open_recording(file);
    const std::string text = saved_description(file);
    EXPECT_TRUE(contains(text, "// a description cannot replace the reader of "));
    EXPECT_FALSE(contains(text, "\n  \"data\""));
    EXPECT_FALSE(ImportDraft(outline_file(file), "a").questions().empty());  // of the samples
    const Recording described = open_recording(file);
    EXPECT_EQ(described.format, alone.format);
    expect_same(alone, described);
  }
}

}  // namespace
}  // namespace echoloop::format_description_test
