"""Fetch the fonts of the pictures from Debian into the cache folder; nothing is installed.

Readers see the widget in their own system's fonts. These stand for those that most have: Inter for a
system's own, TeX Gyre Pagella for Palatino, Noto Nastaliq for Urdu.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from cached import cache_folder

PACKAGES = ("fonts-inter", "fonts-texgyre", "fonts-noto-core")
TAKEN = ("Inter-*.otf", "texgyrepagella-*.otf", "NotoNastaliqUrdu-*.ttf")
STANDS_FOR = {
    "system-ui": "Inter",
    "sans-serif": "Inter",
    "sans": "Inter",
    "Sans": "Inter",
    "Palatino": "TeX Gyre Pagella",
    "Palatino Linotype": "TeX Gyre Pagella",
}


def get_fonts() -> Path:
    """The configuration that `FONTCONFIG_FILE` names."""
    folder = cache_folder() / "fonts"
    configuration = folder / "fonts.conf"
    if not configuration.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as unpacked:
            _unpack(Path(unpacked))
            for pattern in TAKEN:
                for font in Path(unpacked).rglob(pattern):
                    (folder / font.name).write_bytes(font.read_bytes())
        configuration.write_text(_configuration(folder), encoding="utf-8")
    return configuration


def _unpack(folder: Path) -> None:
    subprocess.run(["apt-get", "-qq", "download", *PACKAGES], cwd=folder, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)


def _configuration(folder: Path) -> str:
    rules = "".join(
        f'<match target="pattern"><test name="family"><string>{asked}</string></test>'
        f'<edit name="family" mode="assign" binding="strong"><string>{font}</string></edit></match>'
        for asked, font in STANDS_FOR.items()
    )
    return (
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f"<dir>/usr/share/fonts</dir><dir>{folder}</dir><cachedir>{folder / 'cache'}</cachedir>"
        f'<include ignore_missing="yes">/etc/fonts/conf.d</include>{rules}</fontconfig>\n'
    )
