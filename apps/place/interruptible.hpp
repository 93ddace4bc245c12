#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/candidates.hpp"

namespace railyard::apps {

/// Catches ctrl-C for as long as it lives, where it shall; inside another one, that one does.
class Interruptible {
 public:
  explicit Interruptible(bool catches = true);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool catches_;
  void (*before_)(int) = nullptr;
};

/// Whether ctrl-C was pressed since the outermost Interruptible began.
[[nodiscard]] bool was_interrupted();

/// A note on standard error that the result keeps too.
void note(Provenance& provenance, Context& context, std::string text);

/// Draws progress where standard error is a terminal, and stops once ctrl-C was pressed. Notes go
/// to standard error and into the result. Both must outlive it.
[[nodiscard]] placement::SearchWatch search_watch(Provenance& provenance, Context& context);

}  // namespace railyard::apps
