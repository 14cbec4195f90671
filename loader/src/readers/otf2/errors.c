/*
 * errors.c - libotf2's complaints as errors of ours, and what to do when it crashes.
 *
 * libotf2 trusts its input in places. When it crashes on a broken archive there is no way back into
 * the program: memory may be damaged. The file is named, and the process ends at once. The run was
 * not ready, so nobody sees anything of it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "readers/otf2/archive.h"
#include "system/exit_codes.h"

/* The first message since the last look is the most precise: others say who called it. */
static _Thread_local char words[256];
static _Thread_local const char *reading;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static OTF2_ErrorCode
take_words(void *user, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
		   const char *format, va_list arguments)
{
	(void) user;
	(void) file;
	(void) line;
	(void) function;
	if (words[0] == '\0' && format != NULL)
		vsnprintf(words, sizeof(words), format, arguments);
	return code;
}

static void
say(const char *text)
{
	ssize_t ignored = write(STDERR_FILENO, text, strlen(text));

	(void) ignored;
}

static void
crashed(int number)
{
	if (reading == NULL)
	{
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	say("perfhouse: error: ");
	say(reading);
	say(": libotf2 crashed while it read this file\n  hint: The file is damaged. Nothing of the "
		"run "
		"was stored. Copy or write it again, or load the others without it.\n");
	_exit(PH_EXIT_INPUT);
}

static void
install(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action = {.sa_handler = crashed};

	OTF2_Error_RegisterCallback(take_words, NULL);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
	{
		struct sigaction before;

		/* a sanitizer's handler stays */
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

void
ph_otf2_errors_init(void)
{
	pthread_once(&once, install);
}

void
ph_otf2_reading(const char *path)
{
	reading = path;
	words[0] = '\0';
}

/* libotf2's sentences end with a full stop or an exclamation mark, and may hold line ends. */
static void
tidy(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && strchr(".! \n", text[length - 1]) != NULL)
		text[--length] = '\0';
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\n' ? ' ' : *c;
}

PhStatus
ph_otf2_fail(PhEnv *env, const char *path, OTF2_ErrorCode code, const char *format, ...)
{
	char what[256];
	va_list arguments;
	bool is_memory = code == OTF2_ERROR_MEM_ALLOC_FAILED || code == OTF2_ERROR_ENOMEM;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	tidy(words);
	ph_fail(env, is_memory ? PH_ERR_MEMORY : PH_ERR_FORMAT, "%s: %s: %s%s%s", path, what,
			OTF2_Error_GetDescription(code), words[0] == '\0' ? "" : ": ", words);
	words[0] = '\0';
	return env->error.status;
}
