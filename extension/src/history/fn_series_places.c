/*
 * fn_series_places.c - window functions that count runs and commits within series.
 *
 * Rows of one series are neighbours, so that a window without partitions, sorted by one number that
 * has series and position, can tell where the next series begins. Sorting by series and position
 * one after the other compares rows that nearly all agree in the first of them: half of the time
 * that the order of 10^4 runs takes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "windowapi.h"

#include "server/compat.h"

typedef struct SeriesPlace
{
	bool has_row;
	int64 series;
	int32 count;
	struct varlena *commit; /* of the row before, a copy; NULL: it had none */
} SeriesPlace;

/* The state, after it was moved to the current row's series; *begins: the row is the first of its
 * series. */
static SeriesPlace *
enter_series(WindowObject window, bool *begins)
{
	SeriesPlace *place = WinGetPartitionLocalMemory(window, sizeof(SeriesPlace));
	bool is_null;
	int64 series = DatumGetInt64(WinGetFuncArgCurrent(window, 0, &is_null));
	if (is_null)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a row has no series")));
	*begins = !place->has_row || place->series != series;
	place->has_row = true;
	place->series = series;
	if (*begins)
		place->count = 0;
	return place;
}

PH_FUNCTION(ph_place_in_series)
{
	bool begins;
	SeriesPlace *place = enter_series(PG_WINDOW_OBJECT(), &begins);
	PG_RETURN_INT32(place->count++);
}

static bool
is_same_commit(const struct varlena *before, const struct varlena *commit)
{
	return before && VARSIZE_ANY_EXHDR(before) == VARSIZE_ANY_EXHDR(commit) &&
		   memcmp(VARDATA_ANY(before), VARDATA_ANY(commit), VARSIZE_ANY_EXHDR(commit)) == 0;
}

static void
keep_commit(SeriesPlace *place, const struct varlena *commit, MemoryContext memory)
{
	if (place->commit)
		pfree(place->commit);
	place->commit = NULL;
	if (!commit)
		return;
	place->commit = MemoryContextAlloc(memory, VARSIZE_ANY(commit));
	memcpy(place->commit, commit, VARSIZE_ANY(commit));
}

PH_FUNCTION(ph_commit_in_series)
{
	WindowObject window = PG_WINDOW_OBJECT();
	bool begins;
	bool is_null;
	SeriesPlace *place = enter_series(window, &begins);
	Datum value = WinGetFuncArgCurrent(window, 1, &is_null);
	struct varlena *commit = is_null ? NULL : PG_DETOAST_DATUM_PACKED(value);
	if (begins || !commit || !is_same_commit(place->commit, commit))
	{
		place->count++;
		keep_commit(place, commit, fcinfo->flinfo->fn_mcxt);
	}
	PG_RETURN_INT32(place->count);
}
