# Install rules, the CMake package (find_package(respkit) gives respkit::resp and respkit::server) and the same for
# pkg-config.
include(CMakePackageConfigHelpers)
set(_cmakedir ${CMAKE_INSTALL_LIBDIR}/cmake/respkit)

install(TARGETS respkit_resp respkit_server EXPORT respkit-targets ARCHIVE COMPONENT dev)
install(TARGETS respkit-server RUNTIME COMPONENT runtime)
foreach(_program respkit-check respkit-bench)
  if(TARGET ${_program})
    install(TARGETS ${_program} RUNTIME COMPONENT runtime)
  endif()
endforeach()
install(DIRECTORY fixtures/ DESTINATION ${CMAKE_INSTALL_DATADIR}/respkit/fixtures COMPONENT runtime
  FILES_MATCHING PATTERN "*.rt")

# The public headers: the wire whole, and of the server what an embedding program includes.
install(DIRECTORY resp/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/respkit/resp COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp")
install(FILES server/mock.hpp server/engine.hpp server/clock.hpp server/database.hpp server/check.hpp
  server/dialogue.hpp server/journal.hpp server/lines.hpp server/rule.hpp server/rule_builder.hpp server/script.hpp
  server/state.hpp server/vigils.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/respkit/server COMPONENT dev)

install(EXPORT respkit-targets NAMESPACE respkit:: DESTINATION ${_cmakedir} COMPONENT dev)
configure_package_config_file(cmake/respkit-config.cmake.in respkit-config.cmake INSTALL_DESTINATION ${_cmakedir})
write_basic_package_version_file(respkit-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/respkit-config.cmake ${PROJECT_BINARY_DIR}/respkit-config-version.cmake
  DESTINATION ${_cmakedir} COMPONENT dev)

file(RELATIVE_PATH RESPKIT_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # the prefix may be moved
configure_file(cmake/respkit.pc.in respkit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/respkit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
