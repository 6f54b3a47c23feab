# The extension that native.py makes from include/sotto.h.
from typing import Any

ffi: Any
lib: Any
