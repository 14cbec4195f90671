/*
 * log.h - messages to people on stderr: level, message, detail, hint; and the progress bar.
 *
 * Messages are lower case without a full stop; details and hints are sentences. Colours only on a
 * terminal and without NO_COLOR. The progress bar appears on a terminal only, after one second.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_LOG_H
#define PH_SYSTEM_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/env.h"

typedef enum PhLogLevel
{
	PH_LOG_DEBUG,
	PH_LOG_INFO,
	PH_LOG_WARNING,
	PH_LOG_ERROR
} PhLogLevel;

/* program: printed before every message; a constant. Default level: info. */
void ph_log_init(const char *program);
void ph_log_set_level(PhLogLevel level);

void ph_log_debug(const char *format, ...) PH_PRINTF(1, 2);
void ph_log_info(const char *format, ...) PH_PRINTF(1, 2);
void ph_log_warning(const char *format, ...) PH_PRINTF(1, 2);
void ph_log_error(const char *format, ...) PH_PRINTF(1, 2);

/* Continue the message before it. */
void ph_log_detail(const char *format, ...) PH_PRINTF(1, 2);
void ph_log_hint(const char *format, ...) PH_PRINTF(1, 2);

/* Error and hint of a core's error record, prefixed by what (NULL: nothing). */
void ph_log_core_error(const char *what, const PhError *error);

/* Writing to what failed with this errno. Silent when the reader went away, as in `... | head`. */
void ph_log_write_error(const char *what, int error);

typedef struct PhProgress
{
	const char *label;
	const char *doing;	/* behind the bar; may be NULL */
	uint64_t total;		/* 0: unknown */
	int64_t started_ns; /* monotonic */
	int64_t drawn_ns;	/* 0: never drawn */
} PhProgress;

/* label must outlive the bar. Calls are cheap: draws at most ten times a second. */
void ph_progress_start(PhProgress *progress, const char *label, uint64_t total);
void ph_progress_update(PhProgress *progress, uint64_t done);
/* Erases the bar. */
void ph_progress_end(PhProgress *progress);

/* Monotonic clock in nanoseconds. */
int64_t ph_now_ns(void);

#endif
