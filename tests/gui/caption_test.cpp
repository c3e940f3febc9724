// What is said below a picture: what formed it, and nothing that did not.
#include "gui/caption.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/acquisitions.h"

namespace echoloop {
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

}  // namespace
}  // namespace echoloop
