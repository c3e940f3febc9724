// A Doppler gate on the GPU against the CPU: the sums of each frame, in order and without waiting; whole spectrograms
// of beamformed frames; what it costs the stream.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "backend/analyses.h"
#include "core/units.h"
#include "gpu/gpu_support.h"
#include "support/ensembles.h"

namespace echoloop::gpu_test::spectrogram_test {
namespace {

using namespace testing;

GateGeometry gate_of(int rows, int bands) {
  GateGeometry gate{.first = 37, .stride = 61, .rows = rows, .bands = bands, .norm = 0.0f, .turns_per_row = {}};
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) sum += gate_window(row, rows);
  gate.norm = 1.0f / sum;
  for (int band = 0; band < bands; ++band) gate.turns_per_row[band] = 0.5f + 0.03f * static_cast<float>(band);
  return gate;
}

// Frames where kernels and the CPU can both read them.
class Frames {
 public:
  Frames(Backend& gpu, std::size_t n_pixels, int n_frames)
      : ensemble_(tissue_and_blood(n_pixels, n_frames)),
        memory_(gpu.allocate_host(ensemble_.x.size() * sizeof(Complex), HostMemory::pinned)) {
    EXPECT_EQ(memory_->kind(), HostMemory::pinned);
    std::memcpy(memory_->bytes().data(), ensemble_.x.data(), ensemble_.x.size() * sizeof(Complex));
  }
  [[nodiscard]] PixelView frame(int t) const {
    const auto* first = reinterpret_cast<const Complex*>(memory_->bytes().data());
    return {.values = first + static_cast<std::size_t>(t) * ensemble_.n_pixels, .count = ensemble_.n_pixels};
  }

 private:
  Ensemble ensemble_;
  std::unique_ptr<HostMemoryBlock> memory_;
};

class SpectrogramParity : public GpuTest {};

TEST_F(SpectrogramParity, SumsOfEachFrameInOrder) {
  constexpr std::size_t kPixels = 61 * 300;
  const Frames ensemble(gpu(), kPixels, 8);
  for (const auto& [rows, bands] : {std::pair{1, 1}, std::pair{19, 1}, std::pair{33, 5}, std::pair{200, 9}}) {
    const GateGeometry gate = gate_of(rows, bands);
    const auto on_cpu = cpu().make_device<SpectrogramAnalysis>();
    const auto on_gpu = gpu().make_device<SpectrogramAnalysis>();
    for (int t = 0; t < 8; ++t) ASSERT_TRUE(on_gpu->take(gate, ensemble.frame(t)));
    on_gpu->wait();
    for (int t = 0; t < 8; ++t) {
      ASSERT_TRUE(on_cpu->take(gate, ensemble.frame(t)));
      const std::span<const Complex> want = on_cpu->next();
      const std::span<const Complex> got = on_gpu->next();
      ASSERT_EQ(got.size(), want.size());
      float largest = 0.0f;
      for (const Complex v : want) largest = std::max(largest, std::hypot(v.re, v.im));
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_NEAR(got[i].re, want[i].re, 1e-4f * largest) << rows << " rows, frame " << t << ", band " << i;
        EXPECT_NEAR(got[i].im, want[i].im, 1e-4f * largest);
      }
    }
    EXPECT_TRUE(on_gpu->next().empty());
  }
}

TEST_F(SpectrogramParity, FullItRefusesAndGoesOn) {
  const Frames ensemble(gpu(), 61 * 40, 2);
  const GateGeometry gate = gate_of(19, 3);
  const auto device = gpu().make_device<SpectrogramAnalysis>();
  int taken = 0;
  while (taken < 1000 && device->take(gate, ensemble.frame(taken % 2))) ++taken;
  EXPECT_LT(taken, 1000) << "nobody fetched";
  EXPECT_GE(taken, 8) << "more than lanes hold";
  device->wait();
  for (int i = 0; i < taken; ++i) ASSERT_EQ(device->next().size(), 3U) << i;
  EXPECT_TRUE(device->take(gate, ensemble.frame(0)));
}

TEST_F(SpectrogramParity, SpectrogramsOfBeamformedFrames) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    Case c{.name = "sonogram"};
    c.precision = precision;
    const auto a = make_acquisition(c);
    ImagingParams params = make_params(c, *a);
    params.doppler.gate = Gate::on;
    params.doppler.x_m = 0.5 * (params.formation.lateral_min_m + params.formation.lateral_max_m);
    params.doppler.z_m = 0.5 * (params.formation.depth_min_m + params.formation.depth_max_m);
    params.color_flow.prf_hz = 1000.0;
    params.doppler.frames = 16;
    std::vector<Spectrogram> spectrograms;
    for (Backend* backend : {&cpu(), &gpu()}) {
      const auto plan = make_plan(a, params, nullptr, backend->multiprocessors());
      Mailbox<Spectrogram> box;
      {
        const auto lane = backend->make_lane(0, StreamMode::overlap);
        SpectrogramEngine engine(backend->make_device<SpectrogramAnalysis>(), box);
        for (unsigned t = 0; t < 32; ++t) {
          start_frame(*lane, plan, make_frame(c, *a, t + 1), t);
          engine.take({plan, lane->pixels(), {.sequence = t, .source_index = t}, 40.0});
          lane->wait();
        }
        engine.drain();
        EXPECT_EQ(engine.take_fault(), "");
        EXPECT_EQ(engine.counts().late, 0U);
      }
      ASSERT_TRUE(box.take());
      spectrograms.push_back(box.front());
    }
    ASSERT_EQ(spectrograms[0].end, spectrograms[1].end);
    ASSERT_GE(spectrograms[0].end, 3U);
    const float tolerance_db = precision == Precision::fp16 ? 0.5f : 0.02f;
    for (std::uint64_t k = 0; k < spectrograms[0].end; ++k) {
      const std::span<const float> want = spectrograms[0].column(k), got = spectrograms[1].column(k);
      for (std::size_t i = 0; i < want.size(); ++i) {
        if (want[i] < spectrograms[0].brightest_db - 25.0f) continue;
        ASSERT_NEAR(got[i], want[i], tolerance_db) << "column " << k << ", bin " << i;
      }
    }
  }
}

// Host time of a take(), which is what the processing thread gives.
TEST_F(SpectrogramParity, CostsTheProcessingThreadLittle) {
  const Frames ensemble(gpu(), 61 * 300, 2);
  const GateGeometry gate = gate_of(33, 5);
  const auto device = gpu().make_device<SpectrogramAnalysis>();
  constexpr int kFrames = 2000;
  double spent_us = 0.0;
  for (int t = 0; t < kFrames; ++t) {
    const std::int64_t begin = now_ns();
    ASSERT_TRUE(device->take(gate, ensemble.frame(t % 2)));
    spent_us += static_cast<double>(now_ns() - begin) * 1e-3;
    if (t % 16 != 15) continue;
    device->wait();
    for (int i = 0; i < 16; ++i) ASSERT_FALSE(device->next().empty());
  }
  std::printf("gate: %.2f us of the processing thread a frame\n", spent_us / kFrames);
  EXPECT_LT(spent_us / kFrames, 50.0);
}

}  // namespace
}  // namespace echoloop::gpu_test::spectrogram_test
