/// A fake NVIDIA driver library (libcuda). Its cuInit returns the number in the environment
/// variable FAKE_CUINIT, or 0 if the variable is not set.
#include <cstdlib>

extern "C" int cuInit(unsigned) {
  const char* const said = std::getenv("FAKE_CUINIT");
  return said != nullptr ? std::atoi(said) : 0;
}
