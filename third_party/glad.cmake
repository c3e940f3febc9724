# The OpenGL 4.5 core loader, generated at build time by the glad tool, version 2 (python3-glad). The package belongs
# to the system's Python, which need not be the first on PATH; where no Python has it, glad's source is fetched.
include_guard()
set(GLAD_TOOL)
if(NOT ECHOLOOP_FETCH_glad)
  foreach(python /usr/bin/python3 python3)
    execute_process(COMMAND ${python} -c "import glad, sys; sys.exit(int(glad.__version__.split('.')[0]) < 2)"
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT GLAD_TOOL AND failed STREQUAL "0")
      set(GLAD_TOOL ${python} -m glad)
    endif()
  endforeach()
endif()
if(NOT GLAD_TOOL)
  FetchContent_Declare(glad GIT_REPOSITORY https://github.com/Dav1dde/glad.git GIT_TAG v2.0.6 GIT_SHALLOW ON
                       SOURCE_SUBDIR none)  # the tool only, not its CMake project
  message(STATUS "Fetching glad v2.0.6, of which this system has no package")
  FetchContent_MakeAvailable(glad)
  find_program(GLAD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)  # it needs python3-jinja2
  set(GLAD_TOOL ${CMAKE_COMMAND} -E env PYTHONPATH=${glad_SOURCE_DIR} ${GLAD_PYTHON} -m glad)
endif()

set(GLAD_DIR ${CMAKE_CURRENT_BINARY_DIR}/glad)
add_custom_command(
  OUTPUT ${GLAD_DIR}/src/gl.c ${GLAD_DIR}/include/glad/gl.h
  COMMAND ${GLAD_TOOL} --quiet --reproducible --api gl:core=4.5 --out-path ${GLAD_DIR} c
  COMMENT "Generating the OpenGL loader")
enable_language(C)
add_library(glad_loader STATIC ${GLAD_DIR}/src/gl.c)
target_include_directories(glad_loader SYSTEM PUBLIC ${GLAD_DIR}/include)
target_link_libraries(glad_loader PUBLIC ${CMAKE_DL_LIBS})
add_library(glad::glad ALIAS glad_loader)
