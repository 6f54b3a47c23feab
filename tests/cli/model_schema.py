"""Whether a model is as docs/model.schema.json says. Without Debian's python3-jsonschema nothing
is checked; tests/cli/test_model_json.py then says that it was skipped."""
import functools
import json
import os

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MISSING = "python3-jsonschema is not installed"


@functools.lru_cache
def schema():
    with open(os.path.join(ROOT, "docs/model.schema.json"), encoding="utf-8") as file:
        return json.load(file)


@functools.lru_cache
def validator():
    return jsonschema.Draft202012Validator(schema())


def fault(model):
    """What is wrong with it, in words; None: nothing, or there is no way to tell."""
    if jsonschema is None:
        return None
    found = jsonschema.exceptions.best_match(validator().iter_errors(model))
    return found and "%s: %s" % ("/".join(map(str, found.absolute_path)), found.message[:600])
