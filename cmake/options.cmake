# Warnings and sanitizers for our own targets; never exported.
add_library(respkit_options INTERFACE)
target_compile_features(respkit_options INTERFACE cxx_std_20)
target_compile_options(respkit_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>   # false alarms of GCC 12 in std::string at -O2 and above
  $<$<BOOL:${RESPKIT_WERROR}>:-Werror>)
if(RESPKIT_SANITIZE)
  set(_sanitize -fsanitize=${RESPKIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(RESPKIT_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND _sanitize -Wno-tsan)  # Asio's fences, which TSan cannot see, are about what we do not share
  endif()
  target_compile_options(respkit_options INTERFACE ${_sanitize})
  target_link_options(respkit_options INTERFACE ${_sanitize})
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_CXX_EXTENSIONS OFF)
endif()
find_program(_ccache ccache)
if(_ccache AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${_ccache})
endif()
