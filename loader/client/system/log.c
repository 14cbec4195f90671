/*
 * log.c - messages on stderr and the progress bar.
 *
 * Each message is one write, so that lines of several processes or threads do not mix.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MAX 4096
#define BAR_WIDTH 24
#define FIRST_DRAW_NS INT64_C(1000000000)
#define REDRAW_NS INT64_C(100000000)

static const char *program_name = "perfhouse";
static PhLogLevel threshold = PH_LOG_INFO;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool bar_on_screen;
static PhLogLevel last_level = PH_LOG_INFO; /* details follow their message's fate */

void
ph_log_init(const char *program)
{
	program_name = program;
}

void
ph_log_set_level(PhLogLevel level)
{
	threshold = level;
}

/* May stream carry colours? (a terminal, no NO_COLOR, TERM not dumb) */
static bool
log_colors(FILE *stream)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (no_color != NULL && *no_color != '\0')
		return false;
	if (terminal == NULL || strcmp(terminal, "dumb") == 0)
		return false;
	return isatty(fileno(stream)) == 1;
}

int64_t
ph_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void
erase_bar(void)
{
	if (bar_on_screen)
		fputs("\r\033[K", stderr);
	bar_on_screen = false;
}

static void
write_line(const char *label, const char *color, const char *format, va_list arguments)
{
	char message[MESSAGE_MAX];
	bool colors = *color != '\0' && log_colors(stderr);

	vsnprintf(message, sizeof(message), format, arguments);
	erase_bar();
	fprintf(stderr, "%s: %s%s%s%s\n", program_name, colors ? color : "", label,
			colors ? "\033[0m" : "", message);
	fflush(stderr);
}

static void
say(PhLogLevel level, const char *format, va_list arguments)
{
	static const char *const labels[] = {"debug: ", "", "warning: ", "error: "};
	static const char *const colors[] = {"\033[2m", "", "\033[1;33m", "\033[1;31m"};

	pthread_mutex_lock(&lock);
	last_level = level;
	if (level >= threshold)
		write_line(labels[level], colors[level], format, arguments);
	pthread_mutex_unlock(&lock);
}

#define SAY(level)                                                                                 \
	va_list arguments;                                                                             \
	va_start(arguments, format);                                                                   \
	say(level, format, arguments);                                                                 \
	va_end(arguments)

void
ph_log_debug(const char *format, ...)
{
	SAY(PH_LOG_DEBUG);
}

void
ph_log_info(const char *format, ...)
{
	SAY(PH_LOG_INFO);
}

void
ph_log_warning(const char *format, ...)
{
	SAY(PH_LOG_WARNING);
}

void
ph_log_error(const char *format, ...)
{
	SAY(PH_LOG_ERROR);
}

static void
continue_message(const char *label, const char *color, const char *format, va_list arguments)
{
	pthread_mutex_lock(&lock);
	if (last_level >= threshold)
		write_line(label, color, format, arguments);
	pthread_mutex_unlock(&lock);
}

void
ph_log_detail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	continue_message("detail: ", "", format, arguments);
	va_end(arguments);
}

void
ph_log_hint(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	continue_message("hint: ", "\033[1;36m", format, arguments);
	va_end(arguments);
}

void
ph_log_core_error(const char *what, const PhError *error)
{
	if (what != NULL)
		ph_log_error("%s: %s", what, error->message);
	else
		ph_log_error("%s", error->message);
	if (error->hint[0] != '\0')
		ph_log_hint("%s", error->hint);
}

void
ph_log_write_error(const char *what, int error)
{
	if (error != EPIPE)
		ph_log_error("%s: cannot write: %s", what, strerror(error));
}

void
ph_progress_start(PhProgress *progress, const char *label, uint64_t total)
{
	*progress = (PhProgress){.label = label, .total = total, .started_ns = ph_now_ns()};
}

static void
draw_bar(const PhProgress *progress, uint64_t done)
{
	char bar[BAR_WIDTH + 1];
	double share = (double) done / (double) progress->total;
	int filled;

	if (share > 1)
		share = 1;
	filled = (int) (share * BAR_WIDTH);
	memset(bar, '#', (size_t) filled);
	memset(bar + filled, '.', (size_t) (BAR_WIDTH - filled));
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r\033[K%s [%s] %3d %%", progress->label, bar, (int) (share * 100));
	if (progress->doing != NULL)
		fprintf(stderr, "  %s", progress->doing);
}

void
ph_progress_update(PhProgress *progress, uint64_t done)
{
	int64_t now = ph_now_ns();

	if (threshold > PH_LOG_INFO || now - progress->started_ns < FIRST_DRAW_NS ||
		now - progress->drawn_ns < REDRAW_NS || isatty(STDERR_FILENO) != 1)
		return;
	progress->drawn_ns = now;
	pthread_mutex_lock(&lock);
	if (progress->total > 0)
		draw_bar(progress, done);
	else
		fprintf(stderr, "\r\033[K%s %llu", progress->label, (unsigned long long) done);
	fflush(stderr);
	bar_on_screen = true;
	pthread_mutex_unlock(&lock);
}

void
ph_progress_end(PhProgress *progress)
{
	(void) progress;
	pthread_mutex_lock(&lock);
	erase_bar();
	fflush(stderr);
	pthread_mutex_unlock(&lock);
}
