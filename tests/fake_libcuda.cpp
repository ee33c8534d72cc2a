/// A driver's library that says its version, for tests that ask it beside the runtime.
#include <cstdlib>

extern "C" int cuInit(unsigned) {
  const char* const said = std::getenv("FAKE_CUINIT");
  return said != nullptr ? std::atoi(said) : 0;
}
