#include "apps/cli/refused_flags.hpp"

namespace railyard::apps {

void refuse(std::initializer_list<GivenFlag> flags, const std::string& message,
            const std::string& hint, Diagnostics& problems) {
  for (const GivenFlag& one : flags)
    if (one.is_given) problems.add(one.flag, message, hint);
}

}  // namespace railyard::apps
