#include "cli/search/replacements.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "io/input.hpp"

namespace lode::command {

Replacements read_replacements(const Settings& settings) {
  if (!settings.mask.empty()) return Replacements::mask(settings.mask);
  if (settings.own_replacements) return Replacements::of_patterns();
  if (settings.replacements.empty()) return Replacements::of_patterns(settings.replace);
  io::Input input = settings.replacements == "-" ? io::Input::standard_input() : io::Input::open(settings.replacements);
  const std::string content = input.read_all();
  input.check();
  std::vector<std::string> lines;
  for (std::string_view rest = content; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (settings.crlf && line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return Replacements::by_id(lines);
}

}  // namespace lode::command
