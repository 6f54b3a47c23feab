"""Random models of named columns, written by hand, and random values for their tables.

What the tests of the example reader and of SQL share: both have to answer as `sotto predict` does.
"""
import datetime
import math

# Names and words that have to be quoted, in CSV and in SQL.
NAMES = ('age', 'a"b', "it's", 'two words', 'select', 'Größe', 'x;--', '100%', '[y]', 'a,b', 'r."x"')
LEVELS = ("red", "RED", "it's", 'say "yes"', "NULL", "none", "1", "", "a,b", "--", "ß", "two\nlines",
          "'; DROP TABLE records; --", "%", "\\", "nan", "2.5")
WORDS = ("NA", "?", "-99", "n/a", "it's missing", "1e2")
FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "day %d of %m'%Y", "%Y-%m-%dT%H:%M:%SZ",
           "%d%%%m%%%Y %H:%M", "%H %d/%m/%Y")
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December"]
TRUE, FALSE = ["yes", "true", "it's", "1"], ["no", "false", "NULL", "0"]


def draw_number(draw):
    kind = draw.random()
    if kind < .3:
        return float(draw.randint(-5, 5))
    return draw.uniform(-1, 1) * 10. ** draw.randint(-3, 3)


def draw_day(draw):
    """A day: any of the calendar, or near those that are easily wrong."""
    near = datetime.date(draw.choice([1, 4, 1600, 1900, 1970, 2000, 2023, 2024, 9998]),
                         draw.choice([1, 2, 3, 12]), draw.choice([1, 28]))
    if draw.random() < .4:
        return near + datetime.timedelta(draw.randint(0, 3))
    return datetime.date.fromordinal(draw.randint(1, 3652059))


def draw_date(draw):
    rule = {"type": "date", "format": draw.choice(FORMATS),
            "as": [part for part in ("days", "weekday", "month") if draw.random() < .6] or ["month"]}
    missing = draw_day(draw)
    if "days" in rule["as"]:
        low, missing, high = sorted({draw_day(draw) for _ in range(9)})[:3]
        rule.update(since=str(draw_day(draw)), bounds=[str(low), str(high)])
        if draw.random() < .3:
            del rule["since"]
    if draw.random() < .5:
        rule["missing"] = str(missing)
    return rule


def draw_boolean(draw, words):
    some = [[word for word in draw.sample(of, draw.randint(1, 4)) if word not in words]
            for of in (TRUE, FALSE)]
    rule = {"type": "boolean", "true": some[0], "false": some[1]}
    if draw.random() < .5:
        rule["missing"] = draw.random() < .5
    return rule


def draw_column(draw, words):
    """The declaration of a column that has features."""
    kind = draw.random()
    if kind < .2:
        return draw_date(draw)
    if kind < .35:
        return draw_boolean(draw, words)
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
        if rule["type"] in ("number", "boolean") or "days" in rule.get("as", []):
            names.append(name)
        if rule["type"] == "date":
            names += [f"{name}={level}" for part, levels in (("weekday", WEEKDAYS), ("month", MONTHS))
                      if part in rule["as"] for level in levels]
        elif rule["type"] == "category":
            names += [f"{name}={level}" for level in levels_of(rule)]
    return names


CLASSES = ("it's \"no\"", "yes", "", "maybe", "1", "NULL", "two words", "ß")


def draw_classes(draw, model, count, strategy):
    """The model with so many classes."""
    names = [name for name in draw.sample(CLASSES, len(CLASSES)) if name][:count]
    model.update(classes=names, strategy=strategy,
                 intercept=[draw_number(draw) for _ in names],
                 weights=[[draw_number(draw) if draw.random() < .9 else 0.0 for _ in names]
                          for _ in model["features"]])
    model["schema"]["columns"]["y"]["classes"] = names
    return model


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


def date_text(form, day, draw):
    """Written by hand: strftime writes the year 1 as 1."""
    values = {"%Y": f"{day.year:04d}", "%m": f"{day.month:02d}", "%d": f"{day.day:02d}",
              "%H": f"{draw.randint(0, 23):02d}", "%M": f"{draw.randint(0, 59):02d}",
              "%S": f"{draw.randint(0, 59):02d}"}
    for field, text in values.items():
        form = form.replace(field, text)
    return form.replace("%%", "%")


def draw_date_value(draw, rule):
    form, kind = rule["format"], draw.random()
    if kind < .5 and "bounds" in rule:
        low, high = (datetime.date.fromisoformat(bound).toordinal() for bound in rule["bounds"])
        day = draw.choice([low, high, draw.randint(low, high)])
        return date_text(form, datetime.date.fromordinal(day), draw)
    text = date_text(form, draw_day(draw), draw)
    if kind < .94:
        return text
    digit = draw.randrange(1, len(text) - 1)
    return draw.choice([
        text[:digit] + draw.choice("0123456789 x-٣") + text[digit + 1:], text + "0", text[:-1],
        form.replace("%Y", "2023").replace("%m", "02").replace("%d", "29"), text + "\n",
        form.replace("%Y", "0000").replace("%m", "01").replace("%d", "01"), 20240229, 2.5,
        form.replace("%Y", "2024").replace("%m", "13").replace("%d", "01"),
        form.replace("%Y", "1900").replace("%m", "02").replace("%d", "29"),
        form.replace("%Y", "2000").replace("%m", "04").replace("%d", "31")])


def draw_value(draw, rule, words):
    """A value of a table: mostly one that the model knows, else anything that tables have."""
    if draw.random() < .06:
        return draw.choice([None, "", *words])
    if rule["type"] == "date":
        return draw_date_value(draw, rule)
    if rule["type"] == "boolean":
        return draw.choice(rule["true"] + rule["false"]) if draw.random() < .96 else draw.choice(
            [*TRUE, *FALSE, "YES", "y", 1, 0, 1.0, "maybe"])
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
               if rule["type"] in ("number", "category", "date", "boolean")}
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


def date_features(rule):
    """What each feature of a date is."""
    counts = {"days": 1, "weekday": 7, "month": 12}
    return [part for part, count in counts.items() if part in rule["as"] for _ in range(count)]


def allowance(model):
    """How far two sums of the same terms may be apart, whatever their order and however often
    weights and values are rounded on the way: each of the p + 1 terms is at most `size` in size
    and is rounded at most 8 times (read, mapped, mapped back, multiplied) by 2^-53 of it, and each
    of the p additions adds 2^-53 of a sum that is at most `size`. Rows that are shortened
    add four operations."""
    def most(weight):  # of several classes: of any
        return max(map(abs, weight)) if isinstance(weight, list) else abs(weight)
    size, p = most(model["intercept"]), len(model["weights"])
    weights = map(most, model["weights"])
    for rule in model["schema"]["columns"].values():
        if rule["type"] == "category":
            size += max(next(weights) for _ in levels_of(rule))
        elif rule["type"] == "boolean":
            size += next(weights)
        elif rule["type"] == "date":
            size += sum(next(weights) * (4e6 if name == "days" else 1)
                        for name in date_features(rule))
        elif rule["type"] == "number":
            reach = max(map(abs, rule["bounds"])) if "bounds" in rule else 1e4
            size += next(weights) * reach
    return (2 * p + 16) * 2. ** -53 * size

