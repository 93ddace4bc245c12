#pragma once

#include <cstddef>
#include <string_view>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// A bar on standard error while something long is done; silent where that is no terminal, or where
/// there is one step only.
class Progress {
 public:
  Progress(Context& context, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Says what comes next ("64M"); the first call is step 1.
  void next(std::string_view what);

 private:
  Context& context_;
  std::size_t steps_;
  std::size_t step_ = 0;
  bool draws_;
};

}  // namespace railyard::apps
