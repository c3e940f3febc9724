# PDF figures (libcairo2-dev, which brings FreeType): where it is not, the program says so. Only one file sees it:
# other command lines, and so the compiler cache, stay unchanged.
include_guard()
option(ECHOLOOP_PDF "Write PDF figures when cairo is found" ON)
if(ECHOLOOP_PDF)
  pkg_check_modules(CAIRO QUIET cairo-pdf cairo-ft freetype2)
endif()
if(CAIRO_FOUND)
  set_source_files_properties(src/history/page_canvas.cpp PROPERTIES COMPILE_DEFINITIONS ECHO_HAVE_CAIRO
                              INCLUDE_DIRECTORIES "${CAIRO_INCLUDE_DIRS}")
  set(ECHOLOOP_CAIRO ${CAIRO_LINK_LIBRARIES})
else()
  set(ECHOLOOP_CAIRO "")
  message(STATUS "PDF figures: off (no libcairo2-dev)")
endif()
