#pragma once

#include <cstddef>
#include <string_view>

#include "apps/cli/context.hpp"

namespace railyard::apps {

/// A progress bar on standard error for work of several steps. Silent if standard error is not a
/// terminal, or for a single step.
class Progress {
 public:
  Progress(Context& context, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the next step ("64M"); the first call is step 1.
  void next(std::string_view what);
  /// Removes the bar until the next step, to print something else.
  void clear();

 private:
  Context& context_;
  std::size_t steps_;
  std::size_t step_ = 0;
  bool draws_;
};

}  // namespace railyard::apps
