/*
 * tables.c - see tables.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 512

FILE *
table_open(const char *folder, const char *name)
{
	char path[PATH_SIZE];
	FILE *file;

	(void) mkdir(folder, 0777);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (file == NULL)
	{
		fprintf(stderr, "causes: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	return file;
}

/* main/time_step/phase_0: names of nodes from the root on. */
static void
path_of(const Case *made, uint32_t node, char *out, size_t size)
{
	uint32_t chain[CASE_MAX_NODES], n = 0;
	size_t length = 0;

	for (; node != PH_NONE; node = made->nodes[node].parent)
		chain[n++] = node;
	out[0] = '\0';
	while (n-- > 0 && length < size)
		length += (size_t) snprintf(out + length, size - length, "%s%s", made->nodes[chain[n]].name,
									n > 0 ? "/" : "");
}

static double
number_at(const Case *made, const double *values, uint32_t run, uint32_t node, uint32_t unit)
{
	return values[ph_explain_cell(&made->cube, run, node, unit)];
}

static void
write_cells(FILE *file, const Case *made, uint32_t run, uint32_t node, const char *path)
{
	for (uint32_t unit = 0; unit < made->cube.n_units; unit++)
		fprintf(file, "%s,%u,%u,%s,%s,%.6f,%.0f,%.0f,%.0f\n", made->is_after[run] ? "B" : "A", run,
				unit, made->hosts[unit], path, number_at(made, made->cube.time, run, node, unit),
				number_at(made, made->cube.work[PH_WORK_INSTRUCTIONS], run, node, unit),
				number_at(made, made->cube.work[PH_WORK_BYTES], run, node, unit),
				number_at(made, made->cube.work[PH_WORK_VISITS], run, node, unit));
}

static void
write_steps(FILE *file, const Case *made, uint32_t run, uint32_t node, const char *path)
{
	const double *from =
		made->cube.step_time + ((size_t) run * made->cube.n_nodes + node) * CASE_STEPS;

	for (uint32_t step = 0; step < CASE_STEPS; step++)
		if (from[step] > 0)
			fprintf(file, "%s,%u,%u,%s,%.6f\n", made->is_after[run] ? "B" : "A", run, step, path,
					from[step]);
}

void
table_write(const char *folder, const char *name, const Case *made)
{
	char file_name[PATH_SIZE], path[PATH_SIZE];
	FILE *cells, *steps;

	snprintf(file_name, sizeof(file_name), "%s.csv", name);
	cells = table_open(folder, file_name);
	snprintf(file_name, sizeof(file_name), "%s-iterations.csv", name);
	steps = table_open(folder, file_name);
	fprintf(cells, "side,run,rank,host,path,seconds,instructions,bytes,visits\n");
	fprintf(steps, "side,run,iteration,path,seconds\n");
	for (uint32_t run = 0; run < CASE_RUNS; run++)
		for (uint32_t node = 0; node < made->cube.n_nodes; node++)
		{
			path_of(made, node, path, sizeof(path));
			write_cells(cells, made, run, node, path);
			write_steps(steps, made, run, node, path);
		}
	if (fclose(cells) != 0 || fclose(steps) != 0)
		exit(1);
}

void
answer_header(FILE *file)
{
	fprintf(file, "case\tshape\tcause\tpath\tunits\n");
}

void
answer_write(FILE *file, const char *name, const Case *made)
{
	const Answer *answer = &made->answer;
	char path[PATH_SIZE];

	if (made->planted == PLANTED_NOTHING)
	{
		fprintf(file, "%s\tnothing\t\t\t\n", name);
		return;
	}
	path_of(made, answer->node, path, sizeof(path));
	fprintf(file, "%s\t%s\t%s\t%s\t", name, ph_shape_name(answer->shape),
			ph_cause_name(answer->cause, false), path);
	for (uint32_t i = 0; i < answer->n_places; i++)
		fprintf(file, "%s%u", i == 0 ? "" : ",", answer->places[i]);
	fputc('\n', file);
}
