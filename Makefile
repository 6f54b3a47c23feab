# A thin front for Meson. `make demo` and `make test` work on a fresh Debian.
#
# `make WERROR=1 ...` makes warnings errors, for developers and CI. It counts
# when a build folder is made: a user's compiler may be newer than ours.

BUILD = build
PREFIX ?= /usr/local
SETUP = meson setup $(if $(WERROR),-Dwerror=true)

.PHONY: all demo test fresh nightly test-report reproduce install uninstall format bench \
	bench-instructions bench-ledger bench-classes bench-ranks fuzz sanitize clang coverage mutants kills clean \
	setup-build setup-test test-prerequisites test-busy wheel test-python docs mpi mpi-test mpi-table mpi-kills \
	dist deb fresh-deb

# The library, the program and its man page.
all: setup-build $(BUILD)/build.ninja
	ninja -C $(BUILD) product

setup-build:
	@tools/setup.sh build

setup-test:
	@tools/setup.sh build test

$(BUILD)/build.ninja:
	$(SETUP) $(BUILD)

# Something to show a colleague: see what sotto does with a file of records.
demo: all
	@tools/demo.sh $(BUILD)/sotto $(BUILD)/demo

# Every test that runs in minutes. A build folder made before cmocka was
# there is configured again.
test: test-prerequisites
	@tools/test.sh $(BUILD)

test-prerequisites: setup-test
	@test ! -f $(BUILD)/build.ninja || meson setup --reconfigure $(BUILD) >/dev/null
	@$(MAKE) --no-print-directory all
	ninja -C $(BUILD) meson-test-prereq

# The same while other work keeps every processor busy: no test may depend on
# who is faster.
test-busy: test-prerequisites
	@tools/busy.sh tools/test.sh $(BUILD)

# The README's first commands in a minimal Debian made for it, as root:
# make fresh [SUITE=trixie]. What counts is that they pass there.
SUITE = bookworm
fresh:
	@tools/fresh.sh $(SUITE)

# The papers' experiments on their problems, and build/reproduce/report.html about
# them: make reproduce [QUICK=1] [RUNS=100] [DATA=DIR]. Run again after an
# interruption it goes on.
reproduce: all
	@tools/setup.sh test
	ninja -C $(BUILD) benches
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/reproduce.py --build $(BUILD) \
		$(if $(QUICK),--quick) $(if $(RUNS),--runs $(RUNS)) $(if $(DATA),--data $(DATA))

# The pages of 'sotto report', 'make reproduce' and 'make bench' in Chromium, on a
# desk, a phone and in the dark; the pictures are in build/pictures.
test-report: all
	@tools/setup.sh browser
	@mkdir -p $(BUILD)/pictures
	SOTTO=$(BUILD)/sotto SOTTO_PICTURES=$(BUILD)/pictures \
		PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/browser/test_report.py
	SOTTO_PICTURES=$(BUILD)/pictures PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 tests/browser/test_reproduce_page.py
	SOTTO_PICTURES=$(BUILD)/pictures PYTHONDONTWRITEBYTECODE=1 \
		/usr/bin/python3 tests/browser/test_bench_page.py

# README's picture of a report.
picture: all
	@tools/setup.sh browser
	tools/picture.sh $(BUILD)/sotto

# The documents as a site, build/site/html/index.html: with search, without a network. A link
# that leads nowhere fails.
docs: all
	@tools/setup.sh docs
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tools/make_site.py $(BUILD)/site $(BUILD)/sotto

# build/wheel/sotto_dp-*.whl, for this Python and all later ones, with tools of
# PyPI; where that cannot be reached it says so.
wheel:
	@tools/setup.sh build wheel
	@tools/wheel.sh $(BUILD)

# build/dist/sotto-VERSION.tar.gz: the sources of HEAD, the same bytes each time.
dist:
	@tools/dist.sh $(BUILD)

# build/deb/*.deb: Debian packages of HEAD, made and checked by Debian's tools.
deb:
	@tools/setup.sh build deb
	@tools/deb.sh $(BUILD)

# The packages are made, installed and tried in a minimal Debian: their tests are
# debian/tests. The archive is made twice there, too, and built.
fresh-deb:
	@tools/fresh.sh $(SUITE) 'make deb' 'tools/deb.sh build --install' \
		'tools/dist.sh build --check'

# The Python package with scikit-learn, pandas, polars and pyarrow, the newest of
# PyPI and Debian's; 20,000 random calls; its types.
test-python: test-prerequisites
	@tools/setup.sh python
	@tools/test_python.sh $(BUILD)

install: all
	meson configure $(BUILD) -Dprefix=$(PREFIX)
	meson install -C $(BUILD)

uninstall:
	ninja -C $(BUILD) uninstall

format:
	@tools/setup.sh format
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i

# Everything that is timed, in one run of about twenty minutes on an idle machine, and
# docs/speed.md and build/bench/report.html from it: make bench [QUICK=1] [ONLY=end-large]
# [TORCH=pypi]. Run again after an interruption it goes on; QUICK takes small sizes
# and leaves docs/speed.md alone. Rivals that Debian does not have are installed into
# build/rivals. A build made before Eigen was there is configured again.
bench:
	@tools/setup.sh bench
	@$(MAKE) --no-print-directory test-prerequisites
	ninja -C $(BUILD) benches
	@tools/rivals.sh $(BUILD)
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/bench.py --build $(BUILD) \
		$(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

# Instructions per byte and per value against bench/instructions.json: the same
# anywhere. bench/instructions.py --write records what is measured now.
bench-instructions: all
	@tools/setup.sh ci
	ninja -C $(BUILD) benches tests/exact_cli
	bench/instructions.py --build $(BUILD)

# What bookings cost beside pricing all runs as one list: writes the table of
# docs/notes/ledger.md.
bench-ledger: test-prerequisites
	bench/ledger.py --build $(BUILD) --write

# Two ranks against one process: build/bench-ranks.json; goes on after an interruption.
bench-ranks: mpi
	bench/ranks.py --build $(BUILD)

# Whether intervals of weights cover: build/bench-intervals.json, and the table of
# docs/notes/intervals.md; goes on after an interruption. make bench-intervals [RUNS=200]
.PHONY: bench-intervals
bench-intervals: test-prerequisites
	bench/intervals.py --runs $(or $(RUNS),200) --write

# What ten classes cost in time beside two: writes a table of docs/notes/auto.md.
bench-classes: test-prerequisites
	bench/classes_time.py --build $(BUILD) --write

# A second compiler.
clang:
	@tools/setup.sh build test ci
	@test -f build-clang/build.ninja || CC=clang-14 $(SETUP) build-clang \
		-Doptimization=1
	ninja -C build-clang all meson-test-prereq benches

# Unit tests under the address and undefined-behaviour sanitizers, but for
# audits and the release test, which only do the same very often; and the
# Python package's.
sanitize:
	@tools/setup.sh build test ci
	@test -f build-sanitize/build.ninja || $(SETUP) build-sanitize \
		-Db_sanitize=address,undefined -Doptimization=1
	ninja -C build-sanitize all meson-test-prereq
	@ASAN_OPTIONS=allocator_may_return_null=1 \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		tools/test.sh build-sanitize --suite unit
	@tools/sanitize_python.sh build-sanitize

# Every line of the rooms that privacy rests on is executed by a test, or listed
# with the reason in tests/coverage.txt. It takes much longer than `make test`,
# which decides whether tests pass. gcov complains where a test limits the size of
# files; nobody reads that.
coverage:
	@tools/setup.sh build test
	@test -f build-coverage/build.ninja || $(SETUP) build-coverage \
		-Db_coverage=true -Doptimization=1
	ninja -C build-coverage all meson-test-prereq
	@find build-coverage -name '*.gcda' -delete
	-@GCOV_ERROR_FILE=/dev/null tools/test.sh build-coverage --suite unit --suite audit --suite cli \
		--timeout-multiplier 5
	@tools/coverage.py build-coverage

# Each reader under libFuzzer for SECONDS (default 20; make fuzz SECONDS=600).
SECONDS = 20
fuzz:
	@tools/setup.sh build ci
	@test -f build-fuzz/build.ninja || CC=clang-14 $(SETUP) build-fuzz \
		-Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false \
		-Doptimization=1
	ninja -C build-fuzz fuzzers
	@tools/fuzz.sh build-fuzz $(SECONDS)

# Every fault in tests/mutants must be noticed by the tests it names. Run again
# after an interruption it goes on. Tests of pipelines need scikit-learn.
mutants:
	@tools/setup.sh build test python
	@tools/mutants.py

# What sotto releases, run with a fixed seed, against the hashes in
# tests/released.json: a refactoring changes none of them.
released: all
	tools/released.py --check $(BUILD)

# 1,000 trainings on one ledger are killed, and 200 times one of the federation's
# processes.
kills: all
	SOTTO=$(BUILD)/sotto SOTTO_KILLS=1000 tests/cli/test_ledger_kills.py
	SOTTO=$(BUILD)/sotto SOTTO_KILLS=200 tests/cli/test_kills.py

# build/sotto-mpi, for several processes on Open MPI, and its tests.
mpi: setup-build
	@tools/setup.sh mpi
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@meson setup --reconfigure -Dmpi=enabled $(BUILD) >/dev/null
	ninja -C $(BUILD) sotto-mpi sotto

mpi-test: mpi
	SOTTO=$(BUILD)/sotto PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/mpi/test_mpi.py
	SOTTO=$(BUILD)/sotto PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/mpi/table.py --few

# Every solver by every format and by 1, 2, 3, 4 and 7 ranks, against one process, and whether
# docs/ranks.md says so; WRITE=1 writes it there. Goes on after an interruption.
mpi-table: mpi
	SOTTO=$(BUILD)/sotto PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/mpi/table.py $(if $(WRITE),--write)

# A rank is killed at 50 places of a training and at 60 of evaluations and predictions; goes on
# after an interruption.
mpi-kills: mpi
	SOTTO=$(BUILD)/sotto PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 tests/mpi/kills.py

# What takes longer than CI has time for. Run again after an interruption it
# goes on; results in build/nightly.json.
nightly:
	@tools/nightly.py

clean:
	rm -rf build build-clang build-sanitize build-fuzz build-fresh build-mutants \
		build-coverage
