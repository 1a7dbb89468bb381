# One static library per folder, named after it (common/expr -> burnish_common_expr); sources are
# globbed, so a new file needs no edit here. main.cc belongs to the program, not to the library.
add_library(burnish_warnings INTERFACE)
target_compile_options(burnish_warnings INTERFACE -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers
  # gcc 12 reports these inside std::string and absl at -O2 without a fault of ours.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow>)

function(burnish_library folder)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${folder})
    return()
  endif()
  string(REPLACE / _ target burnish_${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${ARGN} PRIVATE burnish_warnings)
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARGN})
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR})
  endif()
endfunction()

function(burnish_program name main)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${main})
    return()
  endif()
  add_executable(${name} ${CMAKE_SOURCE_DIR}/${main})
  target_link_libraries(${name} PRIVATE ${ARGN} burnish_warnings)
endfunction()

# One test program per folder of tests/unit, linked with the libraries it tests.
function(burnish_unit_test folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  string(REPLACE / _ name ${folder})
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE ${ARGN} GTest::gmock GTest::gtest GTest::gtest_main
    burnish_warnings)
  add_test(NAME unit/${folder} COMMAND ${name}_test)
  set_tests_properties(unit/${folder} PROPERTIES LABELS unit TIMEOUT 600)
endfunction()
