// The adaptive methods on channels of known values against a float64 specification and against values of other packages
// (tests/reference/method_reference.py says how channels and values are made).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/units.h"
#include "dsp/methods/methods.h"
#include "test_paths.h"
#include "unit/given_channels.h"

namespace echoloop::method_reference_test {
namespace {

using testing::GivenChannels;

constexpr int kRows = 9, kElements = 24, kTransmits = 3;

constexpr bool of_reference(int e, int t) { return e != 22 && !(e == 23 && t == 1); }
constexpr bool all(int /*e*/, int /*t*/) { return true; }

std::vector<GivenChannels> make_rows(bool (*recorded)(int e, int t)) {
  std::uint32_t state = 1;
  const auto draw = [&state] {
    state = 1664525U * state + 1013904223U;
    return state / 4294967296.0 - 0.5;
  };
  GivenChannels empty;
  for (int e = 0; e < kElements; ++e) {
    empty.receive.push_back(
        e < 2 ? 0.0F : static_cast<float>(0.54 + 0.46 * std::cos(2.0 * kPi * (e / (kElements - 1.0) - 0.5))));
  }
  empty.transmits = {1.0F, 0.5F, 0.75F};
  empty.x.assign(kTransmits, std::vector<ChannelSample>(kElements));
  std::vector<GivenChannels> rows(kRows, empty);
  for (int r = 0; r < kRows; ++r) {
    for (int e = 0; e < kElements; ++e) {
      for (int t = 0; t < kTransmits; ++t) {
        const double re = 0.4 * std::cos(0.3 * r) + draw();
        const double im = 0.4 * std::sin(0.3 * r) + draw();
        rows[static_cast<std::size_t>(r)].x[static_cast<std::size_t>(t)][static_cast<std::size_t>(e)] =
            recorded(e, t) ? ChannelSample{{static_cast<float>(re), static_cast<float>(im)}, true}
                           : ChannelSample{{0.0F, 0.0F}, false};
      }
    }
  }
  return rows;
}

class MethodReference : public ::testing::Test {
 protected:
  static nlohmann::json values_of(const char* name) {
    std::ifstream file(std::string(ECHO_SOURCE_DIR "/tests/reference/") + name);
    return nlohmann::json::parse(file);
  }

  [[nodiscard]] const nlohmann::json& row(const std::string& name, int r) const {
    return reference_.at(name).at(static_cast<std::size_t>(r));
  }
  [[nodiscard]] static Complex pair(const nlohmann::json& value) {
    return {value.at(0).get<float>(), value.at(1).get<float>()};
  }

  std::vector<GivenChannels> rows_ = make_rows(of_reference);
  nlohmann::json reference_ = values_of("method_reference.json");
};

double decibels(double a, double b) { return std::abs(20.0 * std::log10(a / b)); }
constexpr double kClose_db = 2e-4;  // of floats

void expect_near(Complex found, Complex expected, const std::string& name) {
  EXPECT_LE(magnitude(found + -1.0F * expected), 3e-5F * magnitude(expected)) << name;
}

TEST_F(MethodReference, ChannelsAreThoseOfTheScript) {
  for (int e = 0; e < 2; ++e) {
    const Complex expected = pair(reference_.at("first").at(static_cast<std::size_t>(e)));
    EXPECT_EQ(rows_[0].x[0][static_cast<std::size_t>(e)].value.re, expected.re);
    EXPECT_EQ(rows_[0].x[0][static_cast<std::size_t>(e)].value.im, expected.im);
  }
}

TEST_F(MethodReference, WeightsOverEveryAxisAndOrder) {
  struct Named {
    const char* name;
    MethodSettings settings;
  };
  const Named methods[] = {{"coherence", {.method = Adaptive::coherence}},
                           {"wiener", {.method = Adaptive::coherence, .strength = 0.0F}},
                           {"generalized", {.method = Adaptive::generalized}},
                           {"generalized_5", {.method = Adaptive::generalized, .bins = 5}},
                           {"phase", {.method = Adaptive::phase}}};
  const Named axes[] = {{" elements each_transmit", {}},
                        {" elements compounded", {.order = AdaptiveOrder::compounded}},
                        {" transmits", {.axis = AdaptiveAxis::transmits}},
                        {" both", {.axis = AdaptiveAxis::both}}};
  int compared = 0;
  for (const Named& method : methods) {
    for (const Named& axis : axes) {
      const std::string name = std::string(method.name) + axis.name;
      if (!reference_.contains(name)) continue;
      MethodSettings settings = method.settings;
      settings.axis = axis.settings.axis;
      settings.order = axis.settings.order;
      with_method(settings, [&](const auto& functor) {
        for (int r = 0; r < kRows; ++r) {
          const MethodPixel made = functor(rows_[static_cast<std::size_t>(r)]);
          expect_near(made.sum, pair(row("das", r)), name);
          EXPECT_LE(decibels(static_cast<double>(made.weight * magnitude(made.sum)), row(name, r).get<double>()),
                    kClose_db)
              << name << ", row " << r;
          ++compared;
        }
      });
    }
  }
  EXPECT_EQ(compared, 19 * kRows);
}

TEST_F(MethodReference, PDas) {
  for (const double root : {1.0, 2.0, 3.5}) {
    for (const auto order : {AdaptiveOrder::each_transmit, AdaptiveOrder::compounded}) {
      const std::string name = "p_das " +
                               std::string(root == 3.5   ? "3.5"
                                           : root == 2.0 ? "2.0"
                                                         : "1.0") +
                               (order == AdaptiveOrder::compounded ? " compounded" : " each_transmit");
      for (int r = 0; r < kRows; ++r) {
        const MethodPixel made = PDas{static_cast<float>(root), order}(rows_[static_cast<std::size_t>(r)]);
        expect_near(made.sum, pair(row(name, r)), name);
        if (root == 1.0) expect_near(made.sum, pair(row("das", r)), "delay-and-sum");
      }
    }
  }
}

TEST_F(MethodReference, ShortLagCoherence) {
  struct Case {
    int lags, rows;
  };
  for (const Case c : {Case{1, 0}, Case{10, 2}, Case{32, 3}}) {
    const ShortLagCoherence method{c.lags};
    const testing::StoredRows terms(rows_, method.n_terms(), [&](const GivenChannels& channels, Strided slice) {
      std::vector<Complex> elements(kElements + 1);
      store_channels(channels, 1, {elements.data(), 1});
      method.store_terms(ScaledElements({elements.data(), 1}, kElements), kElements, slice);
    });
    const std::string name = "slsc " + std::to_string(c.lags) + " " + std::to_string(c.rows);
    for (int r = 0; r < kRows; ++r) {
      EXPECT_NEAR(static_cast<double>(method.pixel(terms.around(r, c.rows))), row(name, r).get<double>(), 1e-5)
          << name << ", row " << r;
    }
  }
}

TEST_F(MethodReference, MinimumVariance) {
  struct Case {
    const char* name;
    int neighbours;
    float subarray, loading;
    int rows;
  };
  for (const Case& c : {Case{"minimum_variance 1 0.5 0.01 2", 1, 0.5F, 0.01F, 2},
                        Case{"minimum_variance 2 0.5 0.01 1", 2, 0.5F, 0.01F, 1},
                        Case{"minimum_variance 3 0.4 0.1 0", 3, 0.4F, 0.1F, 0},
                        Case{"minimum_variance 1 0.3 1000.0 2", 1, 0.3F, 1000.0F, 2}}) {
    const MinimumVariance method{c.subarray, c.loading};
    const int n = n_channels(kElements, c.neighbours);
    const testing::StoredRows slices(rows_, n + 1, [&](const GivenChannels& channels, Strided slice) {
      store_channels(channels, c.neighbours, slice);
    });
    std::vector<Complex> scratch(static_cast<std::size_t>(method.n_scratch(n)));
    for (int r = 0; r < kRows; ++r) {
      const Complex made = method.pixel(slices.around(r, c.rows), n, {scratch.data(), 1});
      const Complex expected = pair(row(c.name, r));
      EXPECT_LE(magnitude(made + -1.0F * expected), 1e-4F * magnitude(expected)) << c.name << ", row " << r;
    }
  }
}

// Of weight 1; or weighted over a part of the aperture, as in the other tests, the coherence factor by 1 there.
class MethodPackages : public MethodReference {
 protected:
  MethodPackages() {
    for (GivenChannels& row : rows_) row.transmits.assign(kTransmits, 1.0F);
    windowed_ = cut_ = one_transmit_ = rows_;
    for (std::size_t r = 0; r < kRows; ++r) {
      rows_[r].receive.assign(kElements, 1.0F);
      for (float& weight : cut_[r].receive) weight = weight > 0.0F ? 1.0F : 0.0F;
      one_transmit_[r] = rows_[r];
      one_transmit_[r].transmits = {1.0F};
      one_transmit_[r].x.resize(1);
    }
  }

  void expect(const char* name, const MethodSettings& settings, const std::vector<GivenChannels>& rows) const {
    with_method(settings, [&](const auto& functor) {
      for (std::size_t r = 0; r < kRows; ++r) {
        const MethodPixel made = functor(rows[r]);
        const double expected = packages_.at(name).at(r).template get<double>();
        EXPECT_LE(decibels(static_cast<double>(made.weight * magnitude(made.sum)), expected), kClose_db)
            << name << ", row " << r;
      }
    });
  }

  nlohmann::json packages_ = values_of("method_packages.json");
  std::vector<GivenChannels> rows_ = make_rows(all), windowed_, cut_, one_transmit_;
};

TEST_F(MethodPackages, Weights) {
  constexpr MethodSettings kCoherence{.method = Adaptive::coherence}, kGeneralized{.method = Adaptive::generalized},
      kPhase{.method = Adaptive::phase};
  const auto compounded = [](MethodSettings settings) {
    settings.order = AdaptiveOrder::compounded;
    return settings;
  };
  const auto both = [](MethodSettings settings) {
    settings.axis = AdaptiveAxis::both;
    return settings;
  };
  expect("ustb coherence elements each_transmit", kCoherence, rows_);
  expect("ustb coherence elements compounded", compounded(kCoherence), rows_);
  expect("ustb coherence both", both(kCoherence), rows_);
  expect("ustb coherence elements each_transmit, aperture", kCoherence, cut_);
  expect("ustb generalized elements each_transmit", kGeneralized, rows_);
  expect("ustb generalized elements compounded", compounded(kGeneralized), rows_);
  expect("ustb phase elements each_transmit", kPhase, rows_);
  expect("ustb phase elements compounded", compounded(kPhase), rows_);
  expect("ustb phase both", both(kPhase), rows_);
  expect("ustb phase elements each_transmit, aperture", kPhase, windowed_);
  expect("zea coherence", kCoherence, one_transmit_);
  expect("zea generalized", kGeneralized, one_transmit_);
}

TEST_F(MethodPackages, PixelsThatReplaceTheSum) {
  expect("ultraspy p_das 2.0", {.method = Adaptive::p_das}, one_transmit_);
  expect("ultraspy p_das 3.5", {.method = Adaptive::p_das, .root = 3.5F}, one_transmit_);
  const MinimumVariance method{0.5F, 0.01F};
  const testing::StoredRows slices(
      rows_, kElements + 1, [](const GivenChannels& channels, Strided slice) { store_channels(channels, 1, slice); });
  std::vector<Complex> scratch(static_cast<std::size_t>(method.n_scratch(kElements)));
  for (int r = 0; r < kRows; ++r) {
    const Complex made = method.pixel(slices.around(r, 2), kElements, {scratch.data(), 1});
    EXPECT_LE(decibels(static_cast<double>(magnitude(made)),
                       packages_.at("ustb minimum_variance").at(static_cast<std::size_t>(r)).get<double>()),
              1e-3)
        << r;
  }
}

}  // namespace
}  // namespace echoloop::method_reference_test
