/*
 * bench_http.c - requests per second and latencies of a local HTTP server.
 *
 * bench_http PORT CONNECTIONS REQUESTS TARGET... - keeps so many connections busy, asking for the
 * targets in turn, and prints: seconds, requests per second, median, 99th percentile and longest
 * time in ms, answers that were not 200, failed connections.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define HEAD 8192

typedef struct Client
{
	int socket;
	char head[HEAD]; /* of the answer, until its end is found */
	size_t n_head;
	long body_left; /* -1: still in the head */
	double started;
} Client;

typedef struct Run
{
	int port;
	long wanted, sent, done, n_times;
	char **targets;
	int n_targets;
	double *times;
	long bad, failed;
} Run;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static int
connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
								  .sin_port = htons((unsigned short) port),
								  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = 1;
	int descriptor = socket(AF_INET, SOCK_STREAM, 0);

	if (descriptor < 0 || connect(descriptor, (struct sockaddr *) &address, sizeof(address)) != 0)
		return -1;
	setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return descriptor;
}

/* False: nothing is left to ask. */
static int
ask(Run *run, Client *client)
{
	char request[4096];
	int length;

	if (run->sent == run->wanted)
		return 0;
	length = snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
					  run->targets[run->sent++ % run->n_targets]);
	client->n_head = 0;
	client->body_left = -1;
	client->started = now();
	return write(client->socket, request, (size_t) length) == length;
}

static void
finish(Run *run, Client *client)
{
	run->times[run->n_times++] = now() - client->started;
	run->done++;
	if (strncmp(client->head, "HTTP/1.1 200", 12) != 0)
		run->bad++;
}

/* Looks for the end of the head; what is behind it belongs to the body. */
static void
read_head(Client *client)
{
	char *end;
	char *length;

	client->head[client->n_head] = '\0';
	end = strstr(client->head, "\r\n\r\n");
	if (end == NULL)
		return;
	length = strcasestr(client->head, "content-length:");
	client->body_left = length != NULL ? strtol(length + 15, NULL, 10) : 0;
	client->body_left -= (long) (client->head + client->n_head - end - 4);
}

/* 1: the answer is complete, 0: not yet, -1: the connection is lost. */
static int
receive(Client *client)
{
	static char body[262144];
	ssize_t n;

	if (client->body_left < 0)
	{
		n = read(client->socket, client->head + client->n_head, HEAD - 1 - client->n_head);
		if (n <= 0)
			return -1;
		client->n_head += (size_t) n;
		read_head(client);
	}
	else
	{
		n = read(client->socket, body, sizeof(body));
		if (n <= 0)
			return -1;
		client->body_left -= n;
	}
	return client->body_left == 0;
}

static void
serve(Run *run, Client *client)
{
	int state = receive(client);

	if (state == 0)
		return;
	if (state > 0)
		finish(run, client);
	else
	{
		run->failed++;
		run->done++;
		close(client->socket);
		client->socket = connect_to(run->port);
	}
	if (client->socket >= 0 && !ask(run, client))
	{
		close(client->socket);
		client->socket = -1;
	}
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

static void
report(Run *run, double seconds)
{
	long n = run->n_times > 0 ? run->n_times : 1;

	qsort(run->times, (size_t) n, sizeof(double), compare);
	printf("%.2f %.0f %.2f %.2f %.2f %ld %ld\n", seconds, (double) run->done / seconds,
		   run->times[n / 2] * 1e3, run->times[n * 99 / 100] * 1e3, run->times[n - 1] * 1e3,
		   run->bad, run->failed);
}

int
main(int argc, char **argv)
{
	int n_clients = argc > 4 ? (int) strtol(argv[2], NULL, 10) : 0;
	Run run = {.targets = argv + 4, .n_targets = argc - 4};
	Client *clients;
	struct pollfd *entries;
	double started;

	if (n_clients < 1 || (run.wanted = strtol(argv[3], NULL, 10)) < 1)
		return fputs("usage: bench_http PORT CONNECTIONS REQUESTS TARGET...\n", stderr), 2;
	run.port = (int) strtol(argv[1], NULL, 10);
	run.times = calloc((size_t) run.wanted, sizeof(double));
	clients = calloc((size_t) n_clients, sizeof(Client));
	entries = calloc((size_t) n_clients, sizeof(struct pollfd));
	if (run.times == NULL || clients == NULL || entries == NULL)
		return 1;
	started = now();
	for (int i = 0; i < n_clients; i++)
	{
		clients[i].socket = connect_to(run.port);
		if (clients[i].socket < 0)
			return fprintf(stderr, "cannot connect to port %d\n", run.port), 1;
		if (!ask(&run, &clients[i]))
			clients[i].socket = -1;
	}
	while (run.done < run.wanted)
	{
		for (int i = 0; i < n_clients; i++)
			entries[i] = (struct pollfd){.fd = clients[i].socket, .events = POLLIN};
		if (poll(entries, (nfds_t) n_clients, 60000) <= 0)
			return fputs("the server does not answer\n", stderr), 1;
		for (int i = 0; i < n_clients; i++)
			if (entries[i].fd >= 0 && entries[i].revents != 0)
				serve(&run, &clients[i]);
	}
	report(&run, now() - started);
	return 0;
}
