# Writes the C++ snippets of a Markdown page into one doctest program: blocks that begin with #include go to its
# head, every other one becomes a test case named after its line.
#     cmake -D PAGE=docs/embedding.md -D OUT=… -P tests/snippets.cmake
cmake_minimum_required(VERSION 3.25)

# Semicolons and brackets would be taken for lists; they are put back at the end.
file(READ ${PAGE} text)
string(REPLACE ";" "@semicolon@" text "${text}")
string(REPLACE "[" "@open@" text "${text}")
string(REPLACE "]" "@close@" text "${text}")
string(REPLACE "\\" "@backslash@" text "${text}")
string(REPLACE "\n" ";" lines "${text}")

set(head "")
set(cases "")
set(inside FALSE)
set(number 0)
foreach(line IN LISTS lines)
  math(EXPR number "${number} + 1")
  if(NOT inside AND line STREQUAL "```cpp")
    set(inside TRUE)
    math(EXPR first "${number} + 1")
    set(block "#line ${first} \"${PAGE}\"\n")
    set(start ${number})
  elseif(inside AND line STREQUAL "```")
    set(inside FALSE)
    if(block MATCHES "#include")
      string(APPEND head "${block}")
    else()
      string(APPEND cases "\nTEST_CASE(\"line ${start}\") {\n${block}}\n")
    endif()
  elseif(inside)
    string(APPEND block "${line}\n")
  endif()
endforeach()
if(inside OR cases STREQUAL "")
  message(FATAL_ERROR "${PAGE}: a block of C++ that is not closed, or none at all")
endif()

set(program "// Made by tests/snippets.cmake from ${PAGE}.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <hiredis/hiredis.h>

${head}${cases}")
string(REPLACE "@semicolon@" ";" program "${program}")
string(REPLACE "@open@" "[" program "${program}")
string(REPLACE "@close@" "]" program "${program}")
string(REPLACE "@backslash@" "\\" program "${program}")
file(WRITE ${OUT} "${program}")
