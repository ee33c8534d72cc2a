# The CUDA language and how .cu files are compiled.
if(NORMBENCH_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${NORMBENCH_CUDA_ARCHITECTURES})
else()
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE capabilities OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE none)
  if(none OR NOT capabilities MATCHES "^[0-9]+\\.[0-9]")
    set(capabilities 9.0)
  endif()
  string(REGEX MATCH "^[0-9]+\\.[0-9]" capability "${capabilities}")
  string(REPLACE "." "" CMAKE_CUDA_ARCHITECTURES "${capability}")
endif()
set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
enable_language(CUDA)

# CMake 3.25 does not know which flag means C++20 to CUDA 13.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
# GCC 12 does not see that what a body stores under a condition it has loaded under the same one.
set(cuda_options -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-Wno-maybe-uninitialized)
if(NORMBENCH_SANITIZE)
  string(REPLACE "," ";" sanitizers "${NORMBENCH_SANITIZE}")
  foreach(sanitizer IN LISTS sanitizers)
    list(APPEND cuda_options -Xcompiler=-fsanitize=${sanitizer})
  endforeach()
  list(APPEND cuda_options -Xcompiler=-fno-sanitize-recover=all,-fno-omit-frame-pointer)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>")
