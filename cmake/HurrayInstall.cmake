# SPDX-License-Identifier: Apache-2.0
# cmake --install: a folder that works wherever it is moved. Libraries and programs find each
# other relative to themselves; the plug-in finds HDF5 in the program that loads it.
include(CMakePackageConfigHelpers)

set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/hdf5/plugin)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hurray)

# run_path(FOLDER VARIABLE): the library folder as seen from an installed folder.
function(run_path folder variable)
  file(RELATIVE_PATH path "/prefix/${folder}" "/prefix/${CMAKE_INSTALL_LIBDIR}")
  set(${variable} "$ORIGIN/${path}" PARENT_SCOPE)
endfunction()

install(TARGETS hry_core EXPORT hurray LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY core/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET hry_mpi)
  install(TARGETS hry_mpi EXPORT hurray
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY mpi/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET hurray)
  run_path(${CMAKE_INSTALL_BINDIR} path)
  set_target_properties(hurray PROPERTIES INSTALL_RPATH "${path}")
  install(TARGETS hurray RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET hdf5_vol_hurray)
  run_path(${plugin_dir} path)
  set_target_properties(hdf5_vol_hurray PROPERTIES INSTALL_RPATH "${path}")
  install(TARGETS hdf5_vol_hurray LIBRARY DESTINATION ${plugin_dir})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/connector/include)
    install(DIRECTORY connector/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT hurray NAMESPACE hurray:: FILE hurrayTargets.cmake DESTINATION ${config_dir})
configure_package_config_file(cmake/hurrayConfig.cmake.in hurrayConfig.cmake
    INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(hurrayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hurrayConfig.cmake
              ${PROJECT_BINARY_DIR}/hurrayConfigVersion.cmake DESTINATION ${config_dir})

file(RELATIVE_PATH pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/hurray.pc.in hurray.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hurray.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
