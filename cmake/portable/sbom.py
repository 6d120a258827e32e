"""Writes SHA256SUMS, and what is linked into each file of a release as SPDX 2.3, beside these files.

sbom.py FOLDER VERSION SOURCES: the folder with the files, and that of Debian's sources from which they were linked
(cmake/portable/release.sh).
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

from license_expression import get_spdx_licensing
from spdx_tools.spdx.model import (
    Actor,
    ActorType,
    Checksum,
    ChecksumAlgorithm,
    CreationInfo,
    Document,
    Package,
    Relationship,
    RelationshipType,
    SpdxNoAssertion,
)
from spdx_tools.spdx.writer.write_anything import write_file

# What is linked into every file, and what only into wheels.
LICENCES = {
    "highway": "Apache-2.0",
    "onetbb": "Apache-2.0",
    "fmtlib": "MIT",
    "xxhash": "BSD-2-Clause",
    "nlohmann-json3": "MIT",
    "libcli11": "BSD-3-Clause",
    "libcxx": "Apache-2.0 WITH LLVM-exception",
}
WHEEL_LICENCES = {"nanobind": "BSD-3-Clause", "robin-map": "MIT", "simdjson": "Apache-2.0"}


def versions(sources: Path) -> dict[str, str]:
    """The version of each library: Debian's, where the library comes from there."""
    found = {name: re.search("_(.*)[.]dsc", file.name)[1] for name in LICENCES | WHEEL_LICENCES for file in sources.glob(f"{name}_*.dsc")}
    for name in ("nlohmann-json3", "libcli11"):
        query = ["dpkg-query", "--show", "--showformat=${Version}", f"{name}-dev"]
        found[name] = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    found["libcxx"] = f"of ziglang {metadata.version('ziglang')}"
    found["nanobind"] = metadata.version("nanobind")
    found["robin-map"] = f"of nanobind {found['nanobind']}"
    return found


def package(name: str, version: str, licence: str, **more: object) -> Package:
    return Package(
        spdx_id=f"SPDXRef-{name.replace('_', '-')}",
        name=name,
        version=version,
        download_location=SpdxNoAssertion(),
        files_analyzed=False,
        license_declared=get_spdx_licensing().parse(licence),
        **more,
    )


def document(files: dict[Path, str], version: str, sources: Path) -> Document:
    """The bill of materials of files, whose digests are given."""
    moment = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), timezone.utc).replace(tzinfo=None)
    digest = hashlib.sha256("".join(files.values()).encode()).hexdigest()
    known = versions(sources)
    packages = [package(name, known[name], licence) for name, licence in (LICENCES | WHEEL_LICENCES).items()]
    relationships = []
    for file, sum_of_file in files.items():
        made = package(
            file.name, version, "Apache-2.0", file_name=file.name, checksums=[Checksum(ChecksumAlgorithm.SHA256, sum_of_file)]
        )
        packages.append(made)
        relationships.append(Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, made.spdx_id))
        linked = LICENCES | (WHEEL_LICENCES if file.suffix == ".whl" else {})
        relationships += [Relationship(made.spdx_id, RelationshipType.STATIC_LINK, f"SPDXRef-{name}") for name in linked]
    creation = CreationInfo(
        spdx_version="SPDX-2.3",
        spdx_id="SPDXRef-DOCUMENT",
        name=f"lode-{version}",
        document_namespace=f"https://lode.invalid/spdx/lode-{version}-{digest}",
        creators=[Actor(ActorType.ORGANIZATION, "The Lode project")],
        created=moment,
    )
    return Document(creation, packages=packages, relationships=relationships)


def main(folder: Path, version: str, sources: Path) -> None:
    files = {
        file: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
        # liblode-dev, which ./dev package leaves there, is linked otherwise.
        if file.name.startswith(("lode-", "lode_")) and version in file.name and file.suffix in (".whl", ".deb", ".gz")
    }
    if not files:
        sys.exit(f"sbom: {folder} has no files of version {version}")
    bill = folder / f"lode-{version}.spdx.json"
    write_file(document(files, version, sources), str(bill))  # checks it, too
    files[bill] = hashlib.sha256(bill.read_bytes()).hexdigest()
    (folder / "SHA256SUMS").write_text("".join(f"{digest}  {file.name}\n" for file, digest in files.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
