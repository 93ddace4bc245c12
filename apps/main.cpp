#include <array>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/cli/shell_words.hpp"
#include "hw/local/local_backend.hpp"

int main(int count, char** values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  // https://no-color.org: any value that is not empty disables colour.
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = terminal && (no_colour == nullptr || *no_colour == '\0');
  static constexpr std::array kBackends{
      railyard::hw::BackendEntry{"local", railyard::hw::open_local}};
  railyard::apps::Context context{.out = std::cout,
                                  .err = std::cerr,
                                  .err_is_terminal = terminal,
                                  .colour = colour,
                                  .command = "railyard" + railyard::apps::shell_words(arguments),
                                  .arguments = arguments,
                                  .backends = kBackends};
  return railyard::apps::run_command_line(arguments, context);
}
