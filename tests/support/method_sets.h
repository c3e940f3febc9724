// Random valid settings of the adaptive methods, each with a small frame that may have silent elements, a single active
// element, only zeros, or infinite or NaN samples; for tests of every backend. Reproducible by the generator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend/frame_processor.h"
#include "backend/plan.h"
#include "core/error.h"
#include "source/source.h"
#include "support/acquisitions.h"

namespace echoloop::testing {

class MethodSets {
 public:
  struct Set {
    AcquisitionPtr acquisition;
    ImagingParams params;
    std::vector<std::byte> frame;
    std::string words;  // for messages
  };

  explicit MethodSets(unsigned seed) : random_(seed) {
    for (Acquisition& a :
         std::vector<Acquisition>{linear_acquisition(24, 300, {-8.0, 0.0, 5.0}), linear_acquisition(2, 300),
                                  linear_acquisition(5, 300, {-6.0, 6.0}), convex_acquisition(16, 300),
                                  phased_acquisition(300), scan_line_acquisition(9, 300)}) {
      kinds_.push_back(share(std::move(a)));
    }
  }

  Set next() {
    for (;;) {
      Set set{.acquisition = kinds_[pick(kinds_.size())], .params = {}, .frame = {}, .words = {}};
      set.params = params_for(*set.acquisition);
      try {
        check_params(*set.acquisition, set.params);
      } catch (const Error&) {
        continue;  // refused: not a valid set
      }
      set.frame = frame_for(*set.acquisition, set.words);
      set.words = set.acquisition->probe.name + ", " + std::to_string(set.acquisition->n_transmits()) + " transmits, " +
                  std::string(kAdaptiveMethods[static_cast<std::size_t>(set.params.formation.adaptive)].name) + " " +
                  method_channels(set.params.formation) + ", " + set.words;
      return set;
    }
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(random_()) / 4294967295.0; }

  ImagingParams params_for(const Acquisition& a) {
    ImagingParams params = pick(3) == 0 ? small_sector(a, 7, 24) : small_picture(a, 7, 24);
    FormationParams& f = params.formation;
    f.adaptive = static_cast<Adaptive>(1 + pick(6));
    f.adaptive_axis = static_cast<AdaptiveAxis>(pick(3));
    f.adaptive_order = static_cast<AdaptiveOrder>(pick(2));
    f.adaptive_strength = pick(3) == 0 ? static_cast<double>(pick(2)) : between(0.0, 1.0);
    f.adaptive_bins = static_cast<int>(pick(kMostAdaptiveBins + 1));
    f.adaptive_root = between(1.0, 8.0);
    f.adaptive_lags = 1 + static_cast<int>(pick(32));
    f.adaptive_kernel_m = pick(3) == 0 ? 0.0 : between(0.0, kMostKernel_m);
    f.mv_elements = 8 + static_cast<int>(pick(121));
    f.mv_subarray = between(0.1, 0.5);
    f.mv_loading = std::pow(10.0, between(-4.0, 3.0));
    f.adaptive_show = static_cast<AdaptiveShow>(pick(2));
    f.f_number = pick(4) == 0 ? 0.0 : between(0.1, 10.0);  // large: no element at shallow depths
    f.apodization = static_cast<Apodization>(pick(5));
    f.directivity = static_cast<Directivity>(pick(2));
    f.compounding = static_cast<Compounding>(pick(3));
    f.sound_speed_m_s = between(1400.0, 1700.0);
    f.precision = Precision::fp32;
    if (pick(4) == 0) f.depth_max_m = 2.0 * f.depth_max_m;  // beyond the record
    params.transmits.window = static_cast<Apodization>(pick(5));
    params.transmits.cone = static_cast<TransmitCone>(pick(4));
    params.transmits.cone_f_number = pick(4) == 0 ? 0.0 : between(0.1, 10.0);
    params.transmits.first = 1 + static_cast<int>(pick(2));
    params.transmits.every = 1 + static_cast<int>(pick(2));
    params.level.reference_db = 0.0;
    return params;
  }

  std::vector<std::byte> frame_for(const Acquisition& a, std::string& words) {
    std::vector<float> samples = noise(a.frame_values(), static_cast<unsigned>(random_()));
    const auto line = static_cast<std::size_t>(a.n_samples), lines = samples.size() / line;
    const std::size_t chosen = pick(lines);
    const auto keep_lines = [&](const auto& kept) {
      for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = kept(i / line) ? samples[i] : 0.0F;
    };
    switch (pick(6)) {
      case 0:
        words = "noise";
        break;
      case 1:
        words = "silence";
        keep_lines([](std::size_t) { return false; });
        break;
      case 2:
        words = "one line alone";
        keep_lines([&](std::size_t l) { return l == chosen; });
        break;
      case 3:
        words = "every third line silent";
        keep_lines([](std::size_t l) { return l % 3 != 0; });
        break;
      case 4:
        words = "one sample alone";
        for (std::size_t i = 0; i < samples.size(); ++i) samples[i] = i == chosen * line + line / 2 ? 1.0F : 0.0F;
        break;
      default:
        words = "invalid samples";
        for (std::size_t i = pick(40); i < samples.size(); i += 1 + pick(200)) {
          constexpr float kInfinity = std::numeric_limits<float>::infinity();
          const float invalid[] = {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 1e30F};
          samples[i] = invalid[pick(4)];
        }
    }
    const auto decades = static_cast<int>(pick(19)) - 9;
    for (float& v : samples) v *= std::pow(10.0F, static_cast<float>(decades));
    words += " times 1e" + std::to_string(decades);
    return to_bytes(samples);
  }

  std::mt19937 random_;
  std::vector<AcquisitionPtr> kinds_;
};

// Processes one frame in a fresh lane: the image, in dB or of weights.
inline std::vector<float> image_of(Backend& backend, const MethodSets::Set& set) {
  const auto plan = make_plan(set.acquisition, set.params);
  const std::unique_ptr<Lane> lane = backend.make_lane(0, StreamMode::serial);
  form_frame(*lane, plan, {.stamp = {}, .samples = set.frame});
  make_image(*lane, *plan, {.reference_db = set.params.level.reference_db});
  lane->wait();
  const auto image = lane->image().host();
  return {image.begin(), image.end()};
}

// Of float samples; -infinity for silence.
inline float largest_sample_db(std::span<const std::byte> frame) {
  float largest = 0.0F;
  for (std::size_t at = 0; at + sizeof(float) <= frame.size(); at += sizeof(float)) {
    float v = 0.0F;
    std::memcpy(&v, frame.data() + at, sizeof v);
    largest = std::max(largest, std::abs(v));
  }
  return 20.0F * std::log10(largest);
}

}  // namespace echoloop::testing
