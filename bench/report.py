"""The HTML report in one file that needs nothing else: the numbers that matter, a figure, then those of each
machine; tables, machines and commands are folded away."""

import html
import re

import markdown

import figures
import gpu_tables
import headline
import names
import tables

STYLE = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 1rem; background: #fff; color: #222;
  font: 15px/1.45 "DejaVu Sans", Verdana, Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.25rem; border-top: 2px solid #0072B2; padding-top: .6rem; margin-top: 2.2rem; }
h2 small { font-weight: normal; font-size: .9rem; color: #555; }
h3 { font-size: 1rem; font-weight: normal; color: #555; margin: 1.8rem 0 .4rem; }
h4 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
nav a { margin-right: 1.2rem; white-space: nowrap; } a { color: #0072B2; }
code { font-family: "DejaVu Sans Mono", Consolas, monospace; font-size: .86em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; }
dt { color: #555; } dd { margin: 0; }
figure { margin: .4rem 0 1.2rem; max-width: 900px; } figcaption { color: #444; font-size: .9em; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: .8rem; margin: 1rem 0 1.6rem; }
.numbers p { margin: 0; padding: .7rem .9rem; background: #f3f6f8; border-top: 3px solid #0072B2; }
.numbers b { display: block; font-size: 2rem; line-height: 1.2; color: #0072B2; white-space: nowrap; }
.numbers small { display: block; color: #555; margin-top: .3rem; }
details { margin: .6rem 0; } summary { cursor: pointer; color: #0072B2; }
.scroll { overflow-x: auto; max-width: 100%; }
.scroll > svg { display: block; width: 100%; min-width: 520px; height: auto; }
table { border-collapse: collapse; font-size: .85em; overflow-wrap: normal; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; white-space: nowrap; text-align: right; }
th:first-child, td:first-child { text-align: left; }
th { background: #f3f6f8; vertical-align: bottom; } tbody tr:hover { background: #f7f7f7; }
@media (max-width: 600px) {
  body { padding: .6rem; font-size: 14px; } dl { overflow-x: hidden; }
  dl.commands { display: block; } .commands dd { margin: 0 0 .3rem; }
}
"""
FACTS = {
    "date": "measured", "processor": "processor", "cores": "cores", "host": "host", "gpu": "GPU", "driver": "driver",
    "cuda": "CUDA", "nvrtc": "NVRTC", "system": "system", "kernel": "kernel", "commit": "commit",
    "command_line": "command",
}


def inline(svg, prefix):
    """An SVG document as an element of a page: no head of its own, and names that no other figure has."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    return re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", svg)


def to_html(lines):
    """Markdown as HTML, headings below those of the machine, tables that scroll in themselves."""
    text = markdown.markdown("\n".join(lines), extensions=["tables"])
    text = re.sub(r"<(/?)h2>", r"<\1h4>", text)
    return text.replace("<table>", '<div class="scroll"><table>').replace("</table>", "</table></div>")


def notes_of(folder):
    """What people wrote about the run, or a bench about one file."""
    said = [f"{folder.file_of(name)}: {content['note']}" for name, (_, content) in folder.files.items()
            if isinstance(content, dict) and "note" in content]
    return folder.machine.get("notes", []) + said


def facts(folder):
    known = [(title, str(folder.machine[key])) for key, title in FACTS.items() if folder.machine.get(key)]
    if "memory_bytes" in folder.machine:
        known.append(("memory", f"{folder.machine['memory_bytes'] / 2**30:.0f} GiB"))
    if "gpu_memory_mebibytes" in folder.machine:
        known.append(("GPU memory", f"{folder.machine['gpu_memory_mebibytes'] / 1024:.0f} GiB"))
    known += folder.machine.get("devices", {}).items()
    for name, version in folder.machine.get("versions", {}).items():
        known.append((name, version or "not installed"))
    cells = "".join(f"<dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd>" for key, value in known)
    commands = "".join(f"<dt>{html.escape(folder.file_of(name))}</dt><dd><code>{html.escape(line)}</code></dd>"
                       for name, line in folder.commands().items())
    notes = "".join(to_html([html.escape(note, quote=False)]) for note in notes_of(folder))
    return f"<dl>{cells}</dl>{notes}" + (f'<h4>Commands</h4><dl class="commands">{commands}</dl>' if commands else "")


def tables_of(folder):
    lines = []
    for kind in ("library", "records", "commands"):
        for name, content in folder.all_of(kind).items():
            for line in tables.sections(**{kind: content}):
                lines.append(f"{line} (`{folder.file_of(name)}`)" if line.startswith("## ") else line)
            lines += [f"Cores: {content['cores']}.", ""] if "cores" in content else []
    for name, content in folder.all_of("gpu-experiments").items():
        lines += tables.of_gpu_experiments(folder.file_of(name), content)
    if folder.gpu:
        lines += [gpu_tables.said_of_units(folder.gpu), "", *gpu_tables.sections(folder.gpu)]
    return to_html(lines) if lines else ""


def picture(folder, figure, svg):
    """A figure below the question that it answers."""
    prefix = f"{re.sub(r'[^A-Za-z0-9]+', '-', folder.name)}-{figure.name}"
    return (f'<h3>{html.escape(figure.question)}</h3><figure id="{prefix}"><div class="scroll">'
            f"{inline(svg, prefix)}</div><figcaption>{html.escape(figure.caption)}</figcaption></figure>")


def folded(summary, content):
    return f"<details><summary>{summary}</summary>{content}</details>" if content else ""


def section(folder, drawn, absent):
    """One folder of results. drawn: (Figure, SVG); absent: Figure."""
    missing = "".join(f"<li>{html.escape(figure.question)} Needs {html.escape(figure.needs)}.</li>" for figure in absent)
    return "\n".join([f'<section id="{html.escape(folder.name)}"><h2>{html.escape(names.machine(folder))} '
                      f"<small>{html.escape(folder.name)}</small></h2>",
                      *(picture(folder, figure, svg) for figure, svg in drawn),
                      folded("Tables", tables_of(folder)),
                      folded("Machine, commands and notes", facts(folder)),
                      folded("Questions without results", missing and f'<ul class="absent">{missing}</ul>'), "</section>"])


def page(sections):
    """sections: (folder, drawn, absent)."""
    links = "".join(f'<a href="#{html.escape(folder.name)}">{html.escape(folder.name)}</a>' for folder, _, _ in sections)
    numbers = "".join(f"<p><b>{one.value}</b>{one.meaning}<small>{html.escape(one.machine)}</small></p>"
                      for one in headline.numbers([folder for folder, _, _ in sections]))
    numbers = numbers and f'<div class="numbers">{numbers}</div>'
    # The figures are in the order of their weight; the first of all machines' opens the report.
    order = [figure.name for figure in figures.ALL]
    first = min(((order.index(drawn[0][0].name), place) for place, (_, drawn, _) in enumerate(sections) if drawn),
                default=None)
    opening = ""
    if first:
        folder, drawn, absent = sections[first[1]]
        opening = picture(folder, *drawn[0])
        sections = [*sections[:first[1]], (folder, drawn[1:], absent), *sections[first[1] + 1:]]
    body = "\n".join(section(*one) for one in sections)
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Lode: benchmarks</title>'
            f"<style>{STYLE}</style></head>\n<body><h1>Lode: benchmarks</h1>"
            f"{numbers}\n{opening}<nav>{links}</nav>\n{body}\n</body></html>\n")
