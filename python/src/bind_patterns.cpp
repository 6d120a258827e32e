// Binds PatternSet and Plan. Both are immutable in Python, so that searches without the GIL may read them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "forks.hpp"
#include "interruptible.hpp"
#include "listener.hpp"
#include "lode/error.hpp"
#include "lode/plan.hpp"
#include "records.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

// Whether patterns ignore case: one rule for all patterns, or one for each.
class CaseRules {
 public:
  explicit CaseRules(nb::handle given) {
    // A str and a mapping can be iterated, too, but their items are not rules.
    if (PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()) || !nb::hasattr(given, "__iter__") ||
        nb::hasattr(given, "keys")) {
      for_all_ = truth_of(given, "ignore_case, unless it is a list with one for each pattern,");
      return;
    }
    each_.emplace();
    for (const nb::handle rule : nb::iter(given)) {
      const int truth = PyObject_IsTrue(rule.ptr());
      if (truth < 0) nb::raise_python_error();
      each_->push_back(truth != 0);
    }
  }
  bool of(std::size_t id) const {
    if (!each_) return for_all_;
    return id < each_->size() && (*each_)[id];
  }
  std::optional<std::size_t> size() const { return each_ ? std::optional(each_->size()) : std::nullopt; }

 private:
  bool for_all_ = false;
  std::optional<std::vector<bool>> each_;
};

// The forms of patterns: the same for all, or a str or None for each.
class FormLists {
 public:
  explicit FormLists(nb::handle given) {
    if (given.is_none()) return;
    if (PyUnicode_Check(given.ptr())) {
      for_all_ = Forms(word_of(given, "forms"));
      return;
    }
    if (PyBytes_Check(given.ptr()) || !nb::hasattr(given, "__iter__") || nb::hasattr(given, "keys"))
      throw nb::type_error("forms are a str, as in 'utf-16le,json', or a list with one str or None for each pattern");
    each_.emplace();
    for (const nb::handle names : nb::iter(given))
      each_->push_back(names.is_none() ? Forms() : Forms(word_of(names, "the forms of a pattern")));
  }
  Forms of(std::size_t id) const {
    if (!each_) return for_all_;
    return id < each_->size() ? (*each_)[id] : Forms();
  }
  std::optional<std::size_t> size() const { return each_ ? std::optional(each_->size()) : std::nullopt; }

 private:
  Forms for_all_;
  std::optional<std::vector<Forms>> each_;
};

void require_one_for_each(std::optional<std::size_t> given, const PatternSet& set, const char* what) {
  if (given && *given != set.size())
    throw Error(ErrorKind::invalid_argument, "there are " + std::to_string(*given) + " " + what + " for " +
                                                 std::to_string(set.size()) + " patterns: there must be one for each");
}

// Refuses a mapping, too: it can be iterated, but its values would be lost.
void require_items(nb::handle source, const char* what) {
  if (nb::hasattr(source, "__iter__") && !nb::hasattr(source, "keys")) return;
  const bool is_file = is_path(source);
  throw nb::type_error(
      (std::string(what) + ", not " + name_of_type(source) + (is_file ? "; PatternSet.from_file reads a file" : ""))
          .c_str());
}

/// Whether the source is an array of NumPy that holds objects or str. Its buffer would hold pointers or UTF-32.
bool is_array_of_items(nb::handle source) {
  if (!nb::hasattr(source, "dtype") || !nb::hasattr(source, "tolist")) return false;
  const std::string kind = nb::str(source.attr("dtype").attr("kind")).c_str();
  return kind == "O" || kind == "U" || kind == "T";
}

// One text for each pattern, or nothing. `what` is their name, as in "labels", `one` that of one of them.
class TextList {
 public:
  TextList(nb::handle given, const char* what, const char* one) : what_(what) {
    if (given.is_none()) return;
    each_.emplace();
    const std::string is = std::string(what) + " are a list with one str for each pattern";
    if (PyUnicode_Check(given.ptr()) || PyObject_CheckBuffer(given.ptr()) != 0)
      throw nb::type_error((is + "; this is one text: put it in a list").c_str());
    require_items(given, is.c_str());
    for (const nb::handle text : nb::iter(given))
      each_->push_back(text.is_none() ? std::nullopt : std::optional(std::string(HeldBytes(text, one).view())));
  }
  std::optional<std::string_view> of(std::size_t id) const {
    if (!each_ || id >= each_->size() || !(*each_)[id]) return std::nullopt;
    return *(*each_)[id];
  }
  void require_one_for_each(const PatternSet& set) const {
    python::require_one_for_each(each_ ? std::optional(each_->size()) : std::nullopt, set, what_);
  }

 private:
  const char* what_;
  std::optional<std::vector<std::optional<std::string>>> each_;
};

PatternSet make_pattern_set(nb::handle given, nb::handle ignore_case, nb::handle given_labels, nb::handle given_forms,
                            nb::handle given_replacements) {
  const nb::object patterns = is_array_of_items(given) ? nb::object(given.attr("tolist")()) : nb::borrow(given);
  if (PyUnicode_Check(patterns.ptr()) || (PyObject_CheckBuffer(patterns.ptr()) != 0 && !is_arrow(patterns)))
    throw nb::type_error("patterns are a list of bytes or str, or an Arrow column; this is one text: put it in a list");
  if (!is_arrow(patterns)) require_items(patterns, "patterns are a list of bytes or str, or an Arrow column");
  const CaseRules rules(ignore_case);
  const FormLists forms(given_forms);
  const TextList labels(given_labels, "labels", "a label");
  const TextList replacements(given_replacements, "replacements", "a replacement");
  PatternSet set;
  const auto add = [&](std::string_view pattern) {
    const std::size_t id = set.size();
    set.add(pattern, rules.of(id), labels.of(id).value_or(""));
    if (const Forms of_pattern = forms.of(id); !of_pattern.empty())
      set.set_forms(static_cast<std::uint32_t>(id), of_pattern);
    if (const auto replacement = replacements.of(id)) set.set_replacement(static_cast<std::uint32_t>(id), *replacement);
  };
  if (is_arrow(patterns)) {
    const RecordColumn column = RecordColumn::of_any(patterns);
    set.reserve(column.size(), column.total_bytes());
    for (const RecordColumn::Chunk& chunk : column.chunks()) {
      for (std::uint64_t row = 0; row < chunk.size(); ++row) {
        if (chunk.is_null(row))
          throw Error(ErrorKind::invalid_pattern, "pattern " + std::to_string(set.size()) + " is null");
        add(chunk[row]);
      }
    }
  } else {
    for (const nb::handle pattern : nb::iter(patterns)) add(HeldBytes(pattern, "a pattern").view());
  }
  require_one_for_each(rules.size(), set, "case rules");
  require_one_for_each(forms.size(), set, "lists of forms");
  labels.require_one_for_each(set);
  replacements.require_one_for_each(set);
  return set;
}

PatternFormat format_of(nb::handle given) {
  if (given.is_none()) return PatternFormat::by_name;
  const std::string name = word_of(given, "format");
  if (name == "lines") return PatternFormat::lines;
  if (name == "hex") return PatternFormat::hex;
  if (name == "jsonl") return PatternFormat::jsonl;
  throw Error(ErrorKind::invalid_argument, "there is no pattern format '" + name + "'; there are: lines hex jsonl");
}

PatternSet read_pattern_file(nb::handle path, nb::handle format, nb::handle ignore_case,
                             nb::handle strip_carriage_return, const std::string& strip_option, nb::handle forms) {
  const std::string file = path_bytes(path);
  std::vector<std::string> warnings;
  PatternFileOptions options;
  options.format = format_of(format);
  options.ignore_case = truth_of(ignore_case, "ignore_case");
  options.strip_carriage_return = truth_of(strip_carriage_return, "strip_carriage_return");
  options.strip_option = strip_option;
  if (!forms.is_none()) options.forms = Forms(word_of(forms, "forms"));
  options.warning = [&](const std::string& message) { warnings.push_back(message); };
  PatternSet set;
  // The library takes "-" for standard input; in Python it is a file like any other.
  run_without_gil(true, [&](std::stop_token) { append_pattern_file(set, file == "-" ? "./-" : file, options); });
  for (const std::string& message : warnings)
    if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) nb::raise_python_error();
  return set;
}

nb::bytes bytes_of(std::string_view bytes) { return nb::bytes(bytes.data(), bytes.size()); }

nb::str str_of(std::string_view bytes) {
  PyObject* const made = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace");
  if (made == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(made);
}

std::uint32_t checked_id(const PatternSet& set, nb::handle given) {
  std::int64_t id = index_of(given);
  if (id < 0) id += set.size();
  if (id < 0 || id >= static_cast<std::int64_t>(set.size())) throw nb::index_error("there is no pattern of this id");
  return static_cast<std::uint32_t>(id);
}

nb::tuple state_of(const PatternSet& set) {
  nb::list patterns;
  nb::list rules;
  nb::list labels;
  nb::list forms;
  nb::list replacements;
  for (std::uint32_t id = 0; id < set.size(); ++id) {
    patterns.append(bytes_of(set[id]));
    if (set.any_ignore_case()) rules.append(set.ignore_case(id));
    if (set.has_labels()) labels.append(bytes_of(set.label(id)));
    if (set.any_forms()) forms.append(str_of(set.forms(id).names()));
    if (!set.has_replacements()) continue;
    const auto replacement = set.replacement(id);
    replacements.append(replacement ? nb::object(bytes_of(*replacement)) : nb::object(nb::none()));
  }
  nb::object all_rules = set.any_ignore_case() ? nb::object(rules) : nb::object(nb::bool_(false));
  nb::object all_labels = set.has_labels() ? nb::object(labels) : nb::object(nb::none());
  nb::object all_forms = set.any_forms() ? nb::object(forms) : nb::object(nb::none());
  nb::object all_replacements = set.has_replacements() ? nb::object(replacements) : nb::object(nb::none());
  return nb::make_tuple(patterns, all_rules, all_labels, all_forms, all_replacements);
}

Plan build_plan(const PatternSet& patterns, nb::handle text_sample, nb::handle given_threads, nb::object progress,
                const std::string& view) {
  const unsigned threads = threads_of(given_threads);
  std::optional<HeldBytes> sample;
  if (!text_sample.is_none()) sample.emplace(text_sample, "a text sample");
  std::optional<Plan> plan;
  Listener listener(Asked(nb::make_tuple(nb::none(), std::move(progress))));
  listener.run(may_take_long(patterns.total_bytes(), patterns.size()), [&](std::stop_token stop, const Progress& told) {
    PlanOptions options;
    options.progress = told;
    options.view = View(view);
    if (sample) options.text_sample = sample->view();
    options.threads = threads_here(threads);
    options.stop = std::move(stop);
    plan = Plan::build(patterns, options);
  });
  return std::move(*plan);
}

nb::list view_pieces(nb::handle text, const std::string& view) {
  const HeldBytes held(text, "a text");
  ViewedText viewed;
  run_without_gil(false, [&](std::stop_token) { viewed = view_text(held.view(), View(view)); });
  nb::list pieces;
  for (std::size_t at = 0; at < viewed.spans.size(); ++at) {
    const ViewedSpan& span = viewed.spans[at];
    const std::string_view bytes = viewed.viewed(at);
    pieces.append(
        nb::make_tuple(span.original, span.original_end - span.original, nb::bytes(bytes.data(), bytes.size())));
  }
  return pieces;
}

nb::bytes dump(const Plan& plan) {
  std::string blob;
  run_without_gil(false, [&](std::stop_token) { blob = plan.serialize(); });
  return bytes_of(blob);
}

Plan load_blob(nb::handle blob) {
  if (PyUnicode_Check(blob.ptr()))
    throw nb::type_error("a plan is bytes, as dumps() gives them, not str; Plan.load reads a file by its path");
  const HeldBytes held(blob, "a plan");
  std::optional<Plan> plan;
  run_without_gil(false, [&](std::stop_token) { plan = Plan::deserialize(held.view()); });
  return std::move(*plan);
}

void save(const Plan& plan, nb::handle path) {
  const std::string file = path_bytes(path);
  run_without_gil(true, [&](std::stop_token) { plan.save(file); });
}

Plan load_file(nb::handle path) {
  const std::string file = path_bytes(path);
  std::optional<Plan> plan;
  run_without_gil(true, [&](std::stop_token) { plan = Plan::load(file); });
  return std::move(*plan);
}

}  // namespace

void bind_patterns(nb::module_& module) {
  nb::class_<PatternSet>(module, "PatternSet", R"(The patterns of a search, in order; a pattern's id is its index.

patterns     an iterable of bytes, str (taken as UTF-8) or buffers; or an Arrow column of binary or string (anything
             with __arrow_c_array__ or __arrow_c_stream__), without nulls
ignore_case  whether letters match in either case: one bool for all, or one for each pattern
labels       one str for each pattern, which programs may show to people in place of the pattern
forms        other writings of the patterns that are searched for beside them: a str of names with commas, or one str
             (or None) for each pattern. There are utf-16le and utf-16be (of UTF-8), iupac (the letters RYSWKMBDHVN
             stand for bases of DNA), reverse-complement (the other strand), base64, and json (of UTF-8, with all but
             ASCII escaped)
replacements one str or bytes (or None) for each pattern: what `Searcher.replace` puts in the place of its matches

Equal patterns keep their ids and are each reported. The limits are 1 byte to 1 MiB for a pattern, 16 777 216 patterns,
and 4 GiB for the bytes of all patterns. Raises lode.Error of kind 'invalid_pattern' for an empty pattern or a null,
'limit' beyond the limits, 'invalid_argument' if there are more or fewer rules or labels than patterns, for braces that
a replacement may not have, and for a str without a UTF-8 form. Immutable.)")
      .def(
          "__init__",
          [](PatternSet* self, nb::handle patterns, nb::handle ignore_case, nb::handle labels, nb::handle forms,
             nb::handle replacements) {
            new (self) PatternSet(make_pattern_set(patterns, ignore_case, labels, forms, replacements));
          },
          "patterns"_a.none(), nb::kw_only(), nb::arg("ignore_case").none() = false, "labels"_a = nb::none(),
          "forms"_a = nb::none(), "replacements"_a = nb::none(),
          nb::sig("def __init__(self, patterns: object, *, ignore_case: bool | collections.abc.Iterable[bool] = False, "
                  "labels: collections.abc.Iterable[str | bytes | None] | None = None, "
                  "forms: str | collections.abc.Iterable[str | None] | None = None, "
                  "replacements: collections.abc.Iterable[str | bytes | None] | None = None) -> None"))
      .def_static(
          "from_file",
          [](nb::handle path, nb::handle format, nb::handle ignore_case, nb::handle strip_carriage_return,
             nb::handle forms) {
            return read_pattern_file(path, format, ignore_case, strip_carriage_return, "strip_carriage_return=True",
                                     forms);
          },
          "path"_a.none(), nb::kw_only(), "format"_a = nb::none(), nb::arg("ignore_case").none() = false,
          nb::arg("strip_carriage_return").none() = false, "forms"_a = nb::none(),
          nb::sig("def from_file(path: str | bytes | os.PathLike[str], *, format: str | None = None, ignore_case: "
                  "bool = False, strip_carriage_return: bool = False, forms: str | None = None) -> PatternSet"),
          R"(Reads a pattern file.

format                 'lines' means a pattern on each line. 'hex' means the same in hexadecimal; there may be blanks
                       between bytes. 'jsonl' means an object on each line, with 'text', 'hex' or 'base64', and perhaps
                       'label', 'ignore_case', 'forms' and 'replacement', but no other keys. None means 'jsonl' or
                       'hex' if the name ends in .jsonl or .hex, else 'lines'
ignore_case            the rule for patterns whose line has none
strip_carriage_return  for 'lines': whether to drop a CR before each LF; else it is kept, with a warning
forms                  of patterns whose line has none, as PatternSet takes them

Raises lode.Error of kind 'input_output' if the file cannot be read, 'invalid_pattern' with file and line if it is
malformed. Warns (UserWarning) of empty lines, which take no id.)")
      .def("__len__", &PatternSet::size)
      .def(
          "__getitem__", [](const PatternSet& set, nb::handle id) { return bytes_of(set[checked_id(set, id)]); },
          "id"_a.none(), nb::sig("def __getitem__(self, id: int) -> bytes"),
          "The bytes of a pattern, as they were given.")
      .def(
          "label", [](const PatternSet& set, nb::handle id) { return str_of(set.label(checked_id(set, id))); },
          "id"_a.none(), nb::sig("def label(self, id: int) -> str"), "The label of a pattern; empty if it has none.")
      .def(
          "ignore_case", [](const PatternSet& set, nb::handle id) { return set.ignore_case(checked_id(set, id)); },
          "id"_a.none(), nb::sig("def ignore_case(self, id: int) -> bool"), "Whether a pattern ignores case.")
      .def(
          "forms", [](const PatternSet& set, nb::handle id) { return set.forms(checked_id(set, id)).names(); },
          "id"_a.none(), nb::sig("def forms(self, id: int) -> str"),
          "The forms of a pattern, separated by commas. Those of a plan leave out what spells nothing else.")
      .def(
          "replacement",
          [](const PatternSet& set, nb::handle id) -> std::optional<nb::bytes> {
            const auto replacement = set.replacement(checked_id(set, id));
            return replacement ? std::optional(bytes_of(*replacement)) : std::nullopt;
          },
          "id"_a.none(), nb::sig("def replacement(self, id: int) -> bytes | None"),
          "What stands in the place of a pattern's matches; None if it has no replacement.")
      .def_prop_ro("has_replacements", &PatternSet::has_replacements, "Whether some pattern has a replacement.")
      .def_prop_ro("has_labels", &PatternSet::has_labels, "Whether labels were given.")
      .def_prop_ro("total_bytes", &PatternSet::total_bytes, "The number of bytes of all patterns together.")
      .def_prop_ro("min_length", &PatternSet::min_length,
                   "The number of bytes of the shortest pattern; 0 for an empty set.")
      .def_prop_ro("max_length", &PatternSet::max_length,
                   "The number of bytes of the longest pattern; 0 for an empty set.")
      .def("__repr__",
           [](const PatternSet& set) {
             return "<lode.PatternSet: " + std::to_string(set.size()) + " patterns of " +
                    std::to_string(set.total_bytes()) + " bytes>";
           })
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](PatternSet& self, const nb::tuple& state) {
            new (&self) PatternSet(make_pattern_set(state[0], state[1], state[2], state[3], state[4]));
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));

  nb::class_<Plan>(module, "Plan", R"(Compiled patterns, as lode.compile makes them: tables for searches on any device.

It is immutable and safe to use from any number of threads. It can be saved, sent as one blob, and pickled. Only the
version of the library that has written a plan can read it.)")
      .def("dumps", &dump, "The plan as one blob of bytes.")
      .def_static(
          "loads", &load_blob, "blob"_a.none(), nb::sig("def loads(blob: bytes | typing_extensions.Buffer) -> Plan"),
          "Makes a plan of a blob. Raises lode.Error of kind 'damaged_plan' for anything but an intact plan of this "
          "version.")
      .def("save", &save, "path"_a.none(), nb::sig("def save(self, path: str | bytes | os.PathLike[str]) -> None"),
           "Writes the plan to a file, under another name first, so that nothing half written is left. Raises "
           "lode.Error of kind 'input_output'.")
      .def_static("load", &load_file, "path"_a.none(),
                  nb::sig("def load(path: str | bytes | os.PathLike[str]) -> Plan"),
                  "Reads a plan that was saved. Raises lode.Error of kind 'input_output' or 'damaged_plan'.")
      .def_prop_ro("patterns", &Plan::patterns, nb::rv_policy::reference_internal,
                   "The patterns that it was made of, as the view shows them.")
      .def_prop_ro(
          "view", [](const Plan& plan) { return plan.view().name(); },
          "The steps of the view that texts are searched through; empty if there is none.")
      .def_prop_ro(
          "forms", [](const Plan& plan) { return plan.forms().names(); },
          "The forms of all patterns together, separated by commas. Unless there are none, matches tell their form.")
      .def_prop_ro("memory_bytes", &Plan::memory_bytes, "The memory of the tables and the patterns together, in bytes.")
      .def_prop_ro("distinct_count", &Plan::distinct_count,
                   "The number of patterns and spellings of their forms, if equal ones count once.")
      .def("__repr__",
           [](const Plan& plan) {
             return "<lode.Plan: " + std::to_string(plan.patterns().size()) + " patterns, " +
                    std::to_string(plan.memory_bytes()) + " bytes>";
           })
      .def("__getstate__", &dump)
      .def("__setstate__", [](Plan& self, const nb::bytes& blob) { new (&self) Plan(load_blob(blob)); });

  module.def("read_pattern_file", &read_pattern_file, "path"_a.none(), "format"_a.none(), "ignore_case"_a.none(),
             "strip_carriage_return"_a.none(), "strip_option"_a, "forms"_a.none(),
             "As PatternSet.from_file, with the name of the option that the warning about CRs mentions.");
  module.def("build_plan", &build_plan, "patterns"_a, "text_sample"_a.none(), "threads"_a.none(), "progress"_a.none(),
             "view"_a, "See lode.compile.");
  module.def(
      "view_text", &view_pieces, "text"_a.none(), "view"_a,
      nb::sig("def view_text(text: str | bytes | typing_extensions.Buffer, view: str) -> list[tuple[int, int, bytes]]"),
      R"(What a view shows of a text, and where it comes from: a list of (offset, length, viewed).

Offset and length are bytes of the original. A piece is a run of characters that are as long as they were, or a segment
of which other bytes were made. What the view drops lies in no piece. See lode.compile for the steps of a view.)");
}

}  // namespace lode::python
