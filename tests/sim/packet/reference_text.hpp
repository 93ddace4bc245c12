#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/// Lines of JSON of the reference runs (truth/packet/reference), searched as text: tests do not
/// need a parser for five numbers.
namespace railyard::sim::packet::testing {

inline std::vector<std::string> reference_lines(const std::string& name) {
  std::vector<std::string> lines;
  std::ifstream file(std::filesystem::path(RAILYARD_SOURCE_DIR) /
                     ("../shared/truth/packet/reference/" + name));
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The text behind a key, without quotes.
inline std::string text_after(const std::string& line, const std::string& key) {
  const auto at = line.find(key);
  if (at == std::string::npos) return {};
  const auto begin = line.find_first_not_of("\": ,[", at + key.size());
  return line.substr(begin, line.find_first_of("\",]}", begin) - begin);
}

/// The first number in the text behind a key; 0: none.
inline double number_after(const std::string& line, const std::string& key) {
  const std::string text = text_after(line, key);
  const auto digit = text.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::atof(text.c_str() + digit);
}

/// [[1,2],[3]] behind a key, from `from` on; empty: there is none.
inline std::vector<std::vector<double>> rows_after(const std::string& line, const std::string& key,
                                                   std::size_t from = 0) {
  std::vector<std::vector<double>> rows;
  const auto begin = from == std::string::npos ? from : line.find(key, from);
  if (begin == std::string::npos) return rows;
  int depth = 0;
  for (const char* at = line.c_str() + line.find('[', begin); *at != 0;) {
    if (*at == '[') {
      if (++depth == 2) rows.emplace_back();
      ++at;
    } else if (*at == ']') {
      if (--depth == 0) break;
      ++at;
    } else if (*at == ',' || *at == ' ') {
      ++at;
    } else {
      char* end = nullptr;
      rows.back().push_back(std::strtod(at, &end));
      if (end == at) break;  // no number
      at = end;
    }
  }
  return rows;
}

}  // namespace railyard::sim::packet::testing
