# Installs Debian's licence notice for each library in the package, and for libraries of headers that are compiled into the
# program.
foreach(package libcli11-dev nlohmann-json3-dev)
  if(EXISTS /usr/share/doc/${package}/copyright)
    configure_file(/usr/share/doc/${package}/copyright
      "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/normbench/third-party/${package}.copyright" COPYONLY)
  endif()
endforeach()
file(GLOB libraries "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/normbench/*.so*")
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  execute_process(COMMAND dpkg-query -S "*/x86_64-linux-gnu/${name}"
    OUTPUT_VARIABLE owner OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE unknown)
  string(REGEX MATCH "^[^:,]+" package "${owner}")
  if(NOT unknown AND EXISTS /usr/share/doc/${package}/copyright)
    file(REAL_PATH /usr/share/doc/${package}/copyright notice)
    configure_file(${notice}
      "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/doc/normbench/third-party/${package}.copyright" COPYONLY)
  endif()
endforeach()
