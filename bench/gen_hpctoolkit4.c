/*
 * gen_hpctoolkit4.c - writes a synthetic HPCToolkit 4 database.
 *
 *   gen_hpctoolkit4 FOLDER [--ranks=N] [--threads=N] [--contexts=N] [--costs=N] [--slow-rank=R]
 * [--gpu] [--launch-bound] [--serial-copies] [--draft] [--fuzz]
 *
 * The tree has about N contexts: functions with their lines, of which some call the next functions,
 * and loops. Each thread has costs in so many lines (--costs), others for each rank, and all that
 * is above these. --gpu: kernels below launches; --launch-bound: launching them takes longer than
 * they do; --serial-copies: as much time in copies to devices as in kernels, which the host waits
 * for. --fuzz: instead of a folder, one input of the
 * fuzzer (fuzz_hpctoolkit4.c). Deterministic: the same arguments give the same bytes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/hpctoolkit4.h"

#define N_FILES 10
#define FUNCTIONS_PER_FILE 100
#define N_FUNCTIONS (N_FILES * FUNCTIONS_PER_FILE)

typedef struct Options
{
	const char *folder;
	uint32_t ranks, threads, contexts, costs, slow_rank;
	bool gpu, launch_bound, copies, draft, fuzz;
} Options;

static const char *const modules[] = {"/home/someone/bin/code", "/usr/lib/libcuda.so.510"};
static const H4Metric metrics[] = {{"CPUTIME (sec)", 7}, {"GPUOP (sec)", 7},
								   {"GKER (sec)", 7},	 {"GKER:COUNT", 7},
								   {"GXCOPY (sec)", 7},	 {"GXCOPY:H2D (B)", 7}};

enum
{
	LAUNCH,
	GPU_KERNEL,
	FIRST /* of the program; behind these cudaMemcpy and its placeholder, where there are copies */
};
#define COPYING 2

static char file_names[N_FILES][32], function_names[N_FUNCTIONS][32];
static const char *files[N_FILES];
static H4Function functions[N_FUNCTIONS + FIRST + COPYING];
static uint32_t copy_function;

static void
make_names(void)
{
	for (uint32_t i = 0; i < N_FILES; i++)
	{
		snprintf(file_names[i], sizeof(file_names[i]), "/src/part%02u/file.c", i);
		files[i] = file_names[i];
	}
	for (uint32_t i = 0; i < N_FUNCTIONS; i++)
	{
		snprintf(function_names[i], sizeof(function_names[i]), "part%02u::step%02u", i % N_FILES,
				 i / N_FILES);
		functions[FIRST + i] =
			(H4Function){function_names[i], 0, i % N_FILES, 64 * i, 10 * (i / N_FILES)};
	}
	functions[LAUNCH] = (H4Function){"cudaLaunchKernel", 1, H4_NONE, 0x100, 0};
	functions[GPU_KERNEL] = (H4Function){"<gpu kernel>", H4_NONE, H4_NONE, 0, 0};
}

static void
add_copy_functions(H4Model *model)
{
	copy_function = model->n_functions;
	functions[copy_function] = (H4Function){"cudaMemcpy", 1, H4_NONE, 0x200, 0};
	functions[copy_function + 1] = (H4Function){"<gpu copyin>", H4_NONE, H4_NONE, 0, 0};
	model->n_functions += COPYING;
}

static uint64_t
next_number(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

static H4Context *
add_context(H4Model *model, H4Context *contexts, uint32_t parent, uint8_t relation, uint8_t lexical)
{
	H4Context *context = &contexts[model->n_contexts];
	*context = (H4Context){.id = ++model->n_contexts,
						   .parent = parent,
						   .relation = relation,
						   .lexical = lexical,
						   .function = H4_NONE,
						   .file = H4_NONE,
						   .module = H4_NONE};
	return context;
}

/*
 * A place in a file. The instruction of a line is where its cost was measured; it has values, but
 * the tree leaves it out. The draft has no such.
 */
static void
add_place(H4Model *model, H4Context *contexts, uint32_t parent, uint8_t lexical, uint32_t function,
		  uint32_t line)
{
	uint32_t self = model->n_contexts;
	H4Context *place = add_context(model, contexts, parent, H4_LEXICAL, lexical);
	place->file = function % N_FILES;
	place->line = functions[function].line + line;
	if (lexical == H4_LINE && !model->is_draft)
		add_context(model, contexts, self, H4_LEXICAL, H4_INSTRUCTION)->is_elided = true;
}

/* A function that is called from a line: two lines of its own and a loop with a third. */
static void
add_function(H4Model *model, H4Context *contexts, uint32_t line, uint32_t function)
{
	uint32_t self = model->n_contexts;
	add_context(model, contexts, line, function % 4 ? H4_CALL : H4_INLINED, H4_FUNCTION)->function =
		function;
	add_place(model, contexts, self, H4_LINE, function, 1);
	add_place(model, contexts, self, H4_LINE, function, 2);
	add_place(model, contexts, self, H4_LOOP, function, 3);
	add_place(model, contexts, model->n_contexts - 1, H4_LINE, function, 4);
}

#define OF_FUNCTION 5 /* contexts of the tree */
#define OF_LAUNCH 3

/* A launch below a line, and what it starts. */
static void
add_launch(H4Model *model, H4Context *contexts, uint32_t line, uint32_t kernel)
{
	const uint32_t chain[] = {LAUNCH, GPU_KERNEL, kernel};
	for (uint32_t i = 0; i < OF_LAUNCH; i++)
		add_context(model, contexts, i == 0 ? line : model->n_contexts - 1, H4_CALL, H4_FUNCTION)
			->function = chain[i];
}

static void
add_copy(H4Model *model, H4Context *contexts, uint32_t line)
{
	for (uint32_t i = 0; i < COPYING; i++)
		add_context(model, contexts, i == 0 ? line : model->n_contexts - 1, H4_CALL, H4_FUNCTION)
			->function = copy_function + i;
}

static uint32_t
any_line(const H4Model *model, const H4Context *contexts, uint64_t *random)
{
	uint32_t at = (uint32_t) (next_number(random) % model->n_contexts);
	while (at > 0 && contexts[at].lexical != H4_LINE)
		at--;
	return at;
}

static void
make_tree(const Options *options, H4Model *model, H4Context *contexts)
{
	uint64_t random = 1;
	H4Context *root =
		add_context(model, contexts, H4_NONE, H4_CALL, options->draft ? H4_FUNCTION : H4_ENTRY);
	root->name = "main thread";
	add_function(model, contexts, 0, FIRST);
	uint32_t left = options->contexts - OF_FUNCTION - 1;
	for (uint32_t i = 1; left >= OF_FUNCTION; i++)
	{
		uint32_t line = any_line(model, contexts, &random);
		bool is_launch = options->gpu && i % 5 == 0;
		left -= is_launch ? OF_LAUNCH : OF_FUNCTION;
		if (is_launch)
			add_launch(model, contexts, line, FIRST + i % N_FUNCTIONS);
		if (is_launch && options->copies)
			add_copy(model, contexts, line);
		if (!is_launch)
			add_function(model, contexts, line, FIRST + i % N_FUNCTIONS);
	}
}

#define OF_CONTEXT 6 /* costs at most */

/* What a kernel costs: all metrics of GPUs; a line costs time. Copies are beside their launch. */
static uint32_t
add_costs(const Options *options, const H4Context *contexts, uint32_t at, double seconds,
		  H4Cost *costs)
{
	uint32_t n = 0, parent = contexts[at].parent;
	bool is_kernel = parent != H4_NONE && contexts[parent].function == GPU_KERNEL;
	double kernel = options->launch_bound ? seconds / 1024 : seconds;
	if (!is_kernel)
	{
		costs[0] = (H4Cost){at, 0, seconds};
		return 1;
	}
	costs[n++] = (H4Cost){at, 1, kernel};
	costs[n++] = (H4Cost){at, 2, kernel};
	costs[n++] = (H4Cost){at, 3, 1};
	if (options->launch_bound)
		costs[n++] = (H4Cost){contexts[parent].parent, 0, seconds / 64};
	if (options->copies)
	{
		costs[n++] = (H4Cost){at + COPYING, 4, kernel};
		costs[n++] = (H4Cost){at + COPYING, 5, 1 << 20};
	}
	return n;
}

static void
add_thread(const Options *options, const H4Model *model, H4Profiles *profiles, H4Cost *costs,
		   uint32_t rank, uint32_t thread)
{
	uint64_t random = (uint64_t) rank * options->threads + thread + 1;
	H4Identifier identifiers[] = {
		{H4_NODE, 0x7f000000 + rank / 64}, {H4_RANK, rank}, {H4_THREAD, thread}};
	uint32_t n = 0;
	for (uint32_t i = 0; i < options->costs; i++)
	{
		uint32_t at = (uint32_t) (next_number(&random) % model->n_contexts);
		at += at + 1 < model->n_contexts && model->contexts[at + 1].is_elided;
		double seconds = (double) (1 + next_number(&random) % 1000) / 1024;
		seconds *= rank == options->slow_rank ? 2 : 1;
		n += add_costs(options, model->contexts, at, seconds, costs + n);
	}
	h4_add_profile(profiles, identifiers, 3, costs, n);
}

static H4Bytes
write_profiles(const Options *options, const H4Model *model)
{
	H4Profiles *profiles = h4_begin_profiles(model);
	H4Cost *costs = calloc((size_t) OF_CONTEXT * options->costs + 1, sizeof(*costs));
	for (uint32_t rank = 0; rank < options->ranks && costs != NULL; rank++)
		for (uint32_t thread = 0; thread < options->threads; thread++)
			add_thread(options, model, profiles, costs, rank, thread);
	free(costs);
	return h4_end_profiles(profiles);
}

static bool
write_file(const char *folder, const char *name, const H4Bytes *bytes)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "wb");
	if (file == NULL)
		return false;
	bool written = fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
	return fclose(file) == 0 && written;
}

/* The size of meta.db, meta.db, profile.db. */
static bool
write_fuzz_input(const char *path, const H4Bytes *meta, const H4Bytes *profile)
{
	FILE *file = fopen(path, "wb");
	uint32_t size = (uint32_t) meta->size;
	if (file == NULL)
		return false;
	bool written = fwrite(&size, sizeof(size), 1, file) == 1 &&
				   fwrite(meta->data, 1, meta->size, file) == meta->size &&
				   fwrite(profile->data, 1, profile->size, file) == profile->size;
	return fclose(file) == 0 && written;
}

/* The value of an argument that begins so, "--ranks=8"; NULL: it is another. */
static const char *
value_of(const char *argument, const char *name)
{
	size_t length = strlen(name);
	bool is_it = strncmp(argument, name, length) == 0 && argument[length] == '=';
	return is_it ? argument + length + 1 : NULL;
}

static bool
read_option(const char *argument, Options *options)
{
	const struct
	{
		const char *name;
		uint32_t *number;
	} numbers[] = {{"--ranks", &options->ranks},
				   {"--threads", &options->threads},
				   {"--contexts", &options->contexts},
				   {"--costs", &options->costs},
				   {"--slow-rank", &options->slow_rank}};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
	{
		const char *value = value_of(argument, numbers[i].name);
		if (value != NULL)
			*numbers[i].number = (uint32_t) strtoul(value, NULL, 10);
		if (value != NULL)
			return true;
	}
	const struct
	{
		const char *name;
		bool *is_set;
	} switches[] = {{"--gpu", &options->gpu},
					{"--launch-bound", &options->launch_bound},
					{"--serial-copies", &options->copies},
					{"--draft", &options->draft},
					{"--fuzz", &options->fuzz}};
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (strcmp(argument, switches[i].name) == 0)
			return *switches[i].is_set = true;
	if (argument[0] != '-')
		options->folder = argument;
	return argument[0] != '-';
}

static bool
read_options(int argc, char **argv, Options *options)
{
	for (int i = 1; i < argc; i++)
		if (!read_option(argv[i], options))
			return false;
	return options->folder != NULL && options->contexts >= 16;
}

/* Functions that a tree of so many contexts has at most: a launch, the least, is three of them. */
static uint32_t
n_functions(const Options *options)
{
	uint32_t most = options->contexts / 3 + 1;
	return most < N_FUNCTIONS ? most : N_FUNCTIONS;
}

int
main(int argc, char **argv)
{
	Options options = {
		.ranks = 4, .threads = 1, .contexts = 100, .costs = 20, .slow_rank = UINT32_MAX};
	if (!read_options(argc, argv, &options))
	{
		fprintf(stderr, "usage: gen_hpctoolkit4 FOLDER [--ranks=N] [--threads=N] [--contexts=N] "
						"[--costs=N] [--slow-rank=R] [--gpu] [--launch-bound] "
						"[--serial-copies] [--draft] [--fuzz]\n");
		return 2;
	}
	H4Context *contexts = calloc((size_t) options.contexts * 3, sizeof(*contexts));
	H4Model model = {.is_draft = options.draft,
					 .title = "code",
					 .n_modules = 2,
					 .n_files = N_FILES,
					 .n_functions = FIRST + n_functions(&options),
					 .n_metrics = !options.gpu	   ? 1
								  : options.copies ? 6
												   : 4,
					 .modules = modules,
					 .files = files,
					 .functions = functions,
					 .metrics = metrics,
					 .contexts = contexts};
	make_names();
	if (options.copies)
		add_copy_functions(&model);
	make_tree(&options, &model, contexts);
	H4Bytes meta = h4_write_meta(&model), profile = write_profiles(&options, &model);
	bool written = options.fuzz ? write_fuzz_input(options.folder, &meta, &profile)
								: ((void) mkdir(options.folder, 0777),
								   write_file(options.folder, "meta.db", &meta) &&
									   write_file(options.folder, "profile.db", &profile));
	free(meta.data);
	free(profile.data);
	free(contexts);
	return written ? 0 : 1;
}
