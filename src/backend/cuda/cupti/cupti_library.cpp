#include "backend/cuda/cupti/cupti_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <cstdlib>
#include <sstream>

namespace normbench::cupti {
namespace {

constexpr auto kMajors = std::to_array<int>({13, 12});  // CUDA versions whose records can be read
constexpr auto kFolders = std::to_array<const char*>({"extras/CUPTI/lib64", "lib64"});

/// Opens a library so that it stays loaded after its handle is closed, because a thread of CUPTI
/// may still run in it.
void* open(const std::string& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

std::string last_error() {
  const char* const error = dlerror();
  return error != nullptr ? error : "no reason given";
}

std::string environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

void add(std::vector<std::string>& paths, const std::string& path) {
  if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
}

std::vector<std::string> toolkits() {
  std::vector<std::string> roots;
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) add(roots, environment(variable));
  if (roots.empty()) roots.emplace_back("/usr/local/cuda");
  return roots;
}

/// Returns folders that may be Python environments. A folder /opt/x/bin in PATH gives /opt/x.
std::vector<std::string> python_prefixes() {
  std::vector<std::string> prefixes;
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    add(prefixes, environment(variable));
  std::istringstream path(environment("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (folder.ends_with("/bin")) add(prefixes, folder.substr(0, folder.size() - 4));
  return prefixes;
}

/// Returns the existing lib directories of NVIDIA's wheels in the Python environment `prefix`. The
/// wheels of CUDA 12 use another directory than the wheels of later versions.
std::vector<std::string> wheel_directories(const std::string& prefix) {
  const std::string pattern =
      prefix + "/lib*/python3*/{site,dist}-packages/nvidia/{cu[0-9]*,cuda_cupti}/lib";
  glob_t found{};
  glob(pattern.c_str(), GLOB_BRACE, nullptr, &found);
  std::vector<std::string> directories(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return directories;
}

/// Looks up functions, and remembers the first required function that is missing.
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

/// Looks up all functions. Returns the name of a required function that is missing, or "".
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

std::vector<std::string> library_names(int major) {
  std::vector<std::string> names = {fmt::format("libcupti.so.{}", major)};
  for (const int other : kMajors) add(names, fmt::format("libcupti.so.{}", other));
  names.emplace_back("libcupti.so");
  return names;
}

Places usual_places() {
  Places places{.names = library_names(CUDA_VERSION / 1000), .directories = {}};
  for (const std::string& root : toolkits())
    for (const char* const folder : kFolders) places.directories.push_back(root + "/" + folder);
  for (const std::string& prefix : python_prefixes())
    for (const std::string& directory : wheel_directories(prefix))
      add(places.directories, directory);
  return places;
}

std::vector<std::string> candidates(const std::string& library, const Places& places) {
  std::vector<std::string> paths;
  add(paths, library);
  for (const std::string& name : places.names) {
    add(paths, name);
    for (const std::string& directory : places.directories) add(paths, directory + "/" + name);
  }
  return paths;
}

std::string not_found(const std::string& why_not, const Places& places) {
  std::string where = "on the loader's path";
  if (!places.directories.empty())
    where += fmt::format(" or in {}", fmt::join(places.directories, ", "));
  return fmt::format("CUPTI not found ({}{}no {} {})", why_not, why_not.empty() ? "" : "; ",
                     fmt::join(places.names, ", "), where);
}

void Library::Close::operator()(void* library) const { dlclose(library); }

Library::Library(const std::string& path) : library_(open(path)) {
  if (!library_) {
    missing_ = last_error();
    return;
  }
  if (const std::string lacking = look_up(library_.get(), functions_); !lacking.empty())
    missing_ = fmt::format("CUPTI not usable ({} lacks {})", path, lacking);
}

}  // namespace normbench::cupti
