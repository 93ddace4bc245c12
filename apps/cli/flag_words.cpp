#include "apps/cli/flag_words.hpp"

namespace railyard::apps {

std::optional<FlagPlace> find_flag(const std::vector<std::string>& words, std::string_view flag) {
  for (std::size_t i = words.size(); i-- > 0;) {
    if (words[i] == flag) return FlagPlace{i, i + 1, 0};
    if (words[i].starts_with(flag) && words[i][flag.size()] == '=')
      return FlagPlace{i, i, flag.size() + 1};
  }
  return std::nullopt;
}

std::string value_of_flag(const std::vector<std::string>& words, std::string_view flag) {
  const auto place = find_flag(words, flag);
  return place && place->has_value(words) ? words[place->value].substr(place->from) : "";
}

void set_value(std::vector<std::string>& words, const FlagPlace& place, std::string_view value) {
  words[place.value].replace(place.from, std::string::npos, value);
}

std::string take_flag(std::vector<std::string>& words, std::string_view flag) {
  const auto place = find_flag(words, flag);
  if (!place || !place->has_value(words)) return "";
  std::string value = value_of_flag(words, flag);
  const auto begin = words.begin();
  words.erase(begin + static_cast<std::ptrdiff_t>(place->flag),
              begin + static_cast<std::ptrdiff_t>(place->value + 1));
  return value;
}

}  // namespace railyard::apps
