# Eigen (libeigen3-dev): eigenvectors on the CPU. Headers only, seen by backend/cpu alone.
include_guard()
if(NOT ECHOLOOP_FETCH_Eigen3)
  find_package(Eigen3 3.3 QUIET NO_MODULE)
endif()
if(NOT TARGET Eigen3::Eigen)
  # Its own CMake files would build tests and documents: the headers are all that is wanted.
  FetchContent_Declare(eigen GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git GIT_TAG 3.4.0 GIT_SHALLOW ON
                       SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(eigen)
  add_library(eigen_headers INTERFACE)
  target_include_directories(eigen_headers SYSTEM INTERFACE ${eigen_SOURCE_DIR})
  add_library(Eigen3::Eigen ALIAS eigen_headers)
endif()
