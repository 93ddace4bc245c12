
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/cli/completion.hpp"

namespace railyard::apps {

RunCommand add_completion(FlagSet app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "Shell: bash, zsh or fish")
      .required()
      .type_name("SHELL")
      .check(one_of({"bash", "zsh", "fish"}));
  app.footer(
      "Examples:\n"
      "  source <(railyard completion bash)\n"
      "  railyard completion zsh > ~/.zfunc/_railyard\n"
      "  railyard completion fish > ~/.config/fish/completions/railyard.fish");
  return [shell, app](Context& context) {
    context.out << completion_script(*shell, collect_completions(app.parent().parser()));
    return static_cast<int>(ExitCode::done);
  };
}

}  // namespace railyard::apps
