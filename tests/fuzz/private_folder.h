/*
 * private_folder.h - a folder in memory for targets whose code under test opens files: of root in a
 * file system of the process alone, so that nothing is left when it dies.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_PRIVATE_FOLDER_H
#define PH_FUZZ_PRIVATE_FOLDER_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

static char folder[] = "/dev/shm/perfhouse-fuzz-XXXXXX";

__attribute__((constructor)) static void
make_folder(void)
{
	if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		(void) mount("fuzz", "/dev/shm", "tmpfs", 0, "size=256m");
	if (mkdtemp(folder) == NULL)
	{
		perror(folder);
		_exit(1);
	}
}

__attribute__((destructor)) static void
remove_folder(void)
{
	(void) rmdir(folder);
}

#endif
