/*
 * bench_change_points.c - how good and how fast are the change points? Beside the Otava mode.
 *
 * Prints tab-separated rows "what, noise, mode, max_p, value". All numbers are simulated with fixed
 * seeds. Usage: bench_change_points [quick].
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "statistics/change_point.h"

typedef enum Noise
{
	NORMAL,
	AR1,
	BIMODAL,
	EXPONENTIAL,
	HEAVY,
	N_NOISES
} Noise;

static const char *const noise_names[] = {"normal", "AR(1) 0.5", "bimodal", "exponential", "t(3)"};
static const char *const mode_names[] = {"default", "otava"};

static uint64_t random_state;

/* splitmix64 */
static double
uniform(void)
{
	uint64_t z = random_state += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return (double) ((z ^ z >> 31) >> 11) / 9007199254740992.0 + 1e-17;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double
heavy(void)
{
	double sum = 0;
	for (int i = 0; i < 3; i++)
	{
		double z = normal();
		sum += z * z;
	}
	return normal() / sqrt(sum / 3) / sqrt(3);
}

/* Of mean 0 and standard deviation 1, for all kinds. */
static void
make_noise(Noise kind, double *values, uint32_t n)
{
	double last = normal();
	for (uint32_t i = 0; i < n; i++)
	{
		if (kind == AR1)
			values[i] = last = 0.5 * last + sqrt(0.75) * normal();
		else if (kind == BIMODAL) /* three of ten runs are slower by four deviations */
			values[i] = ((uniform() < 0.3 ? 4 : 0) - 1.2 + normal()) / sqrt(1 + 16 * 0.21);
		else if (kind == EXPONENTIAL)
			values[i] = -log(uniform()) - 1;
		else
			values[i] = kind == HEAVY ? heavy() : normal();
	}
}

static PhChangePoints
find(PhArena *arena, const double *values, uint32_t n, PhChangeMode mode, double max_p)
{
	PhChangeOptions options = {.mode = mode, .max_p = max_p};
	PhChangePoints points;
	if (ph_change_points(arena, values, n, &options, &points) != PH_OK)
	{
		fprintf(stderr, "bench_change_points: %s\n", arena->env->error.message);
		exit(1);
	}
	return points;
}

/* False points per 1000 values of change-free noise. */
static double
false_points(PhEnv *env, Noise noise, PhChangeMode mode, double max_p, uint32_t n, uint32_t repeats)
{
	double *values = calloc(n, sizeof(double));
	double count = 0;
	random_state = 1000 + (uint64_t) noise;
	for (uint32_t k = 0; k < repeats; k++)
	{
		PhArena arena;
		ph_arena_init(&arena, env);
		make_noise(noise, values, n);
		for (uint32_t i = 0; i < n; i++)
			values[i] += 100;
		count += find(&arena, values, n, mode, max_p).n;
		ph_arena_drop(&arena);
	}
	free(values);
	return count * 1000 / ((double) n * repeats);
}

static bool
has_point(const PhChangePoints *points, uint32_t index, uint32_t tolerance)
{
	for (uint32_t i = 0; i < points->n; i++)
		if (points->points[i].index + tolerance >= index &&
			points->points[i].index <= index + tolerance)
			return true;
	return false;
}

/* Share of steps found within one position when `after` values follow them. */
static double
steps_found(PhEnv *env, Noise noise, PhChangeMode mode, double max_p, double size, uint32_t before,
			uint32_t after, uint32_t repeats)
{
	uint32_t n = before + after, found = 0;
	double *values = calloc(n, sizeof(double));
	random_state = 5000 + (uint64_t) noise;
	for (uint32_t k = 0; k < repeats; k++)
	{
		PhArena arena;
		ph_arena_init(&arena, env);
		make_noise(noise, values, n);
		for (uint32_t i = 0; i < n; i++)
			values[i] += 100 + (i >= before ? size : 0);
		PhChangePoints points = find(&arena, values, n, mode, max_p);
		found += has_point(&points, before, 1);
		ph_arena_drop(&arena);
	}
	free(values);
	return (double) found / repeats;
}

/* Median number of values after a step until it is found; NaN: never within 60. */
static double
delay(PhEnv *env, Noise noise, PhChangeMode mode, double size)
{
	for (uint32_t after = 1; after <= 60; after++)
		if (steps_found(env, noise, mode, (double) NAN, size, 100, after, 200) >= 0.5)
			return after;
	return (double) NAN;
}

static double
milliseconds(PhEnv *env, PhChangeMode mode, uint32_t n, uint32_t every)
{
	double *values = calloc(n, sizeof(double)), best = 1e9;
	random_state = 9;
	make_noise(NORMAL, values, n);
	for (uint32_t i = 0; i < n; i++)
		values[i] += 100 + (every > 0 ? 5 * (i / every % 2) : 0);
	for (int k = 0; k < 7; k++)
	{
		PhArena arena;
		clock_t start = clock();
		ph_arena_init(&arena, env);
		find(&arena, values, n, mode, (double) NAN);
		ph_arena_drop(&arena);
		double took = (double) (clock() - start) * 1000 / CLOCKS_PER_SEC;
		best = took < best ? took : best;
	}
	free(values);
	return best;
}

/* Call paths whose series are judged together, some with a step. */
typedef struct Study
{
	double true_points, false_points, missed;
} Study;

enum
{
	PATHS = 200,
	RUNS = 150,
	SLOWER = 20
};

/* Points of one path; steps of 2 to 6 deviations at random places; q as change_points() has it. */
static uint32_t
study_path(PhArena *arena, Noise noise, PhChangeMode mode, uint32_t step, double size, double *p,
		   uint32_t *places)
{
	double values[RUNS];
	make_noise(noise, values, RUNS);
	for (uint32_t i = 0; i < RUNS; i++)
		values[i] += 100 + (step > 0 && i >= step ? size : 0);
	PhChangePoints found = find(arena, values, RUNS, mode, (double) NAN);
	for (uint32_t i = 0; i < found.n; i++)
	{
		p[i] = ph_change_series_p(found.points[i].p, RUNS);
		places[i] = found.points[i].index;
	}
	return found.n;
}

static void
count_points(const uint32_t *places, const double *q, double limit, uint32_t n, uint32_t step,
			 Study *study)
{
	bool hit = false;
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_true = step > 0 && places[i] + 2 >= step && places[i] <= step + 2;
		if (q[i] > limit)
			continue;
		study->true_points += is_true && !hit;
		study->false_points += !is_true;
		hit = hit || is_true;
	}
	study->missed += step > 0 && !hit;
}

static Study
study_paths(PhEnv *env, Noise noise, PhChangeMode mode, uint32_t repeats)
{
	Study study = {0};
	random_state = 31 + (uint64_t) noise;
	for (uint32_t k = 0; k < repeats; k++)
	{
		static double p[PATHS * RUNS], q[PATHS * RUNS];
		static uint32_t places[PATHS * RUNS];
		uint32_t steps[PATHS] = {0}, first[PATHS + 1] = {0}, extra = 0;
		PhArena arena;
		ph_arena_init(&arena, env);
		for (uint32_t path = 0; path < PATHS; path++)
		{
			steps[path] = path < SLOWER ? 50 + (uint32_t) (uniform() * 90) : 0;
			uint32_t n = study_path(&arena, noise, mode, steps[path], 2 + 4 * uniform(),
									p + first[path], places + first[path]);
			first[path + 1] = first[path] + n;
			extra += n > 1 ? n - 1 : 0;
		}
		if (ph_false_discovery_rates(&arena, p, first[PATHS], PATHS + extra, q) != PH_OK)
			exit(1);
		for (uint32_t path = 0; path < PATHS; path++)
			count_points(places + first[path], q + first[path], mode == PH_CHANGE_OTAVA ? 1 : 0.05,
						 first[path + 1] - first[path], steps[path], &study);
		ph_arena_drop(&arena);
	}
	return study;
}

static void
print_row(const char *what, const char *noise, const char *mode, double max_p, double value)
{
	printf("%s\t%s\t%s\t%g\t%.4g\n", what, noise, mode, max_p, value);
}

static void
print_limits(PhEnv *env, uint32_t repeats)
{
	static const double limits[] = {3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6};
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		for (Noise noise = 0; noise <= AR1; noise++)
		{
			double p = limits[i];
			print_row("false points per 1000", noise_names[noise], "default", p,
					  false_points(env, noise, PH_CHANGE_DEFAULT, p, 1000, repeats));
			print_row("5 sd found after 4", noise_names[noise], "default", p,
					  steps_found(env, noise, PH_CHANGE_DEFAULT, p, 5, 100, 4, 4 * repeats));
			print_row("3 sd found after 10", noise_names[noise], "default", p,
					  steps_found(env, noise, PH_CHANGE_DEFAULT, p, 3, 100, 10, 4 * repeats));
		}
}

static void
print_studies(PhEnv *env, uint32_t repeats)
{
	for (int mode = 0; mode < 2; mode++)
		for (Noise noise = 0; noise < N_NOISES; noise++)
		{
			Study study = study_paths(env, noise, (PhChangeMode) mode, repeats);
			double found = study.true_points + study.false_points;
			print_row("precision, 200 call paths", noise_names[noise], mode_names[mode], NAN,
					  found > 0 ? study.true_points / found : 1);
			print_row("recall, 200 call paths", noise_names[noise], mode_names[mode], NAN,
					  study.true_points / (study.true_points + study.missed));
		}
}

int
main(int argc, char **argv)
{
	uint32_t repeats = argc > 1 && strcmp(argv[1], "quick") == 0 ? 100 : 1000;
	PhEnv env;
	ph_env_init_malloc(&env);
	for (int mode = 0; mode < 2; mode++)
	{
		print_row("ms for 10000 values", "normal", mode_names[mode], NAN,
				  milliseconds(&env, (PhChangeMode) mode, 10000, 0));
		print_row("ms for 10000 values", "steps", mode_names[mode], NAN,
				  milliseconds(&env, (PhChangeMode) mode, 10000, 40));
		for (Noise noise = 0; noise < N_NOISES; noise++)
		{
			PhChangeMode m = (PhChangeMode) mode;
			const char *name = noise_names[noise];
			print_row("false points per 1000", name, mode_names[mode], NAN,
					  false_points(&env, noise, m, NAN, 1000, mode ? repeats / 5 : repeats));
			print_row("false points per 1000, series of 100", name, mode_names[mode], NAN,
					  false_points(&env, noise, m, NAN, 100, mode ? repeats : repeats * 10));
			print_row("5 sd found after 4", name, mode_names[mode], NAN,
					  steps_found(&env, noise, m, NAN, 5, 100, 4, repeats * 4));
			for (int size = 5; size >= 2; size -= size == 5 ? 2 : 1)
			{
				char what[40];
				snprintf(what, sizeof(what), "median delay of %d sd", size);
				print_row(what, name, mode_names[mode], NAN, delay(&env, noise, m, size));
			}
		}
	}
	print_studies(&env, repeats / 50);
	print_limits(&env, repeats);
	return 0;
}
