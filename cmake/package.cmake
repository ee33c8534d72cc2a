# One set of rules for cmake --install and CPack: the program with the libraries it needs beside it,
# so that it runs on any Linux with glibc 2.36 or newer. What glibc itself brings stays the system's.
set(private_dir lib/normbench)
set_target_properties(normbench PROPERTIES INSTALL_RPATH "$ORIGIN")
# RPATH and not RUNPATH, which would not reach the libraries that the libraries need.
target_link_options(normbench PRIVATE -Wl,--disable-new-dtags)

install(TARGETS normbench RUNTIME_DEPENDENCY_SET needed DESTINATION ${private_dir})
install(RUNTIME_DEPENDENCY_SET needed
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|libc|libm|libdl|libpthread|librt)\\.so"
  LIBRARY DESTINATION ${private_dir})
install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin\")
  file(CREATE_LINK ../${private_dir}/normbench
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin/normbench\" SYMBOLIC)")
install(DIRECTORY configs DESTINATION share/normbench)
install(PROGRAMS scripts/gpu-check DESTINATION share/normbench/scripts)
install(DIRECTORY scripts/peers DESTINATION share/normbench/scripts USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/normbench)
install(DIRECTORY docs DESTINATION share/doc/normbench)
install(FILES LICENSE DESTINATION share/doc/normbench RENAME copyright)
install(SCRIPT cmake/notices.cmake)

set(CPACK_PACKAGE_NAME normbench)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Where, and in which form, to cast, normalise and move images to the GPU")
set(CPACK_PACKAGE_CONTACT normbench)
set(CPACK_PACKAGE_FILE_NAME normbench-${PROJECT_VERSION}-linux-x86_64)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/dist)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
include(CPack)
