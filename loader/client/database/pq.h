/*
 * pq.h - the programs' only way to PostgreSQL, and with pq.c the only includer of libpq-fe.h.
 *
 * Parameters never become part of SQL text. Every failure fills connection->error (and is not
 * logged: ph_pq_log_error does that, once, with what the caller was doing). While a call waits it
 * polls ph_interrupted: on SIGINT the running query is cancelled and the call fails with
 * PH_EXIT_INTERRUPTED; likewise what is unwanted. Notices of the server go to the log.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_PQ_H
#define PH_DATABASE_PQ_H

#include <libpq-fe.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "system/exit_codes.h"

typedef struct PhPqError
{
	PhExit code;	   /* PH_EXIT_OK: no error */
	char sqlstate[6];  /* "" when the server did not answer */
	char message[512]; /* one line, without severity */
	char detail[512];  /* may be empty */
	char hint[512];	   /* may be empty */
} PhPqError;

typedef struct PhPqInsert PhPqInsert;

#define PH_PQ_MAX_PREPARED 8

typedef struct PhConnection
{
	PGconn *pq;
	PhPqError error;
	bool in_copy;
	bool is_cancelled; /* the query that is under way */
	bool is_cleaning;  /* after an interrupt, which then does not cancel its queries */
	/* Set by another thread when nobody waits for the answer any longer; NULL: somebody always
	 * does. The query is cancelled then as on SIGINT. */
	const atomic_bool *unwanted;
	PhPqInsert *insert; /* the copy is made by INSERT; NULL: by COPY, or there is none */
	const char *prepared[PH_PQ_MAX_PREPARED]; /* texts; a statement's name is its place */
	int n_prepared;
	enum
	{
		PH_PQ_NOT_ASKED,
		PH_PQ_NO_POLICY,
		PH_PQ_POLICIES_HOLD
	} row_security; /* of the warehouse's tables, for this user */
	/* Every node has a copy of the tables that are not by run, as ph_warehouse_read_state found: a
	 * row that is locked there, or changed other than by INSERT, locks its table. */
	bool is_distributed;
} PhConnection;

/* ---------------------------------------------------------------------------------------
 * connection Connect by conninfo or URI (NULL or "": PG* variables and defaults), as program. Sets
 * client_encoding UTF8, DateStyle ISO, IntervalStyle, TimeZone UTC, extra_float_digits,
 * application_name and search_path pg_catalog. Always fills *out; false when not connected
 * (out->error).
 */
bool ph_pq_connect(PhConnection **out, const char *conninfo, const char *program);

/* Another connection to the same place, with the same settings. *out is NULL when there is no
 * memory for it. */
bool ph_pq_connect_again(PhConnection **out, const PhConnection *like);
void ph_pq_close(PhConnection *connection);

/* "what: message" (the message alone when it names what, or what is NULL), detail and hint.
   Returns error.code. */
PhExit ph_pq_log_error(const PhConnection *connection, const char *what);

/* Fill the error record by hand: for errors found by the program. Returns false. */
bool ph_pq_fail(PhConnection *connection, PhExit code, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Host, port, database and user for people; malloc'ed; never a password. */
/* SQLSTATE of the warehouse's and of our own lack of memory. */
#define PH_PQ_OUT_OF_MEMORY "53200"
void ph_pq_error_memory(PhPqError *error);

char *ph_pq_describe(const PhConnection *connection);

/* ----------------------------------------------------------------------------------------
 * parameters An array of these is the parameters of a query. The text variants let the server
 * deduce the type (write $1::int8[] where it cannot); binary values carry their type.
 */
typedef struct PhParam
{
	const char *bytes; /* NULL: own, and if that is empty SQL NULL */
	int length;
	bool binary;
	Oid type;	  /* 0: deduced */
	char own[32]; /* storage of numbers */
} PhParam;

#define PH_PQ_MAX_PARAMS 48

PhParam ph_param_text(const char *text); /* not copied */
PhParam ph_param_int(int64_t value);	 /* text form: fits any integer or numeric type */
PhParam ph_param_float(double value);	 /* text form, 17 digits */
PhParam ph_param_bool(bool value);
PhParam ph_param_null(void);

/* The parameters of a query that names them: value() of each name in turn. Returns how many. */
int ph_pq_bind(const char *const *names, PhParam (*value)(void *user, const char *name), void *user,
			   PhParam params[PH_PQ_MAX_PARAMS]);

/* malloc'ed text form of a text[] (an element NULL: null) / int8[] for ph_param_text with
 * $n::text[] / $n::int8[]. */
char *ph_array_text(const char *const *elements, size_t n);
char *ph_array_int(const int64_t *elements, size_t n);

/* --------------------------------------------------------------------------------------------
 * queries Run one statement; rows come in text form. NULL on failure. Free with ph_result_free.
 */
typedef struct PhResult PhResult;

PhResult *ph_pq_query(PhConnection *connection, const char *sql, const PhParam *params,
					  int n_params);

/*
 * Same for a statement that is sent again and again: a connection has it parsed once. sql is known
 * by its address; its parameters are text. At most PH_PQ_MAX_PREPARED statements.
 */
PhResult *ph_pq_query_prepared(PhConnection *connection, const char *sql, const PhParam *params,
							   int n_params);

/* Same with results in binary form (ph_result_bytes). */
PhResult *ph_pq_query_binary(PhConnection *connection, const char *sql, const PhParam *params,
							 int n_params);

/* The columns that one statement would give, without running it: no rows, names and types. Of the
 * parameters only the types count. NULL on failure. */
PhResult *ph_pq_columns(PhConnection *connection, const char *sql, const PhParam *params,
						int n_params);

/* Run one statement whose rows do not matter. */
bool ph_pq_execute(PhConnection *connection, const char *sql, const PhParam *params, int n_params);

/* Run a script of several statements without parameters (migrations). */
bool ph_pq_script(PhConnection *connection, const char *sql);

/* Rows one at a time with bounded memory; each() returns false to stop early (which is an error
 * record only when it filled one). */
bool ph_pq_stream(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
				  bool (*each)(void *user, const PhResult *row), void *user);

/* The same in binary form (ph_result_bytes). */
bool ph_pq_stream_binary(PhConnection *connection, const char *sql, const PhParam *params,
						 int n_params, bool (*each)(void *user, const PhResult *row), void *user);

size_t ph_result_count(const PhResult *rows);
size_t ph_result_n_fields(const PhResult *rows);
const char *ph_result_field_name(const PhResult *rows, size_t field);
Oid ph_result_type(const PhResult *rows, size_t field);
/* Type of a parameter, of ph_pq_columns. */
Oid ph_result_param_type(const PhResult *rows, size_t parameter);
/* Index of a column by name; programming error (aborts) when there is none. */
size_t ph_result_field(const PhResult *rows, const char *name);
bool ph_result_is_null(const PhResult *rows, size_t row, size_t field);
/* Text of a value; NULL for SQL NULL. Valid until ph_result_free. */
const char *ph_result_text(const PhResult *rows, size_t row, size_t field);
int64_t ph_result_int(const PhResult *rows, size_t row, size_t field); /* null: 0 */
bool ph_result_bool(const PhResult *rows, size_t row, size_t field);   /* null: false */
/* Raw bytes and their number (binary results, or the bytes of the text form). */
const char *ph_result_bytes(const PhResult *rows, size_t row, size_t field, size_t *size);
void ph_result_free(PhResult *rows);

/* ----------------------------------------------------------------------------------------
 * transactions Rollback after a failure keeps the error record that the failure left.
 */
bool ph_pq_begin(PhConnection *connection);
bool ph_pq_commit(PhConnection *connection);
void ph_pq_rollback(PhConnection *connection);

/* -------------------------------------------------------------------------------------------- COPY
 * IN begin with a COPY ... FROM STDIN (FORMAT binary) statement; put bytes in any portions (libpq's
 * queue is flushed beyond 1 MB, so memory is bounded); end. After a false from put the copy is
 * over: call ph_pq_copy_end with why, or roll back. Into tables of the warehouse whose row-level
 * security holds for the user, to whom PostgreSQL refuses COPY, the rows go by INSERT, in batches.
 */
bool ph_pq_copy_begin(PhConnection *connection, const char *sql);
bool ph_pq_copy_put(PhConnection *connection, const char *bytes, size_t size);
/* why NULL: success, returns true when the server took everything; *n_rows may be NULL. Otherwise
 * abandons the copy with this message for the server's log, keeps an existing error record and
 * returns false. */
bool ph_pq_copy_end(PhConnection *connection, const char *why, int64_t *n_rows);

/* ----------------------------------------------------------------------------------------
 * waiting Can the connection be used again? Looks whether the server has closed it meanwhile.
 */
bool ph_pq_is_open(PhConnection *connection);

/* What another session sent on a channel that this one listens to. */
typedef struct PhNotification
{
	char *channel, *payload; /* NULL: none came */
} PhNotification;

/* Waits up to wait_ms for the next notification. False: the connection is lost. */
bool ph_pq_await_notification(PhConnection *connection, int wait_ms, PhNotification *out);
void ph_pq_notification_free(PhNotification *notification);

#endif
