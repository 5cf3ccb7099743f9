# respkit_library(NAME SOURCES … [LINK …] [PRIVATE_LINK …]): the static library respkit_NAME, alias
# respkit::NAME. Its headers are included as <respkit/NAME/…> everywhere: in the tree, installed, by
# add_subdirectory and FetchContent.
function(respkit_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/respkit)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/respkit/${name} SYMBOLIC)
  add_library(respkit_${name} STATIC ${arg_SOURCES})
  add_library(respkit::${name} ALIAS respkit_${name})
  set_target_properties(respkit_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(respkit_${name} PUBLIC cxx_std_20)
  target_include_directories(respkit_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(respkit_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:respkit_options>)
  foreach(target IN LISTS arg_PRIVATE_LINK)
    target_link_libraries(respkit_${name} PRIVATE $<BUILD_INTERFACE:${target}>)
  endforeach()
endfunction()

# respkit_program(NAME TARGET SOURCES … LINK …)
function(respkit_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} respkit_options)
endfunction()
