// Every character that the program writes has a glyph, with the system's fonts and with ImGui's own, which is used
// where none is installed. The characters are read from the sources.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "gui/toolkit/theme.h"
#include "test_paths.h"

namespace echoloop::fonts_test {
namespace {

// Code points above ASCII of a source text: written as UTF-8 or as \uXXXX.
void collect(const std::string& text, std::set<unsigned int>& letters) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0xC0) continue;
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    unsigned int letter = first & (0x3FU >> more);
    for (std::size_t k = 1; k <= more; ++k) letter = letter << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    letters.insert(letter);
  }
  static const std::regex escape(R"(\\u([0-9A-Fa-f]{4}))");
  for (auto m = std::sregex_iterator(text.begin(), text.end(), escape); m != std::sregex_iterator(); ++m) {
    letters.insert(static_cast<unsigned int>(std::stoul((*m)[1], nullptr, 16)));
  }
}

std::set<unsigned int> written_letters() {
  std::set<unsigned int> letters;
  for (const char* folder : {"/src/gui", "/src/app", "/src/core"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(ECHO_SOURCE_DIR) + folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      collect({std::istreambuf_iterator<char>(file), {}}, letters);
    }
  }
  return letters;
}

void expect_all_drawn(const FontFamily* family) {
  ImGui::CreateContext();
  Fonts fonts;
  fonts.build(1.0F, family);
  const std::set<unsigned int> letters = written_letters();
  EXPECT_GE(letters.size(), 8U);
  for (const unsigned int letter : letters) {
    const auto code = static_cast<ImWchar>(letter);
#if IMGUI_VERSION_NUM < 19200
    const bool drawn = fonts.font(Type::body)->FindGlyphNoFallback(code) != nullptr;
#else
    const bool drawn = fonts.font(Type::body)->IsGlyphInFont(code);
#endif
    EXPECT_TRUE(drawn) << "U+" << std::hex << letter << " in " << fonts.family();
  }
  ImGui::DestroyContext();
}

TEST(Fonts, EveryCharacterHasAGlyph) {
  for (const FontFamily& family : kFontFamilies) {
    if (std::filesystem::exists(family.regular)) expect_all_drawn(&family);
  }
}

TEST(Fonts, WithoutInstalledFontsEveryCharacterHasAGlyph) { expect_all_drawn(nullptr); }

}  // namespace
}  // namespace echoloop::fonts_test
