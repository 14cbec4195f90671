/*
 * listen.c - the sockets that the server listens on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "system/log.h"

#define BACKLOG 1024

typedef union Address
{
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
} Address;

static socklen_t
make_address(const char *text, uint16_t port, Address *out)
{
	memset(out, 0, sizeof(*out));
	if (strcmp(text, "localhost") == 0)
		text = "127.0.0.1";
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1)
	{
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons(port);
		return sizeof(out->v4);
	}
	if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1)
	{
		out->v6.sin6_family = AF_INET6;
		out->v6.sin6_port = htons(port);
		return sizeof(out->v6);
	}
	return 0;
}

/* -1 with errno set. */
static int
open_socket(const Address *address, socklen_t size)
{
	int one = 1;
	int error;
	int descriptor = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (descriptor < 0)
		return -1;
	setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (address->any.sa_family == AF_INET6)
		setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(descriptor, &address->any, size) == 0 && listen(descriptor, BACKLOG) == 0)
		return descriptor;
	error = errno;
	close(descriptor);
	errno = error;
	return -1;
}

static uint16_t
port_of(int descriptor)
{
	Address address;
	socklen_t size = sizeof(address);

	if (getsockname(descriptor, &address.any, &size) != 0)
		return 0;
	return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port : address.v4.sin_port);
}

static PhExit
complain(const char *address, uint16_t port, int error)
{
	ph_log_error("cannot listen on %s port %u: %s", address, (unsigned) port, strerror(error));
	if (error == EADDRINUSE)
		ph_log_hint("Another program, perhaps another perfhouse serve, has this port: stop it, or "
					"choose one with --port (0: any free one).");
	else if (error == EACCES)
		ph_log_hint("Ports under 1024 are root's: choose another one with --port.");
	else if (error == EADDRNOTAVAIL)
		ph_log_hint("This machine does not have that address.");
	return error == EADDRINUSE ? PH_EXIT_CONFLICT : ph_exit_from_errno(error);
}

static void
close_all(PhListeners *listeners)
{
	for (size_t i = 0; i < listeners->n; i++)
		close(listeners->sockets[i]);
	listeners->n = 0;
}

/* A further address of the same server; optional: may be missing on this machine. */
static PhExit
add(PhListeners *listeners, const char *text, bool optional)
{
	Address address;
	socklen_t size = make_address(text, listeners->port, &address);
	int descriptor;

	if (size == 0)
	{
		ph_log_error("\"%s\" is not an IP address", text);
		ph_log_hint("Give --bind an address of this machine, such as 192.0.2.7 or 0.0.0.0.");
		return PH_EXIT_USAGE;
	}
	descriptor = open_socket(&address, size);
	if (descriptor < 0)
		return optional && (errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT)
				   ? PH_EXIT_OK
				   : complain(text, listeners->port, errno);
	listeners->sockets[listeners->n++] = descriptor;
	if (listeners->port == 0)
		listeners->port = port_of(descriptor);
	return PH_EXIT_OK;
}

PhExit
ph_listen(const char *const *addresses, size_t n, uint16_t port, PhListeners *out)
{
	static const char *const loopback[] = {"127.0.0.1", "::1"};
	bool given = n > 0;
	PhExit code = PH_EXIT_OK;

	*out = (PhListeners){.port = port};
	if (!given)
		addresses = loopback;
	n = given ? n : 2;
	if (n > PH_LISTEN_MOST)
	{
		ph_log_error("too many addresses to listen on: %zu, at most %d", n, PH_LISTEN_MOST);
		return PH_EXIT_USAGE;
	}
	for (size_t i = 0; i < n && code == PH_EXIT_OK; i++)
		code = add(out, addresses[i], !given && i > 0);
	if (code != PH_EXIT_OK)
		close_all(out);
	return code;
}
