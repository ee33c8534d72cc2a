/// A fake driver library. Its cuInit returns the code in FAKE_CUINIT, or 0.
#include <cstdlib>

extern "C" int cuInit(unsigned) {
  const char* const said = std::getenv("FAKE_CUINIT");
  return said != nullptr ? std::atoi(said) : 0;
}
