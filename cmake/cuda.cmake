# Enables the CUDA language and decides how .cu files are compiled.
if(NORMBENCH_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${NORMBENCH_CUDA_ARCHITECTURES})
elseif(NORMBENCH_PACKAGE)
  # The last architecture is also compiled to PTX, which a driver compiles for newer GPUs.
  set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
  if(CUDAToolkit_VERSION VERSION_LESS 12.8)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
  endif()
else()
  include(cmake/gpus_here.cmake)
  architectures_of_gpus_here(${CUDAToolkit_NVCC_EXECUTABLE} CMAKE_CUDA_ARCHITECTURES why_these)
endif()
set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
set(CMAKE_CUDA_RUNTIME_LIBRARY None)
enable_language(CUDA)
string(REPLACE ";" ", sm_" architectures "${CMAKE_CUDA_ARCHITECTURES}")
string(REPLACE "-real" "" architectures "${architectures}")
set(with_cuda "CUDA for sm_${architectures}${why_these}")

# CMake 3.25 does not know CUDA 13's flag for C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
# GCC 12 warns of uninitialised values although a body loads them under the same condition under which it stores them.
set(cuda_options -Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror,-Wno-maybe-uninitialized)
if(NORMBENCH_SANITIZE)
  string(REPLACE "," ";" sanitizers "${NORMBENCH_SANITIZE}")
  foreach(sanitizer IN LISTS sanitizers)
    list(APPEND cuda_options -Xcompiler=-fsanitize=${sanitizer})
  endforeach()
  list(APPEND cuda_options -Xcompiler=-fno-sanitize-recover=all,-fno-omit-frame-pointer)
endif()
if(NORMBENCH_TESTS)
  list(APPEND cuda_options --no-compress)  # tests read the PTX
elseif(NORMBENCH_PACKAGE AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13)
  # Kernels take less than a third of the space. Drivers for CUDA 12 may not know this compression.
  list(APPEND cuda_options --compress-mode=size)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:${cuda_options}>")
