// arc4random() for systems with a glibc before 2.36. In GCC's libstdc++ only std::random_device calls it.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
  }
  return value;
}
