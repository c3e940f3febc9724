# Dear ImGui with its GLFW and OpenGL 3 backends (libimgui-dev carries both).
include_guard()
if(NOT ECHOLOOP_FETCH_imgui)
  find_path(IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui)
  find_path(IMGUI_BACKENDS_INCLUDE imgui_impl_glfw.h PATH_SUFFIXES imgui/backends imgui)
  find_library(IMGUI_LIBRARY imgui)
endif()
if(IMGUI_INCLUDE AND IMGUI_BACKENDS_INCLUDE AND IMGUI_LIBRARY)
  # Imported, so that the libraries it needs follow it on the link line.
  add_library(imgui_package UNKNOWN IMPORTED GLOBAL)
  set_target_properties(imgui_package PROPERTIES IMPORTED_LOCATION ${IMGUI_LIBRARY})
  target_include_directories(imgui_package SYSTEM INTERFACE ${IMGUI_INCLUDE} ${IMGUI_BACKENDS_INCLUDE})
  target_link_libraries(imgui_package INTERFACE stb::stb glfw ${CMAKE_DL_LIBS})
  add_library(imgui::imgui ALIAS imgui_package)
else()
  echoloop_fetch_github(imgui ocornut/imgui v1.91.9b
                        8e1bbc76c71d74fef2fb85db7e7ca8eba13d6a86623c54992b60162db554ffdb)
  set(IMGUI_BACKENDS ${imgui_SOURCE_DIR}/backends)
  add_library(imgui_fetched STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/imgui_demo.cpp
    ${IMGUI_BACKENDS}/imgui_impl_glfw.cpp ${IMGUI_BACKENDS}/imgui_impl_opengl3.cpp)
  target_include_directories(imgui_fetched SYSTEM PUBLIC ${imgui_SOURCE_DIR} ${IMGUI_BACKENDS})
  target_link_libraries(imgui_fetched PUBLIC glfw ${CMAKE_DL_LIBS})
  add_library(imgui::imgui ALIAS imgui_fetched)
endif()
