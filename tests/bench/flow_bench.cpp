// How fast flow is, for a machine with a GPU or without: an ensemble decomposed, filtered and made a picture, whole and
// sliding by 8 frames; and what power Doppler costs the stream (the size S1 of the benchmark: 3 x 128 x 8183 int16
// samples, 256 x 512 pixels). One file to carry there; a table on stdout. Arguments: --cpu for the CPU.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <tuple>

#include "backend/pipeline.h"
#include "support/ensembles.h"

namespace echoloop {
namespace {

double ms_since(std::int64_t begin_ns) { return static_cast<double>(now_ns() - begin_ns) * 1e-6; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void ensemble(Backend& backend, std::size_t n_pixels, int n, int step) {
  const testing::Ensemble e = testing::tissue_and_blood(n_pixels, n);
  const auto device = backend.make_flow_device();
  device->begin_thread();
  const int n_slots = n + step;
  device->reserve(n_slots, n_pixels);
  for (int t = 0; t < n_slots; ++t) device->store(t, e.frame(t % n));
  FlowImage image;
  ImagingParams p;
  p.flow = FlowMode::power;
  const auto run = [&](int n_known) {
    std::vector<double> decompose, filter, total;
    for (int i = 0; i < 24; ++i) {
      const auto slots = testing::slots_from(i * step, n, n_slots);
      const std::int64_t begin = now_ns();
      const Decomposition d = device->decompose(slots, i == 0 ? 0 : n_known);
      device->keep_components(d, choose_components(d, p, n_pixels));
      const double middle = ms_since(begin);
      device->apply(slots, {.reference_db = 0.0, .scale_m_s = 0.02}, image);
      const double end = ms_since(begin);
      if (i < 4) continue;
      decompose.push_back(middle);
      filter.push_back(end - middle);
      total.push_back(end);
    }
    std::printf(
        "%-7s svd %7zu pixels x %3d frames, %s %d new: decompose %7.3f ms, filter and picture %7.3f ms, "
        "total %7.3f ms\n",
        backend.name().c_str(), n_pixels, n, n_known == 0 ? "whole,  " : "sliding,", n - n_known, median(decompose),
        median(filter), median(total));
    std::fflush(stdout);
  };
  run(0);
  run(n - step);
}

AcquisitionPtr s1() {
  Acquisition a;
  a.probe = make_linear_probe("bench", 128, 0.3e-3, 0.27e-3);
  for (const double angle : {-10.0, 0.0, 10.0}) {
    Transmit t;
    t.angle_rad = angle * kRadiansPerDegree;
    a.transmits.push_back(t);
  }
  a.n_samples = 8183;
  a.sampling_hz = 100e6;
  a.center_hz = 5e6;
  a.bandwidth_hz = 4e6;
  a.frame_rate_hz = 1000.0;
  a.sample_type = SampleType::int16;
  return std::make_shared<const Acquisition>(std::move(a));
}

struct Stream {
  double frames_per_s = 0.0;
  FlowCounts flow;
  FlowTimes times;
};

// Frames lent in page-locked memory, as fast as they go.
Stream stream(Backend& backend, FlowMode mode, WallFilter filter, int n_frames, double seconds) {
  const AcquisitionPtr a = s1();
  ImagingParams p = default_params(*a);
  p.lateral_min_m = -15e-3;
  p.lateral_max_m = 15e-3;
  p.depth_min_m = 20e-3;
  p.depth_max_m = 50e-3;
  p.grid_nx = 256;
  p.grid_nz = 512;
  p.reference_db = 0.0;
  p.flow = mode;
  p.wall_filter = filter;
  p.flow_frames = n_frames;
  constexpr std::size_t kLent = 16;
  const auto memory = backend.allocate_host(kLent * a->frame_bytes(), HostMemory::pinned);
  testing::Congruential random;
  auto* values = reinterpret_cast<std::int16_t*>(memory->bytes().data());
  for (std::size_t i = 0; i < memory->bytes().size() / 2; ++i) {
    values[i] = static_cast<std::int16_t>(16000.0 * random.draw());
  }
  FrameRing ring(std::vector<FrameMemory>(8), RingPolicy::block);
  Mailbox<Image> images;
  Mailbox<FlowImage> flows;
  TimingTrace trace;
  PipelineOptions options;
  options.lanes = 3;
  options.host_copy = HostCopy::none;
  options.side.flow = &flows;
  Pipeline pipeline(backend, ring, a, p, images, trace, std::move(options));
  std::thread producer([&] {
    for (std::uint64_t i = 0;; ++i) {
      auto lease = ring.begin_write(i);
      if (lease.outcome() != FrameRing::WriteLease::Outcome::slot) return;
      lease.publish({.sequence = i, .source_index = i, .time_s = 1e-3 * static_cast<double>(i)},
                    memory->bytes().subspan(i % kLent * a->frame_bytes(), a->frame_bytes()));
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(700));  // libraries loaded, everything warm
  const std::uint64_t first = ring.counts().processed;
  const FlowCounts flow_first = pipeline.side_counts().flow;
  const std::int64_t begin = now_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double passed_s = ms_since(begin) * 1e-3;
  Stream s;
  s.frames_per_s = static_cast<double>(ring.counts().processed - first) / passed_s;
  s.flow = pipeline.side_counts().flow;
  s.flow.pictures -= flow_first.pictures;
  s.flow.late -= flow_first.late;
  pipeline.stop();
  producer.join();
  while (!pipeline.done()) std::this_thread::yield();
  if (flows.take()) s.times = flows.front().times;
  if (const std::string why = pipeline.fault() + pipeline.take_refusal(); !why.empty()) {
    std::printf("%s\n", why.c_str());
  }
  return s;
}

void streams(Backend& backend, double seconds) {
  const Stream off = stream(backend, FlowMode::off, WallFilter::svd, 64, seconds);
  std::printf("%-7s S1 stream, flow off: %.0f frames/s\n", backend.name().c_str(), off.frames_per_s);
  for (const auto& [name, filter, n] :
       {std::tuple{"fir", WallFilter::fir, 64}, std::tuple{"svd", WallFilter::svd, 32},
        std::tuple{"svd", WallFilter::svd, 64}, std::tuple{"svd", WallFilter::svd, 128}}) {
    const Stream on = stream(backend, FlowMode::power, filter, n, seconds);
    std::printf(
        "%-7s S1 stream, power Doppler, %s of %d frames every 8: %.0f frames/s (%+.1f %%), %.0f flow pictures/s, "
        "late %llu, last one took %.2f ms\n",
        backend.name().c_str(), name, n, on.frames_per_s, 100.0 * (on.frames_per_s / off.frames_per_s - 1.0),
        static_cast<double>(on.flow.pictures) / seconds, static_cast<unsigned long long>(on.flow.late),
        on.times.total_ms);
    std::fflush(stdout);
  }
  const Stream again = stream(backend, FlowMode::off, WallFilter::svd, 64, seconds);
  std::printf("%-7s S1 stream, flow off again: %.0f frames/s\n", backend.name().c_str(), again.frames_per_s);
}

}  // namespace
}  // namespace echoloop

int main(int argc, char** argv) {
  using namespace echoloop;
  const bool cpu = argc > 1 && std::string_view(argv[1]) == "--cpu";
  std::string why;
  const auto backend = cpu ? make_cpu_backend() : make_cuda_backend(why);
  if (backend == nullptr) {
    std::printf("%s\n", why.c_str());
    return 1;
  }
  ensemble(*backend, 128 * 192, 32, 8);
  ensemble(*backend, 256 * 512, cpu ? 32 : 128, 8);
  if (!cpu) {
    ensemble(*backend, 256 * 512, 64, 8);
    ensemble(*backend, 256 * 512, 512, 8);
  }
  streams(*backend, cpu ? 3.0 : 1.0);
  return 0;
}
