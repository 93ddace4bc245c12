#include "apps/cli/announcer.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace railyard::apps {
namespace {

struct Announced {
  std::mutex printing;
  std::set<std::string> sentences;
};

}  // namespace

sim::Announce announcer(const Context& context) {
  return [&context, announced = std::make_shared<Announced>()](const std::string& text) {
    const std::lock_guard lock(announced->printing);
    if (announced->sentences.insert(text).second) print_note(context, text);
  };
}

}  // namespace railyard::apps
