#include "hw/shared_library.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

/// Where NVIDIA's installer puts CUDA (CUDA Installation Guide for Linux, post-installation).
constexpr const char* kCudaFolder = "/usr/local/cuda/lib64";

}  // namespace

SharedLibrary::SharedLibrary(const LibraryNames& names, const std::string& folder) {
  std::vector<std::string> paths;
  for (const char* name : names.names) {
    paths.push_back(folder.empty() ? std::string(name) : fmt::format("{}/{}", folder, name));
  }
  if (folder.empty()) {
    for (const char* name : names.names) paths.push_back(fmt::format("{}/{}", kCudaFolder, name));
  }
  std::string reason;
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle_ != nullptr) {
      path_ = path;
      return;
    }
    if (const char* error = dlerror(); error != nullptr && reason.empty()) reason = error;
  }
  throw BackendError(
      fmt::format("{} was not found: {}; {}", names.names.front(), reason, names.hint));
}

void* SharedLibrary::address(const char* symbol, bool required) const {
  void* found = dlsym(handle_, symbol);
  if (found == nullptr && required) {
    throw BackendError(
        fmt::format("{} has no {}: it is too old or not what its name says", path_, symbol));
  }
  return found;
}

}  // namespace railyard::hw
