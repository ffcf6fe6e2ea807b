# Every test has a time limit and is labelled fast or slow: `ctest -L fast` takes less than a minute.

# Those that compile or assemble, that run an interpreter's many steps, or that look at millions of values.
set(rivus_slow_tests "^(cost|cuda|cuda_compile|flags|gpu_check|headers|model|package)([.]|$)|^test_(cli|curand_host|matmul|real|reductions|scatter|statistics|thrust_omp)$")

# In the CMakeLists.txt of a directory with tests: of all that it adds, whatever comes after this line.
macro(rivus_label_tests)
  cmake_language(DEFER CALL rivus_label_tests_of_directory)
endmacro()

function(rivus_label_tests_of_directory)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    # Some twenty times what they take.
    if(test MATCHES "${rivus_slow_tests}")
      set_property(TEST ${test} APPEND PROPERTY LABELS slow)
      # First, so that none is left over at the end.
      set_tests_properties(${test} PROPERTIES TIMEOUT 900 COST 10)
    else()
      set_property(TEST ${test} APPEND PROPERTY LABELS fast)
      set_tests_properties(${test} PROPERTIES TIMEOUT 200)
    endif()
  endforeach()
endfunction()
