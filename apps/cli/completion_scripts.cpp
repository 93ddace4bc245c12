#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "apps/cli/completion.hpp"

namespace railyard::apps {
namespace {

/// Within single quotes.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

std::string names_of(const Completions& command) {
  std::vector<std::string> names;
  for (const auto& word : command.words) names.push_back(word.name);
  for (const auto& flag : command.flags) names.push_back(flag.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string file_flags(const std::vector<Completions>& commands) {
  std::vector<std::string> names;
  for (const Completions& command : commands) {
    for (const auto& flag : command.flags) {
      if (flag.takes_file && flag.configs.empty() &&
          std::ranges::find(names, flag.name) == names.end())
        names.push_back(flag.name);
    }
  }
  return names.empty() ? "''" : fmt::format("{}", fmt::join(names, "|"));
}

/// Completions of the value of flags, with the commands and flags: "'railyard sim --op'|...".
struct Offer {
  std::string what;  ///< values, or the kind of config
  bool is_config = false;
  std::string after;
};

std::vector<Offer> offers_of(const std::vector<Completions>& commands) {
  std::vector<Offer> offers;
  for (const Completions& command : commands) {
    for (const auto& flag : command.flags) {
      const bool is_config = !flag.configs.empty();
      if (!is_config && flag.values.empty()) continue;
      const std::string what = is_config ? flag.configs : flag.values;
      auto found = std::ranges::find(offers, what, &Offer::what);
      if (found == offers.end()) {
        offers.push_back({what, is_config, {}});
        found = offers.end() - 1;
      }
      found->after += (found->after.empty() ? "" : "|") +
                      shell_quoted(fmt::format("{} {}", command.command, flag.name));
    }
  }
  return offers;
}

/// Shell cases for completion after a flag; {} in `values` and `configs` is replaced by
/// Offer::what.
std::string offer_cases(const std::vector<Completions>& commands, std::string_view values,
                        std::string_view configs) {
  std::string cases;
  for (const Offer& offer : offers_of(commands))
    cases += fmt::format("    {}) {}; return ;;\n", offer.after,
                         fmt::format(fmt::runtime(offer.is_config ? configs : values), offer.what));
  return cases;
}

std::string bash(const std::vector<Completions>& commands) {
  std::string cases;
  std::string known;
  for (const Completions& command : commands) {
    cases += fmt::format("    {}) words={} ;;\n", shell_quoted(command.command),
                         shell_quoted(names_of(command)));
    known += fmt::format("{}{}", known.empty() ? "" : "|", shell_quoted(command.command));
  }
  return fmt::format(R"(# bash completion of railyard: source this, or put it in
# ~/.local/share/bash-completion/completions/railyard
_railyard_configs() {{ railyard topo list "$1" --csv - 2>/dev/null | tail -n +2 | cut -d, -f2; }}
_railyard() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command=railyard words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in {0}) command="$command ${{COMP_WORDS[i]}}" ;; esac
  done
  case "$command $previous" in
{3}  esac
  case "$previous" in {2}) COMPREPLY=($(compgen -f -- "$current")); return ;; esac
  case "$command" in
{1}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ ${{#COMPREPLY[@]}} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}}
complete -o filenames -F _railyard railyard
)",
                     known, cases, file_flags(commands),
                     offer_cases(commands, "COMPREPLY=($(compgen -W '{}' -- \"$current\"))",
                                 "COMPREPLY=($(compgen -W \"$(_railyard_configs {})\" -- "
                                 "\"$current\") $(compgen -f -- \"$current\"))"));
}

/// zsh's _describe and _arguments give a colon a meaning.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh(const std::vector<Completions>& commands) {
  std::string cases;
  std::string known;
  for (const Completions& command : commands) {
    cases += fmt::format("    {})\n", shell_quoted(command.command));
    cases += "      words=(";
    for (const auto& word : command.words) {
      cases += fmt::format("\n        {}", shell_quoted(word.name + ":" + escaped(word.help)));
    }
    cases += ")\n      flags=(";
    for (const auto& flag : command.flags) {
      cases += fmt::format("\n        {}", shell_quoted(flag.name + ":" + escaped(flag.help)));
    }
    cases += ") ;;\n";
    known += fmt::format("{}{}", known.empty() ? "" : "|", shell_quoted(command.command));
  }
  return fmt::format(R"(#compdef railyard
# zsh completion of railyard: save it as _railyard in a folder of $fpath.
_railyard_configs() {{
  compadd -- $(railyard topo list "$1" --csv - 2>/dev/null | tail -n +2 | cut -d, -f2)
  _files
}}
_railyard() {{
  local command=railyard word
  local -a flags
  local -a typed=("${{words[@]}}")
  local position=$CURRENT
  local -a words
  for word in "${{(@)typed[2,position-1]}}"; do
    case "$command $word" in {0}) command="$command $word" ;; esac
  done
  case "$command ${{typed[position-1]}}" in
{3}  esac
  case "${{typed[position-1]}}" in {2}) _files; return ;; esac
  case "$command" in
{1}  esac
  if [[ "${{typed[position]}}" == -* ]]; then _describe flag flags; return; fi
  if (( ${{#words}} )); then _describe command words; else _describe flag flags; _files; fi
}}
_railyard "$@"
)",
                     known, cases, file_flags(commands),
                     offer_cases(commands, "compadd -- {}", "_railyard_configs {}"));
}

std::string fish_line(const Completions& command, const std::string& rest) {
  // "railyard topo show" becomes the condition that both words were typed.
  std::string condition;
  const std::string& name = command.command;
  for (std::size_t at = name.find(' '); at != std::string::npos; at = name.find(' ', at + 1)) {
    const std::string word = name.substr(at + 1, name.find(' ', at + 1) - at - 1);
    condition +=
        fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ", word);
  }
  if (condition.empty()) condition = "__fish_use_subcommand";
  return fmt::format("complete -c railyard -n {} {}\n", shell_quoted(condition), rest);
}

std::string fish_values(const Completions::Flag& flag) {
  if (!flag.configs.empty())
    return fmt::format(
        " -r -F -a '(railyard topo list {} --csv - 2>/dev/null | tail -n +2 | cut -d, -f2)'",
        flag.configs);
  if (!flag.values.empty()) return " -x -a " + shell_quoted(flag.values);
  if (flag.takes_file) return " -r -F";
  return flag.takes_value ? " -x" : "";
}

std::string fish(const std::vector<Completions>& commands) {
  std::string script =
      "# fish completion of railyard: save it as ~/.config/fish/completions/railyard.fish\n";
  for (const Completions& command : commands) {
    for (const auto& word : command.words) {
      script +=
          fish_line(command, fmt::format("-f -a {} -d {}", word.name, shell_quoted(word.help)));
    }
    for (const auto& flag : command.flags) {
      const bool is_long = flag.name.starts_with("--");
      script += fish_line(command, fmt::format("{} {}{} -d {}", is_long ? "-l" : "-s",
                                               flag.name.substr(is_long ? 2 : 1), fish_values(flag),
                                               shell_quoted(flag.help)));
    }
  }
  return script;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<Completions>& commands) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  assert(shell == "fish");
  return fish(commands);
}

}  // namespace railyard::apps
