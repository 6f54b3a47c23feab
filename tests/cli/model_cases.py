"""Random models of named columns, written by hand, and random values for their tables.

What the tests of the example reader and of SQL share: both have to answer as `sotto predict` does.
"""
import math

# Names and words that have to be quoted, in CSV and in SQL.
NAMES = ('age', 'a"b', "it's", 'two words', 'select', 'Größe', 'x;--', '100%', '[y]', 'a,b', 'r."x"')
LEVELS = ("red", "RED", "it's", 'say "yes"', "NULL", "none", "1", "", "a,b", "--", "ß", "two\nlines",
          "'; DROP TABLE records; --", "%", "\\", "nan", "2.5")
WORDS = ("NA", "?", "-99", "n/a", "it's missing", "1e2")


def draw_number(draw):
    kind = draw.random()
    if kind < .3:
        return float(draw.randint(-5, 5))
    return draw.uniform(-1, 1) * 10. ** draw.randint(-3, 3)


def draw_column(draw, words):
    """The declaration of a column that has features."""
    if draw.random() < .5:
        levels = draw.sample([word for word in LEVELS if word and word not in words],
                             draw.randint(1, 6))
        rule = {"type": "category", "levels": levels}
        fill = next((level for level in levels if level != "none"), None)
        missing = [None, fill, fill if "none" in levels else "none"]
        if draw.random() < .3:
            rule["other"] = True
    else:
        rule = {"type": "number"}
        if draw.random() < .7:
            low = draw_number(draw)
            rule["bounds"] = [low, low + abs(draw_number(draw)) + .25]
            if draw.random() < .2:
                rule["bought"] = True
        low, high = rule.get("bounds", (-9, 9))
        missing = [None, low + (high - low) * .5 * draw.random()]
    rule["missing"] = draw.choice(missing)
    if rule["missing"] is None:
        del rule["missing"]
    return rule


def levels_of(rule):
    return rule["levels"] + ["other"] * rule.get("other", False)


def names_of(columns):
    names = []
    for name, rule in columns.items():
        if rule["type"] == "number":
            names.append(name)
        elif rule["type"] == "category":
            names += [f"{name}={level}" for level in levels_of(rule)]
    return names


def draw_model(draw, loss="logistic", norm=False):
    """A model that says NOT PRIVATE, as a dictionary without its checksum."""
    words = draw.sample(WORDS, draw.randint(0, 4))
    columns = {name: draw_column(draw, words) for name in draw.sample(NAMES, draw.randint(1, 6))}
    columns["left out"] = {"type": "drop"}
    classes = ["it's \"no\"", "yes"] if loss in ("logistic", "hinge") else None
    columns["y"] = {"type": "target", **({"classes": classes} if classes else {})}
    features = names_of(columns)
    model = {"sotto_model": 1, "not_private": True, "loss": loss,
             "penalty": {"units": "fit", "l1": 0.0, "l2": 0.5, "box": None}, "classes": classes}
    if norm:
        model["row_norm"] = {"bound": draw.uniform(.2, 2), "centre": draw.choice([0.0, 1.5])
                             if loss == "squared" else 0.0}
    model.update(intercept=draw_number(draw), features=features,
                 weights=[draw.choice([0.0, draw_number(draw)]) if draw.random() < .2
                          else draw_number(draw) for _ in features],
                 schema={"sotto_schema": 1, **({"missing_values": words} if words else {}),
                         "columns": columns}, privacy=None)
    return model


def draw_value(draw, rule, words):
    """A value of a table: mostly one that the model knows, else anything that tables have."""
    if draw.random() < .06:
        return draw.choice([None, "", *words])
    if rule["type"] == "category":
        return draw.choice(rule["levels"]) if draw.random() < .96 else draw.choice(
            [*LEVELS, *(level.swapcase() for level in rule["levels"]), 1, 2.5, "no such level"])
    if draw.random() < .94:
        low, high = rule.get("bounds", (-9, 9))
        return draw.choice([draw.uniform(low, high), low, high, low - 1, high + 2.5, draw_number(draw),
                            draw.randint(-4, 4), str(draw.randint(-4, 4)), " 7.25 ", "1e1", "-.5"])
    return draw.choice([math.inf, -math.inf, "nan", "-Inf", "INFINITY", "+nan", "abc", "12abc", "1 2",
                        "0x10", "1,5", "--1", "e5", ".", "'", 1e39, -1e39, 1e300, -1e300, -99, "-99.0",
                        100, "100", 1e-320, 2 ** 53 + 1, "1_0", "infinit", "٣"])


def draw_rows(draw, model, count):
    columns = {name: rule for name, rule in model["schema"]["columns"].items()
               if rule["type"] in ("number", "category")}
    words = model["schema"].get("missing_values", [])
    return list(columns), [[draw_value(draw, rule, words) for rule in columns.values()]
                           for _ in range(count)]


def as_csv(names, rows):
    """A file of these values. Texts are in quotes, so that they keep their blanks."""
    def quoted(text):
        return '"%s"' % text.replace('"', '""')

    def field(value):  # a line with nothing in it would not be a row
        return quoted(value or "") if isinstance(value, (str, type(None))) else repr(value)
    lines = [",".join(map(quoted, names))] + [",".join(map(field, row)) for row in rows]
    return "".join(line + "\n" for line in lines)


def allowance(model):
    """How far two sums of the same terms may be apart, whatever their order and however often
    weights and values are rounded on the way: each of the p + 1 terms is at most `size` in size
    and is rounded at most 8 times (read, mapped, mapped back, multiplied) by 2^-53 of it, and each
    of the p additions adds 2^-53 of a sum that is at most `size`. Rows that are shortened
    add four operations."""
    size, p = abs(model["intercept"]), len(model["weights"])
    weights = iter(model["weights"])
    for rule in model["schema"]["columns"].values():
        if rule["type"] == "category":
            size += max(abs(next(weights)) for _ in levels_of(rule))
        elif rule["type"] == "number":
            reach = max(map(abs, rule["bounds"])) if "bounds" in rule else 1e4
            size += abs(next(weights)) * reach
    return (2 * p + 16) * 2. ** -53 * size

