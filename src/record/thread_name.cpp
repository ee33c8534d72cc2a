#include "record/thread_name.h"

#include <pthread.h>

#include <array>

#include "record/nvtx.h"

namespace normbench {
namespace {

constexpr std::size_t longest = 15;  // bytes; the limit of Linux

std::string& own_name() {
  thread_local std::string name;
  return name;
}

}  // namespace

void name_this_thread(std::string_view name) {
  own_name() = name;
  pthread_setname_np(pthread_self(), std::string(name.substr(0, longest)).c_str());
  nvtx::name_thread(name);
}

std::string name_of_this_thread() {
  if (!own_name().empty()) return own_name();
  std::array<char, longest + 1> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

}  // namespace normbench
