# Installs the program and the libraries that it needs in one folder, so that it runs on the systems that README lists.
# Libraries of glibc and libgcc_s come from the system. glibc loads libgcc_s itself, and a newer one may not fit its loader.
set(private_dir lib/normbench)
# The program lies beside its libraries. In an environment into which a wheel was installed it lies in bin/, and in the
# wheel itself, where auditwheel looks at it, in scripts/.
set(wheel_dir share/normbench/lib)
set_target_properties(normbench PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${wheel_dir};$ORIGIN/../data/${wheel_dir}")
# Sets RPATH, because RUNPATH would not apply to the libraries that a library needs.
target_link_options(normbench PRIVATE -Wl,--disable-new-dtags)

# Builds libstdc++ from the object files in Debian's libstdc++_pic.a, and the functions that they lack in cmake/libstdcxx.cpp.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++_pic.a
  OUTPUT_VARIABLE stdcxx_parts OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS ${stdcxx_parts})
  message(FATAL_ERROR "No libstdc++_pic.a for ${CMAKE_CXX_COMPILER}: scripts/setup package installs that of Debian 12's g++")
endif()
string(REGEX REPLACE "a$" "map" stdcxx_symbols ${stdcxx_parts})
# auditwheel takes a symbol of version GLIBCXX_3.4.30 for one of the system's libstdc++, and systems with glibc 2.34 have none of
# that version. The symbols of that version therefore get one of our own, with which the program is linked.
file(READ ${stdcxx_symbols} stdcxx_versions)
string(REPLACE GLIBCXX_3.4.30 NORMBENCH_3.4.30 stdcxx_versions "${stdcxx_versions}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libstdc++.map CONTENT "${stdcxx_versions}" @ONLY)
add_library(normbench_stdcxx SHARED cmake/libstdcxx.cpp)
set_target_properties(normbench_stdcxx PROPERTIES OUTPUT_NAME stdc++ SOVERSION 6)
target_link_options(normbench_stdcxx PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libstdc++.map
  -Wl,--whole-archive ${stdcxx_parts} -Wl,--no-whole-archive -Wl,--no-undefined -nodefaultlibs)
target_link_libraries(normbench_stdcxx PRIVATE m gcc_s gcc c)
target_link_libraries(normbench PRIVATE normbench_stdcxx)
install(TARGETS normbench_stdcxx LIBRARY DESTINATION ${private_dir} NAMELINK_SKIP)

install(TARGETS normbench RUNTIME_DEPENDENCY_SET needed DESTINATION ${private_dir})
install(RUNTIME_DEPENDENCY_SET needed
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\\+\\+)\\.so"
  LIBRARY DESTINATION ${private_dir})
install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(CREATE_LINK ../${private_dir}/normbench
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/normbench\" SYMBOLIC)")
install(DIRECTORY configs DESTINATION share/normbench)
install(PROGRAMS scripts/gpu-check DESTINATION share/normbench/scripts)
install(DIRECTORY scripts/peers DESTINATION share/normbench/scripts USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE PATTERN peers/normbench EXCLUDE)
install(DIRECTORY python/normbench DESTINATION share/normbench/scripts/peers PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CITATION.cff DESTINATION share/doc/normbench)
install(DIRECTORY docs DESTINATION share/doc/normbench)
install(FILES LICENSE DESTINATION share/doc/normbench)
install(FILES LICENSE DESTINATION share/doc/normbench RENAME copyright)
# The program itself writes its completions for shells and its manual page.
set(generated ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
foreach(page bash zsh fish man)
  set(arguments completion ${page})
  if(page STREQUAL man)
    set(arguments man)
  endif()
  add_custom_command(TARGET normbench POST_BUILD COMMAND normbench ${arguments} > ${generated}/${page} VERBATIM)
endforeach()
install(FILES ${generated}/bash DESTINATION share/bash-completion/completions RENAME normbench)
install(FILES ${generated}/zsh DESTINATION share/zsh/site-functions RENAME _normbench)
install(FILES ${generated}/fish DESTINATION share/fish/vendor_completions.d RENAME normbench.fish)
install(FILES ${generated}/man DESTINATION share/man/man1 RENAME normbench.1)
install(SCRIPT cmake/notices.cmake)

set(CPACK_PACKAGE_NAME normbench)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Where, and in which form, to cast, normalise and move images to the GPU")
set(CPACK_PACKAGE_CONTACT normbench)
set(CPACK_PACKAGE_FILE_NAME normbench-${PROJECT_VERSION}-linux-x86_64)
if(CUDAToolkit_VERSION_MAJOR EQUAL 12)
  string(APPEND CPACK_PACKAGE_FILE_NAME -cuda12)
endif()
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/dist)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libgcc-s1")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
include(CPack)
