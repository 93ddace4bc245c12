#include "apps/cli/context.hpp"

#include <ostream>

namespace railyard::apps {
namespace {

// ECMA-48 select graphic rendition: 31 red, 36 cyan, 0 reset.
void print(const Context& context, const char* colour, const char* label, const std::string& line) {
  if (context.colour)
    context.err << colour << label << "\033[0m ";
  else
    context.err << label << ' ';
  context.err << line << '\n';
}

}  // namespace

void print_error(const Context& context, const std::string& line) {
  print(context, "\033[31m", "error:", line);
}

void print_note(const Context& context, const std::string& line) {
  print(context, "\033[36m", "note:", line);
}

}  // namespace railyard::apps
