// What is said below an image: what formed it, and nothing that did not.
#include "gui/overlay/caption.h"

#include <gtest/gtest.h>

#include "support/acquisitions.h"

namespace echoloop::caption_test {
namespace {

Image image_of(const Acquisition& acquisition) {
  Image image;
  image.acquisition = testing::share(acquisition);
  image.params = default_params(acquisition);
  image.grid = {.nx = 40, .nz = 50};
  return image;
}

std::string words(const Image& image) {
  std::string text;
  for (const CaptionItem& item : caption_items(image)) text += item.key + ":" + item.value + ":" + item.unit + "|";
  return text;
}

TEST(Caption, NamesApertureTransmitsAndFilterOfWhatWasBeamformedHere) {
  Acquisition a = testing::linear_acquisition(8, 128);
  a.transmits.resize(3, a.transmits.front());
  const std::string text = words(image_of(a));
  EXPECT_EQ(text.find("beamformed data"), std::string::npos) << text;
  for (const char* const said : {"|c:1", "F:", ":3:angles", ":MHz", "40 × 50"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << " in " << text;
  }
}

TEST(Caption, TheTimeTellsFramesApart) {
  Acquisition a = testing::linear_acquisition(8, 128);
  const auto time = [&a](double frame_rate_hz) {
    a.frame_rate_hz = frame_rate_hz;
    Image image = image_of(a);
    image.stamp.time_s = 0.49733;
    const std::optional<CaptionItem> item = time_item(image);
    return item ? item->value + " " + item->unit : "";
  };
  EXPECT_EQ(time(2250), "497.33 ms");
  EXPECT_EQ(time(50), "0.497 s");
  EXPECT_EQ(time(0), "");
}

TEST(Caption, NamesTheAdaptiveMethod) {
  Image image = image_of(testing::linear_acquisition(8, 128));
  EXPECT_EQ(words(image).find("method"), std::string::npos);
  image.params.formation.adaptive = Adaptive::coherence;
  EXPECT_NE(words(image).find("method:Coherence factor, coherence over elements, per transmit:|"), std::string::npos)
      << words(image);
  image.params.formation.adaptive_strength = 0.25;
  EXPECT_NE(words(image).find("method:Coherence factor 0.25, coherence over elements, per transmit:|"),
            std::string::npos)
      << words(image);
  image.params.formation.adaptive_axis = AdaptiveAxis::both;
  EXPECT_NE(words(image).find("method:Coherence factor 0.25, coherence over elements and transmits:|"),
            std::string::npos)
      << words(image);
  image.params.formation.adaptive_show = AdaptiveShow::weight;
  EXPECT_NE(words(image).find("weight of:Coherence factor 0.25, "), std::string::npos) << words(image);
  image.params.formation.adaptive_show = AdaptiveShow::image;
  image.params.formation.adaptive = Adaptive::slsc;  // elements, whatever the axis says
  EXPECT_NE(words(image).find("method:Short-lag (SLSC), coherence over elements, transmits summed:|"),
            std::string::npos)
      << words(image);
}

TEST(Caption, OfAPictureThatCameBeamformedNamesOnlyWhatApplied) {
  Acquisition a = testing::linear_acquisition(8, 128);
  a.data = DataKind::beamformed;
  a.signal = SignalKind::iq;
  a.demod_hz = a.center_hz;
  const std::string text = words(image_of(a));
  EXPECT_NE(text.find("beamformed data"), std::string::npos) << text;
  EXPECT_NE(text.find("|c:1"), std::string::npos) << text;
  EXPECT_NE(text.find("40 × 50"), std::string::npos) << text;
  for (const char* const not_said : {"F:", "angle", "transmit", "MHz", "Boxcar", "Hann", "Tukey"}) {
    EXPECT_EQ(text.find(not_said), std::string::npos) << not_said << " in " << text;
  }
}

TEST(Caption, SaysWhatIsWrongWithTheSamplesRightAfterTheTime) {
  const Image image = image_of(testing::linear_acquisition(8, 128));
  SampleFaults faults{.frames = 1, .samples = 100'000};
  faults.of(SampleFault::invalid) = {.samples = 3, .elements = {false, false, true, false}};
  faults.of(SampleFault::clipped) = {.samples = 420, .elements = {true, true, true, false, false, true}};
  const auto items = caption_items(image, {}, faults);
  ASSERT_GT(items.size(), 4U);
  EXPECT_EQ(items[2].key + " " + items[2].value + " " + items[2].unit, "invalid 3 samples in 1 element");
  EXPECT_EQ(items[3].key + " " + items[3].value + " " + items[3].unit, "clipped 0.42 % in 4 elements");
  const auto listed = caption_items(image, {}, faults, ElementWords::listed);
  EXPECT_EQ(listed[3].unit, "in elements 1–3, 6");
  EXPECT_EQ(faults_sentence(faults), "Invalid: 3 samples, element 3. Clipped: 0.42 % of samples, elements 1–3, 6.");
  EXPECT_EQ(faults_text(faults), "invalid 3 samples, clipped 0.42 %");
  EXPECT_EQ(faults_text({}), "");
}

TEST(SampleFaultText, ListsElementsInRangesAndCountsTheOthers) {
  std::vector<bool> elements(128);
  for (const std::size_t e : {0, 1, 2, 6, 8, 10, 12, 20, 127}) elements[e] = true;
  EXPECT_EQ(elements_text(elements, ElementWords::listed), "elements 1–3, 7, 9, 11 and 3 more");
  EXPECT_EQ(elements_text(elements, ElementWords::count), "9 elements");
  EXPECT_EQ(elements_text(std::vector<bool>(64, true), ElementWords::listed), "all elements");
}

}  // namespace
}  // namespace echoloop::caption_test
