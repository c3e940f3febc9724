// The refine stage and the choice of transmits, CPU against CUDA: every filter, the temporal average over lanes, each
// path to the image (plain, half precision with decibels written on the way, course).
#include <algorithm>
#include <array>
#include <cmath>

#include "backend/das_tables.h"
#include "backend/fp16/packed_plan.h"
#include "gpu/gpu_support.h"

namespace echoloop::gpu_test::refine_test {
namespace {

class Refined : public GpuTest {};
class PickedTransmits : public GpuTest {};

// The images of `n` frames that go through two lanes in turn, averaged.
std::vector<std::vector<float>> averaged_pictures(Backend& backend, const std::shared_ptr<const Plan>& plan,
                                                  const std::vector<std::vector<std::byte>>& frames) {
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < 2; ++i) {
    lanes.push_back(backend.make_lane(i, StreamMode::overlap));
    lanes.back()->set_plan(plan);
  }
  std::vector<std::vector<float>> pictures;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    Lane& lane = *lanes[i % 2];
    lane.upload({.stamp = {.sequence = i}, .samples = frames[i]});
    lane.condition();
    lane.expect_reference(40.0);
    lane.beamform();
    lane.envelope();
    lane.compress(40.0);
    const FrameAverage average{.before = i == 0 ? nullptr : lanes[(i + 1) % 2].get(), .keep = i == 0 ? 0.0f : 0.6f};
    lane.refine(plan->refine->average ? &average : nullptr);
    lane.finish(HostCopy::made);
    lane.wait();
    const auto host = lane.image().host();
    pictures.emplace_back(host.begin(), host.end());
  }
  return pictures;
}

std::vector<float> amplitudes(std::vector<float> db) {
  for (float& v : db) v = std::pow(10.0f, 0.05f * v);
  return db;
}

void expect_parity(Backend& cpu, Backend& gpu, const Case& c, const ImagingParams& params) {
  const auto plan = make_plan(make_acquisition(c), params);
  ASSERT_NE(plan->refine, nullptr);
  std::vector<std::vector<std::byte>> frames;
  for (unsigned seed = 1; seed <= 4; ++seed) frames.push_back(make_frame(c, *plan->acquisition, seed));
  const auto want = averaged_pictures(cpu, plan, frames);
  const auto got = averaged_pictures(gpu, plan, frames);
  const std::size_t edge = 1 + plan->grid.pixels() / 500;  // an element in on one side and out on the other
  for (std::size_t i = 0; i < frames.size(); ++i) {
    // Nulls of noise are not the same in half precision: there the amplitudes are compared.
    if (c.precision == Precision::fp16) {
      EXPECT_LE(relative_l2(amplitudes(got[i]), amplitudes(want[i]), 1, edge), 2e-2) << c.name << ", frame " << i;
      continue;
    }
    EXPECT_LE(largest_difference_db(got[i], want[i], -60.0, edge), 0.1) << c.name << ", frame " << i;
  }
}

TEST_F(Refined, EveryFilterAgreesOnEveryPath) {
  for (const Case& c : {Case{.name = "Plain"}, Case{.name = "Packed", .precision = Precision::fp16},
                        Case{.name = "Course", .recipe = Recipe::course},
                        Case{.name = "Sector",
                        .probe = ProbeKind::phased,
                        .transmit = TransmitKind::diverging,
                        .f_number = 0.0,
                        .grid = GridChoice::polar}}) {
    const ImagingParams off = make_params(c, *make_acquisition(c));
    std::vector<ImagingParams> settings(7, off);
    settings[0].refine.median = Median::three;
    settings[1].refine.median = Median::five;
    settings[2].refine.smooth_axial_m = 0.4e-3;
    settings[3].refine.smooth_lateral_m = 0.6e-3;
    settings[4].refine.speckle_reduction = 0.8;
    settings[5].refine.edge_enhancement = 1.5;
    settings[6].refine.persistence_s = 0.1;
    settings.push_back(settings[6]);
    settings.back().refine.median = Median::three;
    settings.back().refine.smooth_axial_m = settings.back().refine.smooth_lateral_m = 0.3e-3;
    settings.back().refine.speckle_reduction = 0.5;
    settings.back().refine.edge_enhancement = 0.5;
    for (const ImagingParams& params : settings) {
      expect_parity(cpu(), gpu(), c, params);
    }
  }
}

std::vector<std::byte> transmits_of(const Acquisition& a, const std::vector<std::byte>& frame,
                                    const TransmitPick& pick) {
  const std::size_t bytes = a.frame_bytes() / a.transmits.size();
  std::vector<std::byte> kept;
  for (int i = 0; i < pick.count; ++i) {
    const auto begin =
        frame.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(pick.first + i * pick.every) * bytes);
    kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  return kept;
}

// Bit for bit, from memory of the program and from page-locked memory that kernels read in place.
TEST_F(PickedTransmits, MakeThePictureOfTheRecordingThatHasOnlyThem) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const SampleType type : {SampleType::float32, SampleType::int16}) {
      const Case c{.name = "picked", .n_tx = 7, .type = type, .precision = precision};
      const AcquisitionPtr a = make_acquisition(c);
      const auto frame = make_frame(c, *a);
      const ImagingParams all = make_params(c, *a);
      for (const auto& [first, last, every] : {std::array{1, 1, 1}, {4, 4, 1}, {3, 6, 1}, {2, 0, 3}}) {
        ImagingParams some = all;
        some.transmits.first = first;
        some.transmits.last = last;
        some.transmits.every = every;
        const auto plan = make_plan(a, some);
        const auto lone = make_plan(plan->formed, all);
        const auto want = run_picture(gpu(), lone, transmits_of(*a, frame, plan->pick));
        EXPECT_EQ(run_picture(gpu(), plan, frame), want) << first << " " << last << " " << every;
        const auto block = gpu().allocate_host(frame.size(), HostMemory::mapped);
        std::copy(frame.begin(), frame.end(), block->bytes().begin());
        EXPECT_EQ(run_picture(gpu(), plan, block->bytes()), want)
            << "in place: " << first << " " << last << " " << every;
      }
    }
  }
}

TEST_F(PickedTransmits, WindowsAgreeWithTheCpu) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    for (const int n_tx : {4, 17}) {  // both forms of the tuned kernel
      const Case c{.name = "weighted", .n_tx = n_tx, .precision = precision};
      const AcquisitionPtr a = make_acquisition(c);
      ImagingParams params = make_params(c, *a);
      params.transmits.window = Apodization::hann;
      const auto frame = make_frame(c, *a);
      const auto plan = make_plan(a, params);
      ASSERT_EQ(plan->packed != nullptr, precision == Precision::fp16);
      const Result want = run_frame(cpu(), plan, frame);
      const Result got = run_frame(gpu(), plan, frame);
      EXPECT_LE(relative_l2(got.envelope, want.envelope, 1, 10), precision == Precision::fp16 ? 2e-2 : 2e-5);
    }
  }
}

}  // namespace
}  // namespace echoloop::gpu_test::refine_test
