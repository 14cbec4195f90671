/*
 * server.c - the Model Context Protocol: JSON-RPC, a message a line, until the input ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "mcp/server.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "mcp/tools.h"
#include "system/interrupt.h"
#include "system/memory.h"

#define MOST_LINE ((size_t) 1 << 20)
#define MOST_DEPTH 32

/* Of JSON-RPC 2.0. */
enum
{
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	METHOD_NOT_FOUND = -32601,
	INVALID_PARAMS = -32602
};

/* Versions of the protocol that this speaks, the newest first; they differ in nothing used here. */
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

typedef struct Server
{
	FILE *out;
	const char *db;
} Server;

typedef struct Request
{
	json_object *id; /* NULL: a notification, which gets no answer */
	const char *method;
	json_object *params; /* NULL: none */
} Request;

/* ---- answers ------------------------------------------------------------------------------- */

static void
put_id(PhJsonOut *json, json_object *id)
{
	if (id == NULL)
		ph_json_put_null(json, "id");
	else if (json_object_is_type(id, json_type_string))
		ph_json_put_text(json, "id", json_object_get_string(id));
	else
		ph_json_put_integer(json, "id", json_object_get_int64(id));
}

static void
open_answer(Server *server, PhJsonOut *json, json_object *id)
{
	ph_json_begin(json, server->out);
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "jsonrpc", "2.0");
	put_id(json, id);
}

static void
close_answer(Server *server, PhJsonOut *json)
{
	ph_json_close(json);
	ph_json_done_line(json);
	fflush(server->out);
}

static void
answer_error(Server *server, json_object *id, int code, const char *message)
{
	PhJsonOut json;

	open_answer(server, &json, id);
	ph_json_open_object(&json, "error");
	ph_json_put_integer(&json, "code", code);
	ph_json_put_text(&json, "message", message);
	ph_json_close(&json);
	close_answer(server, &json);
}

/* ---- methods ------------------------------------------------------------------------------- */

static const char *
text_in(json_object *object, const char *name)
{
	json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
		!json_object_object_get_ex(object, name, &value) ||
		!json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static const char *
spoken_version(const char *wanted)
{
	for (size_t i = 0; wanted != NULL && i < sizeof(versions) / sizeof(versions[0]); i++)
		if (strcmp(versions[i], wanted) == 0)
			return versions[i];
	return versions[0];
}

static void
initialize(Server *server, const Request *request)
{
	PhJsonOut json;

	open_answer(server, &json, request->id);
	ph_json_open_object(&json, "result");
	ph_json_put_text(&json, "protocolVersion",
					 spoken_version(text_in(request->params, "protocolVersion")));
	ph_json_open_object(&json, "capabilities");
	ph_json_open_object(&json, "tools");
	ph_json_close(&json);
	ph_json_close(&json);
	ph_json_open_object(&json, "serverInfo");
	ph_json_put_text(&json, "name", "perfhouse");
	ph_json_put_text(&json, "version", PH_VERSION);
	ph_json_close(&json);
	ph_json_put_text(&json, "instructions",
					 "A warehouse of performance profiles and traces of parallel programs. Begin "
					 "with runs, then explain; every answer ends with the SQL that gives its "
					 "figures, which query runs again or differently.");
	ph_json_close(&json);
	close_answer(server, &json);
}

static void
answer_empty(Server *server, const Request *request)
{
	PhJsonOut json;

	open_answer(server, &json, request->id);
	ph_json_open_object(&json, "result");
	ph_json_close(&json);
	close_answer(server, &json);
}

static void
list_tools(Server *server, const Request *request)
{
	PhJsonOut json;

	open_answer(server, &json, request->id);
	ph_json_open_object(&json, "result");
	ph_mcp_put_tools(&json);
	ph_json_close(&json);
	close_answer(server, &json);
}

static void
put_content(PhJsonOut *json, const PhMcpAnswer *answer)
{
	ph_json_open_object(json, "result");
	ph_json_open_array(json, "content");
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "type", "text");
	ph_json_put_text(json, "text", answer->text);
	ph_json_close(json);
	if (answer->png != NULL)
	{
		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "type", "image");
		ph_json_put_text(json, "data", answer->png);
		ph_json_put_text(json, "mimeType", "image/png");
		ph_json_close(json);
	}
	ph_json_close(json);
	ph_json_put_bool(json, "isError", answer->is_error);
	ph_json_close(json);
}

static void
call_tool(Server *server, const Request *request)
{
	const char *name = text_in(request->params, "name");
	json_object *arguments = NULL;
	PhMcpAnswer answer = {0};
	PhJsonOut json;

	if (name != NULL)
		json_object_object_get_ex(request->params, "arguments", &arguments);
	if (name == NULL || (arguments != NULL && !json_object_is_type(arguments, json_type_object)))
		answer_error(server, request->id, INVALID_PARAMS,
					 "a name and an object of arguments are needed");
	else if (!ph_mcp_call(name, arguments, server->db, &answer))
		answer_error(server, request->id, INVALID_PARAMS, "there is no such tool");
	else
	{
		open_answer(server, &json, request->id);
		put_content(&json, &answer);
		close_answer(server, &json);
	}
	ph_mcp_answer_free(&answer);
}

static const struct
{
	const char *name;
	void (*answer)(Server *server, const Request *request);
} methods[] = {{"initialize", initialize},
			   {"ping", answer_empty},
			   {"tools/list", list_tools},
			   {"tools/call", call_tool}};

static void
answer_request(Server *server, const Request *request)
{
	if (request->id == NULL)
		return;
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(methods[i].name, request->method) == 0)
		{
			methods[i].answer(server, request);
			return;
		}
	answer_error(server, request->id, METHOD_NOT_FOUND, "this server has tools only");
}

/* ---- messages ------------------------------------------------------------------------------ */

static json_object *
parse(const char *line, size_t size)
{
	json_tokener *tokener = json_tokener_new_ex(MOST_DEPTH);
	json_object *object;

	if (tokener == NULL)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, line, (int) size + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
	{
		json_object_put(object);
		object = NULL;
	}
	json_tokener_free(tokener);
	return object;
}

static bool
is_id(json_object *id)
{
	return json_object_is_type(id, json_type_string) || json_object_is_type(id, json_type_int);
}

static void
take_message(Server *server, json_object *message)
{
	Request request = {.method = text_in(message, "method")};
	bool has_id;

	if (message == NULL)
	{
		answer_error(server, NULL, PARSE_ERROR, "no JSON");
		return;
	}
	if (!json_object_is_type(message, json_type_object))
	{
		answer_error(server, NULL, INVALID_REQUEST, "no request object");
		return;
	}
	has_id = json_object_object_get_ex(message, "id", &request.id);
	json_object_object_get_ex(message, "params", &request.params);
	if (request.method == NULL || (has_id && !is_id(request.id)))
		answer_error(server, NULL, INVALID_REQUEST, "a method and an id are needed");
	else
		answer_request(server, &request);
}

/* A line without its end; false: the input has ended. *is_long: it was thrown away. */
static bool
read_line(FILE *in, char *line, size_t *size, bool *is_long)
{
	int c;

	*size = 0;
	*is_long = false;
	while ((c = getc(in)) != EOF && c != '\n')
	{
		if (*size < MOST_LINE)
			line[(*size)++] = (char) c;
		else
			*is_long = true;
	}
	line[*size] = '\0';
	return c != EOF || *size > 0;
}

PhExit
ph_mcp_serve(FILE *in, FILE *out, const char *db)
{
	Server server = {out, db};
	char *line = ph_must_alloc(MOST_LINE + 1, 1);
	size_t size;
	bool is_long;

	while (!ferror(out) && !ph_interrupted() && read_line(in, line, &size, &is_long))
	{
		json_object *message;

		if (strspn(line, " \t\r") == size)
			continue;
		if (is_long)
		{
			answer_error(&server, NULL, INVALID_REQUEST, "a line of more than 1 MB");
			continue;
		}
		message = parse(line, size);
		take_message(&server, message);
		json_object_put(message);
	}
	free(line);
	return ferror(out) ? PH_EXIT_UNREADABLE : PH_EXIT_OK;
}
