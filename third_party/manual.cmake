# The pages of the manual (assets/manual/*.md) as HTML, made at build time by the system's python3-markdown: F1, Manual,
# opens them; without the package it opens the Markdown pages. As a script (cmake -P) this file makes one page.
include_guard()

if(CMAKE_SCRIPT_MODE_FILE)  # PYTHON, PAGE (.md), HTML
  execute_process(COMMAND ${PYTHON} -m markdown -x tables -x fenced_code -x sane_lists -x toc ${PAGE}
                  OUTPUT_VARIABLE body RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PAGE} could not be converted: ${failed}")
  endif()
  string(REGEX REPLACE "(href=\"[A-Za-z0-9_-]+)\\.md([#\"])" "\\1.html\\2" body "${body}")
  string(REGEX MATCH "<h1[^>]*>([^<]*)" found "${body}")
  set(style "body{font:16px/1.5 Inter,'DejaVu Sans',sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}\
pre,code{font:14px/1.45 'DejaVu Sans Mono',monospace;background:#8881}pre{padding:.7rem;overflow-x:auto}\
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #8886;padding:.25rem .6rem;text-align:left;vertical-align:top}\
pre code{background:none}img{max-width:100%}:root{color-scheme:light dark}a{color:#0d8aa8}")
  file(WRITE ${HTML} "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
       "<meta name=\"viewport\" content=\"width=device-width\"><title>${CMAKE_MATCH_1} - Echoloop</title>\n"
       "<style>${style}</style></head><body>\n<p><a href=\"README.html\">Manual</a></p>\n${body}\n</body></html>\n")
  return()
endif()

foreach(python /usr/bin/python3 python3)
  if(NOT ECHOLOOP_MARKDOWN_PYTHON)
    execute_process(COMMAND ${python} -c "import markdown" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed STREQUAL "0")
      set(ECHOLOOP_MARKDOWN_PYTHON ${python})
    endif()
  endif()
endforeach()
if(NOT ECHOLOOP_MARKDOWN_PYTHON)
  message(STATUS "python3-markdown not found: the manual is not converted to HTML")
  return()
endif()
file(GLOB manual_pages CONFIGURE_DEPENDS assets/manual/*.md)
set(manual_folder ${CMAKE_CURRENT_BINARY_DIR}/assets/manual)  # where the program of a build tree looks, beside itself
file(MAKE_DIRECTORY ${manual_folder})
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/assets/readme ${CMAKE_CURRENT_BINARY_DIR}/assets/readme SYMBOLIC)
foreach(page ${manual_pages})
  get_filename_component(name ${page} NAME_WE)
  add_custom_command(
    OUTPUT ${manual_folder}/${name}.html
    COMMAND ${CMAKE_COMMAND} -DPYTHON=${ECHOLOOP_MARKDOWN_PYTHON} -DPAGE=${page} -DHTML=${manual_folder}/${name}.html
            -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${page} ${CMAKE_CURRENT_LIST_FILE} COMMENT "Manual: ${name}.html")
  list(APPEND html_pages ${manual_folder}/${name}.html)
endforeach()
add_custom_target(manual_pages DEPENDS ${html_pages})
add_dependencies(echoloop manual_pages)
install(FILES ${html_pages} DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop/assets/manual COMPONENT echoloop)
