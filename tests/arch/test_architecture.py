#!/usr/bin/env python3
"""Holds the rooms apart: src/modules.txt against includes, compiler and linker.

The build gives each module an include folder with just its headers; here the
same table is held against what is written, what compiles and what is linked,
and each check is shown to fail when a solver reaches for the records.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("SOTTO_BUILD", os.path.join(ROOT, "build"))
CC = os.environ.get("CC", "cc").split()
with open(os.path.join(ROOT, "include/sotto.h"), encoding="utf-8") as _header:
    VERSION = re.search(r'SOTTO_VERSION "(.*)"', _header.read())[1]
sys.path.insert(0, os.path.join(ROOT, "tools"))
import views  # noqa: E402

MODULES = {name: (own, others)
           for name, own, others in views.read_modules(os.path.join(ROOT, "src/modules.txt"))}
OWNER = {header: name for name, (own, _) in MODULES.items() for header in own}
CONTRACT = {name[:-2] for name in os.listdir(os.path.join(ROOT, "src/contract"))}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def include_faults(module, text, folder):
    """What is wrong with the #include lines of a file of this module."""
    own, others = MODULES[module]
    faults = []
    for kind, path in INCLUDE.findall(text):
        name = path[:-2]
        if ".." in path:
            faults.append(f"{path}: leaves its folder")
        elif kind == '"' and "/" in path:
            faults.append(f"{path}: a path")
        elif name in CONTRACT and name not in own + others:
            faults.append(f"{path}: not for {module}")
        elif (kind == '"' and name not in own + others + ["pow5_table"]
              and not os.path.exists(os.path.join(folder, path))):
            faults.append(f"{path}: not a header of {module}")
    return faults


COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
CONVERSION = re.compile(r"%([-+ #0-9.*']*)(?:hh|h|ll|l|L|q|j|z|t)?([A-Za-z%]?)")
BY_LOCALE = re.compile(
    r"\b(strto(?:d|f|ld)|atof|v?[fs]?scanf|localeconv|setlocale|is(?:alpha|alnum|upper|lower|punct"
    r"|print|graph|space)|to(?:upper|lower)|strn?casecmp|strcoll|strxfrm)\s*\(")
JANSSON = re.compile(r"\b(locale_plain|locale_restore|json_(?:load|dump)\w*)\s*\(")


def locale_faults(text):
    """What in a C file prints, parses or compares as the host's locale says."""
    faults, inside = [], False
    for piece in COMMENT_OR_TEXT.findall(text):
        if piece[0] == '"':
            faults += [at[0] for at in CONVERSION.finditer(piece[1:-1])
                       if at[2] in tuple("aAeEfFgG") or "'" in at[1]]
    code = COMMENT_OR_TEXT.sub('""', text)
    faults += [at[1] for at in BY_LOCALE.finditer(code)]
    for at in JANSSON.finditer(code):
        if at[1].startswith("locale_"):
            inside = at[1] == "locale_plain"
        elif not inside:
            faults.append(f"{at[1]}: expected between locale_plain() and locale_restore()")
    return faults


def compiles(module, text, *flags):
    """Whether this text compiles as a file of the module."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "probe.c")
        with open(path, "w", encoding="utf-8") as probe:
            probe.write(text)
        command = CC + ["-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", *flags,
                        "-I" + os.path.join(ROOT, "include"),
                        "-I" + os.path.join(BUILD, "view", module), path]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def symbols(path, *flags):
    """Names that nm lists in an archive, object or library, without their versions."""
    out = subprocess.run(["nm", "-P", *flags, path], capture_output=True, text=True, check=True)
    return {line.split()[0].split("@")[0] for line in out.stdout.splitlines()
            if len(line.split()) > 1}


# What a room may call by way of sotto.h, as any program may: federate has tables read, and hands
# them to curators; it looks at no value in them but the ids, of which a keyed digest is taken.
PUBLIC = {"federate": {"sotto_table_read", "sotto_table_free", "sotto_table_rows",
                       "sotto_table_features", "sotto_table_feature_name",
                       "sotto_table_ids", "sotto_table_forget_ids"},
          "net": {"sotto_table_read", "sotto_table_free"}}


def symbol_faults(module, wanted, defined):
    """Symbols that the module uses from a module it may not know."""
    own, others = MODULES[module]
    allowed = {OWNER[header] for header in own + others} | {module}
    return [f"{name} of {owner}" for owner, names in defined.items()
            for name in sorted(wanted & names - PUBLIC.get(module, set()))
            if owner not in allowed]


def libraries():
    """The modules that have been built, with their archives."""
    paths = {name: os.path.join(BUILD, f"libsotto_{name}.a") for name in MODULES}
    return {name: path for name, path in paths.items() if os.path.exists(path)}


class Includes(unittest.TestCase):
    def test_every_folder_is_a_module(self):
        folders = set(os.listdir(os.path.join(ROOT, "src"))) - {
            "contract", "core.map.in", "federate.map", "modules.txt"}
        self.assertLessEqual(folders, set(MODULES))

    def test_every_contract_header_has_an_owner(self):
        self.assertLessEqual(CONTRACT, set(OWNER))

    def test_includes_follow_the_table(self):
        for module in MODULES:
            folder = os.path.join(ROOT, "src", module)
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    self.assertEqual(include_faults(module, file.read(), folder), [], name)

    def test_the_program_sees_the_public_header_only(self):
        folder = os.path.join(ROOT, "cli")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for _, path in INCLUDE.findall(file.read()):
                    self.assertNotIn(path[:-2], CONTRACT, name)
                    self.assertNotIn("/contract/", path, name)
                    self.assertNotIn("..", path, name)

    def test_a_solver_that_includes_a_data_header_is_found(self):
        for line in ('#include "data.h"', '#include <data.h>', '#include "../data/block.h"',
                     '#  include "kernel.h"' if "kernel" in CONTRACT else '#include "data.h"',
                     '#include "data/block.h"'):
            self.assertNotEqual(include_faults("solver", line + "\n", "/nowhere"), [], line)
        self.assertEqual(include_faults("solver", '#include "base.h"\n', "/nowhere"), [])


class Compiler(unittest.TestCase):
    def test_a_header_compiles_where_it_is_allowed_and_nowhere_else(self):
        for module, (own, others) in MODULES.items():
            for header in sorted(CONTRACT):
                text = f'#include "{header}.h"\n'
                self.assertEqual(compiles(module, text), header in own + others,
                                 f"{header}.h in {module}")

    def test_a_solver_that_includes_a_data_header_does_not_compile(self):
        self.assertTrue(compiles("solver", '#include "base.h"\nint f(void) { return 0; }\n'))
        self.assertFalse(compiles("solver", '#include "data.h"\nint f(void) { return 0; }\n'))

    def test_fast_math_is_refused(self):
        self.assertTrue(compiles("solver", '#include "base.h"\n'))
        self.assertFalse(compiles("solver", '#include "base.h"\n', "-ffast-math"))


class Linker(unittest.TestCase):
    def setUp(self):
        self.defined = {name: symbols(path, "--defined-only", "-g")
                        for name, path in libraries().items()}

    def test_modules_use_symbols_of_their_friends_only(self):
        self.assertIn("data", self.defined)
        for name, path in libraries().items():
            wanted = symbols(path, "--undefined-only")
            self.assertEqual(symbol_faults(name, wanted, self.defined), [], name)

    def test_a_solver_that_declares_a_data_symbol_itself_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "s.c"), os.path.join(folder, "s.o")
            with open(source, "w", encoding="utf-8") as file:
                file.write("void table_stored(const void *, long, double *);\n"
                           "void f(double *x) { table_stored(0, 0, x); }\n")
            subprocess.run(CC + ["-c", source, "-o", target], check=True)
            wanted = symbols(target, "--undefined-only")
            self.assertEqual(symbol_faults("solver", wanted, self.defined),
                             ["table_stored of data"])

    def test_federate_that_looks_at_a_record_is_found(self):
        for name in ("sotto_table_feature", "sotto_table_target", "table_stored"):
            self.assertEqual(symbol_faults("federate", {name}, self.defined), [f"{name} of data"])

    def test_names_carry_no_strangers(self):
        """Two modules never define the same name."""
        seen = {}
        for name, names in self.defined.items():
            for symbol in names:
                self.assertNotIn(symbol, seen, f"{symbol} in {name}")
                seen[symbol] = name


class NotPrivate(unittest.TestCase):
    """What the exact solver finds can leave as NOT PRIVATE only."""

    def test_who_may_see_the_exact_solver(self):
        """fit, whose models carry no statement, and the curator, behind whose gate it may sit."""
        self.assertEqual({name for name, (_, others) in MODULES.items() if "exact" in others},
                         {"fit", "curator"})
        self.assertNotIn("exact", MODULES["model"][1])
        self.assertNotIn("data", MODULES["model"][1])

    def test_who_uses_it(self):
        """Fit, and one file of the curator, which measures what it is told and lets nothing out."""
        defined = symbols(libraries()["exact"], "--defined-only", "-g")
        for name, path in libraries().items():
            used = symbols(path, "--undefined-only") & defined
            self.assertEqual(bool(used), name in ("exact", "fit", "curator"), (name, used))
        folder = os.path.join(BUILD, "libsotto_curator.a.p")
        for name in os.listdir(folder):
            used = symbols(os.path.join(folder, name), "--undefined-only")
            if name.endswith(".o") and used & defined:
                self.assertTrue(name.endswith("curator_minimise.c.o"), name)
                self.assertFalse({symbol for symbol in used if symbol.startswith("gate_")})

    def test_only_the_curator_makes_statements(self):
        """And only private.c and evaluation.c of fit take one: not what calls the exact solver."""
        folder = os.path.join(BUILD, "libsotto_fit.a.p")
        objects = [name for name in os.listdir(folder) if name.endswith(".o")]
        makers = {name for name in objects if "curator_statement" in
                  symbols(os.path.join(folder, name), "--undefined-only")}
        exact = {name for name in objects if "exact_solve" in
                 symbols(os.path.join(folder, name), "--undefined-only")}
        self.assertEqual(makers, {"src_fit_private.c.o", "src_fit_evaluation.c.o"})
        self.assertEqual(exact, {"src_fit_exact.c.o"})
        folder = os.path.join(BUILD, "libsotto_federate.a.p")
        makers = {name for name in os.listdir(folder) if name.endswith(".o") and
                  "federation_statement" in symbols(os.path.join(folder, name), "--undefined-only")}
        self.assertEqual(makers, {"src_federate_result.c.o"})
        for name, path in libraries().items():
            if name not in ("fit", "curator"):
                self.assertNotIn("curator_statement", symbols(path, "--undefined-only"), name)
        for name in ("exact.c", "fit.c"):
            with open(os.path.join(ROOT, "src/fit", name), encoding="utf-8") as file:
                self.assertNotIn("statement", file.read(), name)


class Exports(unittest.TestCase):
    """Two libraries, and what each of them exports: public names, and those of the core that
    libsotto-federate uses (CORE_EXPORT)."""

    PUBLIC_NAMES = {"sotto": "symbols.txt", "sotto-federate": "symbols_federate.txt"}

    def public(self, library):
        with open(os.path.join(ROOT, "tests/arch", self.PUBLIC_NAMES[library]),
                  encoding="utf-8") as file:
            return {line.strip() for line in file if line.strip() and not line.startswith("#")}

    def private(self):
        """What libsotto-federate takes from the core and sotto.h has not."""
        path = os.path.join(BUILD, "libsotto-federate.so")
        return {name for name in symbols(path, "-D", "--undefined-only")
                if name.startswith("sottocore_")}

    def expected(self, library):
        return self.public(library) | (self.private() if library == "sotto" else set())

    def test_shared_libraries(self):
        for library, names in self.PUBLIC_NAMES.items():
            path = os.path.join(BUILD, f"lib{library}.so")
            self.assertEqual(symbols(path, "-D", "--defined-only", "-g")
                             - {f"SOTTO_PRIVATE_{VERSION}", "SOTTO_0.1"}, self.expected(library),
                             f"a new name belongs into tests/arch/{names}; CORE_EXPORT is for "
                             "what libsotto-federate uses, and for nothing else")

    def test_static_libraries(self):
        for library in self.PUBLIC_NAMES:
            path = os.path.join(BUILD, f"lib{library}.a")
            self.assertEqual(symbols(path, "--defined-only", "-g"), self.expected(library))

    def test_headers_declare_what_is_exported(self):
        for library in self.PUBLIC_NAMES:
            path = os.path.join(ROOT, "include", library.replace("-", "_") + ".h")
            with open(path, encoding="utf-8") as file:
                declared = set(re.findall(r"\b(sotto_[a-z_]+)\(", file.read()))
            self.assertEqual(declared, self.public(library))

    def test_public_names_have_a_version(self):
        for library in self.PUBLIC_NAMES:
            out = subprocess.run(["nm", "-D", "--defined-only",
                                  os.path.join(BUILD, f"lib{library}.so")],
                                 capture_output=True, text=True, check=True).stdout
            versions = dict(re.findall(r" [TDRB] (sotto_[a-z_]+)@@(\S+)", out))
            self.assertEqual(versions, {name: "SOTTO_0.1" for name in self.public(library)})

    def test_headers_in_c11_and_cxx17(self):
        """By themselves, with every warning an error; and a program that uses them."""
        for library in self.PUBLIC_NAMES:
            header = library.replace("-", "_") + ".h"
            use = f"#include <{header}>\nint main() {{ return sotto_version() == 0; }}\n"
            for compiler, language, standard in ((CC, "c", "c11"), (["g++"], "c++", "c++17")):
                if not shutil.which(compiler[0]):
                    continue
                for text in (f"#include <{header}>\n", use.replace("main()", "main(void)")):
                    done = subprocess.run(
                        compiler + ["-x", language, f"-std={standard}", "-Wall", "-Wextra",
                                    "-Wpedantic", "-Werror", "-fsyntax-only", "-I",
                                    os.path.join(ROOT, "include"), "-"],
                        input=text, capture_output=True, text=True, check=False)
                    self.assertEqual(done.stderr, "", (header, standard))

    def test_only_the_federation_of_this_release_finds_what_is_private(self):
        """The dynamic linker refuses another one, whose structures may differ."""
        out = subprocess.run(["nm", "-D", os.path.join(BUILD, "libsotto.so")],
                             capture_output=True, text=True, check=True).stdout
        exported = re.findall(r"sottocore_\S+", out)
        self.assertEqual({name.split("@@")[1] for name in exported}, {f"SOTTO_PRIVATE_{VERSION}"})

    def test_the_core_needs_no_network(self):
        """Neither libsotto nor the program loads what the federation does."""
        loaded = {name: re.findall(r"(\S+) => ", subprocess.run(
            ["ldd", os.path.join(BUILD, name)], capture_output=True, text=True, check=True).stdout)
            for name in ("libsotto.so", "sotto", "sotto-federate")}
        for name in ("libsotto.so", "sotto"):
            strangers = [path for path in loaded[name] if not re.match(
                r"lib(sotto|z|jansson|sodium|sqlite3|m|c|pthread|asan|ubsan|gcc_s|dl|rt)\.so", path)]
            self.assertEqual(strangers, [], name)
        self.assertTrue(any(path.startswith("libsotto-federate") for path in
                            loaded["sotto-federate"]))


class Scripts(unittest.TestCase):
    """Noise of given bits is no noise: only the tests' own copy can do it."""

    def test_the_library_has_no_scripted_noise(self):
        shipped = [os.path.join(BUILD, name) for name in (
            "libsotto.so", "libsotto.a", "libsotto-federate.so", "libsotto-federate.a")]
        for path in shipped + list(libraries().values()):
            found = [n for n in symbols(path) if n.startswith("noise_") and "script" in n]
            self.assertEqual(found, [], path)
        self.assertIn("noise_open", symbols(shipped[0]))

    def test_scripted_noise_would_be_found(self):
        copy = os.path.join(BUILD, "tests", "libnoise_scripted.a")
        if not os.path.exists(copy):
            self.skipTest("built without cmocka or MPFR")
        self.assertIn("noise_open_scripted", symbols(copy))


class Sources(unittest.TestCase):
    def test_no_fast_math_and_no_other_loops(self):
        """No flag or pragma that would let the compiler change arithmetic."""
        for folder, _, names in os.walk(os.path.join(ROOT, "src")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    text = file.read()
                for word in ("pragma GCC optimize", "STDC FP_CONTRACT", "rand("):
                    self.assertNotIn(word, text, name)

    def test_numbers_are_the_same_in_every_locale(self):
        """Doubles are printed and parsed in base alone, and jansson does it in the C locale."""
        own = {"src/base/print.c", "src/base/number.c"}
        for folder in ("src", "cli"):
            for path, _, names in os.walk(os.path.join(ROOT, folder)):
                for name in names:
                    whole = os.path.join(path, name)
                    with open(whole, encoding="utf-8") as file:
                        text = file.read()
                    if os.path.relpath(whole, ROOT) not in own and name.endswith((".c", ".h")):
                        self.assertEqual(locale_faults(text), [], whole)

    def test_a_number_by_the_locale_is_found(self):
        for text in ('printf("%g", x);', 'printf("%-12.5g|", x);', 'printf("%+.*Lf", 3, x);',
                     'printf("100 %% of % 8.3e", x);', 'printf("%d "\n       "%a", 1, x);',
                     'printf("%" PRId64 " %#G", n, x);', 'printf("%\'d", n);', "x = strtod(t, NULL);",
                     "x = atof (t);", 'sscanf(t, "%d", &n);', "localeconv();", "isalpha(c)",
                     "strcasecmp(a, b)", 'root = json_loads(text, 0, NULL);',
                     "b = locale_plain(); locale_restore(b); json_dumps(root, 0);"):
            self.assertEqual(len(locale_faults(text)), 1, text)
        for text in ('printf("%d %% full, %s", n, t);', 'printf("%5lld %%  at", n);',
                     "/* as strtod() would, %g */", "// %f", "number_is_digit(c)",
                     "b = locale_plain(); root = json_loads(t, 0, NULL); locale_restore(b);"):
            self.assertEqual(locale_faults(text), [], text)

    def test_every_source_is_built(self):
        with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as file:
            build = file.read()
        for room in ["cli"] + [os.path.join("src", name) for name in MODULES]:
            folder = os.path.join(ROOT, room)
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
                if name.endswith(".c"):
                    self.assertTrue(f"'{room}/{name}'" in build,
                                    f"list {room}/{name} in meson.build")

    def test_no_library_code_prints_or_exits(self):
        banned = {"printf", "puts", "putchar", "perror", "exit", "_exit", "abort", "rand",
                  "srand", "setlocale", "strtod", "atof", "system", "getenv", "secure_getenv"}
        # Without entropy there is no noise, and a status could be overlooked.
        # Where the user's own ledger is, only the environment says (sotto_ledger_own).
        allowed = {"noise": {"abort"}, "ledger": {"secure_getenv"}}
        for name, path in libraries().items():
            used = symbols(path, "--undefined-only") & banned
            self.assertEqual(used, allowed.get(name, set()), name)

    def test_no_library_code_changes_the_process(self):
        """Other threads of the host would notice: its umask, signals, folder, environment."""
        changes = {"umask", "chdir", "fchdir", "chroot", "prctl", "setlocale", "uselocale",
                   "putenv", "setenv", "unsetenv", "clearenv", "setrlimit", "setpriority", "nice",
                   "sched_setaffinity", "signal", "sigaction", "sigprocmask", "pthread_sigmask",
                   "sigaltstack", "alarm", "setitimer", "mlockall", "atexit", "pthread_atfork",
                   "fork", "vfork", "execve", "execvp", "posix_spawn", "mallopt", "strtok",
                   "srand48", "setvbuf", "freopen"}
        # The pool's own threads take no signals; the caller's mask is put back at once.
        # So is its locale, which only the one thread has seen change (base/print.c).
        allowed = {"kernel": {"pthread_sigmask"}, "base": {"uselocale"}}
        for name, path in libraries().items():
            self.assertEqual(symbols(path, "--undefined-only") & changes,
                             allowed.get(name, set()), name)
        with open(os.path.join(ROOT, "include/sotto.h"), encoding="utf-8") as file:
            said = " ".join(file.read().replace("*", " ").split())
        self.assertIn("changes nothing that belongs to the whole process", said)


if __name__ == "__main__":
    unittest.main()
