#include "lode/rewrite.hpp"

#include <algorithm>
#include <utility>

#include "gpu/engine/resident.hpp"
#include "lode/error.hpp"
#include "lode/resident_text.hpp"
#include "lode/stream.hpp"
#include "plan/replacement_parts.hpp"
#include "search/match_replacer.hpp"
#include "text/unicode.hpp"

namespace lode {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 20;  // of a text that does not lie in memory, at a time
constexpr std::size_t gathered_bytes = std::size_t{1} << 16;
// A longer piece of the text is passed on where it lies. A shorter one costs more as a call of its own.
constexpr std::size_t copied_bytes = std::size_t{4} << 10;

// Gathers short pieces, and passes on long ones as they are.
class Gatherer {
 public:
  explicit Gatherer(const ByteSink& sink) : sink_(sink) {}

  /// Both return false once the sink wants no more.
  bool add(std::string_view bytes) {
    if (bytes.size() > copied_bytes) return flush() && (wanted_ = sink_(bytes));
    gathered_ += bytes;
    return gathered_.size() < gathered_bytes || flush();
  }
  bool flush() {
    if (wanted_ && !gathered_.empty()) wanted_ = sink_(gathered_);
    gathered_.clear();
    return wanted_;
  }
  std::string& gathered() { return gathered_; }

 private:
  const ByteSink& sink_;
  std::string gathered_;
  bool wanted_ = true;
};

void require_leftmost(const Searcher& searcher) {
  if (searcher.options().match_kind == MatchKind::overlapping)
    throw Error(ErrorKind::unsupported, "matches that may overlap cannot be replaced: take a leftmost match kind");
}

void require_known_end(const Match& match) {
  if (match.length == max_match_length)
    throw Error(ErrorKind::limit, "the match at " + std::to_string(match.offset) + " is too long to be replaced");
}

}  // namespace

// Some bytes of a replacement, and the field behind them.
struct Replacements::Part {
  std::uint64_t end = 0;  // of its bytes, in State::bytes; they begin where those before it end
  ReplacementPart::Field field = ReplacementPart::Field::none;
};

struct Replacements::State {
  Function function = {};      // if there is one, it does all
  std::string character = {};  // that masks; empty: none
  bool are_own = false;        // patterns have their own, and the one below is that of those that have none
  bool is_one = false;         // there is one replacement for all patterns
  std::string bytes = {};      // of all replacements
  std::vector<Part> parts = {};
  std::vector<std::uint64_t> ends = {};  // of each replacement's parts
};

Replacements::Replacements(Function function) {
  State state;
  state.function = std::move(function);
  state_ = std::make_shared<const State>(std::move(state));
}

void Replacements::append_parts(std::string_view replacement, State& state) {
  for (std::string_view rest = replacement; !rest.empty();) {
    const ReplacementPart part = take_part(replacement, rest);
    state.bytes += part.bytes;
    if (part.field != ReplacementPart::Field::none) state.parts.push_back({state.bytes.size(), part.field});
  }
  state.parts.push_back({state.bytes.size(), ReplacementPart::Field::none});
  state.ends.push_back(state.parts.size());
}

Replacements Replacements::of_all(std::string_view replacement) {
  return by_id(std::vector<std::string>{std::string(replacement)}, true);
}

Replacements Replacements::by_id(std::span<const std::string> replacements) { return by_id(replacements, false); }

Replacements Replacements::by_id(std::span<const std::string> replacements, bool is_one) {
  State state;
  state.is_one = is_one;
  for (const std::string& replacement : replacements) append_parts(replacement, state);
  Replacements result{Function()};
  result.state_ = std::make_shared<const State>(std::move(state));
  return result;
}

Replacements Replacements::of_patterns(std::optional<std::string_view> others) {
  State state;
  state.are_own = state.is_one = true;
  if (others) append_parts(*others, state);
  Replacements result{Function()};
  result.state_ = std::make_shared<const State>(std::move(state));
  return result;
}

Replacements Replacements::mask(std::string_view character) {
  const text::DecodedCharacter decoded = character.empty() ? text::DecodedCharacter() : text::decode_utf8(character);
  if (!decoded.is_valid || decoded.length != character.size())
    throw Error(ErrorKind::invalid_argument, "'" + std::string(character) + "' is not one character, to mask with");
  State state;
  state.character = character;
  Replacements result{Function()};
  result.state_ = std::make_shared<const State>(std::move(state));
  return result;
}

bool Replacements::masks() const { return !state_->character.empty(); }
bool Replacements::masks_bytes() const { return state_->character.size() == 1; }

void Replacements::check(const PatternSet& patterns) const {
  if (state_->are_own && state_->ends.empty()) {
    for (std::uint32_t id = 0; id < patterns.size(); ++id) {
      if (patterns.has_replacement(id)) continue;
      const std::string_view label = patterns.label(id);
      throw Error(ErrorKind::invalid_argument,
                  "pattern " + std::to_string(id) + ", '" + std::string(label.empty() ? patterns[id] : label) +
                      "', has no replacement of its own, and there is none for all others");
    }
  }
  const bool are_by_id = !state_->function && state_->character.empty() && !state_->is_one;
  if (are_by_id && state_->ends.size() != patterns.size())
    throw Error(ErrorKind::invalid_argument, "there are " + std::to_string(state_->ends.size()) + " replacements for " +
                                                 std::to_string(patterns.size()) +
                                                 " patterns: there must be one for each");
}

void Replacements::append(const Match& match, std::string_view bytes, const PatternSet& patterns,
                          std::string& out) const {
  if (state_->function) return state_->function(match, bytes, out);
  if (const std::string& character = state_->character; character.size() == 1) {
    out.append(bytes.size(), character[0]);
    return;
  } else if (!character.empty()) {
    for (; !bytes.empty(); bytes.remove_prefix(text::decode_utf8(bytes).length)) out += character;
    return;
  }
  const auto fill_in = [&](ReplacementPart::Field field) {
    switch (field) {
      case ReplacementPart::Field::none: break;
      case ReplacementPart::Field::id: out += std::to_string(match.pattern_id); break;
      case ReplacementPart::Field::label: {
        const std::string_view label = patterns.label(match.pattern_id);
        out += label.empty() ? patterns[match.pattern_id] : label;
        break;
      }
      case ReplacementPart::Field::match: out += bytes; break;
      case ReplacementPart::Field::form: out += form_name(match.form); break;
    }
  };
  if (state_->are_own) {
    if (const auto own = patterns.replacement(match.pattern_id)) {
      for (std::string_view rest = *own; !rest.empty();) {
        const ReplacementPart part = take_part(*own, rest);
        out += part.bytes;
        fill_in(part.field);
      }
      return;
    }
  }
  const std::size_t index = state_->is_one ? 0 : match.pattern_id;
  for (std::uint64_t at = index == 0 ? 0 : state_->ends[index - 1]; at < state_->ends[index]; ++at) {
    const std::uint64_t begin = at == 0 ? 0 : state_->parts[at - 1].end;
    const Part& part = state_->parts[at];
    out.append(state_->bytes, begin, part.end - begin);
    fill_in(part.field);
  }
}

std::uint64_t Searcher::rewrite(const Text& text, const Replacements& replacements, const ByteSink& sink,
                                const RunOptions& run, const std::function<void(const Match&)>& on_match) const {
  require_leftmost(*this);
  MatchReplacer replacer(replacements, plan());
  Gatherer out(sink);
  std::string piece;
  const auto bytes_of = [&](std::uint64_t begin, std::uint64_t end) -> std::string_view {
    if (text.resident() == nullptr && text.source() == nullptr) return text.bytes().substr(begin, end - begin);
    piece.resize(end - begin);
    if (text.source() != nullptr)
      text.source()->read(begin, piece);
    else
      text.resident()->data().read(begin, piece);
    return piece;
  };
  const bool lies_in_memory = text.resident() == nullptr && text.source() == nullptr;
  std::uint64_t own_not_before = 0;
  RunOptions part = run;
  if (part.not_before == nullptr) part.not_before = &own_not_before;
  std::uint64_t at = std::max(run.begin, *part.not_before);
  const auto pass_on = [&](std::uint64_t until) {
    bool wanted = true;
    while (wanted && at < until) {
      const std::uint64_t end = lies_in_memory ? until : at + std::min<std::uint64_t>(until - at, read_bytes);
      wanted = out.add(bytes_of(at, end));
      at = end;
    }
    return wanted;
  };
  replacer.begin_text(bytes_of(0, std::min<std::uint64_t>(text.size(), text::Decoder::head_bytes)));
  bool wanted = true;
  std::uint64_t replaced = 0;
  find(
      text,
      [&](std::span<const Match> matches) {
        for (const Match& match : matches) {
          require_known_end(match);
          if (on_match) on_match(match);
          if (!(wanted = pass_on(match.offset))) return false;
          at = match.offset + match.length;
          replacer.append(match, bytes_of(match.offset, at), out.gathered());
          ++replaced;
          if (!(wanted = out.add({}))) return false;
        }
        return true;
      },
      part);
  if (wanted && pass_on(std::min(run.end, text.size()))) out.flush();
  return replaced;
}

struct RewriteStream::State {
  State(const Searcher& searcher, Replacements replacements, ByteSink sink, RunOptions run,
        std::function<void(const Match&)> on_match)
      : replacements(std::move(replacements)),
        replacer(this->replacements, searcher.plan()),
        sink(std::move(sink)),
        on_match(std::move(on_match)),
        stream(
            searcher,
            [this](std::span<const Match> matches) {
              for (const Match& match : matches) replace(match);
              return wanted;
            },
            std::move(run)) {}

  void replace(const Match& match) {
    require_known_end(match);
    if (!wanted) return;
    if (on_match) on_match(match);
    pass_on(match.offset);
    const std::uint64_t begin = at - base;
    if (wanted) replacer.append(match, std::string_view(kept).substr(begin, match.length), out.gathered());
    at += match.length;
    wanted = wanted && out.add({});
  }
  void pass_on(std::uint64_t until) {
    if (until <= at) return;
    if (wanted) wanted = out.add(std::string_view(kept).substr(at - base, until - at));
    at = until;
  }
  // Passes on all that is certain, and forgets it.
  bool settle() {
    pass_on(stream.searched());
    wanted = out.flush() && wanted;
    kept.erase(0, at - base);
    base = at;
    return wanted;
  }

  // Takes more of the text.
  void keep(std::string_view bytes) {
    if (head.size() < text::Decoder::head_bytes) {
      head += bytes.substr(0, text::Decoder::head_bytes - head.size());
      replacer.begin_text(head);
    }
    kept += bytes;
  }

  const Replacements replacements;
  MatchReplacer replacer;
  std::string head;  // the first bytes of the text
  const ByteSink sink;
  const std::function<void(const Match&)> on_match;
  Gatherer out{sink};
  std::string kept;        // the text from `base` on
  std::uint64_t base = 0;  // offset of kept[0] in the stream
  std::uint64_t at = 0;    // what stands before it was passed on
  bool wanted = true;
  Stream stream;
};

RewriteStream::RewriteStream(const Searcher& searcher, Replacements replacements, ByteSink sink, RunOptions run,
                             std::function<void(const Match&)> on_match) {
  require_leftmost(searcher);
  state_ =
      std::make_unique<State>(searcher, std::move(replacements), std::move(sink), std::move(run), std::move(on_match));
}

RewriteStream::~RewriteStream() = default;

bool RewriteStream::push(std::string_view piece) {
  while (!piece.empty() && state_->wanted) {
    const std::string_view some = piece.substr(0, read_bytes);  // so that no more is kept at a time
    piece.remove_prefix(some.size());
    state_->keep(some);
    state_->stream.push(some);
    state_->settle();
  }
  return state_->wanted;
}

void RewriteStream::flush() {
  state_->stream.flush();
  state_->settle();
}

void RewriteStream::finish() {
  state_->stream.finish();
  state_->settle();
}

}  // namespace lode
