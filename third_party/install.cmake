# cmake --install and the .deb package (cpack -G DEB): the program, its shaders and assets under share/echoloop, where
# it looks beside itself, and its entry in the desktop's menu.
include_guard()
include(GNUInstallDirs)
install(TARGETS echoloop RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT echoloop)
install(TARGETS echoloop_reader echoloop_bench RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/echoloop COMPONENT echoloop)
if(TARGET echoloop_dicom)
  install(TARGETS echoloop_dicom LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/echoloop COMPONENT echoloop)
endif()
install(DIRECTORY assets shaders DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop COMPONENT echoloop
        PATTERN "echoloop.desktop" EXCLUDE)  # with the manual and its pictures (assets/readme)
# What the file of an own method is compiled with.
install(DIRECTORY src/core src/dsp DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop/include COMPONENT echoloop
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY src/backend/cpu DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop/include/backend COMPONENT echoloop
        FILES_MATCHING PATTERN "*.h")
install(DIRECTORY src/backend/cuda DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop/include/backend COMPONENT echoloop
        FILES_MATCHING PATTERN "own_declared.h" PATTERN "*.cuh")
install(DIRECTORY src/senders DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop COMPONENT echoloop)  # beside a scanner
install(FILES assets/echoloop.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT echoloop)
install(FILES assets/echoloop.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
        COMPONENT echoloop)
include(notices)
echoloop_write_notices(${CMAKE_CURRENT_BINARY_DIR}/generated/copyright)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/generated/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/echoloop
        COMPONENT echoloop)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL echoloop)  # nothing of the fetched libraries
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_PACKAGE_VENDOR "the Echoloop authors")
set(CPACK_PACKAGE_CONTACT "the Echoloop authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Loaded or run when they are needed, so that shlibdeps does not find them.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-dejavu-core, libgl1-mesa-dri, libgl1, libegl1, ffmpeg")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++")  # for own methods
find_program(ECHOLOOP_SHLIBDEPS dpkg-shlibdeps)
if(ECHOLOOP_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries' packages, read off the program
endif()
include(CPack)
