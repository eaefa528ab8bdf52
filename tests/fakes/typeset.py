"""Tables of LaTeX, typeset as somebody who puts them into an article does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest


def typeset(tables: str, folder: Path) -> None:
    """Typeset tables with the packages that they say they need, in a new folder; skips where there is no pdflatex."""
    if shutil.which("pdflatex") is None:
        pytest.skip("there is no pdflatex on this machine; as root: apt-get install texlive-latex-recommended")
    head = tables.partition("\n")[0]
    packages = re.findall(r"\\usepackage\{\w+\}", head)
    lines = [r"\documentclass{article}", *packages, r"\begin{document}", tables, r"\end{document}"]
    (folder / "article.tex").write_text("\n".join(lines), encoding="utf-8")
    command = ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "article.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout, done.stdout[-2000:]
    assert packages
    assert (folder / "article.pdf").is_file()
