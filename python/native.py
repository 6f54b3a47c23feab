#!/usr/bin/env python3
"""native.py HEADER OUTPUT.c: the extension sotto_dp._native, as C.

What it declares is read from the library's own header, so that nothing is
declared twice. Only the calls that C makes into Python are written here.
"""

import re
import sys

import cffi

# Calls that the library makes into Python (sotto_dp/_core.py defines them).
CALLBACKS = """
extern "Python" int sotto_dp_progress(void *, const sotto_progress *);
extern "Python" int sotto_dp_dataset(void *, const sotto_dataset *);
extern "Python" int sotto_dp_entry(void *, const sotto_entry *);
"""


def declarations(header: str) -> str:
    """The header without comments, directives and attributes."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    # what only a C++ compiler sees
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.S | re.M)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    text = re.sub(r"\b(SOTTO_API|SOTTO_MUST_CHECK)\b", "", text)
    return re.sub(r"\n\s*\n+", "\n", text)


def main() -> None:
    header, output = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = declarations(file.read())
    ffi = cffi.FFI()
    ffi.cdef(text + CALLBACKS)
    ffi.set_source("sotto_dp._native", '#include "sotto.h"\n')
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
