// Properties of reading, tracks, coded transmits, receive apertures, planes and lenses of zea files.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "core/facts.h"
#include "formats/hdf5_fixture.h"

namespace echoloop::zea_test {
namespace {

using namespace test;

const DatasetPlan kReal64{.type = H5T_IEEE_F64LE, .chunk = {}};

Recording open_with(const std::filesystem::path& path, std::vector<std::string> settings) {
  return open_recording(path, {}, {}, take_facts(settings));
}

std::string refusal_with(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  try {
    static_cast<void>(open_with(path, settings));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  ADD_FAILURE() << "opened";
  return {};
}

void move(const Hdf5Fixture& file, const std::string& from, const std::string& to) {
  H5Lmove(file.file(), from.c_str(), file.file(), to.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

// Three tracks: "waves" with data, "push" without, "beams" with data.
std::filesystem::path three_tracks(Hdf5Fixture& file) {
  for (const int track : {0, 2}) {
    write_zea(file, {.frames = 2});
    file.numbers("scan/time_to_next_transmit", {2, 3}, {1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3}, kReal64);
    file.group("tracks/track_" + std::to_string(track));
    for (const char* const name : {"data", "scan"})
      move(file, name, "tracks/track_" + std::to_string(track) + "/" + name);
  }
  file.text("tracks/track_0/label", "waves");
  file.text("tracks/track_2/label", "beams");
  file.text("tracks/track_1/label", "push");
  file.numbers("tracks/track_1/transmit_only", {}, {1});
  file.numbers("tracks/track_1/scan/t0_delays", {1, 4}, {0, 0, 0, 0});
  file.numbers("tracks/track_1/scan/time_to_next_transmit", {1, 1}, {5e-3}, kReal64);
  file.numbers("track_schedule", {13}, {0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 2, 2, 2});
  return file.close();
}

TEST(ZeaTracks, AreListedAndChosenByLabelOrNumber) {
  Hdf5Fixture file("t.hdf5");
  const auto path = three_tracks(file);
  const Recording first = open_recording(path);
  ASSERT_EQ(first.tracks.size(), 3U);
  EXPECT_EQ(first.tracks[0].label, "waves");
  EXPECT_TRUE(first.tracks[0].chosen);
  EXPECT_EQ(first.tracks[1].why_not, "1 transmit only, no data");
  EXPECT_EQ(first.tracks[2].transmits, 3U);
  for (const char* const word : {"track=beams", "track=3"})
    EXPECT_TRUE(open_with(path, {word}).tracks[2].chosen) << word;
  EXPECT_TRUE(contains(refusal_with(path, {"track=nosuch"}), "track = nosuch: tracks are waves, beams"));
  EXPECT_TRUE(contains(refusal_with(path, {"track=push"}), "track = push has 1 transmit only, no data"));
  EXPECT_TRUE(contains(refusal_with(path, {"track=4"}), "tracks are waves, beams"));
}

TEST(ZeaTracks, TimesFollowTheScheduleOfAllEvents) {
  Hdf5Fixture file("c.hdf5");
  const Recording beams = open_with(three_tracks(file), {"track=beams"});
  ASSERT_EQ(beams.scanner.times_s.size(), 2U);
  EXPECT_NEAR(beams.scanner.times_s[0], 8e-3, 1e-12);   // 3 waves, the push
  EXPECT_NEAR(beams.scanner.times_s[1], 14e-3, 1e-12);  // 3 beams, 3 waves
  EXPECT_NEAR(beams.tracks[0].end_s, 14e-3, 1e-12);
  Hdf5Fixture other("u.hdf5");
  three_tracks(other);
  const auto path = other.path();
  {
    const hid_t again = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(again, "track_schedule", H5P_DEFAULT);
    H5Fclose(again);
  }
  EXPECT_TRUE(assumes(*open_recording(path).acquisition, "no track_schedule: each track begins at 0 s"));
}

TEST(ZeaTracks, IrregularTimesOfFramesAreKept) {
  Hdf5Fixture file("i.hdf5");
  write_zea(file, {.frames = 3, .transmits = 1});
  file.numbers("scan/time_to_next_transmit", {3, 1}, {2e-4, 1e-3, 2e-4}, kReal64);
  const Recording recording = open_recording(file.close());
  ASSERT_EQ(recording.scanner.times_s.size(), 3U);
  EXPECT_NEAR(recording.scanner.times_s[2], 1.2e-3, 1e-12);
  EXPECT_TRUE(assumes(*recording.acquisition, "frame times are irregular (0.2 to 1 ms)"));
}

TEST(ZeaProperties, WrongValuesAreRefusedInOneLine) {
  for (const auto& [setting, words] :
       {std::pair{"transmit_decoding=maybe", "'maybe' is not valid; expected auto, off, hadamard"},
        std::pair{"decode_loading=2", "decode_loading = 2 is out of range (0.0001 to 1)"},
        std::pair{"lens=thick", "expected auto, refracted, straight, off"},
        std::pair{"emission_s=soon", "a number from -1 to 1"}, std::pair{"track=", "a label or a number"}}) {
    std::vector<std::string> settings{setting};
    try {
      take_facts(settings);
      ADD_FAILURE() << setting;
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), words)) << error.what();
    }
  }
  Hdf5Fixture zea("w.hdf5"), uff("w.uff");
  write_zea(zea, {});
  const auto path = zea.close();
  EXPECT_TRUE(contains(refusal_with(path, {"lens=refracted"}), "lens = refracted"));
  EXPECT_TRUE(contains(refusal_with(path, {"track=a"}), "track = a"));
  EXPECT_TRUE(contains(refusal_with(path, {"emission_s=0"}), "transmits that fire"));
  EXPECT_TRUE(contains(refusal_with(path, {"transmit_decoding=hadamard"}), "transmit_decoding = hadamard"));
  EXPECT_TRUE(contains(refusal_with(path, {"transmit_decoding=pair_sum"}), "not in pairs"));
  write_uff(uff, {});
  EXPECT_TRUE(contains(refusal_with(uff.close(), {"track=a"}), "has no effect on UFF"));
}

TEST(ZeaProperties, PulsePeakMovesTimeZero) {
  Hdf5Fixture file("p.hdf5");
  write_zea(file, {});
  const auto path = file.close();
  const double t0_s = open_recording(path).acquisition->transmits[1].t0_s;
  EXPECT_NEAR(open_with(path, {"pulse_peak_s=3e-7"}).acquisition->transmits[1].t0_s, t0_s - 3e-7, 1e-15);
}

// Response of a pair of elements: a pulse within the band, one per pair.
double response(int e, int r, double t_s) {
  const double at_s = 3e-6 + 2e-7 * e + 1.3e-7 * r, width_s = 2.5e-7;
  const double u = (t_s - at_s) / width_s;
  return std::exp(-u * u) * std::cos(2.0 * std::numbers::pi * kCenter_hz * (t_s - at_s)) * (1.0 + 0.1 * e);
}

constexpr int kElements = 8, kSamples = 160;

// Writes a file of transmits with these weights and delays, [n_tx][kElements]; RF from the first firing on.
void write_coded(Hdf5Fixture& file, const std::vector<double>& weights, const std::vector<double>& delays_s) {
  const int n_tx = static_cast<int>(weights.size()) / kElements;
  const Extents n{.frames = 1, .transmits = n_tx, .elements = kElements, .samples = kSamples};
  write_zea(file, n);
  std::vector<double> samples;
  for (int k = 0; k < n_tx; ++k) {
    for (int i = 0; i < kSamples; ++i) {
      for (int r = 0; r < kElements; ++r) {
        double sum = 0.0;
        for (int e = 0; e < kElements; ++e) {
          const auto at = static_cast<std::size_t>(k * kElements + e);
          sum += weights[at] * response(e, r, i / kSampling_hz - delays_s[at]);
        }
        samples.push_back(sum);
      }
    }
  }
  const auto n_tx_h = static_cast<hsize_t>(n_tx);
  file.numbers("data/raw_data", {1, n_tx_h, kSamples, kElements, 1}, samples);
  file.numbers("scan/t0_delays", {n_tx_h, kElements}, delays_s, kReal64);
  file.numbers("scan/tx_apodizations", {n_tx_h, kElements}, weights);
  file.numbers("scan/initial_times", {n_tx_h}, std::vector<double>(n_tx_h, 0.0));
}

// Largest difference from the responses of single elements.
double worst_of_single_elements(const Recording& recording) {
  double worst = 0.0;
  for (int e = 0; e < kElements; ++e)
    for (int r = 0; r < kElements; ++r)
      for (int i = 0; i < kSamples; ++i)
        worst = std::max(worst, std::abs(sample(recording, 0, e, r, i) - response(e, r, i / kSampling_hz)));
  return worst;
}

std::vector<double> hadamard() {
  std::vector<double> weights;
  for (unsigned k = 0; k < kElements; ++k)
    for (unsigned e = 0; e < kElements; ++e) weights.push_back(__builtin_popcount(k & e) % 2 == 0 ? 1.0 : -1.0);
  return weights;
}

TEST(ZeaDecoding, HadamardTransmitsBecomeSingleElements) {
  Hdf5Fixture file("h.hdf5");
  write_coded(file, hadamard(), std::vector<double>(kElements * kElements, 0.0));
  const auto path = file.close();
  const Recording recording = open_recording(path);
  const Acquisition& a = *recording.acquisition;
  EXPECT_TRUE(assumes(a, "decoded to 8 single elements (hadamard: transmit matrix 8 x 8, rank 8, condition 1)"));
  ASSERT_EQ(a.n_transmits(), kElements);
  for (std::size_t e = 0; e < kElements; ++e) {
    EXPECT_EQ(a.transmits[e].kind, TransmitKind::diverging);
    EXPECT_EQ(a.transmits[e].source_x_m, a.probe.elements[e].x_m);
  }
  EXPECT_LT(worst_of_single_elements(recording), 1e-5);
  EXPECT_LT(worst_of_single_elements(open_with(path, {"transmit_decoding=refocus", "decode_loading=1e-4"})), 0.01);
  const Recording off = open_with(path, {"transmit_decoding=off"});
  EXPECT_TRUE(assumes(*off.acquisition, "coded and, as set, not decoded"));
  EXPECT_EQ(off.acquisition->transmits[1].kind, TransmitKind::plane);
}

TEST(ZeaDecoding, CodesOfSignsAndDelaysAreDecodedWhereTheirRankAllows) {
  std::vector<double> weights = hadamard(), delays_s;
  for (int i = 0; i < kElements * kElements; ++i) delays_s.push_back(1e-8 * ((i * 37) % 50));
  Hdf5Fixture file("r.hdf5");
  write_coded(file, weights, delays_s);
  const Recording recording = open_recording(file.close());
  EXPECT_TRUE(assumes(*recording.acquisition, "(refocus: transmit matrix 8 x 8, rank 8, condition "));
  EXPECT_LT(worst_of_single_elements(recording), 0.02);
  weights.resize(6 * kElements), delays_s.resize(6 * kElements);
  Hdf5Fixture fewer("f.hdf5");
  write_coded(fewer, weights, delays_s);
  const Recording left = open_recording(fewer.close());
  EXPECT_TRUE(assumes(*left.acquisition, "transmit matrix of rank 6 for 8 elements: not decoded"));
  EXPECT_EQ(left.acquisition->n_transmits(), 6);
}

TEST(ZeaDecoding, PairsOfOppositeSignAreSummedOrSubtracted) {
  Hdf5Fixture file("pi.hdf5");
  const Extents n{.transmits = 4};
  write_zea(file, n);
  std::vector<double> weights(16, 1.0);
  std::fill(weights.begin() + 8, weights.end(), -1.0);
  file.numbers("scan/tx_apodizations", {4, 4}, weights);
  file.numbers("scan/t0_delays", {4, 4}, std::vector<double>(16, 0.0));
  file.numbers("scan/initial_times", {4}, std::vector<double>(4, 1e-6));
  const auto path = file.close();
  const Recording difference = open_recording(path);  // not harmonic
  EXPECT_TRUE(assumes(*difference.acquisition, "pulse inversion: 2 pairs subtracted"));
  ASSERT_EQ(difference.acquisition->n_transmits(), 2);
  EXPECT_NEAR(sample(difference, 1, 1, 2, 3), 0.5 * (sample_value(1, 1, 2, 3, 0) - sample_value(1, 3, 2, 3, 0)), 1e-3);
  const Recording sum = open_with(path, {"transmit_decoding=pair_sum"});
  EXPECT_NEAR(sample(sum, 1, 0, 2, 3), sample_value(1, 0, 2, 3, 0) + sample_value(1, 2, 2, 3, 0), 1e-3);
}

TEST(ZeaReceivers, ApertureOfEqualTransmitsAreJoined) {
  Hdf5Fixture file("m.hdf5");
  const Extents n{.frames = 1, .transmits = 4, .elements = 4};
  write_zea(file, n);
  file.numbers("data/raw_data", {1, 4, 6, 2, 1}, sample_table("ftieq", {.frames = 1, .transmits = 4, .elements = 2}));
  file.numbers("scan/t0_delays", {4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1e-7, 2e-7, 3e-7, 0, 1e-7, 2e-7, 3e-7}, kReal64);
  file.numbers("scan/initial_times", {4}, std::vector<double>(4, 1e-6));
  file.remove("scan/polar_angles");
  file.numbers("scan/rx_aperture_indices", {4, 2}, {0, 2, 1, 3, 2, 0, 3, 1});
  const auto path = file.path();
  file.close();
  const Recording recording = open_recording(path);
  EXPECT_TRUE(assumes(*recording.acquisition, "receive multiplex: 4 events of 2 channels joined to 2 transmits"));
  EXPECT_EQ(sample(recording, 0, 0, 2, 5), sample_value(0, 0, 1, 5, 0));
  EXPECT_EQ(sample(recording, 0, 0, 3, 5), sample_value(0, 1, 1, 5, 0));
  EXPECT_EQ(sample(recording, 0, 1, 0, 5), sample_value(0, 2, 1, 5, 0));
  EXPECT_EQ(sample(recording, 0, 1, 1, 5), sample_value(0, 3, 1, 5, 0));
  const auto rewritten = [&](const std::vector<double>& indices) {
    Hdf5Fixture other("n.hdf5");
    write_zea(other, n);
    other.numbers("data/raw_data", {1, 4, 6, 2, 1},
                  sample_table("ftieq", {.frames = 1, .transmits = 4, .elements = 2}));
    if (!indices.empty()) other.numbers("scan/rx_aperture_indices", {4, 2}, indices);
    other.close();
    return refusal(other.path());
  };
  EXPECT_TRUE(contains(rewritten({0, 1, 2, 3, 0, 1, 2, 4}), "rx_aperture_indices 4 in row 3; expected 0 to 3"));
  EXPECT_TRUE(contains(rewritten({0, 1, 2, 2, 0, 1, 2, 3}), "rx_aperture_indices 2 twice in row 1"));
  EXPECT_TRUE(contains(rewritten({}), "samples of 2 channels of 4 elements; expected rx_aperture_indices"));
}

TEST(ZeaReceivers, ReceiveOnlyEventsHaveNoWave) {
  Hdf5Fixture file("po.hdf5");
  write_zea(file, {.transmits = 1});
  file.numbers("scan/tx_apodizations", {1, 4}, {0, 0, 0, 0});
  file.numbers("scan/initial_times", {1}, {2e-6}, kReal64);
  const auto path = file.close();
  const Recording recording = open_recording(path);
  EXPECT_EQ(recording.acquisition->transmits[0].kind, TransmitKind::none);
  EXPECT_EQ(recording.acquisition->transmits[0].t0_s, 2e-6);
  EXPECT_TRUE(assumes(*recording.acquisition, "time of emission unknown"));
  const Recording given = open_with(path, {"emission_s=3e-6"});
  EXPECT_NEAR(given.acquisition->transmits[0].t0_s, -1e-6, 1e-15);
  EXPECT_FALSE(assumes(*given.acquisition, "time of emission unknown"));
}

TEST(ZeaPlane, OfAnArrayIsItsYAndOfAMatrixTheChosenOne) {
  Hdf5Fixture file("y.hdf5");
  write_zea(file, {});
  std::vector<double> places;
  for (const double x : {-0.45e-3, -0.15e-3, 0.15e-3, 0.45e-3}) places.insert(places.end(), {x, 2e-3, 0.0});
  file.numbers("scan/probe_geometry", {4, 3}, places, kReal64);
  const auto path = file.close();
  const Recording flat = open_recording(path);
  EXPECT_FALSE(leaves_plane(flat.acquisition->probe));
  EXPECT_TRUE(assumes(*flat.acquisition, "the image plane is y = 2.00 mm"));
  EXPECT_NEAR(open_with(path, {"plane_y_m=0"}).acquisition->probe.elements[2].y_m, 2e-3, 1e-12);

  Hdf5Fixture square("s.hdf5");
  write_zea(square, {.transmits = 1});
  const double half = 0.15e-3, sine = 0.1;  // a wave along y
  square.numbers("scan/probe_geometry", {4, 3}, {-half, -half, 0, half, -half, 0, -half, half, 0, half, half, 0},
                 kReal64);
  const double later_s = 2.0 * half * sine / kSpeed_m_s;
  square.numbers("scan/t0_delays", {1, 4}, {0, 0, later_s, later_s}, kReal64);
  square.numbers("scan/initial_times", {1}, {1e-6}, kReal64);
  const auto matrix = square.close();
  const Recording recording = open_recording(matrix);
  const Transmit& t = recording.acquisition->transmits[0];
  EXPECT_EQ(t.kind, TransmitKind::plane);
  EXPECT_NEAR(t.elevation_rad, std::asin(sine), 1e-9);
  EXPECT_NEAR(t.angle_rad, 0.0, 1e-9);
  EXPECT_NEAR(t.t0_s, 1e-6 - 0.5 * later_s, 1e-13);
  EXPECT_NEAR(recording.acquisition->probe.pitch_m, 2.0 * half, 1e-9);
  const Recording turned = open_with(matrix, {"plane_turn_rad=1.5707963267948966"});
  EXPECT_NEAR(turned.acquisition->transmits[0].angle_rad, std::asin(sine), 1e-9);
  EXPECT_NEAR(turned.acquisition->transmits[0].elevation_rad, 0.0, 1e-9);
}

TEST(ZeaLens, IsRefractedStraightOrOff) {
  Hdf5Fixture file("l.hdf5");
  write_zea(file, {});
  file.numbers("probe/lens_thickness", {}, {1e-3}, kReal64);
  file.numbers("probe/lens_sound_speed", {}, {1000.0}, kReal64);
  const auto path = file.close();
  const Recording refracted = open_recording(path);
  EXPECT_EQ(refracted.acquisition->probe.lens.thickness_m, 1e-3);
  EXPECT_TRUE(assumes(*refracted.acquisition, "paths are refracted at the lens"));
  const Recording straight = open_with(path, {"lens=straight"}), off = open_with(path, {"lens=off"});
  EXPECT_FALSE(straight.acquisition->probe.lens.refracts());
  EXPECT_NEAR(off.acquisition->transmits[0].t0_s - straight.acquisition->transmits[0].t0_s,
              2e-3 * (1.0 / 1000.0 - 1.0 / kSpeed_m_s), 1e-13);
  Hdf5Fixture none("z.hdf5");
  write_zea(none, {});
  none.numbers("probe/lens_thickness", {}, {1e-3}, kReal64);
  none.numbers("probe/lens_sound_speed", {}, {0.0}, kReal64);
  EXPECT_TRUE(assumes(*open_recording(none.close()).acquisition, "lens_sound_speed = 0"));
}

TEST(ZeaGain, CurvesInDecibelsAreNotDividedOutUnlessSet) {
  Hdf5Fixture file("db.hdf5");
  write_zea(file, {});
  file.numbers("scan/tgc_gain_curve", {6}, {0, 20, 20, 20, 20, 20});
  const auto path = file.close();
  const Recording kept = open_recording(path);
  EXPECT_TRUE(assumes(*kept.acquisition, "tgc_gain_curve contains 0: a curve in dB? not divided out"));
  EXPECT_EQ(sample(kept, 0, 1, 2, 3), sample_value(0, 1, 2, 3, 0));
  EXPECT_NEAR(sample(open_with(path, {"undo_gain=db"}), 0, 1, 2, 3), sample_value(0, 1, 2, 3, 0) / 10.0, 1e-4);
  EXPECT_TRUE(contains(refusal_with(path, {"undo_gain=linear"}), "above 0"));
}

PipelineSettings pipeline_of(const std::string& yaml) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "pipeline.yaml";
  std::ofstream(file) << yaml;
  return read_pipeline(file);
}

TEST(Pipeline, ParametersAndOperationsBecomeSettings) {
  const PipelineSettings read = pipeline_of(
      "# of a lab\nparameters:\n  sound_speed: 1550  # m/s\n  xlims: [-0.009, 0.009]\n  dynamic_range: [-55, 0]\n"
      "  selected_transmits: [0, 2]\n  apply_lens_correction: true\n  attenuation_coef: 0.5\npipeline:\n"
      "  operations:\n    - name: keras.ops.cast\n      params: {dtype: float32}\n    - demodulate\n"
      "    - name: beamform\n      params: {beamformer: coherence_factor, enable_pfield: false}\n"
      "    - name: companding\n      params: {mu: 255}\n");
  EXPECT_EQ(read.set, (std::vector<std::string>{
                          "lens=auto", "dynamic_range_db=55", "transmit_first=1", "transmit_last=3", "transmit_every=2",
                          "sound_speed_m_s=1550", "lateral_min_m=-0.0089999999999999993",
                          "lateral_max_m=0.0089999999999999993", "f_number=1", "adaptive=coherence"}));
  ASSERT_EQ(read.not_available.size(), 2U);
  EXPECT_EQ(read.not_available[0], "attenuation_coef (0.5)");
  EXPECT_TRUE(contains(read.not_available[1], "companding"));
}

TEST(Pipeline, OtherYamlIsRefusedWithItsLine) {
  for (const auto& [yaml, words] :
       {std::pair{"parameters: &a {x: 1}", "anchor, tag or text over lines in line 1"},
        std::pair{"parameters:\n  x: |\n", "in line 2"},
        std::pair{"parameters:\n  x: [1, 2\n", "an open bracket in line 2"},
        std::pair{"parameters:\n  x: 1\n  x: 2\n", "the key 'x' twice in line 3"},
        std::pair{"a: 1", "neither parameters"}, std::pair{"parameters:\n\tx: 1\n", "a tab in line 2"}}) {
    try {
      static_cast<void>(pipeline_of(yaml));
      ADD_FAILURE() << yaml;
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), words)) << error.what();
    }
  }
}

}  // namespace
}  // namespace echoloop::zea_test
