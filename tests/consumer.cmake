# Builds and runs consumer/ outside this tree, in each way that WAYS names: find_package and pkg-config find an
# installed respkit, FetchContent a clone of it, add_subdirectory its source.
#     cmake -D ROOT=… -D BUILD=… -D SCRATCH=… -D CONFIG=… -D CXX=… -D "WAYS=…" -P tests/consumer.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(result)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed: ${line}")
  endif()
endfunction()

function(build_consumer way config)
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${SCRATCH}/build -D WAY=${way}
    -D CMAKE_BUILD_TYPE=${config} -D CMAKE_CXX_COMPILER=${CXX} ${ARGN})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
  run(${SCRATCH}/build/consumer)
endfunction()

# By its .pc file, without CMake.
function(build_by_pkg_config)
  file(GLOB_RECURSE pc ${SCRATCH}/prefix/respkit.pc)
  cmake_path(GET pc PARENT_PATH directory)
  set(ENV{PKG_CONFIG_PATH} ${directory})
  run(sh -c "${CXX} -std=c++20 $(pkg-config --cflags respkit) ${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp \
    -o ${SCRATCH}/by_pkg_config $(pkg-config --libs respkit)")
  run(${SCRATCH}/by_pkg_config)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
foreach(way IN LISTS WAYS)
  message("== ${way}")
  if(way MATCHES "find_package|pkg-config" AND NOT EXISTS ${SCRATCH}/prefix)
    run(${CMAKE_COMMAND} --install ${BUILD} --component dev --prefix ${SCRATCH}/prefix)
  endif()
  if(way STREQUAL find_package)
    # Of what respkit is made of, a consumer needs nothing: Boost could not be found here.
    build_consumer(${way} ${CONFIG} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix -D CMAKE_DISABLE_FIND_PACKAGE_Boost=ON)
  elseif(way STREQUAL pkg-config)
    build_by_pkg_config()
  elseif(way STREQUAL FetchContent)
    # A repository of what is in the tree now, committed or not.
    foreach(part CMakeLists.txt cmake resp server)
      file(COPY ${ROOT}/${part} DESTINATION ${SCRATCH}/repository)
    endforeach()
    run(git -C ${SCRATCH}/repository -c init.defaultBranch=main init -q)
    run(git -C ${SCRATCH}/repository add -A)
    run(git -C ${SCRATCH}/repository -c user.name=respkit -c user.email=respkit@localhost commit -q -m tree)
    build_consumer(${way} "" -D RESPKIT_REPOSITORY=${SCRATCH}/repository)
  elseif(way STREQUAL add_subdirectory)
    # What FetchContent has cloned and built, if it has: the objects are the same.
    set(source ${SCRATCH}/build/_deps/respkit-src)
    if(NOT EXISTS ${source})
      set(source ${ROOT})
    endif()
    build_consumer(${way} "" -D RESPKIT_SOURCE=${source})
  endif()
endforeach()
