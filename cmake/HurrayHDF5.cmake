# SPDX-License-Identifier: Apache-2.0
# hurray_hdf5: the HDF5 (>= 1.14) whose prefix is HDF5_ROOT, usually the one that
# cmake/setup.sh prints. HURRAY_HDF5_VERSION is its version, HURRAY_HDF5_PARALLEL says
# whether it was built with MPI.
set(HDF5_ROOT "" CACHE PATH "HDF5 prefix; cmake/setup.sh prints one")
find_path(HURRAY_HDF5_INCLUDE hdf5.h HINTS ${HDF5_ROOT}/include REQUIRED)
find_library(HURRAY_HDF5_LIBRARY hdf5 HINTS ${HDF5_ROOT}/lib REQUIRED)
file(STRINGS ${HURRAY_HDF5_INCLUDE}/H5pubconf.h parallel REGEX "define H5_HAVE_PARALLEL 1")
file(STRINGS ${HURRAY_HDF5_INCLUDE}/H5public.h version REGEX "define H5_VERS_INFO ")
if(NOT version MATCHES "library version: ([0-9.]+)" OR CMAKE_MATCH_1 VERSION_LESS 1.14)
  message(FATAL_ERROR "HDF5 in ${HURRAY_HDF5_INCLUDE} is older than 1.14: no VOL to plug into")
endif()
set(HURRAY_HDF5_VERSION ${CMAKE_MATCH_1})
message(STATUS "HDF5 ${HURRAY_HDF5_VERSION}: ${HURRAY_HDF5_LIBRARY}")
set(HURRAY_HDF5_PARALLEL OFF)
if(parallel)
  set(HURRAY_HDF5_PARALLEL ON)
  if(NOT HURRAY_MPI)
    message(FATAL_ERROR "this HDF5 was built with MPI: configure with HURRAY_MPI=ON")
  endif()
endif()

add_library(hurray_hdf5 INTERFACE)
target_include_directories(hurray_hdf5 SYSTEM INTERFACE ${HURRAY_HDF5_INCLUDE})
target_link_libraries(hurray_hdf5 INTERFACE ${HURRAY_HDF5_LIBRARY})
if(HURRAY_HDF5_PARALLEL)
  target_link_libraries(hurray_hdf5 INTERFACE MPI::MPI_C)
endif()
