// Differences between Dear ImGui 1.86 and 1.92, in one place: all other code in gui/ is common. UI thread only. Include
// this instead of imgui.h.
#pragma once

#include <imgui.h>

#include <cstdint>

#ifndef IMGUI_VERSION_NUM
#error "Dear ImGui 1.86 or newer is needed"
#endif

namespace echoloop::compat {

// Flags and thickness are swapped from 1.92.8 on.
inline void add_rect(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 color, float rounding, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list.AddRect(min, max, color, rounding, thickness, ImDrawFlags_None);
#else
  list.AddRect(min, max, color, rounding, ImDrawFlags_None, thickness);
#endif
}

inline void add_polyline(ImDrawList& list, const ImVec2* points, int count, ImU32 color, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list.AddPolyline(points, count, color, thickness, ImDrawFlags_None);
#else
  list.AddPolyline(points, count, color, ImDrawFlags_None, thickness);
#endif
}

// Connects the last point to the first.
inline void add_closed_line(ImDrawList& list, const ImVec2* points, int count, ImU32 color, float thickness) {
#if IMGUI_VERSION_NUM >= 19280
  list.AddPolyline(points, count, color, thickness, ImDrawFlags_Closed);
#else
  list.AddPolyline(points, count, color, ImDrawFlags_Closed, thickness);
#endif
}

// Converts the id, which was a pointer, then an integer, then a reference.
inline ImTextureID texture_id(unsigned int gl_texture) {
#if IMGUI_VERSION_NUM >= 19140
  return static_cast<ImTextureID>(gl_texture);
#else
  return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(gl_texture));
#endif
}

// Passes the size, which fonts lack from 1.92 on.
inline void push_font(ImFont* font, [[maybe_unused]] float size) {
#if IMGUI_VERSION_NUM >= 19200
  ImGui::PushFont(font, size);
#else
  ImGui::PushFont(font);
#endif
}

// Sends input events from 1.87 on; before, sets the state between the backend's new frame and ImGui's.
inline void set_mouse(ImVec2 position, bool left, bool right, bool middle, float wheel) {
  ImGuiIO& io = ImGui::GetIO();
#if IMGUI_VERSION_NUM >= 18700
  io.AddMousePosEvent(position.x, position.y);
  io.AddMouseButtonEvent(0, left);
  io.AddMouseButtonEvent(1, right);
  io.AddMouseButtonEvent(2, middle);
  if (wheel != 0.0F) io.AddMouseWheelEvent(0.0F, wheel);
#else
  io.MousePos = position;
  io.MouseDown[0] = left;
  io.MouseDown[1] = right;
  io.MouseDown[2] = middle;
  io.MouseWheel += wheel;
#endif
}

inline void set_control_key([[maybe_unused]] bool down) {
#if IMGUI_VERSION_NUM >= 18900
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down);
#elif IMGUI_VERSION_NUM >= 18700
  ImGui::GetIO().AddKeyEvent(ImGuiKey_ModCtrl, down);
#else
  ImGui::GetIO().KeyCtrl = down;
#endif
}

}  // namespace echoloop::compat
