# perfhouse - top Makefile: a façade over the parts. `make help` lists the targets.
#
# Variables: BUILD=folder (default build), PG_CONFIG=..., CC=..., prefix=/usr/local, DESTDIR=...

BUILD ?= build
CC = gcc
PG_CONFIG ?= pg_config
prefix ?= /usr/local
SHELL = /bin/bash

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
B := $(abspath $(BUILD))

# ------------------------------------------------------------------------------------------- flags
VERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" extension/perfhouse.control)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 $(WERROR)
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
OPT ?= -O3 -g
SAN :=
ifneq ($(SAN_BUILD),)
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT := -O1 -g
HARDEN :=
endif
CFLAGS_COMMON := -std=c11 -D_GNU_SOURCE $(OPT) $(HARDEN) $(WARN) $(SAN) $(COVER) -MMD -MP

LOADER_PKGS := libpq json-c expat zlib libcrypto libarchive liblz4 otf2
RENDERER_PKGS := libpq json-c cairo pangocairo fontconfig liblz4 libmicrohttpd
LOADER_CFLAGS = $(shell pkg-config --cflags $(LOADER_PKGS))
LOADER_LIBS = $(shell pkg-config --libs $(LOADER_PKGS)) -lpthread -lm
RENDERER_CFLAGS = $(shell pkg-config --cflags $(RENDERER_PKGS))
RENDERER_LIBS = $(shell pkg-config --libs $(RENDERER_PKGS)) -lpthread -lm
DEFINES := -DPH_VERSION='"$(VERSION)"'

CORE_SRC := $(sort $(wildcard extension/core/*.c))
CLIENT_SRC := $(sort $(wildcard loader/client/*.c))
LOADER_SRC := $(sort $(wildcard loader/src/*.c))
RENDERER_SRC := $(sort $(wildcard renderer/src/*.c renderer/serve/*.c))
WEB_FILES := $(sort $(wildcard renderer/web/*))
objects = $(patsubst %.c,$(B)/obj/%.o,$(1))
CORE_OBJ := $(call objects,$(CORE_SRC))
CLIENT_OBJ := $(call objects,$(CLIENT_SRC)) $(B)/obj/gen/queries.o
LOADER_OBJ := $(call objects,$(LOADER_SRC))
RENDERER_OBJ := $(call objects,$(RENDERER_SRC)) $(B)/obj/gen/assets.o

# ------------------------------------------------------------------------------------ what people type
.PHONY: all help demo check install uninstall installcheck bench lint fuzz fuzz-pack fuzz-replay check-asan \
	check-ubsan-server dist clean core client extension loader renderer unit regress isolation tap check-dashboards \
	check-browser \
	deps golden-update docs

all: core extension loader renderer

help:
	@sed -n 's/^## //p' Makefile

## make             build everything into build/ (build/bin/perfhouse runs in place)
## make demo        install what is missing, build, load bundled runs, draw pictures into demo-output/
## make check       install what is missing, build, run every test in a throw-away server
## make check-dashboards  the Grafana dashboards against a warehouse and Grafana's own code
## make install     install programs, extension and docs (prefix=/usr/local, DESTDIR=)
## make installcheck  the SQL tests against the installed extension on the server of PG* variables
## make bench       benchmarks: ratios against the peers and the budgets
## make lint        formatting, layering, banned calls, static analysis, JavaScript, Perl, spelling
## make check-browser  the pages in a headless browser; screenshots in build/screenshots
## make fuzz        long libFuzzer runs of every reader and recv function (FUZZ_SECONDS=600 each)
## make fuzz-pack   minimise what make fuzz found and pack it into tests/fuzz/corpus
## make check-asan  unit tests, fuzz corpus and programs under ASan+UBSan; extension under UBSan
## make dist        source archive

deps:
	@tests/lib/install-deps build

demo: deps
	@$(MAKE) --no-print-directory all
	@tests/lib/demo $(BUILD)

check:
	@tests/lib/install-deps check
	@$(MAKE) --no-print-directory all
	@tests/lib/check $(BUILD)

# -------------------------------------------------------------------------------------------- objects
$(B)/obj/extension/core/%.o: extension/core/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -Wconversion -fPIC -fvisibility=hidden -c $< -o $@

$(B)/obj/loader/%.o: loader/%.c $(B)/gen/queries.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fPIE -Iextension/core -Iloader/client -Iloader/src -I$(B)/gen $(LOADER_CFLAGS) $(DEFINES) -c $< -o $@

$(B)/obj/renderer/%.o: renderer/%.c $(B)/gen/queries.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fPIE -Iextension/core -Iloader/client -Irenderer/src -Irenderer/serve -I$(B)/gen $(RENDERER_CFLAGS) $(DEFINES) -c $< -o $@

# SQL that the programs send: every file is runnable in psql as it stands, and a C string here.
SQL_FILES := $(sort $(wildcard sql/queries/*.sql sql/schema/*.sql sql/extension/*.sql))
$(B)/gen/queries.h $(B)/gen/queries.c &: tests/lib/embed-sql extension/build-id $(SQL_FILES)
	@mkdir -p $(B)/gen
	tests/lib/embed-sql $(B)/gen/queries.h $(B)/gen/queries.c $(SQL_FILES)

$(B)/obj/gen/queries.o: $(B)/gen/queries.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fPIE -I$(B)/gen -c $< -o $@

# The pages' files, as C arrays.
$(B)/gen/assets.c: tests/lib/embed-web $(WEB_FILES)
	@mkdir -p $(B)/gen
	tests/lib/embed-web $@ $(WEB_FILES)

$(B)/obj/gen/assets.o: $(B)/gen/assets.c renderer/serve/assets.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -fPIE -Irenderer/serve -c $< -o $@

# ------------------------------------------------------------------------------------------- programs
core: $(B)/libphcore.a
$(B)/libphcore.a: $(CORE_OBJ)
	@rm -f $@
	ar rcs $@ $^

client: $(B)/libphclient.a
$(B)/libphclient.a: $(CLIENT_OBJ)
	@rm -f $@
	ar rcs $@ $^

loader: $(B)/bin/perfhouse
$(B)/bin/perfhouse: $(LOADER_OBJ) $(B)/libphclient.a $(B)/libphcore.a
	@mkdir -p $(@D)
	$(CC) $(SAN) $(COVER) -pie -Wl,-z,relro,-z,now -o $@ $^ $(LOADER_LIBS)

renderer: $(B)/bin/perfhouse-render
$(B)/bin/perfhouse-render: $(RENDERER_OBJ) $(B)/libphclient.a $(B)/libphcore.a
	@mkdir -p $(@D)
	$(CC) $(SAN) $(COVER) -pie -Wl,-z,relro,-z,now -o $@ $^ $(RENDERER_LIBS)

extension: $(B)/libphcore.a
	@mkdir -p $(B)/extension/src
	@$(MAKE) --no-print-directory -C $(B)/extension -f $(CURDIR)/extension/Makefile \
		CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) EXTRA_CFLAGS="$(EXT_SAN)" EXTRA_LDFLAGS="$(EXT_SAN)" all
	@$(MAKE) --no-print-directory -s -C $(B)/extension -f $(CURDIR)/extension/Makefile \
		CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) DESTDIR=$(B)/stage install

install: all
	$(MAKE) -C $(B)/extension -f $(CURDIR)/extension/Makefile CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) \
		DESTDIR=$(DESTDIR) install
	install -d $(DESTDIR)$(prefix)/bin $(DESTDIR)$(prefix)/share/man/man1 $(DESTDIR)$(prefix)/share/doc/perfhouse
	install -m 755 $(B)/bin/perfhouse $(B)/bin/perfhouse-render $(DESTDIR)$(prefix)/bin/
	install -m 644 $(wildcard docs/man/*.1) $(DESTDIR)$(prefix)/share/man/man1/
	install -m 644 README.md LICENSE $(wildcard docs/*.md) $(DESTDIR)$(prefix)/share/doc/perfhouse/
	install -d $(DESTDIR)$(prefix)/share/doc/perfhouse/design
	install -m 644 $(wildcard docs/design/*.md) $(DESTDIR)$(prefix)/share/doc/perfhouse/design/

uninstall:
	$(MAKE) -C $(B)/extension -f $(CURDIR)/extension/Makefile CORE=$(B)/libphcore.a PG_CONFIG=$(PG_CONFIG) \
		DESTDIR=$(DESTDIR) uninstall
	rm -f $(DESTDIR)$(prefix)/bin/perfhouse $(DESTDIR)$(prefix)/bin/perfhouse-render
	rm -f $(addprefix $(DESTDIR)$(prefix)/share/man/man1/,$(notdir $(wildcard docs/man/*.1)))
	rm -rf $(DESTDIR)$(prefix)/share/doc/perfhouse

# ---------------------------------------------------------------------------------------------- tests
UNIT := $(patsubst tests/unit/test_%.c,%,$(sort $(wildcard tests/unit/test_*.c)))

unit:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SAN_BUILD=1 unit-programs
	@tests/lib/run-unit $(BUILD)/asan/unit

unit-%:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan SAN_BUILD=1 $(B)/asan/unit/test_$*
	@tests/lib/run-unit $(BUILD)/asan/unit $*

.PHONY: unit-programs
unit-programs: $(patsubst %,$(B)/unit/test_%,$(UNIT))

SUPPORT_OBJ := $(call objects,$(sort $(wildcard tests/unit/support_*.c)))
$(B)/obj/tests/%.o: tests/%.c $(B)/gen/queries.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_COMMON) -Iextension/core -Iloader/client -Iloader/src -Irenderer/src -Irenderer/serve -Itests/unit \
		-I$(B)/gen $(LOADER_CFLAGS) $(RENDERER_CFLAGS) $(DEFINES) -DPH_SOURCE_DIR='"$(CURDIR)"' -c $< -o $@

# The programs' code without their main functions, for tests and fuzzers.
$(B)/libphloader.a: $(filter-out %/main.o,$(LOADER_OBJ))
	@rm -f $@
	ar rcs $@ $^
$(B)/libphrenderer.a: $(filter-out %/main.o,$(RENDERER_OBJ))
	@rm -f $@
	ar rcs $@ $^
$(B)/libphsupport.a: $(SUPPORT_OBJ)
	@rm -f $@
	ar rcs $@ $^

# Core tests link only what they use: an archive member that is not needed is not pulled in.
# (LIBS=core: a build of the core alone, when only its tests are wanted.)
ifeq ($(LIBS),core)
TEST_LIBS = $(B)/libphsupport.a $(B)/libphcore.a
else
TEST_LIBS = $(B)/libphsupport.a $(B)/libphloader.a $(B)/libphrenderer.a $(B)/libphclient.a $(B)/libphcore.a
endif
$(B)/unit/test_%: $(B)/obj/tests/unit/test_%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(CC) $(SAN) $(COVER) -o $@ $< -Wl,--start-group $(TEST_LIBS) -Wl,--end-group \
		$(UNIT_LDFLAGS_$*) -lcmocka $(LOADER_LIBS) $(RENDERER_LIBS)

regress: extension
	@tests/lib/run-regress $(BUILD)

isolation: extension
	@tests/lib/run-isolation $(BUILD)

tap: all
	@PERFHOUSE=$(B)/bin/perfhouse prove tests/tap/*.pl

check-dashboards: all
	@tests/lib/run-dashboards $(BUILD)

check-browser: all
	@tests/lib/run-browser $(BUILD)

installcheck:
	@tests/lib/run-regress --installed

golden-update: all
	@tests/golden/update $(BUILD)

docs: extension
	@docs/make-sql-reference $(BUILD)

# --------------------------------------------------------------------------------------------- fuzzing
FUZZ := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CC ?= clang-14
FUZZ_SECONDS ?= 600
FUZZ_ENGINE ?= -fsanitize=fuzzer

# libFuzzer variant: everything instrumented with clang.
fuzz:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz SAN_BUILD=1 CC=$(FUZZ_CC) COVER=-fsanitize=fuzzer-no-link fuzz-programs
	@tests/lib/run-fuzz $(BUILD)/fuzz/fuzz $(FUZZ_SECONDS) $(FUZZ_ONLY)

# What fuzzing found, as few inputs as reach the same, into tests/fuzz/corpus/NAME.tar.gz.
fuzz-pack:
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
	@mkdir -p $(@D)
	$(CC) $(SAN) $(FUZZ_ENGINE) -o $@ $< -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(LOADER_LIBS)

$(B)/fuzz-replay/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/driver.o $(TEST_LIBS)
	@mkdir -p $(@D)
	$(CC) $(SAN) -o $@ $< $(B)/obj/tests/fuzz/driver.o -Wl,--start-group $(TEST_LIBS) -Wl,--end-group $(LOADER_LIBS)

check-asan:
	@tests/lib/check-asan $(BUILD)

# ------------------------------------------------------------------------------------------ the rest
bench: all $(B)/libphloader.a
	@bench/run $(BUILD)

lint:
	@tests/lint/run

dist:
	@mkdir -p $(BUILD)
	git archive --format=tar.gz --prefix=perfhouse-$(VERSION)/ -o $(BUILD)/perfhouse-$(VERSION).tar.gz HEAD
	@echo $(BUILD)/perfhouse-$(VERSION).tar.gz

clean:
	rm -rf $(BUILD) tmp_install

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.SECONDARY:
