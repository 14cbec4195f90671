/*
 * paths.h - where things are: beside the executable (a checkout) or installed; and the home folder.
 *
 * All results are malloc'ed; NULL means not found. Running out of memory ends the program.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_PATHS_H
#define PH_SYSTEM_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "system/memory.h"

/* Folder of the running executable, symbolic links resolved. */
char *ph_path_executable_folder(void);

/* Full path of a sibling program (perfhouse-render): beside the executable, else on PATH. */
char *ph_path_sibling_program(const char *name);

/* PATH lookup; NULL when there is no such executable. */
char *ph_path_find_program(const char *name);

/* The staged extension of an uninstalled build (BUILD/stage beside BUILD/bin); NULL: installed. */
char *ph_path_stage(void);

/* $PERFHOUSE_HOME, else $XDG_DATA_HOME/perfhouse, else ~/.local/share/perfhouse. Not created. */
char *ph_path_home(void);

/* $XDG_CONFIG_HOME/perfhouse/perfhouse.conf, else below ~/.config. Need not be there. */
char *ph_path_settings(void);

/* $TMPDIR, else /tmp; never empty. Not to be freed. */
const char *ph_path_temporary(void);

bool ph_path_exists(const char *path);
bool ph_path_is_folder(const char *path);

/* mkdir -p; existing folders are left as they are. False with errno set. */
bool ph_path_make_folders(const char *path, unsigned mode);

/* rm -rf, which does not follow links; what cannot be removed stays. */
void ph_path_remove_folder(const char *path);

/* Whole small file as a string (size limit 1 MB); NULL with errno set, EFBIG where it is larger. */
char *ph_path_read_text(const char *path);

/* The same of a file of up to so many bytes. */
char *ph_path_read_long_text(const char *path, size_t most);

/* Write a small file atomically: temporary name, fsync, rename. False with errno set. */
bool ph_path_write_text(const char *path, const char *text, unsigned mode);

#endif
