#pragma once

#include <string>
#include <string_view>

namespace railyard::core {

/// Returns why `name` is not a valid host name, or "" if it is valid. A host name consists of
/// labels separated by dots. A label has letters, digits, '-' and '_' (not in RFC 1123, but sites
/// use it), begins and ends with a letter or digit, and has at most 63 characters; the name has at
/// most 253. A valid name needs no quotes in a shell.
[[nodiscard]] std::string host_name_problem(std::string_view name);

/// Returns why `name` is not a valid name for a file inside a folder, or "" if it is valid. A valid
/// name is not empty, has at most 200 bytes, contains no '/' and no control characters, and does
/// not begin with '.' or '-'.
[[nodiscard]] std::string file_name_problem(std::string_view name);

/// The text as one word of a POSIX shell: unchanged if it has no special characters, otherwise in
/// single quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The text as a YAML scalar: unchanged if YAML 1.1 and 1.2 both read it back as the same string,
/// otherwise in double quotes with JSON escapes.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

}  // namespace railyard::core
