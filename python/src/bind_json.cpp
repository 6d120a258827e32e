// Reads one string out of each line of JSON Lines, several times as fast as Arrow makes a table of them.
#include <nanobind/stl/string.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

namespace dom = simdjson::dom;

/// Strings as Arrow keeps them: string i lies in `bytes` from offsets[i] to offsets[i + 1].
struct Strings {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> has_string;

  void add(std::string_view string, bool is_there) {
    bytes.insert(bytes.end(), string.begin(), string.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    has_string.push_back(is_there ? 1 : 0);
  }
};

/// Which field is read: the one with the whole name if an object has it, else the one that the parts of the name lead to,
/// from object to object.
struct Field {
  std::string name;
  std::vector<std::string> parts;  // none if the name has no dot
  std::string absent;              // a name that no object may have; empty allows all

  Field(std::string name, std::string absent) : name(std::move(name)), absent(std::move(absent)) {
    if (this->name.find('.') == std::string::npos) return;
    std::istringstream left(this->name + '.');
    for (std::string part; std::getline(left, part, '.');) parts.push_back(part);
  }
};

enum class Answer { string, nothing, unclear };

/// Goes on to the value of a name.
bool step_into(dom::object object, std::string_view name, dom::element& value) {
  return object.at_key(name).get(value) == simdjson::SUCCESS;
}

/// The string of a field. It is unclear what is meant where something else is than objects around a string or null.
Answer look_up(dom::object row, const Field& field, std::string_view& string) {
  dom::element value;
  if (!field.absent.empty() && step_into(row, field.absent, value)) return Answer::unclear;
  if (!step_into(row, field.name, value)) {
    if (field.parts.empty()) return Answer::nothing;
    dom::object object = row;
    for (std::size_t part = 0; part < field.parts.size(); ++part) {
      if (part != 0 && value.get(object) != simdjson::SUCCESS)
        return value.is_null() ? Answer::nothing : Answer::unclear;
      if (!step_into(object, field.parts[part], value)) return Answer::nothing;
    }
  }
  if (value.is_null()) return Answer::nothing;
  return value.get(string) == simdjson::SUCCESS ? Answer::string : Answer::unclear;
}

std::string_view without_blanks(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

/// Whether the value is such that readers may differ on it: an object within it has a name twice, or it is nested so deep
/// that Python's json gives up. `names` has room for names, and is left as it was.
bool is_doubtful(dom::element value, std::vector<std::string_view>& names, int levels = 900) {
  if (levels == 0) return true;
  dom::array array;
  if (value.get(array) == simdjson::SUCCESS) {
    return std::any_of(array.begin(), array.end(),
                       [&](dom::element item) { return is_doubtful(item, names, levels - 1); });
  }
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return false;
  const std::size_t first = names.size();
  bool is_doubted = false;
  for (const auto field : object) {
    names.push_back(field.key);
    is_doubted = is_doubted || is_doubtful(field.value, names, levels - 1);
  }
  const auto own = names.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(own, names.end());
  is_doubted = is_doubted || std::adjacent_find(own, names.end()) != names.end();
  names.resize(first);
  return is_doubted;
}

/// Reads lines in memory that simdjson may read SIMDJSON_PADDING bytes beyond. False if one is not exactly one object
/// whose answer is clear.
bool read_lines(dom::parser& parser, std::string_view lines, const Field& field, Strings& strings) {
  std::vector<std::string_view> names;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = without_blanks(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty()) continue;
    dom::element row;
    if (parser.parse(line.data(), line.size(), false).get(row) != simdjson::SUCCESS) return false;
    std::string_view string;
    const Answer answer = row.is_object() && !is_doubtful(row, names) ? look_up(row, field, string) : Answer::unclear;
    if (answer == Answer::unclear) return false;
    strings.add(string, answer == Answer::string);
  }
  return true;
}

nb::object strings_of_lines(nb::handle given, const std::string& name, const std::string& absent) {
  const Field field(name, absent);
  const HeldBytes held(given, "lines");
  const std::string_view lines = held.view();
  Strings strings;
  bool is_clear = false;
  {
    const nb::gil_scoped_release release;
    strings.bytes.reserve(lines.size());  // no escape is shorter than what it stands for
    // The last lines are copied, because nothing may be read behind them where they are.
    const std::size_t inner = lines.size() < simdjson::SIMDJSON_PADDING ? 0 : lines.size() - simdjson::SIMDJSON_PADDING;
    const std::size_t last = inner == 0 ? 0 : lines.rfind('\n', inner - 1) + 1;
    const simdjson::padded_string rest(lines.substr(last));
    dom::parser parser;
    is_clear = read_lines(parser, lines.substr(0, last), field, strings) &&
               read_lines(parser, std::string_view(rest), field, strings);
  }
  if (!is_clear) return nb::none();
  return nb::make_tuple(numpy_array(std::move(strings.offsets)), numpy_array(std::move(strings.bytes)),
                        numpy_array(std::move(strings.has_string)));
}

}  // namespace

void bind_json(nb::module_& module) {
  module.def(
      "strings_of_lines", &strings_of_lines, nb::arg("lines").none(), nb::arg("field"), nb::arg("absent"),
      nb::sig("def strings_of_lines(lines: object, field: str, absent: str) -> "
              "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint8], "
              "numpy.typing.NDArray[numpy.uint8]] | None"),
      "The string of a field in each line of JSON Lines, as offsets, UTF-8, and 1 where there is one; `a.b` is b "
      "within a, unless an object has that name. None if a line is not exactly one object, without a name "
      "that stands twice, in which the field is a string, null, or missing, or has the name `absent`, unless that "
      "is empty.");
}

}  // namespace lode::python
