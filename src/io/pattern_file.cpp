// Pattern files: they are read in one pass over the bytes, line by line, in one of three formats.

#include <algorithm>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/input.hpp"
#include "lode/error.hpp"
#include "lode/pattern_set.hpp"

namespace lode {
namespace {

struct Location {
  const std::string& name;
  std::uint64_t line;
};

[[noreturn]] void fail(const Location& at, const std::string& reason) {
  throw Error(ErrorKind::invalid_pattern, at.name + ":" + std::to_string(at.line) + ": " + reason);
}

std::optional<unsigned> hex_digit(char byte) {
  if (byte >= '0' && byte <= '9') return static_cast<unsigned>(byte - '0');
  if (byte >= 'a' && byte <= 'f') return static_cast<unsigned>(byte - 'a' + 10);
  if (byte >= 'A' && byte <= 'F') return static_cast<unsigned>(byte - 'A' + 10);
  return std::nullopt;
}

bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }

void decode_hex(std::string_view digits, const Location& at, std::string& bytes) {
  bytes.clear();
  for (std::size_t i = 0; i < digits.size();) {
    if (is_blank(digits[i])) {
      ++i;
      continue;
    }
    const auto digit_at = [&](std::size_t place) -> std::optional<unsigned> {
      if (place >= digits.size() || is_blank(digits[place])) return std::nullopt;
      if (const auto digit = hex_digit(digits[place])) return digit;
      const auto code = static_cast<unsigned char>(digits[place]);
      fail(at, code > ' ' && code < 0x7f ? std::string("'") + digits[place] + "' is not a hexadecimal digit"
                                         : "a byte is not a hexadecimal digit");
    };
    const auto high = digit_at(i);
    const auto low = digit_at(i + 1);
    if (!low) fail(at, "a byte needs two hexadecimal digits, side by side");
    bytes.push_back(static_cast<char>(*high * 16 + *low));
    i += 2;
  }
}

// Decodes base64 with padding, as RFC 4648 defines it.
std::string decode_base64(std::string_view digits, const Location& at) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  if (digits.size() % 4 != 0) fail(at, "\"base64\" must have a multiple of four digits, padded with '='");
  const std::size_t padding = digits.ends_with("==") ? 2 : digits.ends_with('=') ? 1 : 0;
  std::uint32_t group = 0;
  unsigned bits = 0;
  for (const char digit : digits.substr(0, digits.size() - padding)) {
    const std::size_t value = alphabet.find(digit);
    if (value == std::string_view::npos) fail(at, "\"base64\" has a byte that is not a base64 digit");
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<char>(group >> bits & 0xff));
  }
  return bytes;
}

// Returns the bytes of the pattern. Exactly one of "text", "hex" and "base64" must be there.
std::string bytes_of(const nlohmann::json& object, const Location& at) {
  const nlohmann::json* found = nullptr;
  std::string_view form;
  for (const char* const key : {"text", "hex", "base64"}) {
    const auto value = object.find(key);
    if (value == object.end()) continue;
    if (found != nullptr) fail(at, "a pattern has one of \"text\", \"hex\" and \"base64\"");
    if (!value->is_string()) fail(at, std::string("\"") + key + "\" must be a string");
    found = &*value;
    form = key;
  }
  if (found == nullptr) fail(at, "a pattern needs \"text\", \"hex\" or \"base64\"");
  const auto& digits = found->get_ref<const std::string&>();
  if (form == "text") return digits;
  if (form == "base64") return decode_base64(digits, at);
  std::string bytes;
  decode_hex(digits, at, bytes);
  return bytes;
}

void refuse_unknown_keys(const nlohmann::json& object, const Location& at) {
  constexpr std::string_view known[] = {"text", "hex", "base64", "label", "ignore_case", "forms", "replacement"};
  for (const auto& [key, value] : object.items()) {
    if (std::find(std::begin(known), std::end(known), key) != std::end(known)) continue;
    fail(at, "unknown key " + nlohmann::json(key).dump() +
                 "; known are text, hex, base64, label, ignore_case, forms and replacement");
  }
}

std::string label_of(const nlohmann::json& object, const Location& at) {
  const auto found = object.find("label");
  if (found == object.end() || found->is_null()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return found->dump();
  fail(at, "\"label\" must be a string or a number");
}

Forms forms_of(const nlohmann::json& object, const Location& at, Forms usual) {
  const auto found = object.find("forms");
  if (found == object.end()) return usual;
  const char* const wanted = "\"forms\" must be a list of names, or a string with commas";
  try {
    if (found->is_string()) return Forms(found->get_ref<const std::string&>());
    if (!found->is_array()) fail(at, wanted);
    Forms forms;
    for (const nlohmann::json& name : *found) {
      if (!name.is_string()) fail(at, wanted);
      forms = forms.with(Forms(name.get_ref<const std::string&>()));
    }
    return forms;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::invalid_argument) throw;
    fail(at, "\"forms\": " + std::string(error.what()));
  }
}

void set_json_replacement(PatternSet& patterns, std::uint32_t id, const nlohmann::json& object, const Location& at) {
  const auto found = object.find("replacement");
  if (found == object.end() || found->is_null()) return;
  if (!found->is_string()) fail(at, "\"replacement\" must be a string");
  try {
    patterns.set_replacement(id, found->get_ref<const std::string&>());
  } catch (const Error& error) {
    fail(at, "\"replacement\": " + std::string(error.what()));
  }
}

void add_json_pattern(PatternSet& patterns, std::string_view line, const Location& at,
                      const PatternFileOptions& options) {
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& error) {
    // The library's message begins with its own error number in brackets, which does not help the user.
    const std::string_view message = error.what();
    const std::size_t start = message.find("] ");
    fail(at, "malformed JSON: " + std::string(start == std::string_view::npos ? message : message.substr(start + 2)));
  }
  if (!object.is_object()) fail(at, "expected a JSON object with \"text\", \"hex\" or \"base64\"");
  refuse_unknown_keys(object, at);
  const std::string bytes = bytes_of(object, at);
  bool ignore_case = options.ignore_case, keeps_case = false;
  if (const auto found = object.find("ignore_case"); found != object.end()) {
    if (!found->is_boolean()) fail(at, "\"ignore_case\" must be true or false");
    ignore_case = found->get<bool>();
    keeps_case = !ignore_case;
  }
  if (bytes.empty()) fail(at, "empty pattern");
  const std::uint32_t id = patterns.add(bytes, ignore_case, label_of(object, at));
  if (keeps_case) patterns.keep_case(id);
  if (const Forms forms = forms_of(object, at, options.forms); !forms.empty()) patterns.set_forms(id, forms);
  set_json_replacement(patterns, id, object, at);
}

std::string plural(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

void append_pattern_text(PatternSet& patterns, std::string_view content, const std::string& name,
                         const PatternFileOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
  const PatternFormat format = options.format != PatternFormat::by_name ? options.format
                               : name.ends_with(".jsonl")               ? PatternFormat::jsonl
                               : name.ends_with(".hex")                 ? PatternFormat::hex
                                                                        : PatternFormat::lines;
  if (options.warning && (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")))
    options.warning(name + ": it begins like UTF-16, but its bytes are taken as they are: a list is read as UTF-8");
  std::uint64_t line_number = 0;
  std::uint64_t empty_lines = 0, first_empty_line = 0;
  std::uint64_t carriage_returns = 0, first_carriage_return = 0;
  std::string bytes;
  const auto add = [&](std::string_view pattern) {
    const std::uint32_t id = patterns.add(pattern, options.ignore_case);
    if (!options.forms.empty()) patterns.set_forms(id, options.forms);
  };
  if (format == PatternFormat::lines) {
    const auto lines = static_cast<std::uint64_t>(std::count(content.begin(), content.end(), '\n')) + 1;
    patterns.reserve(patterns.size() + lines, patterns.total_bytes() + content.size());
  }
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t newline = content.find('\n', begin);
    const std::size_t end = newline == std::string_view::npos ? content.size() : newline;
    std::string_view line = content.substr(begin, end - begin);
    begin = end + 1;
    ++line_number;
    const Location at{name, line_number};
    if (format == PatternFormat::lines) {
      if (!line.empty() && line.back() == '\r') {
        if (options.strip_carriage_return) {
          line.remove_suffix(1);
        } else if (carriage_returns++ == 0) {
          first_carriage_return = line_number;
        }
      }
    } else {
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    }
    if (line.empty()) {
      if (empty_lines++ == 0) first_empty_line = line_number;
      continue;
    }
    try {
      switch (format) {
        case PatternFormat::by_name:
        case PatternFormat::lines: add(line); break;
        case PatternFormat::hex:
          decode_hex(line, at, bytes);
          add(bytes);
          break;
        case PatternFormat::jsonl: add_json_pattern(patterns, line, at, options); break;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::limit) throw;
      throw Error(ErrorKind::limit, name + ":" + std::to_string(line_number) + ": " + error.what());
    }
  }
  if (!options.warning) return;
  if (empty_lines > 0) {
    options.warning(name + ":" + std::to_string(first_empty_line) + ": empty line skipped" +
                    (empty_lines > 1 ? " (and " + plural(empty_lines - 1, "more empty line") + ")" : ""));
  }
  if (carriage_returns > 0) {
    options.warning(name + ":" + std::to_string(first_carriage_return) +
                    ": line ends in CR LF; the CR is kept as a part of the pattern" +
                    (carriage_returns > 1 ? " (here and in " + plural(carriage_returns - 1, "more line") + ")" : "") +
                    "; " + options.strip_option + " drops it");
  }
}

void append_pattern_file(PatternSet& patterns, const std::filesystem::path& path, const PatternFileOptions& options) {
  io::Input input = path == "-" ? io::Input::standard_input() : io::Input::open(path.native());
  const std::string content = input.read_all();
  append_pattern_text(patterns, content, input.name(), options);
}

}  // namespace lode
