"""Write a PDF with plain text and an outline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, IndirectObject, NameObject


def write_pdf(
    path: Path, *pages: str, outline: Sequence[tuple[str, int, int]] = (), title: str = "", password: str = ""
) -> Path:
    """`outline` has titles with their level and their page, both counted from 1."""
    writer = PdfWriter()
    for text in pages:
        _add_page(writer, text)
    parents: dict[int, IndirectObject] = {}
    for name, level, number in outline:
        parent = parents.get(level - 1)
        parents[level] = writer.add_outline_item(title=name, page_number=number - 1, parent=parent)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    with path.open("wb") as file:
        writer.write(file)
    return path


def _add_page(writer: PdfWriter, text: str) -> None:
    page = writer.add_blank_page(612, 792)
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F1"): named})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    lines = "".join(f"({_escaped(line)}) Tj T* " for line in text.split("\n"))
    stream.set_data(f"BT /F1 12 Tf 14 TL 72 720 Td {lines}ET".encode("latin-1"))
    page[NameObject("/Contents")] = writer._add_object(stream)


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
