/*
 * picture.c - pictures for agents.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "mcp/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database/asked_query.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"

#define MOST_WORDS 16
#define MOST_PNG ((size_t) 4 << 20)

/* A folder of ours, with the picture and what the renderer said. */
typedef struct Place
{
	char *folder, *picture, *log;
} Place;

static bool
make_place(Place *place)
{
	place->folder = ph_format("%s/perfhouse-mcp-XXXXXX", ph_path_temporary());
	if (mkdtemp(place->folder) == NULL)
	{
		free(place->folder);
		return false;
	}
	place->picture = ph_format("%s/p.png", place->folder);
	place->log = ph_format("%s/log", place->folder);
	return true;
}

static void
remove_place(const Place *place)
{
	unlink(place->picture);
	unlink(place->log);
	rmdir(place->folder);
	free(place->picture);
	free(place->log);
	free(place->folder);
}

static size_t
add_option(const char **argv, size_t n, const char *option, const char *value)
{
	if (value == NULL)
		return n;
	argv[n++] = option;
	argv[n++] = value;
	return n;
}

static char *
base64(const unsigned char *bytes, size_t size)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = ph_must_alloc((size + 2) / 3 * 4 + 1, 1);
	char *to = text;

	for (size_t i = 0; i < size; i += 3)
	{
		unsigned group = (unsigned) bytes[i] << 16;

		group |= i + 1 < size ? (unsigned) bytes[i + 1] << 8 : 0;
		group |= i + 2 < size ? bytes[i + 2] : 0;
		*to++ = letters[group >> 18];
		*to++ = letters[group >> 12 & 63];
		*to++ = i + 1 < size ? letters[group >> 6 & 63] : '=';
		*to++ = i + 2 < size ? letters[group & 63] : '=';
	}
	*to = '\0';
	return text;
}

/* NULL: it cannot be read, or is larger than anybody looks at. */
static char *
read_picture(const char *path)
{
	FILE *in = fopen(path, "rb");
	unsigned char *bytes;
	char *text = NULL;
	size_t size;

	if (in == NULL)
		return NULL;
	bytes = ph_must_alloc(MOST_PNG + 1, 1);
	size = fread(bytes, 1, MOST_PNG + 1, in);
	if (!ferror(in) && size > 0 && size <= MOST_PNG)
		text = base64(bytes, size);
	free(bytes);
	fclose(in);
	return text;
}

static char *
command_text(const PhMcpPicture *picture)
{
	PhParam query = ph_param_text(picture->query);
	char *quoted = picture->query != NULL ? ph_asked_shown("$1", &query, 1) : ph_strdup("");
	char *text =
		ph_format("perfhouse render %s%s%s%s%s%s%s -o picture.png", picture->view,
				  picture->run != NULL ? " --run " : "", picture->run != NULL ? picture->run : "",
				  picture->vs != NULL ? " --vs " : "", picture->vs != NULL ? picture->vs : "",
				  picture->query != NULL ? " --query " : "", quoted);

	free(quoted);
	return text;
}

static void
draw_in(const Place *place, const char *program, const PhMcpPicture *picture, PhMcpAnswer *answer)
{
	const char *argv[MOST_WORDS] = {program, picture->view};
	char timeout[16];
	size_t n = 2;
	int code;

	n = add_option(argv, n, "--run", picture->run);
	n = add_option(argv, n, "--vs", picture->vs);
	n = add_option(argv, n, "--query", picture->query);
	n = add_option(argv, n, "--db", picture->db);
	n = add_option(argv, n, "-o", place->picture);
	argv[n] = NULL;
	snprintf(timeout, sizeof(timeout), "%d", PH_MCP_TIMEOUT_MS);
	(void) setenv(PH_RESTRICTED, timeout, 1);
	code = ph_process_run(NULL, place->log, argv);
	answer->png = code == 0 ? read_picture(place->picture) : NULL;
	if (answer->png != NULL)
		answer->text = command_text(picture);
	else
	{
		char *said = ph_path_read_text(place->log);

		ph_mcp_answer_error(answer, "the picture cannot be drawn: %s",
							said != NULL && *said != '\0' ? said : "the renderer said nothing");
		free(said);
	}
}

void
ph_mcp_draw(const PhMcpPicture *picture, PhMcpAnswer *answer)
{
	char *program = ph_path_sibling_program("perfhouse-render");
	Place place;

	if (program == NULL)
		ph_mcp_answer_error(answer, "perfhouse-render was not found beside perfhouse nor on PATH");
	else if (strchr("-/", picture->view[0]) != NULL || picture->view[0] == '\0')
		ph_mcp_answer_error(answer, "\"%.100s\" is no view", picture->view);
	else if (!make_place(&place))
		ph_mcp_answer_error(answer, "there is no room for a picture below %s", ph_path_temporary());
	else
	{
		draw_in(&place, program, picture, answer);
		remove_place(&place);
	}
	free(program);
}
