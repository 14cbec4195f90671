/*
 * causes.c - does an explanation of slower runs name what was planted?
 *
 *   causes score [CASES [SEED]]     the project's own rules: a table, rows "name<TAB>value"
 *   causes write FOLDER CASES SEED  the cases as tables and answers.tsv, for other tools
 *   causes judge ANSWERS GIVEN      answers.tsv against what a tool gave, in the same columns
 *
 * A third of the cases of each variation has a second, smaller cause. As many pairs again have
 * none. See bench/causes/README.md.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "score.h"
#include "tables.h"

static const double variations[] = {0.02, 0.05, 0.10};

#define VARIATIONS (sizeof(variations) / sizeof(variations[0]))
#define DEFAULT_CASES 1080 /* 360 a variation, 30 of each cause */
#define DEFAULT_SEED 20161 /* arbitrary; the thresholds were not chosen with it */

static void
make_numbered(uint64_t seed, uint32_t number, bool has_cause, Case *out)
{
	uint32_t kind = number / VARIATIONS;
	Planted planted = has_cause ? 1 + kind % (PLANTED_COUNT - 1) : PLANTED_NOTHING;

	case_make(seed * 1000003 + 2 * number + has_cause, planted, kind / (PLANTED_COUNT - 1) % 3 == 2,
			  variations[number % VARIATIONS], out);
}

static void
score_case(uint64_t seed, uint32_t number, bool has_cause, bool tells, Tally *tally)
{
	Case made;

	make_numbered(seed, number, has_cause, &made);
	score_explained(&made, tells, tally);
	case_free(&made);
}

static int
score(uint32_t n_cases, uint64_t seed, bool tells)
{
	Tally tallies[VARIATIONS][2] = {0};

	for (uint32_t number = 0; number < n_cases; number++)
		for (int has_cause = 0; has_cause < 2; has_cause++)
			score_case(seed, number, has_cause, tells, &tallies[number % VARIATIONS][has_cause]);
	for (size_t i = 0; i < VARIATIONS; i++)
		score_print(variations[i], &tallies[i][1], &tallies[i][0]);
	return 0;
}

static int
write_cases(const char *folder, uint32_t n_cases, uint64_t seed)
{
	FILE *answers = table_open(folder, "answers.tsv");

	answer_header(answers);
	for (uint32_t number = 0; number < n_cases; number++)
	{
		char name[32];
		Case made;

		snprintf(name, sizeof(name), "case-%04u", number);
		make_numbered(seed, number / 2, number % 2 == 0, &made);
		table_write(folder, name, &made);
		answer_write(answers, name, &made);
		case_free(&made);
	}
	return fclose(answers) == 0 ? 0 : 1;
}

int
main(int argc, char **argv)
{
	uint32_t n = argc > 3 ? (uint32_t) strtoul(argv[3], NULL, 10) : 0;

	if (argc >= 2 && (strcmp(argv[1], "score") == 0 || strcmp(argv[1], "tell") == 0))
		return score(argc > 2 ? (uint32_t) strtoul(argv[2], NULL, 10) : DEFAULT_CASES,
					 argc > 3 ? strtoull(argv[3], NULL, 10) : DEFAULT_SEED,
					 strcmp(argv[1], "tell") == 0);
	if (argc == 5 && strcmp(argv[1], "write") == 0)
		return write_cases(argv[2], n, strtoull(argv[4], NULL, 10));
	if (argc == 4 && strcmp(argv[1], "judge") == 0)
		return score_files(argv[2], argv[3]);
	fprintf(stderr,
			"usage: causes score|tell [CASES [SEED]] | write FOLDER CASES SEED | judge ANSWERS "
			"GIVEN\n");
	return 2;
}
