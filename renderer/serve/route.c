/*
 * route.c - which request means what, who may make it, and the work of answering it.
 *
 * Requests without need of the database are answered at once: pages, their parts, errors. The
 * others become work for the pools.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/status.h"
#include "serve/work.h"

typedef struct Page
{
	const char *path; /* ending in /: a name follows */
	const char *file;
	const char *query, *parameter; /* that must find what is named; NULL: nothing is */
} Page;

static const Page pages[] = {{"/", "runs.html", NULL, NULL},
							 {"/compare", "compare.html", NULL, NULL},
							 {"/history", "history.html", NULL, NULL},
							 {"/ensemble", "ensemble.html", NULL, NULL},
							 {"/run/", "run.html", "exists", "run"},
							 {"/trace/", "trace.html", "exists", "run"},
							 {"/viewer/", "viewer.html", "exists", "run"},
							 {"/profile/", "profile.html", "exists", "run"},
							 {"/q", "queries.html", NULL, NULL},
							 {"/q/", "query.html", "saved_query", "name"},
							 {"/sql", "sql.html", NULL, NULL}};

static bool
starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool
refuse(PhExchange *exchange, int status, const char *message, const char *hint)
{
	ph_answer_error(&exchange->answer, status, message, hint, NULL);
	return true;
}

/*
 * True when a script of a page made the request (browsers send Sec-Fetch-Dest: empty then): it gets
 * errors as JSON, while a person who follows a link gets a page.
 */
static bool
is_script(const PhExchange *exchange)
{
	const char *dest = exchange->headers.fetch_dest;

	return dest != NULL && strcmp(dest, "empty") == 0;
}

/* Is it the address of a picture? /view/NAME.svg, and those of queries of people. */
static bool
is_picture(const char *path, PhPictureFormat *format)
{
	static const char *const folders[] = {"/view/", "/q/", "/sql/"};
	char name[PH_OWN_NAME_SIZE];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (starts_with(path, folders[i]))
			return ph_picture_split(path + strlen(folders[i]), name, sizeof(name), format);
	return false;
}

/* The kind of thing that is asked for, so that errors have its form. */
static void
set_kind(PhExchange *exchange)
{
	const char *path = exchange->target.path;
	PhAnswer *answer = &exchange->answer;
	PhPictureFormat format;

	if (starts_with(path, "/api/") || strcmp(path, "/metrics") == 0)
		answer->kind = PH_ANSWER_DATA;
	else if (starts_with(path, "/static/"))
		answer->kind = PH_ANSWER_ASSET;
	else if (is_picture(path, &format))
	{
		/* rows and SQL are data, not something to show elsewhere */
		answer->kind =
			format == PH_PICTURE_JSON || format == PH_PICTURE_SQL ? PH_ANSWER_DATA : PH_ANSWER_VIEW;
		answer->type = ph_picture_type(format);
		answer->for_script = is_script(exchange);
	}
}

/* ---- who may ask --------------------------------------------------------------------------- */

static void
ask_for_token(PhExchange *exchange)
{
	static const char form[] =
		"<!doctype html>\n<html lang=\"en\">\n<head><meta "
		"charset=\"utf-8\"><title>perfhouse</title>"
		"</head>\n<body>\n<h1>perfhouse</h1>\n<form method=\"get\"><label>Token "
		"<input name=\"token\" type=\"password\" autocomplete=\"current-password\" autofocus>"
		"</label> <button>Open</button></form>\n</body>\n</html>\n";

	if (exchange->answer.kind != PH_ANSWER_PAGE)
	{
		refuse(exchange, 401, "a token is needed",
			   "Send the header \"Authorization: Bearer TOKEN\", or open the start page first.");
		return;
	}
	ph_answer_constant(&exchange->answer, "text/html; charset=utf-8", form, sizeof(form) - 1, "");
	exchange->answer.status = 401;
}

/* Browsers take a target that begins with two slashes, or what they read as slashes, for a host. */
static bool
is_own_page(const char *target)
{
	const char *path = target + 1;

	if (path[0] == '/' || path[0] == '\\')
		return false;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
	{
		size_t length = strlen(pages[i].path);
		bool is_prefix = length > 1 && pages[i].path[length - 1] == '/';

		if (strncmp(target, pages[i].path, length) == 0 &&
			(is_prefix || target[length] == '\0' || target[length] == '?'))
			return true;
	}
	return false;
}

/*
 * False: answered. A page that is opened with the token in its address (?token=) sets it as a
 * cookie and goes to the address without it, so that it does not stay in the history or in links.
 * SameSite=Lax keeps browsers from sending the cookie with requests that pages of other sites make.
 */
static bool
check_token(const PhSite *site, PhExchange *exchange)
{
	const char *given = ph_target_value(&exchange->target, "token");

	if (!ph_guard_token(&exchange->headers, given, site->token))
	{
		ask_for_token(exchange);
		return false;
	}
	/* only who knows the token is sent on: a link of somebody else's must not lead anywhere */
	if (given == NULL || exchange->answer.kind != PH_ANSWER_PAGE || !is_own_page(exchange->raw) ||
		!ph_guard_same_secret(given, site->token))
		return true;
	if (asprintf(&exchange->answer.set_cookie,
				 PH_COOKIE_NAME "=%s; Path=/; HttpOnly; SameSite=Lax%s", site->token,
				 site->tls ? "; Secure" : "") < 0)
	{
		exchange->answer.set_cookie = NULL;
		ph_answer_memory(&exchange->answer);
		return false;
	}
	ph_answer_redirect(&exchange->answer, ph_target_without(exchange->raw, "token"));
	return false;
}

/* What says something of the request is no parameter of a query or picture. */
static void
forget(PhTarget *target, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < target->n_parameters; i++)
		if (strcmp(target->parameters[i].name, name) != 0)
			target->parameters[n++] = target->parameters[i];
	target->n_parameters = n;
}

/* False: it is answered. */
static bool
may_ask(const PhSite *site, PhExchange *exchange)
{
	bool shows_elsewhere = exchange->answer.kind == PH_ANSWER_VIEW;

	if (strcmp(exchange->method, "GET") != 0 && strcmp(exchange->method, "HEAD") != 0)
	{
		exchange->answer.allow = "GET, HEAD";
		return !refuse(exchange, 405, "only GET and HEAD are answered",
					   "The pages read; runs are loaded and changed by the command perfhouse.");
	}
	if (!ph_guard_host(exchange->headers.host, site->hosts, site->n_hosts))
		return !refuse(exchange, 421, "the server is not known by the name in the header Host",
					   "Use its address, or start perfhouse serve with --allow-host NAME.");
	if (!ph_guard_origin(&exchange->headers, shows_elsewhere))
		return !refuse(exchange, 403, "a page of another site may not ask for this",
					   "Only pictures, /view/..., may be shown by other sites.");
	if (site->token != NULL)
	{
		if (!check_token(site, exchange))
			return false;
		forget(&exchange->target, "token");
	}
	return true;
}

/* One that no version is as long as is none. */
static void
take_version(PhExchange *exchange)
{
	const char *version = ph_target_value(&exchange->target, "version");

	if (version != NULL && strlen(version) < sizeof(exchange->version))
		memcpy(exchange->version, version, strlen(version) + 1);
	forget(&exchange->target, "version");
}

/* ---- what is asked for --------------------------------------------------------------------- */

/* The work of an exchange; NULL: there is no memory, which is answered. */
static PhWork *
new_work(PhExchange *exchange)
{
	PhWork *work = exchange->work = calloc(1, sizeof(PhWork));

	if (work == NULL)
		ph_answer_memory(&exchange->answer);
	return work;
}

/* False: work is to be done. */
static bool
plan_of_query(PhExchange *exchange, const PhApiQuery *query)
{
	PhWork *work;
	PhProblem problem;

	work = new_work(exchange);
	if (work == NULL)
		return true;
	if (query->runs != NULL)
		take_version(exchange);
	if (ph_api_values(query, &exchange->target, &work->values, &problem))
	{
		ph_api_runs(&work->values, work->runs);
		return false;
	}
	ph_answer_error(&exchange->answer, problem.has_form ? 422 : 400, problem.message, problem.hint,
					problem.parameter);
	return true;
}

static bool
plan_query(PhExchange *exchange, const char *name)
{
	const PhApiQuery *query = ph_api_find(name);
	char *hint;

	if (query != NULL)
		return plan_of_query(exchange, query);
	hint = ph_api_names();
	refuse(exchange, 404, "there is no such query", hint);
	free(hint);
	return true;
}

static bool
plan_metrics(const PhSite *site, PhExchange *exchange)
{
	if (plan_of_query(exchange, &ph_metrics_query))
		return true;
	ph_status_metrics(&site->lanes, site->flights, ((PhWork *) exchange->work)->metrics);
	return false;
}

/* ---- queries of people ----------------------------------------------------------------------- */

static bool
takes_sql(const PhSite *site, PhExchange *exchange)
{
	if (site->takes_sql)
		return true;
	return !refuse(exchange, 403, "this server takes no SQL",
				   "Start perfhouse serve with --allow-sql and --token-file, or save the query: "
				   "perfhouse query add NAME.");
}

/* A saved query, or, without a name, the SQL of the request. view NULL: its own, or rows. */
static bool
plan_own(const PhSite *site, PhExchange *exchange, const char *name, int kind)
{
	PhWork *work;

	if (name == NULL && !takes_sql(site, exchange))
		return true;
	if (name != NULL && strlen(name) >= PH_OWN_NAME_SIZE)
		return refuse(exchange, 404, "there is no such saved query", NULL);
	work = new_work(exchange);
	if (work == NULL)
		return true;
	work->kind = kind;
	work->own.most_rows = site->most_rows;
	snprintf(work->own.name, sizeof(work->own.name), "%s", name != NULL ? name : "");
	return false;
}

/* /q/NAME.svg, /sql/VIEW.svg. */
static bool
route_own_picture(const PhSite *site, PhExchange *exchange, const char *file, bool is_saved)
{
	char name[PH_OWN_NAME_SIZE];
	PhPictureFormat format;
	const PhView *view = NULL;
	bool is_there = ph_picture_split(file, name, sizeof(name), &format);

	if (is_there && !is_saved)
		is_there = (view = ph_view_find(name)) != NULL;
	if (!is_there || format == PH_PICTURE_SQL)
		return refuse(exchange, 404, "there is no such picture",
					  "Use /q/NAME.svg, .png, .pdf or .json, or /sql/VIEW.svg.");
	if (plan_own(site, exchange, is_saved ? name : NULL, PH_WORK_OWN_PICTURE))
		return true;
	((PhWork *) exchange->work)->view = view;
	((PhWork *) exchange->work)->format = format;
	return false;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* A source of a run, or its lines that changed: the query tells which file of the run it is, git
 * has the text. */
static bool
plan_source(const PhSite *site, PhExchange *exchange, const char *name)
{
	/* before the store is asked, which may have answers of a server that showed some */
	if (site->sources.n == 0)
		return refuse(exchange, 404, "this server shows no sources",
					  "Start perfhouse serve with --sources REPOSITORY.");
	if (plan_query(exchange, name))
		return true;
	((PhWork *) exchange->work)->sources = &site->sources;
	return false;
}

/* /api/NAME.sql: the query itself. */
static bool
show_query(PhExchange *exchange, const char *file)
{
	char name[PH_OWN_NAME_SIZE];
	PhPictureFormat format;

	if (!ph_picture_split(file, name, sizeof(name), &format) || format != PH_PICTURE_SQL)
		return false;
	if (!plan_query(exchange, name))
	{
		exchange->answer.type = ph_picture_type(PH_PICTURE_SQL);
		ph_api_sql(&((PhWork *) exchange->work)->values, &exchange->answer);
	}
	return true;
}

/* /api/NAME?..., /api/NAME/RUN, or what the server itself answers. */
static bool
route_api(const PhSite *site, PhExchange *exchange, const char *name)
{
	char stem[64];
	size_t length = strcspn(name, "/");
	PhTarget *target = &exchange->target;

	if (strcmp(name, "events") == 0)
	{
		exchange->answer.kind = PH_ANSWER_EVENTS;
		exchange->answer.type = "text/event-stream";
		exchange->answer.status = 200;
		return true;
	}
	if (strcmp(name, "parameters") == 0)
	{
		ph_api_parameters(site->takes_sql, site->sources.n > 0, &exchange->answer);
		return true;
	}
	if (strcmp(name, "openapi.json") == 0)
	{
		PhWork *work = new_work(exchange);

		if (work == NULL)
			return true;
		work->kind = PH_WORK_DESCRIPTION;
		work->needs_token = site->token != NULL;
		return false;
	}
	if (strcmp(name, "sql") == 0)
		return plan_own(site, exchange, NULL, PH_WORK_OWN_ROWS);
	if (starts_with(name, "q/"))
		return plan_own(site, exchange, name + strlen("q/"), PH_WORK_OWN_ROWS);
	if (show_query(exchange, name))
		return true;
	if (strcmp(name, "source") == 0 || strcmp(name, "changed_lines") == 0)
		return plan_source(site, exchange, name);
	if (strcmp(name, "status") == 0)
	{
		ph_status_answer(&site->lanes, site->flights, &exchange->answer);
		return true;
	}
	if (name[length] == '\0' || length >= sizeof(stem) ||
		target->n_parameters == PH_TARGET_MOST_PARAMETERS)
		return plan_query(exchange, name);
	memcpy(stem, name, length);
	stem[length] = '\0';
	target->parameters[target->n_parameters++] = (PhTargetParameter){"run", name + length + 1};
	return plan_query(exchange, stem);
}

static bool
route_view(PhExchange *exchange, const char *name)
{
	PhWork *work = new_work(exchange);

	take_version(exchange);
	if (work == NULL)
		return true;
	work->kind = PH_WORK_PICTURE;
	if (!ph_picture_find(name, &work->view, &work->format) || work->view == NULL)
	{
		char *hint = ph_picture_names();

		refuse(exchange, 404, "there is no such view", hint);
		free(hint);
		return true;
	}
	if (work->format == PH_PICTURE_SQL)
	{
		ph_picture_sql(work->view, &exchange->target, &exchange->answer);
		return true;
	}
	return !ph_picture_check(work->view, &exchange->target, &exchange->answer, work->runs);
}

static bool
send_asset(PhExchange *exchange, const char *name)
{
	const PhAsset *asset = ph_asset_find(name);

	if (asset == NULL)
		return refuse(exchange, 404, "there is no such file", NULL);
	ph_answer_constant(&exchange->answer, asset->type, asset->bytes, asset->size, asset->etag);
	return true;
}

/* The page of a run, or of a saved query, that must be there. */
static bool
plan_page(PhExchange *exchange, const Page *page, const char *name)
{
	exchange->target.n_parameters = 1;
	exchange->target.parameters[0] = (PhTargetParameter){page->parameter, name};
	if (plan_query(exchange, page->query))
		return true;
	((PhWork *) exchange->work)->asset = ph_asset_find(page->file);
	return false;
}

static bool
route_page(const PhSite *site, PhExchange *exchange, const char *path)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
	{
		const Page *page = &pages[i];

		if (page->query == NULL ? strcmp(path, page->path) != 0 : !starts_with(path, page->path))
			continue;
		if (page->query != NULL)
			return plan_page(exchange, page, path + strlen(page->path));
		if (strcmp(path, "/sql") == 0 && !takes_sql(site, exchange))
			return true;
		return send_asset(exchange, page->file);
	}
	return refuse(exchange, 404, "there is no such page", "The start page lists all runs.");
}

bool
ph_route(void *user, PhExchange *exchange)
{
	const PhSite *site = user;
	const char *path = exchange->target.path;

	if (exchange->target_status == PH_TARGET_NO_MEMORY)
	{
		ph_answer_memory(&exchange->answer);
		return true;
	}
	set_kind(exchange);
	if (exchange->target_status != PH_TARGET_OK)
		return refuse(exchange, exchange->target_status == PH_TARGET_TOO_LONG ? 414 : 400,
					  exchange->target_why, NULL);
	if (!may_ask(site, exchange))
		return true;
	if (starts_with(path, "/api/"))
		return route_api(site, exchange, path + strlen("/api/"));
	if (starts_with(path, "/view/"))
		return route_view(exchange, path + strlen("/view/"));
	if (starts_with(path, "/static/"))
		return send_asset(exchange, path + strlen("/static/"));
	if (strcmp(path, "/metrics") == 0)
		return plan_metrics(site, exchange);
	if (strcmp(path, "/favicon.ico") == 0)
		return send_asset(exchange, "icon.svg");
	if (exchange->answer.kind != PH_ANSWER_PAGE) /* of queries of people: set_kind */
		return starts_with(path, "/q/")
				   ? route_own_picture(site, exchange, path + strlen("/q/"), true)
				   : route_own_picture(site, exchange, path + strlen("/sql/"), false);
	return route_page(site, exchange, path);
}

bool
ph_route_start(void *user, PhExchange *exchange)
{
	const PhSite *site = user;

	return ph_flights_add(site->flights, exchange);
}

bool
ph_route_leave(void *user, PhExchange *exchange)
{
	const PhSite *site = user;

	return ph_flights_leave(site->flights, exchange);
}

void
ph_route_forget(PhExchange *exchange)
{
	free(exchange->work);
}
