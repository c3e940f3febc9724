# cmake --install and the .deb package.
include_guard()
include(GNUInstallDirs)
install(TARGETS echoloop RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY assets shaders DESTINATION ${CMAKE_INSTALL_DATADIR}/echoloop)
