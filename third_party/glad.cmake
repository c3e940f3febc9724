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
  set(GLAD_ARCHIVE 15/fc/9235e54b879487f7479f333feddf16ac8c1f198a45ab2e96179b16f17679/glad2-2.0.6.tar.gz)
  echoloop_fetch(glad https://files.pythonhosted.org/packages/${GLAD_ARCHIVE}
                 08615aed3219ea1c77584bd5961d823bab226f8ac3831d09adf65c6fa877f8ec SOURCE_SUBDIR none)  # the tool only
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
