# SPDX-License-Identifier: Apache-2.0
# hurray_flags: how every target of this project is compiled. Outputs go where HDF5 and
# people look for them: build/bin, build/lib, build/lib/hdf5/plugin.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(hurray_flags INTERFACE)
target_compile_definitions(hurray_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(hurray_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
    -Wmissing-prototypes -Werror)
if(HURRAY_SANITIZE)
  # Instrumented expressions draw warnings that the plain ones do not: gcc advises against -Werror.
  target_compile_options(hurray_flags INTERFACE -Wno-error
      -fsanitize=${HURRAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hurray_flags INTERFACE -fsanitize=${HURRAY_SANITIZE})
endif()
