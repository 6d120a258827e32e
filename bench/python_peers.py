"""The peers that are Python packages, each in a process of its own that lode-bench-cpu starts, feeds and asks.

    python_peers.py --versions     # JSON: name → version, or null where it is not installed
    python_peers.py NAME           # serves lode-bench-cpu over standard input and output

Patterns come first, then bytes of the text as far as they are needed, so that the peer counts the very bytes that all others
count. Seconds are taken here, around the call of the package alone: neither Python's start nor the talk is timed.

Requests are lines of JSON, followed by bytes where `bytes` says how many; each is answered with a line of JSON:
    {"patterns": [LENGTH…], "lists": BOOL, "text_bytes": N}   bytes of the patterns; {"detail", "seconds"} or {"not_run"}
    {"text": N}                                             N more bytes of the text; {}
    {"count": N}                                            in the first N bytes; {"matches", "seconds"}
"""

import collections
import importlib.metadata
import itertools
import json
import mmap
import sys
import time


class NotServed(Exception):
    """Why a peer takes no part: a normal answer."""


class StringZilla:
    """Overlapping occurrences of one pattern after the other."""

    PACKAGE = "stringzilla"

    def __init__(self, patterns, lists):
        if lists:
            raise NotServed("its package counts and finds the first, and lists no positions")
        import stringzilla
        self.count_of = stringzilla.count
        self.patterns = patterns
        kinds = [kind for kind in stringzilla.__capabilities__ if kind != "serial"]
        self.said = f", {kinds[-1]}" if kinds else ""

    def prepare(self, text):
        return text

    def count(self, text):
        return sum(self.count_of(text, pattern, allowoverlap=True) for pattern in self.patterns)


class PyAhoCorasick:
    """Its wheel knows text of characters, not bytes: each byte is given as the character of its number."""

    PACKAGE = "pyahocorasick"

    def __init__(self, patterns, lists):
        import ahocorasick
        self.automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        self.lists = lists
        self.said = ""
        for number, pattern in enumerate(patterns):
            self.automaton.add_word(pattern.decode("latin-1"), number)
        self.automaton.make_automaton()

    def prepare(self, text):
        return str(text, "latin-1")

    def count(self, text):
        if self.lists:
            return len(list(self.automaton.iter(text)))
        # The fastest way to count what an iterator gives.
        counter = itertools.count()
        collections.deque(zip(self.automaton.iter(text), counter), maxlen=0)
        return next(counter)


class AhoCorasickRs:
    """It has no count: the list of all matches is made and measured."""

    PACKAGE = "ahocorasick-rs"

    def __init__(self, patterns, _lists):
        import ahocorasick_rs
        self.automaton = ahocorasick_rs.BytesAhoCorasick(patterns)
        self.said = ""

    def prepare(self, text):
        return text

    def count(self, text):
        return len(self.automaton.find_matches_as_indexes(text, overlapping=True))


PEERS = {"StringZilla": StringZilla, "pyahocorasick": PyAhoCorasick, "ahocorasick-rs": AhoCorasickRs}


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


class Server:
    def __init__(self, peer_class):
        self.peer_class = peer_class
        self.input = sys.stdin.buffer
        self.memory = None
        self.filled = 0
        self.peer = None
        self.prepared = (None, None)  # size, what the peer is given for it

    def take_patterns(self, request):
        patterns = [self.input.read(length) for length in request["patterns"]]
        self.memory = mmap.mmap(-1, max(1, request["text_bytes"]))
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self.memory.madvise(mmap.MADV_HUGEPAGE)  # as the text of all others
        version = version_of(self.peer_class.PACKAGE)
        if not version:
            return {"not_run": f"not installed: pip install {self.peer_class.PACKAGE}"}
        try:
            begin = time.perf_counter()
            self.peer = self.peer_class(patterns, request["lists"])
            seconds = time.perf_counter() - begin
        except NotServed as reason:
            return {"not_run": str(reason)}
        return {"seconds": seconds, "detail": f"{self.peer_class.PACKAGE} {version}{self.peer.said}"}

    def take_text(self, request):
        with memoryview(self.memory) as whole:
            end = self.filled + request["text"]
            while self.filled < end:
                size = self.input.readinto(whole[self.filled:end])
                if not size:
                    raise EOFError("the text ended early")
                self.filled += size
        return {}

    def count(self, request):
        size = request["count"]
        if self.prepared[0] != size:
            self.prepared = (size, self.peer.prepare(memoryview(self.memory)[:size]))
        begin = time.perf_counter()
        matches = self.peer.count(self.prepared[1])
        return {"seconds": time.perf_counter() - begin, "matches": matches}

    def serve(self):
        words = {"patterns": self.take_patterns, "text": self.take_text, "count": self.count}
        while line := self.input.readline():
            request = json.loads(line)
            answer = next(action for word, action in words.items() if word in request)(request)
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def main():
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps({name: version_of(peer.PACKAGE) for name, peer in PEERS.items()}))
        return 0
    if len(sys.argv) != 2 or sys.argv[1] not in PEERS:
        print(f"python_peers.py: give --versions or one of {', '.join(PEERS)}", file=sys.stderr)
        return 2
    Server(PEERS[sys.argv[1]]).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
