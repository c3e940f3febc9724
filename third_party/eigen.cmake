# Eigen (libeigen3-dev): eigenvectors on the CPU. Headers only, seen by backend/cpu alone.
include_guard()
if(NOT ECHOLOOP_FETCH_Eigen3)
  find_package(Eigen3 3.3 QUIET NO_MODULE)
endif()
if(NOT TARGET Eigen3::Eigen)
  # Its own CMake files would build tests and documents: the headers are all that is wanted.
  echoloop_fetch(eigen https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
                 8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72 SOURCE_SUBDIR none)
  add_library(eigen_headers INTERFACE)
  target_include_directories(eigen_headers SYSTEM INTERFACE ${eigen_SOURCE_DIR})
  add_library(Eigen3::Eigen ALIAS eigen_headers)
endif()
