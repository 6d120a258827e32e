// Binds SearcherCore with its searches of texts, and StreamCore. Its searches of records are in record_searches.cpp.
//
// Each call holds what it searches, releases the GIL, searches, and makes Python's objects when it has the GIL again.
#include <nanobind/stl/string.h>

#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "listener.hpp"
#include "lode/error.hpp"
#include "lode/stream.hpp"
#include "record_searches.hpp"
#include "rewriting.hpp"
#include "searcher.hpp"
#include "stats.hpp"
#include "text.hpp"

namespace lode::python {
namespace {

using nb::literals::operator""_a;

MatchKind match_kind_of(nb::handle given) {
  const std::string name = word_of(given, "match_kind");
  if (name == "overlapping") return MatchKind::overlapping;
  if (name == "leftmost-longest") return MatchKind::leftmost_longest;
  if (name == "leftmost-first") return MatchKind::leftmost_first;
  throw Error(ErrorKind::invalid_argument,
              "there is no match kind '" + name + "'; there are: overlapping leftmost-longest leftmost-first");
}

Condition condition_of(nb::handle given) {
  const std::string name = word_of(given, "condition");
  if (name == "none") return Condition::none;
  if (name == "whole-word") return Condition::whole_word;
  if (name == "whole-line") return Condition::whole_line;
  if (name == "whole-line-crlf") return Condition::whole_line_crlf;
  throw Error(ErrorKind::invalid_argument,
              "there is no condition '" + name + "'; there are: none whole-word whole-line whole-line-crlf");
}

void make_core(SearcherCore* self, const Plan& plan, const Device& device, nb::handle algorithm, nb::handle match_kind,
               nb::handle condition, nb::handle line_terminator, nb::handle threads, nb::handle memory_limit_bytes,
               nb::handle instruction_set) {
  SearcherOptions options;
  options.algorithm = word_of(algorithm, "algorithm");
  options.match_kind = match_kind_of(match_kind);
  options.condition = condition_of(condition);
  const HeldBytes terminator(line_terminator, "a line terminator");
  if (terminator.view().size() != 1) throw Error(ErrorKind::invalid_argument, "a line terminator is one byte");
  options.line_terminator = terminator.view()[0];
  options.threads = threads_of(threads);
  options.memory_limit_bytes = whole_number(memory_limit_bytes, "memory_limit_bytes", most_bytes);
  options.instruction_set = word_of(instruction_set, "instruction_set");
  new (self) SearcherCore(plan, std::move(options), device);
}

/// Makes one search of one text. Calls `search` without the GIL.
template <class Search>
void search_text(const SearcherCore& core, nb::handle source, nb::handle begin, nb::handle end, const Asked& asked,
                 const Search& search) {
  const std::uint64_t first = whole_number(begin, "begin", most_bytes);
  const std::uint64_t last = end.is_none() ? most_bytes : whole_number(end, "end", most_bytes);
  const HeldText held(source);
  Listener listener(asked);
  SearchStats seen;
  listener.run(core.takes_long(held.text().size()), [&](std::stop_token stop, const Progress& progress) {
    RunOptions run;
    run.begin = first;
    run.end = last;
    run.stop = std::move(stop);
    run.progress = progress;
    run.stats = &seen;
    search(core.of_texts(), held.text(), run);
  });
  listener.report(seen);
}

nb::object find(const SearcherCore& core, nb::handle text, nb::handle begin, nb::handle end, const Asked& asked) {
  std::vector<Match> matches;
  search_text(core, text, begin, end, asked, [&](const Searcher& searcher, const Text& held, const RunOptions& run) {
    matches = searcher.find(held, run);
  });
  return bytes_of_matches(std::move(matches));
}

std::uint64_t count(const SearcherCore& core, nb::handle text, nb::handle begin, nb::handle end, const Asked& asked) {
  std::uint64_t matches = 0;
  search_text(core, text, begin, end, asked, [&](const Searcher& searcher, const Text& held, const RunOptions& run) {
    matches = searcher.count(held, run);
  });
  return matches;
}

nb::object count_per_pattern(const SearcherCore& core, nb::handle text, nb::handle begin, nb::handle end,
                             const Asked& asked) {
  std::vector<std::uint64_t> counts;
  search_text(core, text, begin, end, asked, [&](const Searcher& searcher, const Text& held, const RunOptions& run) {
    counts = searcher.count_per_pattern(held, run);
  });
  return numpy_array(std::move(counts));
}

bool contains(const SearcherCore& core, nb::handle text, nb::handle begin, nb::handle end, const Asked& asked) {
  bool found = false;
  search_text(core, text, begin, end, asked, [&](const Searcher& searcher, const Text& held, const RunOptions& run) {
    found = searcher.contains(held, run);
  });
  return found;
}

nb::object find_first(const SearcherCore& core, nb::handle text, nb::handle begin, nb::handle end, const Asked& asked) {
  std::optional<Match> found;
  search_text(core, text, begin, end, asked, [&](const Searcher& searcher, const Text& held, const RunOptions& run) {
    found = searcher.first(held, run);
  });
  if (!found) return nb::none();
  return nb::make_tuple(found->offset, found->pattern_id, std::uint32_t{found->length},
                        std::string(form_name(found->form)));
}

void prepare(const SearcherCore& core, nb::handle of_texts, nb::handle of_records) {
  const bool texts = truth_of(of_texts, "texts");
  const bool records = truth_of(of_records, "records");
  run_without_gil(true, [&](std::stop_token) {
    if (texts) core.of_texts();
    if (records) core.of_records();
  });
}

// A stream that keeps its matches until Python fetches them. Only one thread at a time may use it.
class StreamCore {
 public:
  explicit StreamCore(const SearcherCore& core) : core_(core) {}

  nb::object push(nb::handle piece, nb::handle given_flush) {
    const bool flush = truth_of(given_flush, "flush");
    const HeldBytes held(piece, "a piece of a stream");
    return step(held.view().size(), [&] {
      stream_->push(held.view());
      if (flush) stream_->flush();
    });
  }
  nb::object finish() {
    return step(0, [&] { stream_->finish(); });
  }

 private:
  template <class Work>
  nb::object step(std::uint64_t bytes, const Work& work) {
    if (failed_) throw Error(ErrorKind::invalid_argument, "this stream was given up when a search in it failed");
    waiting_ += bytes;
    failed_ = true;
    run_without_gil(core_.takes_long(waiting_), [&](std::stop_token stop) {
      // The stream keeps one stop token for all its calls. So each call forwards its own stop request to that token.
      if (!stream_) make_stream();
      const std::stop_callback forward(stop, [&] { stop_.request_stop(); });
      work();
    });
    failed_ = false;
    // A stream that has searched keeps only the longest pattern. It does not say that it has searched, but matches show
    // it.
    if (!found_.empty()) waiting_ = 0;
    return bytes_of_matches(std::exchange(found_, {}));
  }
  void make_stream() {
    RunOptions run;
    run.stop = stop_.get_token();
    stream_.emplace(
        core_.of_texts(),
        [this](std::span<const Match> batch) {
          found_.insert(found_.end(), batch.begin(), batch.end());
          return true;
        },
        std::move(run));
  }

  const SearcherCore& core_;
  std::stop_source stop_;
  std::vector<Match> found_;
  std::optional<Stream> stream_;
  std::uint64_t waiting_ = 0;  // how many bytes may not have been searched yet
  bool failed_ = false;
};

}  // namespace

void bind_searcher(nb::module_& module) {
  nb::class_<SearcherCore> core(module, "SearcherCore", "See lode.Searcher.");
  core.def("__init__", &make_core, "plan"_a, "device"_a, "algorithm"_a.none(), "match_kind"_a.none(),
           "condition"_a.none(), "line_terminator"_a.none(), "threads"_a.none(), "memory_limit_bytes"_a.none(),
           "instruction_set"_a.none())
      .def("prepare", &prepare, "texts"_a.none(), "records"_a.none())
      .def_prop_ro("plan", &SearcherCore::plan, nb::rv_policy::copy)
      .def(
          "find", &find, "text"_a.none(), "begin"_a.none(), "end"_a.none(), "asked"_a,
          nb::sig(
              "def find(self, text: object, begin: object, end: object, asked: tuple[object, object]) -> numpy.typing.NDArray[numpy.uint8]"))
      .def("count", &count, "text"_a.none(), "begin"_a.none(), "end"_a.none(), "asked"_a)
      .def("count_per_pattern", &count_per_pattern, "text"_a.none(), "begin"_a.none(), "end"_a.none(), "asked"_a,
           nb::sig(
               "def count_per_pattern(self, text: object, begin: object, end: object, asked: tuple[object, object]) -> "
               "numpy.typing.NDArray[numpy.uint64]"))
      .def("contains", &contains, "text"_a.none(), "begin"_a.none(), "end"_a.none(), "asked"_a)
      .def("rewrite", &rewrite_text, "text"_a.none(), "replacements"_a, "asked"_a)
      .def("rewrite_records", &rewrite_records, "records"_a, "replacements"_a, "asked"_a,
           nb::sig(
               "def rewrite_records(self, records: Records, replacements: tuple[object, object], asked: tuple[object, "
               "object]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint8], "
               "numpy.typing.NDArray[numpy.uint8]]"))
      .def("find_first", &find_first, "text"_a.none(), "begin"_a.none(), "end"_a.none(), "asked"_a,
           nb::sig("def find_first(self, text: object, begin: object, end: object, asked: tuple[object, object]) -> "
                   "tuple[int, int, int, str] | None"));
  def_record_searches(core);

  nb::class_<StreamCore>(module, "StreamCore", "See lode.Searcher.find_iter.")
      .def(nb::init<const SearcherCore&>(), nb::keep_alive<1, 2>(), "searcher"_a)
      .def("push", &StreamCore::push, "piece"_a.none(), "flush"_a.none(),
           nb::sig("def push(self, piece: object, flush: object) -> numpy.typing.NDArray[numpy.uint8]"))
      .def("finish", &StreamCore::finish, nb::sig("def finish(self) -> numpy.typing.NDArray[numpy.uint8]"));
}

}  // namespace lode::python
