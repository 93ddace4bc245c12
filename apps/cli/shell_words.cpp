#include "apps/cli/shell_words.hpp"

#include "core/config/names.hpp"

namespace railyard::apps {

std::string shell_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += ' ' + core::shell_word(word);
  return line;
}

}  // namespace railyard::apps
