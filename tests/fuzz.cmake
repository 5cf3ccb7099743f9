# libFuzzer: clang only, with RESPKIT_SANITIZE=address,undefined.
add_executable(fuzz_resp tests/fuzz_resp.cpp)
target_link_libraries(fuzz_resp PRIVATE respkit::resp respkit_options)
target_compile_options(respkit_resp PRIVATE -fsanitize=fuzzer-no-link)
target_compile_options(fuzz_resp PRIVATE -fsanitize=fuzzer)
target_link_options(fuzz_resp PRIVATE -fsanitize=fuzzer)
