#include "gui/toolkit/theme.h"

#include <imgui_impl_opengl3.h>

#include <cmath>

#include "core/error.h"

namespace echoloop {
namespace {

struct Cut {
  float em;
  bool strong;
};
constexpr Cut kCuts[kTypeCount] = {{13, false}, {13, true}, {11.5F, false}, {11.5F, true}, {18, false},
                                   {20, false}, {20, true}, {24, true},     {16, true}};

// Ranges must outlive the fonts. Latin, Greek, thin spaces and dashes, superscripts, arrows, minus, <= and >=.
constexpr ImWchar kAllButDigits[] = {0x20,   0x2F,   0x3A,   0x17F,  0x370,  0x3FF,  0x2000, 0x206F, 0x2070,
                                     0x207F, 0x2190, 0x2193, 0x2212, 0x2212, 0x2264, 0x2265, 0};
constexpr ImWchar kEverything[] = {0x20,   0x17F,  0x370,  0x3FF,  0x2000, 0x206F, 0x2070, 0x207F,
                                   0x2190, 0x2193, 0x2212, 0x2212, 0x2264, 0x2265, 0};
constexpr ImWchar kDigits[] = {0x30, 0x39, 0};

// Nearest ASCII for the other characters of the program: ImGui's own font has Latin-1 only.
struct Substitute {
  ImWchar letter;
  ImWchar ascii;
};
constexpr Substitute kSubstitutes[] = {
    {0x2009, ' '}, {0x202F, ' '}, {0x2010, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2212, '-'}, {0x2026, '.'},
    {0x2190, '<'}, {0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x2264, '<'}, {0x2265, '>'},
};

ImFontConfig base_config() {
  ImFontConfig config;
  config.OversampleH = 2;
  config.OversampleV = 1;
  config.PixelSnapH = false;
  return config;
}

ImFont* add_font(const FontFamily& family, const Cut& cut, float size, float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  const char* file = cut.strong ? family.strong : family.regular;
  ImFontConfig config = base_config();
  if (family.tabular_digits) return atlas.AddFontFromFileTTF(file, size, &config, kEverything);
#if IMGUI_VERSION_NUM >= 19200
  config.GlyphExcludeRanges = kDigits;
#endif
  ImFont* font = atlas.AddFontFromFileTTF(file, size, &config, kAllButDigits);
  ImFontConfig digits = base_config();
  digits.MergeMode = true;
  const float advance = std::round(kDigitAdvance * cut.em * scale);
  digits.GlyphMinAdvanceX = advance;
  digits.GlyphMaxAdvanceX = advance;
  atlas.AddFontFromFileTTF(file, size, &digits, kDigits);
  return font;
}

}  // namespace

void Fonts::build(float scale, const FontFamily* family) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  family_ = family != nullptr ? family->name : "ProggyClean";
  for (std::size_t i = 0; i < kTypeCount; ++i) {
    const Cut& cut = kCuts[i];
    if (family != nullptr) {
      sizes_[i] = std::round(std::round(cut.em * family->size_per_em) * scale);
      fonts_[i] = add_font(*family, cut, sizes_[i], scale);
    } else {
      sizes_[i] = std::round(cut.em * scale);
      ImFontConfig config = base_config();
      config.SizePixels = sizes_[i];
      fonts_[i] = atlas.AddFontDefault(&config);
    }
  }
#if IMGUI_VERSION_NUM < 19200
  atlas.Build();
#endif
  if (family != nullptr) return;
  for (ImFont* font : fonts_) {
    for (const Substitute& s : kSubstitutes) font->AddRemapChar(s.letter, s.ascii);
  }
}

ImguiSession::ImguiSession(Surface& surface) : surface_(surface) {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGui::GetIO().IniFilename = nullptr;
  ImGui::GetIO().LogFilename = nullptr;
  ImGui::StyleColorsDark();
  ImGuiStyle& style = ImGui::GetStyle();
  style.Colors[ImGuiCol_Text] = ImGui::ColorConvertU32ToFloat4(theme::kText);
  style.Colors[ImGuiCol_FrameBg] = ImVec4(0, 0, 0, 0);  // fields are drawn by Ui
  style.Colors[ImGuiCol_TextSelectedBg] = ImGui::ColorConvertU32ToFloat4(theme::kSelected);
  style.WindowMinSize = {1, 1};
  surface_.init_imgui();
  if (ImGui_ImplOpenGL3_Init("#version 450 core")) return;
  surface_.shutdown_imgui();
  ImGui::DestroyContext();
  throw Error("OpenGL", "the library libGL.so.1 cannot be loaded", "a system with this library");
}

ImguiSession::~ImguiSession() {
  ImGui_ImplOpenGL3_Shutdown();
  surface_.shutdown_imgui();
  ImGui::DestroyContext();
}

void ImguiSession::build_fonts(Fonts& fonts, float scale) {
#if IMGUI_VERSION_NUM < 19200
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  fonts.build(scale);
  ImGui_ImplOpenGL3_CreateFontsTexture();
#else
  fonts.build(scale);
#endif
}

}  // namespace echoloop
