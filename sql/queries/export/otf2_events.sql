-- export-otf2-events.sql - calls, messages and collectives of a run's trace, by location; $1: run.
SELECT location, "time", kind, region, peer, tag, bytes, communicator, request, operation, root, bytes_received
FROM perfhouse.events($1::bigint)
WHERE kind IN ('ENTER', 'LEAVE', 'MPI_SEND', 'MPI_ISEND', 'MPI_ISEND_COMPLETE', 'MPI_IRECV_REQUEST', 'MPI_RECV',
	'MPI_IRECV', 'MPI_REQUEST_TEST', 'MPI_REQUEST_CANCELLED', 'MPI_COLLECTIVE_BEGIN', 'MPI_COLLECTIVE_END',
	'NON_BLOCKING_COLLECTIVE_REQUEST', 'NON_BLOCKING_COLLECTIVE_COMPLETE');
