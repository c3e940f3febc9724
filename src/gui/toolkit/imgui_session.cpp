#include "gui/toolkit/imgui_session.h"

#include <imgui_impl_opengl3.h>

#include "core/error.h"
#include "gui/toolkit/theme.h"

namespace echoloop {

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
