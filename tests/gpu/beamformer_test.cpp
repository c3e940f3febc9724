// Arrays of a caller on the GPU: read in place there, results written there, the same pixels as from the host.
#include "backend/beamformer.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "gpu/gpu_support.h"
#include "support/acquisitions.h"

namespace echoloop::gpu_test::beamformer_test {
namespace {

using Output = Beamformer::Output;

class BeamformerOnTheGpu : public GpuTest {};

// Memory of the device that a caller owns.
class Owned {
 public:
  explicit Owned(std::size_t bytes) : bytes_(bytes) { EXPECT_EQ(cudaMalloc(&data_, bytes), cudaSuccess); }
  ~Owned() { cudaFree(data_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
  void put(const std::vector<std::byte>& host) const {
    ASSERT_EQ(cudaMemcpy(data_, host.data(), host.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  [[nodiscard]] std::vector<std::byte> get() const {
    std::vector<std::byte> host(bytes_);
    EXPECT_EQ(cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost), cudaSuccess);
    return host;
  }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(BeamformerOnTheGpu, FramesThereGiveThePixelsOfFramesOfTheHost) {
  constexpr std::size_t kFrames = 5;
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const int every : {1, 2}) {  // 2: the picked transmits are copied together
      Acquisition acquisition = testing::linear_acquisition(64, 512, {-5.0, 0.0, 5.0});
      acquisition.sample_type = SampleType::int16;
      const AcquisitionPtr a = testing::share(acquisition);
      ImagingParams params = testing::small_picture(*a);
      params.formation.precision = precision;
      params.transmits.every = every;
      std::vector<std::int16_t> samples;
      for (const float v : testing::noise(kFrames * a->frame_values(), 7))
        samples.push_back(static_cast<std::int16_t>(std::lround(1000.0F * v)));
      const std::vector<std::byte> frames = testing::to_bytes(samples);
      Owned there(frames.size());
      there.put(frames);
      Beamformer beamformer(a, params, gpu()), on_cpu(a, params, cpu());
      for (const Output output : {Output::db, Output::iq, Output::envelope}) {
        std::vector<std::byte> from_host(kFrames * beamformer.bytes_of(output)), want(from_host.size());
        beamformer.run(frames, output, from_host);
        const Owned out(from_host.size());
        {
          const auto lent = gpu().lend(there.bytes());
          beamformer.run(there.bytes(), output, out.bytes());
        }
        EXPECT_EQ(out.get(), from_host);
        const Owned queued(from_host.size());
        {
          const auto lent = gpu().lend(there.bytes());
          beamformer.queue(there.bytes(), output, queued.bytes(), 0);
        }
        EXPECT_EQ(queued.get(), from_host) << static_cast<int>(output) << " every " << every;
        if (output != Output::envelope) continue;
        on_cpu.run(frames, output, want);
        // Half precision has other filters and rates, which differ at the edges of the band: noise fills it.
        const bool half = precision == Precision::fp16;
        EXPECT_LT(relative_l2(floats_of(from_host), floats_of(want), 1, half ? 10 : 0), half ? 2e-2 : 1e-4);
      }
    }
  }
}

TEST_F(BeamformerOnTheGpu, FramesMadeLateOnAStreamAreWaitedFor) {
  const AcquisitionPtr a = testing::share(testing::linear_acquisition(64, 512, {0.0}));
  const std::vector<std::byte> frame = testing::to_bytes(testing::noise(a->frame_values(), 8));
  Beamformer beamformer(a, testing::small_picture(*a), gpu());
  std::vector<std::byte> want(beamformer.bytes_of(Output::iq)), is(want.size());
  beamformer.run(frame, Output::iq, want);
  const Owned there(frame.size()), load(std::size_t{1} << 30), out(want.size());
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(cudaMemsetAsync(there.bytes().data(), 0, frame.size(), stream), cudaSuccess);
    for (int k = 0; k < 20; ++k)
      ASSERT_EQ(cudaMemsetAsync(load.bytes().data(), k, load.bytes().size(), stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(there.bytes().data(), frame.data(), frame.size(), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    const auto lent = gpu().lend(there.bytes());
    gpu().follow(reinterpret_cast<std::uintptr_t>(stream));
    beamformer.run(there.bytes(), Output::iq, is);
    EXPECT_EQ(is, want);
    ASSERT_EQ(cudaMemsetAsync(there.bytes().data(), 0, frame.size(), stream), cudaSuccess);
    for (int k = 0; k < 20; ++k)
      ASSERT_EQ(cudaMemsetAsync(load.bytes().data(), k, load.bytes().size(), stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(there.bytes().data(), frame.data(), frame.size(), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    const auto again = gpu().lend(there.bytes());
    beamformer.queue(there.bytes(), Output::iq, out.bytes(), reinterpret_cast<std::uintptr_t>(stream));
    ASSERT_EQ(cudaMemsetAsync(there.bytes().data(), 0, frame.size(), stream), cudaSuccess);  // follows their use
    ASSERT_EQ(cudaMemcpyAsync(is.data(), out.bytes().data(), is.size(), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(is, want);
  }
  cudaStreamDestroy(stream);
}

TEST_F(BeamformerOnTheGpu, CallsOnSeveralStreamsDoNotMix) {
  Acquisition acquisition = testing::linear_acquisition(64, 512, {-5.0, 0.0, 5.0});
  acquisition.sample_type = SampleType::int16;
  const AcquisitionPtr a = testing::share(acquisition);
  for (const Precision precision : {Precision::fp16, Precision::fp32}) {
    ImagingParams params = testing::small_picture(*a);
    params.formation.precision = precision;
    constexpr std::size_t kFrames = 21, kStreams = 3;
    std::vector<std::int16_t> samples;
    for (const float v : testing::noise(kFrames * a->frame_values(), 9))
      samples.push_back(static_cast<std::int16_t>(std::lround(1000.0F * v)));
    const std::vector<std::byte> frames = testing::to_bytes(samples);
    const Owned there(frames.size());
    there.put(frames);
    Beamformer beamformer(a, params, gpu());
    ImagingParams other = params;
    other.formation.f_number = 3.0;
    std::vector<std::byte> want(kFrames * beamformer.bytes_of(Output::iq)), wanted_other(want.size());
    beamformer.run(frames, Output::iq, want);
    beamformer.set_params(other);
    beamformer.run(frames, Output::iq, wanted_other);
    std::vector<cudaStream_t> streams(kStreams);
    for (cudaStream_t& stream : streams)
      ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    const Owned out(want.size()), out_other(want.size());
    const auto lent = gpu().lend(there.bytes());
    for (int round = 0; round < 12; ++round) {
      const bool is_other = round % 4 == 3;
      beamformer.set_params(is_other ? other : params);
      const cudaStream_t stream = streams[static_cast<std::size_t>(round) % kStreams];
      const Owned& to = is_other ? out_other : out;
      ASSERT_EQ(cudaMemsetAsync(to.bytes().data(), 0xff, to.bytes().size(), stream), cudaSuccess);
      beamformer.queue(there.bytes(), Output::iq, to.bytes(), reinterpret_cast<std::uintptr_t>(stream));
      std::vector<std::byte> is(want.size());
      ASSERT_EQ(cudaMemcpyAsync(is.data(), to.bytes().data(), is.size(), cudaMemcpyDeviceToHost, stream), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      EXPECT_EQ(is, is_other ? wanted_other : want) << round;
    }
    for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
    beamformer.run(there.bytes(), Output::iq, out.bytes());  // after the end of the streams
    EXPECT_EQ(out.get(), wanted_other);
  }
}

TEST_F(BeamformerOnTheGpu, OtherMemoryIsRefused) {
  const std::vector<std::byte> host(4096);
  EXPECT_THROW((void)gpu().lend(host), Error);
  EXPECT_EQ(cpu().lend(host), nullptr);
}

}  // namespace
}  // namespace echoloop::gpu_test::beamformer_test
