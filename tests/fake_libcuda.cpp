/// A fake driver library. Its cuInit returns the number in the environment variable FAKE_CUINIT; 0
/// if that is not set.
#include <cstdlib>

extern "C" int cuInit(unsigned) {
  const char* const said = std::getenv("FAKE_CUINIT");
  return said != nullptr ? std::atoi(said) : 0;
}
