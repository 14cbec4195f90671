/*
 * serve.c - `perfhouse serve`: options, start, and the way down.
 *
 * Threads: this one sweeps and waits for the end; one per listening socket for all connections; the
 * workers of two lanes, which ask the database and draw; one that listens to the database's events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/serve.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "database/warehouse.h"
#include "serve/browser.h"
#include "serve/bundle.h"
#include "serve/events.h"
#include "serve/listen.h"
#include "serve/route.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "texts.h"

#define SWEEP_MS 250
#define HEARTBEAT_SECONDS 15
#define LEAST_TOKEN 16
#define MOST_TOKEN 512
#define DEFAULT_CACHE "256MB"
#define LEAST_CACHE (UINT64_C(1) << 20)

static const PhParameter options[] = {
	{.name = "port",
	 .letter = 'p',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .environment = "PERFHOUSE_PORT",
	 .help = "port to listen on, default 8080; 0: any free one"},
	{.name = "open", .letter = 'o', .help = "open the start page in a browser"},
	{.name = "bind",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "ADDRESS",
	 .help = "address to listen on instead of loopback; needs TLS and a token"},
	{.name = "tls-cert",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .offer = PH_OFFER_FILES,
	 .help = "certificate chain (PEM): https"},
	{.name = "tls-key",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .offer = PH_OFFER_FILES,
	 .help = "its private key (PEM)"},
	{.name = "token-file",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .offer = PH_OFFER_FILES,
	 .help = "file with the token that every request must carry"},
	{.name = "allow-host",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "NAME",
	 .help = "further name by which browsers may call the server"},
	{.name = "timeout",
	 .type = PH_PARAMETER_NUMBER,
	 .value = "SECONDS",
	 .help = "longest time for one query, default 30"},
	{.name = "allow-sql",
	 .help = "answer SQL of who has the token, as a role that only reads; needs --token-file"},
	{.name = "sources",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "REPOSITORY",
	 .offer = PH_OFFER_FOLDERS,
	 .help =
		 "show sources of profiles from this git repository, as of the commit that a run measured"},
	{.name = "row-limit",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help = "rows of a saved query, or of such SQL, at most, default 10000"},
	{.name = "workers",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help =
		 "pictures and long queries to work on at a time, each with a connection; default: by the "
		 "processors"},
	{.name = "quick-workers",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help = "short queries to work on at a time beside them; default: by the processors"},
	{.name = "queue",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help =
		 "requests that may wait for a worker of each kind, default 256; more are answered 503"},
	{.name = "cache-size",
	 .type = PH_PARAMETER_TEXT,
	 .value = "SIZE",
	 .environment = "PERFHOUSE_CACHE_SIZE",
	 .help = "keep pictures and answers on disk up to this size, such as 500MB; 0: none; default "
			 "256MB"},
	{.name = "cache",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .offer = PH_OFFER_FOLDERS,
	 .environment = "PERFHOUSE_CACHE",
	 .help = "where; default cache/serve in $PERFHOUSE_HOME, perfhouse/serve in $XDG_CACHE_HOME or "
			 "~/.cache"},
	{.name = "connections",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .help = "clients' connections at a time, default 1000"},
	{.name = "client-timeout",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "SECONDS",
	 .help = "time for a client to send a request, default 20"},
	{.name = "access-log",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .offer = PH_OFFER_FILES,
	 .help = "append a line for every request; - is standard output"},
	{0}};

/* Everything that lives while the server runs. */
typedef struct Server
{
	PhSite site;
	char **hosts;
	char *token, *certificate, *key;
	FILE *access_log;
	PhListeners listeners;
	PhEvents *events;
	_Atomic(PhHttp *) http; /* NULL: not there, so nobody waits for events */
	PhPoolSettings slow, quick;
	PhHttpSettings settings;
} Server;

/* ---- options ------------------------------------------------------------------------------- */

static PhExit
read_number(const PhArguments *arguments, const char *name, int64_t fallback, int64_t least,
			int64_t most, int64_t *out)
{
	*out = ph_cli_integer(arguments, name, fallback);
	if (*out >= least && *out <= most)
		return PH_EXIT_OK;
	return ph_cli_usage_error(arguments, "--%s must be from %lld to %lld", name, (long long) least,
							  (long long) most);
}

static int64_t
default_workers(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	/* one more than can work: a client has all but one (fair.h) */
	return processors < 2 ? 3 : processors > 8 ? 9 : processors + 1;
}

static PhExit
read_numbers(Server *server, const PhArguments *arguments, uint16_t *port)
{
	double timeout = ph_cli_number(arguments, "timeout", 30);
	int64_t numbers[7] = {0};
	PhExit code = read_number(arguments, "port", 8080, 0, 65535, &numbers[0]);

	if (code == PH_EXIT_OK)
		code = read_number(arguments, "workers", default_workers(), 1, 64, &numbers[1]);
	if (code == PH_EXIT_OK)
		code = read_number(arguments, "queue", 256, 1, 10000, &numbers[2]);
	if (code == PH_EXIT_OK)
		code = read_number(arguments, "connections", 1000, 4, 20000, &numbers[3]);
	if (code == PH_EXIT_OK)
		code = read_number(arguments, "client-timeout", 20, 1, 3600, &numbers[4]);
	if (code == PH_EXIT_OK)
		code = read_number(arguments, "quick-workers", default_workers(), 1, 64, &numbers[5]);
	if (code == PH_EXIT_OK)
		code = read_number(arguments, "row-limit", 10000, 1, 1000000, &numbers[6]);
	if (code == PH_EXIT_OK && !(timeout >= 0.01 && timeout <= 86400))
		code = ph_cli_usage_error(arguments, "--timeout must be from 0.01 to 86400");
	*port = (uint16_t) numbers[0];
	server->slow = (PhPoolSettings){.n_workers = (size_t) numbers[1],
									.queue = (size_t) numbers[2],
									.timeout_ms = (int) (timeout * 1000),
									.work = ph_flight_work,
									.client = ph_flight_client};
	server->quick = server->slow;
	server->quick.n_workers = (size_t) numbers[5];
	server->site.most_rows = (size_t) numbers[6];
	server->settings.connections = (unsigned) numbers[3];
	server->settings.client_timeout = (unsigned) numbers[4];
	return code;
}

static PhExit
read_file(const PhArguments *arguments, const char *option, char **out)
{
	const char *name = ph_cli_text(arguments, option, NULL);

	if (name == NULL)
		return PH_EXIT_OK;
	*out = ph_path_read_text(name);
	if (*out != NULL)
		return PH_EXIT_OK;
	ph_log_error("%s: %s", name, strerror(errno));
	return ph_exit_from_errno(errno);
}

/* What a secret's file lets others do: they may not read it, nor the group write it. */
static PhExit
check_secret(const PhArguments *arguments, const char *option)
{
	const char *name = ph_cli_text(arguments, option, NULL);
	struct stat info;

	if (name == NULL || stat(name, &info) != 0 || !S_ISREG(info.st_mode) ||
		(info.st_mode & (S_IRWXO | S_IWGRP)) == 0)
		return PH_EXIT_OK;
	ph_log_error("%s: others may read or change it", name);
	ph_log_hint("Keep it to its owner: chmod 600 %s", name);
	return PH_EXIT_INPUT;
}

/* The first line of the file, of characters that fit into a cookie. */
static PhExit
check_token(const PhArguments *arguments, char *token)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
	size_t length;

	if (token == NULL)
		return PH_EXIT_OK;
	token[strcspn(token, "\r\n")] = '\0';
	length = strlen(token);
	if (length >= LEAST_TOKEN && length <= MOST_TOKEN && strspn(token, allowed) == length)
		return PH_EXIT_OK;
	ph_log_error("%s: the first line is no token: %d to %d letters, digits or -._~+/=",
				 ph_cli_text(arguments, "token-file", ""), LEAST_TOKEN, MOST_TOKEN);
	ph_log_hint("Make one with: (umask 077; openssl rand -hex 24 > FILE)");
	return PH_EXIT_INPUT;
}

static bool
is_local(const char *const *addresses, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ph_guard_is_remote(addresses[i]))
			return false;
	return true;
}

/*
 * Reads certificate, key and token. Beyond loopback all three are required, because everybody who
 * reaches the port could read the warehouse, and the token itself, otherwise.
 */
static PhExit
read_safety(Server *server, const PhArguments *arguments)
{
	const char *const *addresses;
	size_t n = ph_cli_list(arguments, "bind", &addresses);
	PhExit code = read_file(arguments, "tls-cert", &server->certificate);

	if (code == PH_EXIT_OK)
		code = read_file(arguments, "tls-key", &server->key);
	if (code == PH_EXIT_OK)
		code = read_file(arguments, "token-file", &server->token);
	if (code == PH_EXIT_OK)
		code = check_secret(arguments, "tls-key");
	if (code == PH_EXIT_OK)
		code = check_secret(arguments, "token-file");
	if (code == PH_EXIT_OK)
		code = check_token(arguments, server->token);
	if (code != PH_EXIT_OK)
		return code;
	if ((server->certificate != NULL) != (server->key != NULL))
		return ph_cli_usage_error(arguments, "--tls-cert and --tls-key belong together");
	server->site.takes_sql = ph_cli_flag(arguments, "allow-sql");
	if (server->site.takes_sql && server->token == NULL)
		return ph_cli_usage_error(arguments, "--allow-sql needs --token-file: everybody on this "
											 "machine could send SQL otherwise");
	if (is_local(addresses, n) || (server->certificate != NULL && server->token != NULL))
		return PH_EXIT_OK;
	ph_log_error("beyond loopback, serve needs --tls-cert, --tls-key and --token-file");
	ph_log_hint("Others could read the warehouse otherwise. To reach it from your own machine, "
				"leave --bind away and use ssh -L 8080:localhost:8080.");
	return PH_EXIT_USAGE;
}

static PhExit
open_sources(Server *server, const PhArguments *arguments)
{
	const char *const *repositories;
	size_t n = ph_cli_list(arguments, "sources", &repositories);

	return ph_sources_open(&server->site.sources, repositories, n,
						   (unsigned) server->slow.timeout_ms / 1000 + 1);
}

static void
read_hosts(Server *server, const PhArguments *arguments)
{
	const char *const *names;
	size_t n = ph_cli_list(arguments, "allow-host", &names);
	char own[256] = "";

	server->hosts = ph_must_alloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++)
		server->hosts[i] = ph_strdup(names[i]);
	if (gethostname(own, sizeof(own) - 1) == 0 && own[0] != '\0')
		server->hosts[n++] = ph_strdup(own);
	server->site.hosts = (const char *const *) server->hosts;
	server->site.n_hosts = n;
}

static PhExit
open_access_log(Server *server, const PhArguments *arguments)
{
	const char *name = ph_cli_text(arguments, "access-log", NULL);

	if (name == NULL)
		return PH_EXIT_OK;
	server->access_log = strcmp(name, "-") == 0 ? stdout : fopen(name, "ae");
	if (server->access_log != NULL)
		return PH_EXIT_OK;
	ph_log_error("%s: %s", name, strerror(errno));
	return ph_exit_from_errno(errno);
}

/* A number of bytes with K, M or G (or KB, KiB ...), all of them powers of 1024. */
static bool
parse_size(const char *text, uint64_t *out)
{
	static const char *const units[] = {"", "K", "M", "G", "T"};
	char *end;
	double number = strtod(text, &end);

	if (end == text || !(number >= 0 && number < 1e15))
		return false;
	end += *end == ' ';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		size_t length = strlen(units[i]);

		if (strncasecmp(end, units[i], length) == 0 &&
			(end[length] == '\0' || strcasecmp(end + length, "B") == 0 ||
			 strcasecmp(end + length, "iB") == 0))
		{
			*out = (uint64_t) (number * (double) (UINT64_C(1) << (10 * i)));
			return true;
		}
	}
	return false;
}

/* malloc'ed; NULL: there is no home. */
static char *
cache_folder(const PhArguments *arguments)
{
	const char *given = ph_cli_text(arguments, "cache", NULL);
	const char *own = getenv("PERFHOUSE_HOME");
	const char *caches = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (given != NULL)
		return ph_strdup(given);
	if (own != NULL && own[0] == '/')
		return ph_format("%s/cache/serve", own);
	if (caches != NULL && caches[0] == '/')
		return ph_format("%s/perfhouse/serve", caches);
	return home != NULL && home[0] == '/' ? ph_format("%s/.cache/perfhouse/serve", home) : NULL;
}

/* A folder that cannot be used is an error when it was asked for; else the server does without. */
static PhExit
open_cache(Server *server, const PhArguments *arguments)
{
	PhLanes *lanes = &server->site.lanes;
	const char *size = ph_cli_text(arguments, "cache-size", DEFAULT_CACHE);
	const char *why = "there is no home folder";
	char *folder;

	if (!parse_size(size, &lanes->store_limit) ||
		(lanes->store_limit > 0 && lanes->store_limit < LEAST_CACHE))
		return ph_cli_usage_error(arguments,
								  "--cache-size must be 0 or a size from 1MB on, not \"%s\"", size);
	if (lanes->store_limit == 0)
		return PH_EXIT_OK;
	folder = cache_folder(arguments);
	if (folder != NULL)
		lanes->store = ph_store_open(folder, lanes->store_limit, &why);
	if (lanes->store == NULL && ph_cli_text(arguments, "cache", NULL) != NULL)
	{
		ph_log_error("%s: %s", folder, why);
		ph_log_hint("Give a folder of your own with --cache, or --cache-size 0.");
		free(folder);
		return PH_EXIT_USAGE;
	}
	if (lanes->store == NULL)
		ph_log_warning("nothing is cached: %s%s%s", folder != NULL ? folder : "",
					   folder != NULL ? ": " : "", why);
	free(folder);
	return PH_EXIT_OK;
}

/* ---- running ------------------------------------------------------------------------------- */

/* Raises the limit of open files, as every connection needs a descriptor. */
static void
raise_descriptors(unsigned connections)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t) PH_LISTEN_MOST * connections + 256;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

static void
wake(void *user)
{
	Server *server = user;
	PhHttp *http = atomic_load(&server->http);

	if (http != NULL)
		ph_http_wake_streams(http);
}

/* False: threads cannot be started. */
static bool
start_lanes(Server *server)
{
	PhLanes *lanes = &server->site.lanes;
	PhFlightSettings settings = {.store = lanes->store};

	server->slow.like = server->quick.like = ph_events_connection(server->events);
	lanes->slow = ph_pool_start(&server->slow);
	lanes->quick = lanes->slow != NULL ? ph_pool_start(&server->quick) : NULL;
	if (lanes->quick == NULL)
		return false;
	settings.quick = lanes->quick;
	settings.slow = lanes->slow;
	ph_store_program(settings.program);
	server->site.flights = ph_flights_new(&settings);
	return true;
}

static PhExit
start(Server *server, const char *db)
{
	PhConnection *connection;
	PhExit code = ph_warehouse_open(db, PH_OPEN_READY, &connection);

	if (code != PH_EXIT_OK)
		return code;
	server->events = ph_events_start(connection, wake, server);
	if (server->events == NULL)
		return PH_EXIT_MEMORY;
	if (!start_lanes(server))
		return PH_EXIT_MEMORY;
	server->settings.sockets = server->listeners.sockets;
	server->settings.n_sockets = server->listeners.n;
	server->settings.certificate = server->certificate;
	server->settings.key = server->key;
	server->settings.access_log = server->access_log;
	server->settings.events = &server->events;
	server->settings.user = &server->site;
	server->settings.route = ph_route;
	server->settings.start = ph_route_start;
	server->settings.leave = ph_route_leave;
	server->settings.forget = ph_route_forget;
	atomic_store(&server->http, ph_http_start(&server->settings));
	server->listeners.n = 0; /* taken over */
	return atomic_load(&server->http) != NULL ? PH_EXIT_OK : PH_EXIT_ERROR;
}

static void
serve_until_interrupted(Server *server)
{
	int64_t beat_ns = ph_now_ns();
	const struct timespec pause = {.tv_nsec = SWEEP_MS * 1000000L};

	while (!ph_interrupted())
	{
		nanosleep(&pause, NULL);
		ph_http_sweep(atomic_load(&server->http));
		if (ph_now_ns() - beat_ns > HEARTBEAT_SECONDS * INT64_C(1000000000))
		{
			beat_ns = ph_now_ns();
			ph_events_beat(server->events);
		}
	}
	ph_log_info("stopping");
}

/*
 * The order matters: first no new requests are taken; then the workers finish those under way,
 * which need the HTTP side to send answers; then the thread that listens for events ends, as it
 * wakes connections; only then the HTTP side, whose memory all of these use.
 */
static void
stop(Server *server)
{
	PhHttp *http = atomic_load(&server->http);

	if (http != NULL)
		ph_http_quiesce(http);
	if (server->site.lanes.quick != NULL) /* it hands over to the other */
		ph_pool_stop(server->site.lanes.quick);
	if (server->site.lanes.slow != NULL)
		ph_pool_stop(server->site.lanes.slow);
	if (server->events != NULL)
		ph_events_stop(server->events);
	if (http != NULL)
		ph_http_stop(http);
	ph_flights_free(server->site.flights);
	ph_sources_close(&server->site.sources);
	ph_store_close(server->site.lanes.store);
	for (size_t i = 0; i < server->listeners.n; i++)
		close(server->listeners.sockets[i]);
	for (size_t i = 0; i < server->site.n_hosts; i++)
		free(server->hosts[i]);
	free(server->hosts);
	free(server->token);
	free(server->certificate);
	free(server->key);
	if (server->access_log != NULL && server->access_log != stdout)
		fclose(server->access_log);
}

static char *
start_address(const Server *server, const PhArguments *arguments)
{
	const char *const *addresses;
	size_t n = ph_cli_list(arguments, "bind", &addresses);
	const char *host = n > 0 ? addresses[0] : "localhost";
	bool any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;

	if (any)
		host = server->site.n_hosts > 0 ? server->site.hosts[0] : "localhost";
	return ph_format("%s://%s%s%s:%u/", server->certificate != NULL ? "https" : "http",
					 strchr(host, ':') ? "[" : "", host, strchr(host, ':') ? "]" : "",
					 (unsigned) server->listeners.port);
}

static void
announce(const Server *server, const PhArguments *arguments)
{
	char *address = start_address(server, arguments);

	printf("perfhouse serves %s (Ctrl-C stops it)\n", address);
	fflush(stdout);
	if (ph_cli_flag(arguments, "open"))
		ph_browser_open(address);
	free(address);
}

static PhExit
serve(Server *server, PhArguments *arguments)
{
	const char *const *addresses;
	size_t n = ph_cli_list(arguments, "bind", &addresses);
	uint16_t port = 0;
	PhExit code = read_numbers(server, arguments, &port);

	if (code == PH_EXIT_OK)
		code = read_safety(server, arguments);
	if (code == PH_EXIT_OK)
		code = open_access_log(server, arguments);
	if (code == PH_EXIT_OK)
		code = open_sources(server, arguments);
	if (code == PH_EXIT_OK)
		code = open_cache(server, arguments);
	if (code == PH_EXIT_OK)
		code = ph_listen(addresses, n, port, &server->listeners);
	if (code != PH_EXIT_OK)
		return code;
	read_hosts(server, arguments);
	server->site.token = server->token;
	server->site.tls = server->certificate != NULL;
	raise_descriptors(server->settings.connections);
	code = start(server, ph_cli_db(arguments));
	if (code != PH_EXIT_OK)
		return code;
	announce(server, arguments);
	serve_until_interrupted(server);
	return PH_EXIT_OK;
}

static PhExit
run_serve(PhArguments *arguments)
{
	Server server = {0};
	PhExit code = serve(&server, arguments);

	stop(&server);
	return code;
}

static const PhCommand command = {.name = "serve",
								  .help = "pages, pictures and data of the warehouse over HTTP",
								  .usage = "[OPTION]...",
								  .details = ph_help_serve,
								  .options = options,
								  .max_arguments = 0,
								  .uses_database = true,
								  .run = run_serve};

const PhProgram *
ph_serve_program(void)
{
	static const PhCommand *const commands[] = {&command, &ph_bundle_command, NULL};
	static const PhProgram program = {.name = "perfhouse",
									  .summary = "a performance data warehouse",
									  .noun = "command",
									  .usage = "serve [OPTION]...",
									  .commands = commands};

	return &program;
}

int
ph_serve_main(int argc, char **argv)
{
	const PhProgram *program = ph_serve_program();
	static char name[] = "perfhouse";
	char **words;
	int code;

	if (argc == 2 && strcmp(argv[1], "--man") == 0)
	{
		ph_cli_print_command_manual(stdout, program,
									strcmp(argv[0], "bundle") == 0 ? &ph_bundle_command : &command);
		return PH_EXIT_OK;
	}
	words = ph_must_alloc((size_t) argc + 2, sizeof(char *));
	words[0] = name;
	for (int i = 0; i < argc; i++)
		words[i + 1] = argv[i];
	code = ph_cli_main(program, argc + 1, words);
	free(words);
	return code;
}
