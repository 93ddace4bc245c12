#pragma once

#include <string>
#include <string_view>

namespace railyard::core {

/// Why a text is not the name of a host, or "": labels of letters, digits, '-' and '_' (which sites
/// use, though RFC 1123 does not have it), parted by dots, each beginning and ending with a letter
/// or digit; at most 63 characters a label and 253 in all. Such a name needs no quotes in a shell.
[[nodiscard]] std::string host_name_problem(std::string_view name);

/// Why a text is not the name of a file or folder in one given folder, or "": not empty, at most
/// 200 bytes, no '/', no control characters, no '.' or '-' at its beginning.
[[nodiscard]] std::string file_name_problem(std::string_view name);

/// A text as one word of a POSIX shell: as it is where nothing in it is special, else in single
/// quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// A text as a YAML scalar that is read back as this text: as it is where that is a plain string in
/// YAML 1.1 and 1.2, else in double quotes, as JSON.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

}  // namespace railyard::core
