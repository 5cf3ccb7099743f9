# What the compiler does not hold: which folder may include what, and how long a file may be.
#     cmake -D ROOT=… -P tests/house_rules.cmake
cmake_minimum_required(VERSION 3.25)

set(broken "")
macro(complain text)
  list(APPEND broken "${text}")
endmacro()

# A source's name below ROOT → true if it may name a library.
function(may_use_asio file out)
  if(file MATCHES "^server/(listener|mock|poller)[^/]*\\.cpp$"
      OR file MATCHES "^server/(listener|poller)[^/]*\\.hpp$"
      OR file MATCHES "^client/asio_client[^/]*\\.cpp$" OR file MATCHES "^bench/worker[^/]*\\.cpp$"
      OR file MATCHES "^tests/")
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The arrows: what each folder includes of the others.
set(arrows_resp resp)
set(arrows_server resp server)
set(arrows_client resp client)
set(arrows_fixtures resp fixtures)
set(arrows_bench resp client bench)
set(arrows_tests resp server client fixtures bench)
set(arrows_examples resp server client fixtures bench)

foreach(folder resp server client fixtures bench tests examples)
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp)
  foreach(file IN LISTS files)
    file(READ ${ROOT}/${file} text)
    string(REGEX MATCHALL "\n" lines "${text}")
    list(LENGTH lines count)
    if(count GREATER 400)
      complain("${file}: ${count} lines, split it where it holds two ideas (at most 400)")
    endif()

    if(text MATCHES "TEST_CASE\\(\"[^\"\n]*;")
      complain("${file}: a semicolon in a test's name, which ctest cannot run")
    endif()

    string(REGEX MATCHALL "(^|\n) *# *include *[<\"][^>\"]+[>\"]" includes "${text}")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE ".*[<\"]([^>\"]+)[>\"]" "\\1" header "${include}")
      if(header MATCHES "^respkit/([a-z]+)/")
        set(from ${CMAKE_MATCH_1})
        if(folder STREQUAL bench AND header MATCHES "^respkit/server/(mock|engine)\\.hpp$")
          # the two headers of the server that the bench is written against
        elseif(NOT from IN_LIST arrows_${folder})
          complain("${file}: ${folder}/ must not include <${header}>")
        endif()
      elseif(header MATCHES "/" AND include MATCHES "\"" AND NOT folder STREQUAL tests)
        complain("${file}: write <respkit/…> instead of \"${header}\"")
      elseif(folder STREQUAL resp AND header MATCHES "[./]")
        complain("${file}: resp/ includes the standard library and respkit/resp only, not <${header}>")
      endif()
      if(header STREQUAL "boost/asio.hpp")
        complain("${file}: include Asio's narrow headers, not <boost/asio.hpp>")
      endif()
      may_use_asio(${file} allowed)
      if(header MATCHES "^boost/asio/" AND NOT allowed)
        complain("${file}: Asio belongs to connections and loops, not here")
      endif()
      if(header MATCHES "^hiredis/" AND NOT file STREQUAL "client/hiredis_client.cpp" AND NOT folder STREQUAL tests
          AND NOT folder STREQUAL examples)
        complain("${file}: hiredis is named in client/hiredis_client.cpp only")
      endif()
    endforeach()
  endforeach()
endforeach()

if(broken)
  list(JOIN broken "\n  " text)
  message(FATAL_ERROR "house rules broken:\n  ${text}")
endif()
message("house rules hold")
