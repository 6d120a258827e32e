#include "cli/arguments/options.hpp"

namespace lode::command {
namespace {

using enum ArgumentKind;
using Id = OptionId;

constexpr char patterns[] = "Patterns";
constexpr char output[] = "What is written";
constexpr char with[] = "How it is written";
constexpr char where[] = "Where to search";
constexpr char how[] = "How to search";
constexpr char measuring[] = "Measuring and checking";
constexpr char help[] = "Help";
constexpr char accepted[] = "Accepted, because lode does so anyway";

constexpr Option table[] = {
    {Id::pattern, 'e', "pattern", "PATTERN", free, nullptr, patterns, "search for PATTERN; may be repeated",
     "PATTERN is taken byte by byte and never split at newlines. An empty PATTERN is an error. If -e, -f or --plan is "
     "given, every argument that is not an option is a PATH. Pattern ids count from 0, in the order of -e and -f on the "
     "command line.",
     "regexp"},
    {Id::pattern_file, 'f', "file", "FILE", file, nullptr, patterns, "search for the patterns in FILE; may be repeated",
     "`-` reads the patterns from standard input. --pattern-format sets the format. Empty lines are skipped with a "
     "warning and have no id. An empty list matches nothing."},
    {Id::pattern_format, 0, "pattern-format", "FORMAT", choice, "lines hex jsonl", patterns,
     "format of all pattern files: lines, hex or jsonl",
     "The default is jsonl or hex for a file whose name ends in .jsonl or .hex, and lines for any other. lines: each line is a pattern, "
     "all its bytes up to LF; a CR is kept, with one warning, unless --crlf is given. hex: each line is a pattern in "
     "hexadecimal digits, with blanks between bytes if you like. jsonl: each line is a JSON object with \"text\", \"hex\" or "
     "\"base64\", and optionally \"label\" (shown by --pattern-id, --json and --count-per-pattern), \"ignore_case\" "
     "(true or false; without it -i decides), \"forms\" (a list, or a string with commas; without it --forms decides) and "
     "\"replacement\" (for --replace and --own-replacements); any other key is an error. A byte order mark at the start of the file is "
     "skipped. The option needs -f."},
    {Id::crlf, 0, "crlf", nullptr, none, nullptr, patterns, "lines end in CR LF, in pattern files and in texts",
     "A CR before the LF belongs neither to a pattern that -f reads nor, for -x, to a line. Lines are written as they are."},
    {Id::ignore_case, 'i', "ignore-case", nullptr, none, nullptr, patterns, "ignore case",
     "The case of all letters that fold to one, by Unicode's simple case folding, as with --view fold-simple.", "y"},
    {Id::no_ignore_case, 0, "no-ignore-case", nullptr, none, nullptr, patterns, "case matters; cancels an earlier -i",
     ""},
    {Id::view, 0, "view", "STEPS", free, nullptr, patterns, "differences in writing that do not count",
     "STEPS are separated by commas: nfc, nfd, nfkc or nfkd (Unicode's normalization forms), drop-ignorable (soft hyphens, "
     "zero-width characters), fold-ascii, fold-simple or fold (case; fold takes \xc3\x9f for ss), drop-marks (\xc3\xa9 is "
     "e), drop-punctuation or punctuation-as-space, one-space (blanks in a row count as one) or drop-space. words stands for "
     "nfkc,drop-ignorable,fold,punctuation-as-space,one-space. Texts may also be decoded, by the name of an --encoding, or "
     "fasta or fastq: the sequences of such a file, without line breaks. Steps run in a fixed order. PATTERNs are taken "
     "for UTF-8, and so are texts that no step decodes; what is written is the original, and a match begins and ends with "
     "whole characters of it. With -i a view without a fold gets fold-simple. A stream of sequences is searched as a "
     "whole, within --memory-limit."},
    {Id::forms, 0, "forms", "FORMS", free, nullptr, patterns, "other writings of the patterns to search for, too",
     "FORMS are separated by commas. utf-16le, utf-16be: the PATTERN in UTF-16, in all its cases with -i. base64: what "
     "base64 makes of it, wherever it stands in what was encoded. json: as a JSON string has it that escapes all but "
     "ASCII. iupac: the letters RYSWKMBDHVN of DNA stand for bases. reverse-complement: the other strand; with iupac its "
     "letters, too. A match in another writing has the id of its PATTERN and is counted with it. --offsets and --json tell "
     "which form it is. A pattern with \"forms\" of its own in a jsonl file has those instead. A form that makes more than "
     "4096 spellings of a PATTERN is an error. Not with --plan, which has its own."},
    {Id::encoding, 0, "encoding", "NAME", free, nullptr, patterns, "the encoding of the texts, if it is not UTF-8",
     "NAME is utf-16, utf-16le, utf-16be, utf-32 (and its kinds), latin-1, iso-8859-1 to 16, windows-1250 to 1258, koi8-r, "
     "koi8-u, or auto: by the byte order mark, else UTF-8. utf-16 and utf-32 go by the mark, and are little-endian without "
     "one. Lines end where the decoded text has LF, and are written as UTF-8; places are counted in it, too. With --offsets "
     "they are those in the original. What cannot be decoded is U+FFFD, which nothing matches. PATTERNs are UTF-8."},
    {Id::word, 'w', "word", nullptr, none, nullptr, patterns, "only matches that are whole words",
     "No word character stands directly before or after the match: no letter, mark, digit or underscore, and none of the "
     "other characters that Unicode counts as parts of words. Bytes that are not UTF-8 are no part of a word.",
     "word-regexp"},
    {Id::whole_line, 'x', "whole-line", nullptr, none, nullptr, patterns, "only matches that are whole lines",
     "The LF does not belong to the line (with --null-data the NUL, with --crlf the CR LF). With -w and -x, -x applies.",
     "line-regexp"},
    {Id::save_plan, 0, "save-plan", "FILE", file, nullptr, patterns, "save the compiled patterns in FILE",
     "Without a PATH nothing is searched."},
    {Id::plan, 0, "plan", "FILE", file, nullptr, patterns, "load compiled patterns from FILE",
     "It replaces -e and -f, and cannot be combined with them, nor with --pattern-format, -i and --save-plan: how the "
     "patterns were read, and whether case matters, is part of the plan."},

    {Id::count, 'c', "count", nullptr, none, nullptr, output, "number of matching lines, for each file",
     "With -v: the number of lines that do not match. With -m: at most NUM."},
    {Id::count_matches, 0, "count-matches", nullptr, none, nullptr, output, "number of matches, for each file",
     "Every occurrence of every pattern is counted, overlapping ones included, unless --match-kind says otherwise."},
    {Id::count_per_pattern, 0, "count-per-pattern", nullptr, none, nullptr, output,
     "number of matches of each pattern, over all files",
     "One line per pattern in the order of ids: COUNT, tab, ID, tab, PATTERN, and if patterns have labels a tab and "
     "the LABEL. Control bytes, the backslash and bytes that are not valid UTF-8 are written \\xHH."},
    {Id::by_file, 0, "by-file", nullptr, none, nullptr, output, "with --count-per-pattern: for each file",
     "Each line begins with the PATH and a tab."},
    {Id::nonzero, 0, "nonzero", nullptr, none, nullptr, output, "with --count-per-pattern: only patterns that occur",
     ""},
    {Id::only_matching, 'o', "only-matching", nullptr, none, nullptr, output, "only the matches, each on a line",
     "If matches overlap, the one that starts first is written; if several start together, the longest. --match-kind "
     "may say otherwise."},
    {Id::files_with, 'l', "files-with-matches", nullptr, none, nullptr, output, "names of the files that match",
     "With --pattern-id each name is followed by a colon and the ids of all patterns that occur in the file."},
    {Id::files_without, 'L', "files-without-match", nullptr, none, nullptr, output,
     "names of the files that do not match",
     "The exit status tells whether some file matched, not whether a name was written: it is 1 if every file is listed."},
    {Id::offsets, 0, "offsets", nullptr, none, nullptr, output, "byte offset and pattern id of every match",
     "One line per match, OFFSET, tab, ID, sorted by offset and then by id, overlapping matches included unless "
     "--match-kind says otherwise. More columns follow where they are needed: with a view, or with forms, the LENGTH; "
     "with fasta or fastq the sequence's NAME and the POSITION in it; with forms the FORM, and with reverse-complement the "
     "STRAND, + or -. With several files each line starts with PATH and a tab. Options that "
     "would add to that (-n, -b, -A, -B, -C, --pattern-id) are an error."},
    {Id::json, 0, "json", nullptr, none, nullptr, output, "messages in JSON Lines, in the shape of ripgrep's",
     "Types begin, match, context, end and summary; bytes that are not valid UTF-8 are given in base64. Each submatch "
     "has a \"pattern_id\" and, if the pattern has one, a \"label\"; with forms a \"form\". All occurrences are listed, overlapping ones "
     "included, unless --match-kind says otherwise."},
    {Id::matrix, 0, "matrix", "FORM", choice, "dense sparse", output,
     "first offset of each pattern in each line: dense or sparse",
     "Every line (with --null-data: what ends in NUL) is a record, numbered from 0 over all files; offsets count from its "
     "first byte, and no match crosses its end. dense: CSV without a header, one row per record, with a column for each "
     "pattern in the order of ids, -1 if the pattern does not occur. sparse: one line for each pattern that "
     "occurs in a record, RECORD, tab, ID, tab, OFFSET, sorted. The exit status is 0 if some pattern occurs. "
     "Options that would add to the matrix, or leave some of it out, are an error."},
    {Id::replace, 0, "replace", "TEXT", free, nullptr, output, "the whole text, with TEXT in the place of matches",
     "In TEXT {id} is the pattern's id, {label} its label, or the pattern if it has none, {match} what matched and {form} "
     "the form in which it was found, as --offsets names it; {{ and }} are braces. A pattern with a \"replacement\" of its "
     "own in a jsonl file has that in the place of TEXT. Matches do not overlap: see --match-kind. What stands between them is written as it is. With several "
     "PATHs the texts follow one another. With -z they are written unpacked, with --encoding as UTF-8, but for --in-place. The "
     "exit status is 0 if something was replaced."},
    {Id::replacements, 0, "replacements", "FILE", file, nullptr, output,
     "as --replace, with a TEXT for each pattern: the lines of FILE",
     "There is a line for each pattern, in the order of ids. Replacements of a jsonl file do not count."},
    {Id::own_replacements, 0, "own-replacements", nullptr, none, nullptr, output,
     "as --replace, with each pattern's own TEXT in a jsonl file", "A pattern without a \"replacement\" is an error."},
    {Id::mask, 0, "mask", "CHAR", free, nullptr, output, "the whole text, with CHAR for each byte of a match",
     "So offsets stay as they are. If CHAR is not ASCII, it stands for each character. Replacements of a jsonl file do not "
     "count."},
    {Id::in_place, 0, "in-place", "[=SUFFIX]", free, nullptr, output, "rewrite the files themselves",
     "For --replace, --replacements, --own-replacements and --mask. A file is replaced as a whole once its new content is complete, and keeps its "
     "permissions; if that fails, is interrupted, or the file changes meanwhile, it stays as it was. A file without a match is "
     "left alone. A link stays one, and the file that it leads to is rewritten. With SUFFIX the old file stays, under its name "
     "and SUFFIX. With -z a packed file is packed again, in its format, which its name must tell (.gz, .zst, .xz, .bz2, .lz4); xz and bzip2 "
     "take a lower level where the --memory-limit asks for it."},
    {Id::report, 0, "report", "FILE", file, nullptr, output, "what was replaced, in FILE, as JSON Lines",
     "For the same options as --in-place: an object for each match, with \"file\", \"offset\" and \"length\" in the original, "
     "\"id\", \"label\" and with forms \"form\". What matched is not in it. With --encoding it needs --in-place."},
    {Id::quiet, 'q', "quiet", nullptr, none, nullptr, output, "write nothing; see the exit status",
     "The search ends at the first match.", "silent"},

    {Id::line_number, 'n', "line-number", nullptr, none, nullptr, with, "line number in front of each line", ""},
    {Id::byte_offset, 'b', "byte-offset", nullptr, none, nullptr, with,
     "byte offset in front of each line; with -o of each match", ""},
    {Id::with_filename, 'H', "with-filename", nullptr, none, nullptr, with, "file name in front of each line",
     "The default for several files or a directory."},
    {Id::no_filename, 'I', "no-filename", nullptr, none, nullptr, with, "no file names in front of lines", ""},
    {Id::null, 'Z', "null", nullptr, none, nullptr, with,
     "end file names with NUL, instead of the colon, tab or newline", ""},
    {Id::invert, 'v', "invert-match", nullptr, none, nullptr, with, "the lines that do not match", ""},
    {Id::max_count, 'm', "max-count", "NUM", number, nullptr, with, "at most NUM lines of each file",
     "With --offsets: at most NUM matches of each file. Not with --count-matches and --count-per-pattern."},
    {Id::after_context, 'A', "after-context", "NUM", number, nullptr, with, "NUM lines after each matching line", ""},
    {Id::before_context, 'B', "before-context", "NUM", number, nullptr, with, "NUM lines before each matching line",
     ""},
    {Id::context, 'C', "context", "NUM", number, nullptr, with, "NUM lines before and after each matching line",
     "Groups of lines that do not touch are separated by a line `--`. -NUM is the same: -2 is -C 2."},
    {Id::group_separator, 0, "group-separator", "TEXT", free, nullptr, with,
     "TEXT between groups of lines, instead of --", ""},
    {Id::no_group_separator, 0, "no-group-separator", nullptr, none, nullptr, with, "nothing between groups of lines",
     ""},
    {Id::match_kind, 0, "match-kind", "KIND", choice, "overlapping leftmost-longest leftmost-first", with,
     "overlapping, leftmost-longest or leftmost-first",
     "overlapping: every occurrence. The other two give matches that do not overlap: the one that starts first wins; "
     "among those that start together the longest, or the one with the lowest id. The default is leftmost-longest "
     "for -o, colours and what replaces matches, and overlapping for everything else."},
    {Id::color, 0, "color", "[=WHEN]", choice, "auto always never", with, "colours: auto, always or never",
     "auto, the default, also without WHEN: colours if standard output is a terminal and NO_COLOR is not set.",
     "colour"},
    {Id::pattern_id, 0, "pattern-id", nullptr, none, nullptr, with, "pattern ids in front of each line or match",
     "With -o the id of the match, else the ids of all patterns with a match that touches the line, in ascending "
     "order, separated by commas. A pattern with a label is written ID=LABEL, control bytes and the backslash in it as "
     "\\xHH. With -l the ids of all patterns in the file. Not with -c, --count-matches and -L."},
    {Id::text, 'a', "text", nullptr, none, nullptr, with, "write lines of binary files like any others",
     "Without it, a file is binary if there is a NUL byte in its first 32 KiB or in a line that would be written. From "
     "there on none of its lines is written; a message on standard error says that it matches. Counts, --offsets and "
     "--json treat all bytes alike."},
    {Id::line_buffered, 0, "line-buffered", nullptr, none, nullptr, with, "write each line at once",
     "This is slow. Lines found in a pipe are written at once anyway."},
    {Id::label, 0, "label", "NAME", free, nullptr, with, "NAME of standard input, if its name is written", ""},
    {Id::no_messages, 's', "no-messages", nullptr, none, nullptr, with, "no messages about files that cannot be read",
     "The exit status is 2 all the same."},

    {Id::include, 0, "include", "GLOB", free, nullptr, where, "search only files that match GLOB",
     "GLOB is compared with the base name; if it has a slash, with the path and each part of it that follows a "
     "slash. Braces are understood: *.{js,ts}. A GLOB that ends in a slash is for directories, whose files are then searched. "
     "The last --include or --exclude that matches a file decides; a file that none matches is searched unless "
     "the first of them is an --include."},
    {Id::exclude, 0, "exclude", "GLOB", free, nullptr, where, "do not search files that match GLOB",
     "A GLOB that ends in a slash is for directories, which are then not entered."},
    {Id::exclude_dir, 0, "exclude-dir", "GLOB", free, nullptr, where, "do not enter directories that match GLOB",
     "Such a directory is not searched either if it is named as a PATH."},
    {Id::gitignore, 0, "gitignore", nullptr, none, nullptr, where, "leave out what .gitignore files name",
     "These are the files of each directory that is searched, of the directories above it up to the repository's, and "
     ".git/info/exclude, read as git reads them. What they name is left out even if git tracks it, and so is .git. A "
     "PATH that is named is searched anyway."},
    {Id::recursive, 'r', "recursive", nullptr, none, nullptr, where,
     "search the working directory, if no PATH is given",
     "A directory that is named is searched with all it contains anyway."},
    {Id::follow_links, 'R', "dereference-recursive", nullptr, none, nullptr, where,
     "follow symbolic links in directories; else as -r",
     "A link to a directory that is already being searched is skipped."},
    {Id::files_from, 0, "files-from", "FILE", file, nullptr, where, "search the PATHs that FILE lists, one a line",
     "They follow those of the command line. `-` reads the list from standard input. With an empty list nothing is "
     "searched."},
    {Id::null_files_from, '0', "null-files-from", nullptr, none, nullptr, where,
     "PATHs in the list end in NUL instead of LF", ""},
    {Id::decompress, 'z', "decompress", nullptr, none, nullptr, where,
     "search what gz, zst, xz, bz2 and lz4 files contain",
     "The first bytes tell, not the name; other files are searched as they are. Offsets are those of the "
     "decompressed bytes."},
    {Id::null_data, 0, "null-data", nullptr, none, nullptr, where, "lines end in NUL instead of LF",
     "This is so in the text and in the output, not in pattern files."},

    {Id::device, 0, "device", "DEVICE", choice, "auto cpu opencl cuda", how,
     "where to run: auto, cpu, opencl[:N], cuda[:N|:all]",
     "auto (the default): the CPU; a GPU only if the CPU would need two seconds or more and the GPU is estimated to be "
     "at least 20 % faster. --stats tells the estimates, which come from earlier searches on this machine, kept in the "
     "cache folder. No GPU library is loaded for less. If the GPU fails, the CPU finishes the search, with a warning. "
     "Streams are searched on the CPU, and so are the records of --matrix, a few MiB at a time. opencl and cuda: device "
     "N, or 0; cuda:all: all of them together. A device that is not there, or that fails, is an error; see "
     "--list-devices."},
    {Id::algorithm, 0, "algorithm", "NAME", algorithm, nullptr, how, "search algorithm, or auto; see --list-algorithms",
     "An algorithm that cannot take the patterns is an error, whose message says why."},
    {Id::threads, 0, "threads", "NUM", number, nullptr, how, "number of threads; 0, the default: all cores",
     "At most 4096; more than there are cores is possible."},
    {Id::memory_limit, 0, "memory-limit", "BYTES", number, nullptr, how,
     "memory beside the tables of the patterns; 64K, 1.5G, 2T are understood",
     "The default is 64 MiB and what the longest line written (with --matrix: read) needs, in a stream at most 1 GiB. A "
     "line that does not fit is an error if it is to be written. With GPUs the limit holds for all of them together, and "
     "for what the host needs for them: half for the text under way, the rest for lists of matches. At least 2 MiB are "
     "taken; the default is 96 MiB of text and lists of 256 MiB. Unpacking (-z) takes up to half of the limit; data that "
     "need more are an error."},

    {Id::stats, 0, "stats", nullptr, none, nullptr, measuring, "what ran and how fast, on standard error",
     "One 'name: value' a line. Each stage before the search has its own: pattern read, plan build, plan load and plan "
     "save seconds if there is such a stage, and prepare seconds for the tables of the device. On the CPU the strategy of "
     "filter: how it looks for which patterns, and what that is estimated to cost. With --device auto also the estimates, "
     "and the rates they come from: assumed, of copies to the GPU, or of earlier searches. The summary of --json has "
     "these, too. Where the text is rewritten, how many matches were replaced, in all and of each pattern that has "
     "some, and how many bytes of texts were read and written; a file that stays as it was counts as read."},
    {Id::verify, 0, "verify", nullptr, none, nullptr, measuring, "compare with a second, independent algorithm",
     "Every match of every text is compared with those of rabin-karp, or of naive or filter if rabin-karp is itself the "
     "search or cannot take the patterns. If they differ, a message says at which offset (with --matrix: in which record) "
     "and pattern, and the exit status is 2."},
    {Id::iterations, 0, "iterations", "NUM", number, nullptr, measuring,
     "search NUM times; write results once; see --stats", ""},
    {Id::show_view, 0, "show-view", nullptr, none, nullptr, measuring,
     "what --view makes of each PATH; nothing is searched",
     "One line per piece: OFFSET, tab, LENGTH in the original, tab, what is viewed. Control bytes, the backslash and bytes "
     "that are not valid UTF-8 are written \\xHH. A piece is a run of characters that are as long as they were, or a "
     "segment of which other bytes were made. All arguments are PATHs."},
    {Id::list_devices, 0, "list-devices", nullptr, none, nullptr, measuring, "the devices, and why one is absent", ""},
    {Id::list_algorithms, 0, "list-algorithms", nullptr, none, nullptr, measuring,
     "the algorithms, and what each serves", ""},

    {Id::short_help, 'h', nullptr, nullptr, none, nullptr, help, "this help, one line an option", ""},
    {Id::long_help, 0, "help", nullptr, none, nullptr, help, "the complete help", ""},
    {Id::version, 'V', "version", nullptr, none, nullptr, help, "the version", ""},
    {Id::generate, 0, "generate", "KIND", choice, "man complete-bash complete-zsh complete-fish", help,
     "manual page (man) or shell completions (complete-SHELL)", ""},

    {Id::accepted, 'F', "fixed-strings", nullptr, none, nullptr, accepted, "patterns are always plain strings", ""},
    {Id::accepted, 'U', "binary", nullptr, none, nullptr, accepted, "bytes are always searched as they are", ""},
};

constexpr Section sections[] = {
    {"Paths",
     "A PATH is a file, a directory, or - for standard input; without a PATH, standard input is searched. Directories "
     "are searched with all they contain, in byte order of names, hidden files included. Symbolic links are followed "
     "if they are named on the command line, and in directories only with -R."},
    {"Matching",
     "Patterns and texts are bytes. Every occurrence is found, overlapping ones included; equal patterns keep their "
     "ids and are each reported. A match selects every line that it touches. Results do not depend on the device, "
     "the algorithm, the instruction set or the number of threads."},
    {"Not supported", "Regular expressions and approximate matches."},
    {"Exit status",
     "0 if something matched, 1 if nothing did, 2 after any error, even beside matches; but -q ends with 0 at the "
     "first match, whatever failed before it. 130 after an interrupt (Ctrl-C). A broken pipe ends the command silently."},
    {"Environment",
     "NO_COLOR, if set and not empty, turns colours off unless --color=always is given. LODE_TARGET forces an "
     "instruction set, for tests: one that --list-devices names. LODE_CACHE_DIR: the folder where kernels compiled "
     "for GPUs and the rates of earlier searches are kept; else $XDG_CACHE_HOME/lode or ~/.cache/lode. It is not used "
     "if others could write to it, and may be removed at any time."},
    {"Examples",
     "  lode -c 'connection refused' server.log\n"
     "      the number of lines that say it\n"
     "  lode -f words.txt --count-per-pattern corpus/\n"
     "      how often each word occurs below corpus\n"
     "  lode --pattern-format hex -f indicators.hex --offsets disk.img\n"
     "      where each byte string stands\n"
     "  lode --matrix sparse -f words.txt titles.txt\n"
     "      for each line the words in it, and where each first stands\n"
     "  zstdcat logs.zst | lode -n -C 2 -e error -e fatal\n"
     "      these lines with two more around each\n"
     "  lode --save-plan words.plan -f words.txt\n"
     "  lode --plan words.plan -o -b text\n"
     "      compile once, search often"},
};

}  // namespace

std::span<const Option> option_table() { return table; }
std::span<const Section> closing_sections() { return sections; }

}  // namespace lode::command
