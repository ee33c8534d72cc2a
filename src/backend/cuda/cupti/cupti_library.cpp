#include "backend/cuda/cupti/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace normbench::cupti {
namespace {

constexpr auto kFolders = std::to_array<const char*>({"extras/CUPTI/lib64", "lib64"});

/// The library stays when its handle goes: a thread of CUPTI's may still run in it.
void* open(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

std::string last_error() {
  const char* const error = dlerror();
  return error != nullptr ? error : "no reason given";
}

std::vector<std::string> paths_in(const Places& places) {
  std::vector<std::string> paths = places.names;
  for (const std::string& directory : places.directories)
    for (const std::string& name : places.names) paths.push_back(directory + "/" + name);
  return paths;
}

std::string not_found(const std::string& why_not, const Places& places) {
  std::string where = "on the loader's path";
  if (!places.directories.empty())
    where += fmt::format(" or in {}", fmt::join(places.directories, ", "));
  return fmt::format("CUPTI not found ({}{}no {} {})", why_not, why_not.empty() ? "" : "; ",
                     fmt::join(places.names, ", "), where);
}

/// Looks functions up, and keeps the name of the first that had to be there and is not.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void want(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
  }
  template <class Function>
  void need(Function*& function, const char* name) {
    want(function, name);
    if (function == nullptr && lacking_.empty()) lacking_ = name;
  }
  const std::string& lacking() const { return lacking_; }

 private:
  void* library_;
  std::string lacking_;
};

/// The name of a function that is needed and not there, or "".
std::string look_up(void* library, Functions& f) {
  Symbols symbols(library);
  symbols.need(f.get_version, "cuptiGetVersion");
  symbols.need(f.get_result_string, "cuptiGetResultString");
  symbols.need(f.subscribe, "cuptiSubscribe");
  symbols.need(f.unsubscribe, "cuptiUnsubscribe");
  symbols.need(f.set_thread_id_type, "cuptiSetThreadIdType");
  symbols.need(f.get_timestamp, "cuptiGetTimestamp");
  symbols.need(f.get_callback_name, "cuptiGetCallbackName");
  symbols.need(f.register_buffers, "cuptiActivityRegisterCallbacks");
  symbols.need(f.set_attribute, "cuptiActivitySetAttribute");
  symbols.need(f.enable, "cuptiActivityEnable");
  symbols.need(f.disable, "cuptiActivityDisable");
  symbols.need(f.flush_all, "cuptiActivityFlushAll");
  symbols.need(f.get_next_record, "cuptiActivityGetNextRecord");
  symbols.need(f.get_dropped, "cuptiActivityGetNumDroppedRecords");
  symbols.need(f.push_external_id, "cuptiActivityPushExternalCorrelationId");
  symbols.need(f.pop_external_id, "cuptiActivityPopExternalCorrelationId");
  symbols.want(f.subscribe_with_params, "cuptiSubscribe_v2");
  symbols.want(f.register_clock, "cuptiActivityRegisterTimestampCallback");
  symbols.want(f.enable_runtime_call, "cuptiActivityEnableRuntimeApi");
  symbols.want(f.enable_driver_call, "cuptiActivityEnableDriverApi");
  symbols.want(f.enable_all_syncs, "cuptiActivityEnableAllSyncRecords");
  return symbols.lacking();
}

}  // namespace

Places usual_places() {
  std::vector<std::string> roots;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    if (root != nullptr && *root != '\0' && std::ranges::find(roots, root) == roots.end())
      roots.emplace_back(root);
  }
  if (roots.empty()) roots.emplace_back("/usr/local/cuda");
  Places places{.names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, .directories = {}};
  for (const std::string& root : roots)
    for (const char* const folder : kFolders) places.directories.push_back(root + "/" + folder);
  return places;
}

void Library::Close::operator()(void* library) const { dlclose(library); }

Library::Library(const std::string& library, const Places& places) {
  std::string path = library, why_not;
  if (!library.empty()) library_.reset(open(library));
  if (!library.empty() && !library_) why_not = last_error();
  const std::vector<std::string> others = paths_in(places);
  for (auto other = others.begin(); !library_ && other != others.end(); ++other)
    library_.reset(open(path = *other));
  if (!library_) {
    missing_ = not_found(why_not, places);
    return;
  }
  if (const std::string lacking = look_up(library_.get(), functions_); !lacking.empty())
    missing_ = fmt::format("CUPTI not usable ({} lacks {})", path, lacking);
}

}  // namespace normbench::cupti
