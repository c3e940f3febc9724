# Dear ImGui from the system package, which carries the GLFW and OpenGL 3 backends (Debian, Ubuntu: libimgui-dev).
include_guard()
find_path(IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui REQUIRED)
find_library(IMGUI_LIBRARY imgui REQUIRED)
add_library(imgui_package INTERFACE)
target_include_directories(imgui_package SYSTEM INTERFACE ${IMGUI_INCLUDE} ${IMGUI_INCLUDE}/backends)
target_link_libraries(imgui_package INTERFACE ${IMGUI_LIBRARY} stb::stb)
add_library(imgui::imgui ALIAS imgui_package)
