"""Tests the formats of lode-table, what it writes, and how it ends."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from table_command import command, lode_table, message, search

import lode
from lode._table_command.errors import Refusal
from lode._table_command.options import parse
from lode._table_command.run import run

table = pa.table({"id": ["007", "2", "3", "4"], "text": ["ushers", None, "none", 'the "he", she\nsaid']})
counts = [2, None, 0, 4]


@pytest.fixture
def room(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("patterns").write_text("he\nshe\n")
    return tmp_path


def write(name: str, table: pa.Table = table) -> None:
    if name.endswith(".parquet"):
        pa.parquet.write_table(table, name)
    elif name.endswith(".arrows"):
        with pa.ipc.new_stream(name, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    elif name.endswith((".arrow", ".feather")):
        pa.feather.write_feather(table, name, chunksize=3)
    elif name.endswith(".csv"):
        pa.csv.write_csv(table, name)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist())
        Path(name).write_text(lines)


def read(name: str) -> pa.Table:
    if name.endswith(".parquet"):
        return pa.parquet.read_table(name)
    if name.endswith(".arrows"):
        return pa.ipc.open_stream(name).read_all()
    if name.endswith((".arrow", ".feather")):
        return pa.feather.read_table(name)
    if name.endswith(".csv"):
        return pa.csv.read_csv(name, parse_options=pa.csv.ParseOptions(newlines_in_values=True))
    return pa.Table.from_pylist([json.loads(line) for line in Path(name).read_text().splitlines()])


@pytest.mark.parametrize("source", ["in.parquet", "in.arrow", "in.feather", "in.arrows", "in.jsonl"])
@pytest.mark.parametrize("target", ["out.parquet", "out.feather", "out.arrows", "out.jsonl"])
@pytest.mark.parametrize("batch_rows", ["1", "2", "100"])
def test_formats(room, source, target, batch_rows):
    write(source)
    assert search(source, "--column", "text", "--out", target, "--counts", "--batch-rows", batch_rows)
    assert read(target).to_pydict() == {**table.to_pydict(), "text_counts": counts}
    assert search(source, "--column", "text", "--out", target, "--matches", "--batch-rows", batch_rows)
    matches = [None if row is None else len(row) for row in read(target)["text_matches"].to_pylist()]
    assert matches == counts
    assert sorted(os.listdir()) == sorted([source, target, "patterns"])


def test_csv_goes_through_unchanged(room):
    Path("in.csv").write_text('id,text,n\n007,"us, hers",1.50\n2,,NA\n3,"the\nhe",\n4,nothing,null\n')
    assert search("in.csv", "--column", "text", "--out", "out.csv", "--flag")
    assert Path("out.csv").read_text() == (
        '"id","text","n","text_flag"\n"007","us, hers","1.50",true\n"2","","NA",false\n"3","the\nhe","",true\n'
        '"4","nothing","null",false\n'
    )
    assert search("in.csv", "--column", "text", "--out", "out.parquet")
    assert read("out.parquet").to_pydict() == {"id": ["007", "3"], "text": ["us, hers", "the\nhe"], "n": ["1.50", ""]}


def test_files_of_more_than_a_block(room):
    rows = 60_000
    line = "x" * 200
    large = pa.table({"text": [f"{line} {number} {'he' if number % 1000 == 0 else ''}\n" for number in range(rows)]})
    for source in ("in.csv", "in.jsonl", "in.parquet"):
        write(source, large)
        assert search(source, "--column", "text", "--out", "out.parquet")
        assert read("out.parquet")["text"].to_pylist() == large["text"].to_pylist()[::1000]
    Path("in.csv.gz").write_bytes(gzip.compress(Path("in.csv").read_bytes(), 1))
    assert search("in.csv.gz", "--column", "text", "--out", "out.parquet", "-v")
    assert read("out.parquet").num_rows == rows - rows // 1000


def test_rows_of_more_than_a_block(room):
    text = "x" * 300_000 + "he"
    for source in ("in.csv", "in.jsonl"):
        write(source, pa.table({"text": ["a", text, "b"]}))
        with pytest.raises(Refusal, match=source):
            search(source, "--column", "text", "--out", "out.parquet", "--block-bytes", "65536")
        assert search(source, "--column", "text", "--out", "out.parquet", "--block-bytes", "1000000")
        assert read("out.parquet")["text"].to_pylist() == [text]


def test_strings_of_json_that_look_like_times(room):
    line = '{"text": "he", "at": "2020-01-01", "all": {"at": ["2020-01-01T00:00:00"]}}\n'
    Path("in.jsonl").write_text(line)
    assert search("in.jsonl", "--column", "text", "--out", "out.jsonl")
    assert Path("out.jsonl").read_text() == line


def test_filters(room):
    write("in.parquet")
    search("in.parquet", "--column", "text", "--out", "out.parquet")
    assert read("out.parquet") == table.take([0, 3])
    search("in.parquet", "--column", "text", "--out", "out.parquet", "--filter", "-v")
    assert read("out.parquet") == table.take([1, 2])
    search("in.parquet", "--column", "text", "--out", "in.parquet")
    assert read("in.parquet") == table.take([0, 3])


def test_options_of_patterns(room):
    write("in.parquet", pa.table({"text": ["HE", "the", "he", "he \r"]}))

    def flags(*arguments):
        search("in.parquet", "--column", "text", "--out", "out.parquet", "--flag", "--name", "f", *arguments)
        return read("out.parquet")["f"].to_pylist()

    assert flags() == [False, True, True, True]
    assert flags("-i") == [True, True, True, True]
    assert flags("-w") == flags("--word") == [False, False, True, True]
    assert flags("-x", "--threads", "1", "--algorithm", "rabin-karp", "--device", "cpu") == [False, False, True, False]
    Path("patterns").write_bytes(b"he\r\n")
    assert flags("--crlf") == [False, True, True, True]
    with pytest.warns(UserWarning, match="CR LF.*--crlf drops it$"):
        assert flags() == [False] * 4
    Path("patterns").write_text("68 65\n")
    assert flags("--pattern-format", "hex") == [False, True, True, True]
    Path("patterns").write_text('{"text": "he", "ignore_case": true}\n')
    assert flags("--pattern-format", "jsonl") == [True, True, True, True]
    Path("patterns").write_text("He\n")
    assert flags() == [False] * 4
    assert flags("--view", "fold") == [True] * 4
    lode.compile(["HE"]).save("patterns")
    assert flags("--pattern-format", "plan") == [True, False, False, False]


def test_a_table_without_rows(room):
    write("in.parquet", table.slice(0, 0))
    assert not search("in.parquet", "--column", "text", "--out", "out.parquet", "--flag")
    assert read("out.parquet").schema.names == ["id", "text", "text_flag"]


def test_exit_codes_and_pipes(room):
    write("in.arrows")
    whole = Path("in.arrows").read_bytes()
    stream = ["--column", "text", "--in-format", "arrows", "--out", "-", "--out-format", "jsonl"]
    done = lode_table("patterns", "-", *stream, input=whole)
    assert (done.returncode, done.stderr) == (0, b"lode-table: 4 rows read, 2 matched, 2 written\n")
    assert done.stdout.count(b"\n") == 2
    done = lode_table("-", "in.arrows", *stream, input=b"nowhere\n")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"lode-table: 4 rows read, 0 matched, 0 written\n")
    done = lode_table("-", "in.arrows", *stream, "--quiet", input=b"nowhere\n")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert "only one" in message(lode_table("-", "-", *stream))
    done = lode_table("patterns", "in.arrows", "--column", "text", "--out", "/dev/full", "--out-format", "csv")
    assert message(done) == "lode-table: /dev/full: No space left on device\n"
    done = lode_table("patterns", "in.arrows", "--column", "text")
    assert done.returncode == 2 and b"--out" in done.stderr
    done = lode_table("patterns", "in.arrows", "--column", "text", "--out", "o.csv", "--threads", "-1")
    assert done.returncode == 2 and b"not a whole number" in done.stderr
    done = lode_table("patterns", "in.arrows", "--column", "text", "--out", "o.csv", "--threads", "9" * 5000)
    assert done.returncode == 2 and b"'999999999999999999...' is too long for a number" in done.stderr


def in_shell(redirections: str, *arguments: str) -> subprocess.CompletedProcess:
    line = ["sh", "-c", f'exec "$@" {redirections}', "sh", command, *arguments]
    return subprocess.run(line, capture_output=True, timeout=120)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_standard_streams_that_are_closed(room, closed):
    write("in.parquet")
    arguments = ["patterns", "in.parquet", "--column", "text", "--out", "out.parquet"]
    done = in_shell(closed, *arguments)
    told = b"" if "2>" in closed else b"lode-table: 4 rows read, 2 matched, 2 written\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", told)
    assert read("out.parquet") == table.take([0, 3])
    Path("nowhere").write_text("nowhere\n")
    assert in_shell(closed, "nowhere", *arguments[1:]).returncode == 1
    Path("crlf").write_bytes(b"he\r\n")
    Path("patterns.csv").write_text("id\n")
    for wrong, code, said in (
        (["crlf", *arguments[1:], "--quiet"], 1, b"--crlf drops it\n"),  # this is only a warning
        (["absent", *arguments[1:]], 2, b"No such file or directory\n"),
        (["patterns", "in.parquet", "--nothing"], 2, b"arguments are required: --column, --out\n"),
        ([*arguments, "--threads", "-1"], 2, b"not a whole number of at least 0\n"),
    ):
        done = in_shell(closed, *wrong)
        assert (done.returncode, done.stdout) == (code, b"")
        assert done.stderr == b"" if "2>" in closed else done.stderr.endswith(said), done.stderr
    done = in_shell(closed, *arguments[:-1], "-", "--out-format", "csv")
    if closed == "2>&-":
        assert (done.returncode, done.stdout.count(b"\n")) == (0, 4)
    else:
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == (b"" if "2>" in closed else b"lode-table: -: standard output is closed\n")


def test_standard_output_that_is_full(room):
    write("in.parquet")
    arguments = ["patterns", "in.parquet", "--column", "text", "--out", "-", "--out-format"]
    for format in ("csv", "jsonl", "parquet"):
        done = in_shell("> /dev/full", *arguments, format)
        assert message(done) == "lode-table: -: No space left on device\n"
        assert in_shell("> /dev/full 2>&-", *arguments, format).returncode == 2
        assert in_shell("> /dev/full 2>&1", *arguments, format).returncode == 2
    for option in ("--help", "--version"):
        assert in_shell("> /dev/full 2>&1", option).returncode == 2
        assert message(in_shell("> /dev/full", option)) == "lode-table: standard output: No space left on device\n"
        # This argparse behaves like that of Python 3.12, which ignores a failure to write.
        program = (
            "import argparse, lode_table\n"
            "argparse.ArgumentParser._print_message = lambda *_: None\n"
            "lode_table.main()"
        )
        with open("/dev/full", "w") as full:
            done = subprocess.run([sys.executable, "-c", program, option], stdout=full, stderr=subprocess.PIPE, timeout=120)
        assert done.returncode == 2 and done.stderr == b"lode-table: standard output: No space left on device\n"


def test_help_and_version():
    done = lode_table("--help")
    assert done.returncode == 0 and b"exit status" in done.stdout and done.stderr == b""
    assert lode_table("--version").stdout.decode() == f"lode-table {lode.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["in.parquet", "--column", "nothing"], "there are: id, text"),
        (["in.parquet", "--column", "text", "--flag", "--name", "id"], "called 'id' already"),
        (["numbers.parquet", "--column", "n"], "of int64"),
        (["absent.parquet", "--column", "text"], "absent.parquet: No such file"),
        (["folder.parquet", "--column", "text"], "out.parquet: several tables need a folder"),
        (["folder.parquet", "--column", "text", "--out", "new/"], "folder.parquet: there is no file of a known format"),
        (["patterns", "--column", "text"], "patterns: the name shows no format"),
        (["broken.parquet", "--column", "text"], "broken.parquet: "),
        (["cut.parquet", "--column", "text"], "cut.parquet: "),
        (["broken.jsonl", "--column", "text"], "broken.jsonl: "),
        (["empty.csv", "--column", "text"], "empty.csv: "),
        (["in.parquet", "--column", "text", "--out", "away/out.parquet"], "away/out.parquet: No such file"),
        (["in.parquet", "--column", "text", "--out", "out.parquet.gz"], "only .csv and .jsonl may be compressed"),
        (["in.parquet", "--column", "text", "--out", "out.csv", "--matches"], "CSV cannot hold"),
        (["binary.parquet", "--column", "b", "--out", "out.jsonl"], "JSON cannot hold"),
        (["in.parquet", "--column", "text", "--device", "nowhere"], "nowhere"),
        (["in.parquet", "--column", "text", "--algorithm", "magic"], "magic"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors(room, arguments, said):
    write("in.parquet")
    write("numbers.parquet", pa.table({"n": [1]}))
    write("binary.parquet", pa.table({"b": [b"he"]}))
    Path("folder.parquet").mkdir()
    Path("broken.parquet").write_bytes(b"PAR1 and nothing more PAR1")
    Path("cut.parquet").write_bytes(Path("in.parquet").read_bytes()[:-20])
    Path("broken.jsonl").write_text('{"text": "he"}\n{"text": \n')
    Path("empty.csv").write_text("")
    if "--out" not in arguments:
        arguments = [*arguments, "--out", "out.parquet"]
    before = sorted(os.listdir())
    assert said in message(lode_table("patterns", *arguments))
    assert sorted(os.listdir()) == before


def test_errors_in_the_middle_leave_what_was_there(room):
    write("in.parquet")
    Path("out.jsonl").write_text("before")
    Path("in.jsonl").write_text('{"text": "he"}\n' * 400_000 + '{"text": 5}\n')
    assert "in.jsonl: " in message(lode_table("patterns", "in.jsonl", "--column", "text", "--out", "out.jsonl"))
    assert "No such file" in message(lode_table("absent", "in.parquet", "--column", "text", "--out", "out.jsonl"))
    Path("patterns").write_text("")
    assert "out" not in message(lode_table("patterns", "in.parquet", "--column", "text", "--out", "out.jsonl"))
    assert Path("out.jsonl").read_text() == "before"
    assert sorted(os.listdir()) == ["in.jsonl", "in.parquet", "out.jsonl", "patterns"]


def test_a_full_disk(room):
    write("in.parquet", pa.table({"text": [f"he {number}" for number in range(100_000)]}))
    Path("out.csv").write_text("before")
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))\n"
        "from lode._table_command import main; sys.exit(main())"
    )
    arguments = ["patterns", "in.parquet", "--column", "text", "--out", "out.csv"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=120)
    assert message(done) == "lode-table: out.csv: File too large\n"
    assert Path("out.csv").read_text() == "before"
    assert sorted(os.listdir()) == ["in.parquet", "out.csv", "patterns"]


def test_a_broken_pipe(room):
    write("in.parquet", pa.table({"text": [f"he {number}" for number in range(200_000)]}))
    arguments = ["patterns", "in.parquet", "--column", "text", "--out", "-", "--out-format", "jsonl"]
    process = subprocess.Popen([command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(120) == 141


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1])
@pytest.mark.parametrize("source", ["in.parquet", "in.csv", "in.jsonl"])
def test_an_end_from_outside(room, source, number):
    Path("patterns").write_bytes(b"a" * 5_000 + b"b")
    write(source, pa.table({"text": ["a" * (1 << 20)] * 200}))
    Path("out.parquet").write_text("before")
    arguments = ["patterns", source, "--column", "text", "--out", "out.parquet", "--algorithm", "naive"]
    process = subprocess.Popen([command, *arguments, "--device", "cpu"], stderr=subprocess.PIPE)
    with process:
        deadline = time.monotonic() + 60
        while not any(name.endswith(".part") for name in os.listdir()):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
        time.sleep(0.2)
        process.send_signal(number)
        assert process.stderr.read() == b""
        assert process.wait(60) == 128 + number
    assert Path("out.parquet").read_text() == "before"
    assert sorted(os.listdir()) == [source, "out.parquet", "patterns"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("format", ["csv", "jsonl", "arrows"])
def test_an_end_from_outside_while_a_pipe_is_silent(room, format, number):
    """Python's main thread then waits for Arrow, and cannot run handlers of signals."""
    source = f"in.{format}"
    write(source, pa.table({"text": ["he " * 100_000] * 100}))
    process = subprocess.Popen(
        [command, "patterns", "-", "--in-format", format, "--column", "text", "--out", "out.parquet"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        process.stdin.write(Path(source).read_bytes()[:20_000_000])
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not any(name.endswith(".part") for name in os.listdir()):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(60) == 128 + number
        assert process.stderr.read() == b""
    assert sorted(os.listdir()) == [source, "patterns"]


def test_signals_that_are_ignored(room):
    write("in.csv", pa.table({"text": ["he"] * 10}))
    arguments = [str(command), "patterns", "-", "--in-format", "csv", "--column", "text", "--out", "out.csv", "--quiet"]
    process = subprocess.Popen(["sh", "-c", 'trap "" HUP TERM; exec "$@"', "sh", *arguments], stdin=subprocess.PIPE)
    with process:
        data = Path("in.csv").read_bytes()
        process.stdin.write(data)
        process.stdin.flush()
        time.sleep(3)
        for number in (signal.SIGHUP, signal.SIGTERM):
            process.send_signal(number)
        process.stdin.close()
        assert process.wait(60) == 0
    assert read("out.csv").num_rows == 10


def test_permissions_and_links(room):
    write("in.parquet")
    Path("there.parquet").write_text("before")
    os.chmod("there.parquet", 0o640)
    os.symlink("there.parquet", "link.parquet")
    search("in.parquet", "--column", "text", "--out", "link.parquet")
    assert os.path.islink("link.parquet") and read("there.parquet").num_rows == 2
    assert os.stat("there.parquet").st_mode & 0o777 == 0o640


@pytest.mark.alone
@pytest.mark.parametrize("source", ["in.parquet", "in.csv", "in.jsonl"])
def test_memory_is_bounded(room, source):
    """A table with more rows does not take more memory."""
    part = pa.table({"text": ["%01024d" % (number * 7919) for number in range(8192)]})

    def peak_mib(parts: int) -> int:
        if source == "in.parquet":
            with pa.parquet.ParquetWriter(source, part.schema, use_dictionary=False) as writer:
                for _ in range(parts):
                    writer.write_table(part)
        else:
            write("part" + source, part)
            lines = Path("part" + source).read_bytes().splitlines(keepends=True)
            rows = b"".join(lines[-8192:])
            with open(source, "wb") as file:
                file.write(b"".join(lines[:-8192]))
                for _ in range(parts):
                    file.write(rows)
        program = (
            "import sys; from lode._table_command import main; main()\n"
            "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
        )
        arguments = ["patterns", source, "--column", "text", "--out", "out.parquet", "--flag"]
        arguments += ["--block-bytes", "524288", "--quiet"]
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=300)
        assert done.stderr == b""
        assert pa.parquet.read_metadata("out.parquet").num_rows == parts * 8192
        return int(done.stdout) >> 10

    Path("patterns").write_text("79190\n")
    small, large = peak_mib(12), peak_mib(48)
    # The texts differ by 288 MiB.
    assert large - small < 64


def test_a_progress_bar_on_terminals_alone(room, monkeypatch):
    import io

    from lode._table_command import run as module
    from lode._table_command.jobs import Job
    from lode._table_command.readers import Source

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def slow_batches():
        for batch in table.to_batches() * 3:
            time.sleep(0.6)
            yield batch

    class Nowhere:
        def write(self, batch) -> None:
            pass

    searching = lode.tables.TableSearch(lode.Searcher(["he"]), "text", "flag")
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        source = Source(table.schema, slow_batches(), 12)
        job = Job("in.parquet", "parquet", "out.parquet", "parquet")
        assert module._search_all(searching, source, Nowhere(), None, job) == 6
        assert ("12.0" in stream.getvalue()) == stream.isatty()


def test_without_pyarrow(room):
    program = "import sys; sys.modules['pyarrow'] = None\nfrom lode._table_command import main; sys.exit(main())"
    arguments = ["patterns", "in.parquet", "--column", "text", "--out", "out.parquet"]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=120)
    assert "pip install pyarrow tqdm" in message(done)


def test_pipes_with_names(room):
    write("in.csv")
    write("in.parquet")
    for format in ("csv", "parquet"):
        os.mkfifo(f"pipe.{format}")
        feeder = subprocess.Popen(["cp", f"in.{format}", f"pipe.{format}"])
        done = subprocess.run(
            [command, "patterns", f"pipe.{format}", "--column", "text", "--out", f"{format}.csv", "--flag"]
        )
        assert (done.returncode, feeder.wait(timeout=30)) == (0, 0)
        assert read(f"{format}.csv").num_rows == 4


def test_empty_lines_of_one_column_are_rows(room):
    Path("in.csv").write_text("text\nushers\n\nnone\n")
    assert run(parse(["patterns", "in.csv", "--column", "text", "--out", "out.jsonl", "--flag"]))
    assert [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()] == [
        {"text": "ushers", "text_flag": True},
        {"text": "", "text_flag": False},
        {"text": "none", "text_flag": False},
    ]


def test_columns_that_arrow_cannot_filter(room):
    views = pa.array([["a"], [], ["b"], ["c"]], pa.list_(pa.string_view()))
    write("in.arrow", table.append_column("views", views))
    for option, texts in (("--filter", ["ushers", 'the "he", she\nsaid']), ("-v", [None, "none"])):
        assert run(parse(["patterns", "in.arrow", "--column", "text", "--out", "out.arrow", option]))
        found = read("out.arrow")
        assert found["text"].to_pylist() == texts
        rows = zip(views.to_pylist(), table["text"].to_pylist())
        assert found["views"].to_pylist() == [view for view, text in rows if text in texts]


def test_dictionaries_that_change(room):
    schema = pa.schema([("text", pa.dictionary(pa.int32(), pa.string()))])
    with pa.parquet.ParquetWriter("in.parquet", schema) as writer:
        for values in (["ushers", "x"], ["y", "she"]):
            writer.write_table(pa.table([pa.array(values).dictionary_encode()], schema=schema))
    with pytest.raises(Refusal, match="out.arrow: an Arrow file holds one dictionary"):
        run(parse(["patterns", "in.parquet", "--column", "text", "--out", "out.arrow", "--flag"]))
    assert run(parse(["patterns", "in.parquet", "--column", "text", "--out", "out.arrows", "--flag"]))
    assert read("out.arrows")["text"].to_pylist() == ["ushers", "x", "y", "she"]


def test_numbers_that_json_lacks(room):
    write("in.parquet", pa.table({"text": ["she", "x"], "n": [float("nan"), 0.5], "l": [[float("inf")], [1.0]]}))
    assert run(parse(["patterns", "in.parquet", "--column", "text", "--out", "out.jsonl", "--flag"]))
    assert [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()] == [
        {"text": "she", "n": None, "l": [None], "text_flag": True},
        {"text": "x", "n": 0.5, "l": [1.0], "text_flag": False},
    ]


def test_numbers_that_json_lacks_in_maps(room):
    maps = pa.array([[("a", float("nan")), ("b", 0.5)]], pa.map_(pa.string(), pa.float64()))
    write("in.parquet", pa.table({"text": ["she"], "m": maps}))
    assert run(parse(["patterns", "in.parquet", "--column", "text", "--out", "out.jsonl"]))
    assert json.loads(Path("out.jsonl").read_text()) == {"text": "she", "m": [["a", None], ["b", 0.5]]}


def test_what_nobody_foresaw_is_an_error_too(room):
    write("in.csv")
    done = subprocess.run(
        [command, "patterns", "in.csv", "--column", "text", "--out", "out.csv", "--threads", "99999999999"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("lode-table: ") and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.csv", "a.jsonl"])
def test_columns_are_rewritten(room, name):
    write(name)
    wanted = ["u[1]rs", None, "none", 't[0] "[0]", [1]\nsaid']
    if name.endswith(".csv"):
        wanted[1] = ""
    done = lode_table("patterns", name, "--column", "text", "--out", f"new-{name}", "--replace", "[{id}]")
    assert done.returncode == 0 and b"4 rows read, 2 matched, 4 written" in done.stderr
    made = read(f"new-{name}")
    assert made.column_names == ["id", "text"]
    assert [text or "" for text in made["text"].to_pylist()] == [text or "" for text in wanted]
    lode_table("patterns", name, "--column", "text", "--out", f"masked-{name}", "--mask", "*", "--name", "safe")
    made = read(f"masked-{name}")
    assert made.column_names == ["id", "text", "safe"]
    assert made["safe"].to_pylist()[0] == "u***rs" and made["text"].to_pylist()[0] == "ushers"


def test_patterns_have_replacements_of_their_own(room):
    write("a.csv")
    Path("some.jsonl").write_text('{"text": "she", "replacement": "S"}\n{"text": "he"}\n')
    Path("all.jsonl").write_text('{"text": "she", "replacement": "S"}\n{"text": "he", "replacement": "h"}\n')
    Path("lines").write_bytes(b"h\r\nS")
    for patterns, options in (
        ("some.jsonl", ["--replace", "h"]),
        ("all.jsonl", ["--own-replacements"]),
        ("patterns", ["--replacements", "lines", "--crlf"]),
    ):
        done = lode_table(patterns, "a.csv", "--column", "text", "--out", "b.csv", *options)
        assert done.returncode == 0, done.stderr
        assert read("b.csv")["text"].to_pylist()[0] == "uSrs"
    done = lode_table("some.jsonl", "a.csv", "--column", "text", "--out", "b.csv", "--own-replacements")
    assert done.returncode == 2 and b"pattern 1, 'he', has no replacement of its own" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--replace", "x", "--counts"],
        ["--replace", "{x}"],
        ["--mask", ""],
        ["--mask", "x", "-v"],
        ["--own-replacements"],
        ["--own-replacements", "--replace", "x"],
        ["--replacements", "none"],
        ["--replacements", "one"],
    ],
)
def test_rewriting_that_is_refused(room, options):
    write("a.csv")
    Path("one").write_text("x\n")
    done = lode_table("patterns", "a.csv", "--column", "text", "--out", "b.csv", *options)
    assert done.returncode == 2 and not Path("b.csv").exists()
