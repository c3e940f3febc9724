# The OpenGL 4.5 core loader, generated at build time by the glad tool (package python3-glad).
include_guard()
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(GLAD_DIR ${CMAKE_CURRENT_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${GLAD_DIR}/src/gl.c ${GLAD_DIR}/include/glad/gl.h
  COMMAND /usr/bin/python3 -m glad --reproducible --api gl:core=4.5 --out-path ${GLAD_DIR} c
  COMMENT "Generating the OpenGL loader")
enable_language(C)
add_library(glad_loader STATIC ${GLAD_DIR}/src/gl.c)
target_include_directories(glad_loader SYSTEM PUBLIC ${GLAD_DIR}/include)
add_library(glad::glad ALIAS glad_loader)
