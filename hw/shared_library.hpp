#pragma once

#include <span>
#include <string>
#include <string_view>

namespace railyard::hw {

/// Names of a library, and advice for users if it is not found.
struct LibraryNames {
  std::span<const char* const> names;  ///< tried in order: "libcudart.so.13", ...
  std::string_view hint;               ///< how to get it
};

/// A shared library, loaded at run time. It stays loaded until the program ends, because drivers
/// have threads that run its code.
class SharedLibrary {
 public:
  /// Tries each name in `folder`; if that is "", in the loader's paths and then in
  /// /usr/local/cuda/lib64. Throws BackendError with the loader's reason.
  SharedLibrary(const LibraryNames& names, const std::string& folder);

  /// Sets `function` to the symbol. Throws BackendError if a required symbol is missing.
  template <class Function>
  void find(Function*& function, const char* symbol, bool required = true) const {
    function = reinterpret_cast<Function*>(address(symbol, required));
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] void* address(const char* symbol, bool required) const;
  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace railyard::hw
