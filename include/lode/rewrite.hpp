// Rewriting: a text with other bytes in the place of its matches.
//
// Matches must not overlap, so the searcher has a leftmost match kind. What stands between matches is passed on as it is,
// whatever bytes it has. With a view a match is what stands in the original: from the first byte of its first segment to
// the last byte of its last. If it decodes the text, replacements are put into the text's encoding,
// as they are put into UTF-16 where a form of it was found.
//
//   lode::SearcherOptions options;
//   options.match_kind = lode::MatchKind::leftmost_longest;
//   lode::Searcher searcher(lode::Plan::build(lode::PatternSet{"kitty", "puppy"}), options);
//   searcher.rewrite("a kitty", lode::Replacements::of_all("<{match}>"), sink);   // a <kitty>
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lode/export.hpp"
#include "lode/pattern_set.hpp"
#include "lode/plan.hpp"
#include "lode/records.hpp"
#include "lode/searcher.hpp"

namespace lode {

/// Receives the rewritten text piece by piece. Returns false to end early, which is not an error. Only the thread that
/// called the search calls it.
using ByteSink = std::function<bool(std::string_view)>;

/// Replacements say what stands in the place of matches.
///
/// In a replacement `{id}` is the pattern's id, `{label}` its label or, if it has none, its bytes, `{match}` what matched,
/// and `{form}` the name of the form in which it was found (form_name); `{{` and `}}` are braces. Anything else in braces
/// throws Error(invalid_argument).
class LODE_API Replacements {
 public:
  /// Appends what stands in the place of `match`, whose bytes in the text are `bytes`. Both are UTF-8 if the
  /// match is in another encoding: that which a view decodes, or UTF-16 as its form.
  using Function = std::function<void(const Match& match, std::string_view bytes, std::string& out)>;

  explicit Replacements(Function function);
  /// One replacement for all patterns.
  static Replacements of_all(std::string_view replacement);
  /// A replacement for each pattern, in the order of their ids.
  static Replacements by_id(std::span<const std::string> replacements);
  /// Each pattern's own replacement (PatternSet::replacement), and `others` for patterns that have none.
  static Replacements of_patterns(std::optional<std::string_view> others = {});
  /// A character of ASCII for each byte of a match, so that offsets stay; for each code unit of UTF-16 and UTF-32. A longer
  /// character stands for each character of a match, and for each byte that is not UTF-8. Line breaks within sequences
  /// (Layout) stay as they are. Throws Error(invalid_argument) for anything but one character.
  static Replacements mask(std::string_view character);

  /// Throws Error(invalid_argument), which names a pattern if it can, unless there is a replacement for each.
  void check(const PatternSet& patterns) const;
  void append(const Match& match, std::string_view bytes, const PatternSet& patterns, std::string& out) const;
  bool masks() const;
  /// Whether it masks with a character of ASCII.
  bool masks_bytes() const;

 private:
  struct Part;
  struct State;
  static void append_parts(std::string_view replacement, State& state);
  static Replacements by_id(std::span<const std::string> replacements, bool is_one);

  std::shared_ptr<const State> state_;
};

/// Records with replacements in the place of their matches. Record r is bytes [offsets[r], offsets[r + 1]); a null record
/// is empty.
struct LODE_API RewrittenRecords {
  std::vector<std::uint64_t> offsets;
  std::vector<char> bytes;

  /// Puts more records behind these. `expected_bytes`: about how many bytes there will be in all, if that is known.
  void append(RewrittenRecords&& more, std::uint64_t expected_bytes = 0);
};

/// Rewrites records. `found` has their matches, as RecordSearcher::find gives them by a leftmost kind; `plan` is that of the
/// searcher. 0 threads means all cores.
LODE_API RewrittenRecords rewrite_records(const Records& records, const RecordMatches& found,
                                          const Replacements& replacements, const Plan& plan, unsigned threads = 0);

/// Rewrites a text that comes piece by piece.
class LODE_API RewriteStream {
 public:
  /// Borrows the searcher. Of `run` the members are used that a Stream uses. `on_match` is called for each match before
  /// it is replaced, with its offset in the original; it may be empty.
  RewriteStream(const Searcher& searcher, Replacements replacements, ByteSink sink, RunOptions run = {},
                std::function<void(const Match&)> on_match = {});
  RewriteStream(const RewriteStream&) = delete;
  RewriteStream& operator=(const RewriteStream&) = delete;
  ~RewriteStream();

  /// Takes any number of bytes, and passes on what is certain. Returns false once the sink has ended the search.
  bool push(std::string_view piece);
  /// Passes on now what is certain already, for texts that arrive slowly.
  void flush();
  /// Passes on what is left. Must be called once at the end.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lode
