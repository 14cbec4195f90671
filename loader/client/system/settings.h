/*
 * settings.h - perfhouse.conf: what a site and a user set for every command.
 *
 * A setting stands for the environment variable PERFHOUSE_NAME (`db = ...` for PERFHOUSE_DB), which
 * wins over it, as the user's file ($XDG_CONFIG_HOME/perfhouse/perfhouse.conf) wins over the site's
 * (/etc/perfhouse/perfhouse.conf). PERFHOUSE_CONF names a file that is read instead of both; empty:
 * none is. So options of commands, their twins and programs that are started need to know nothing
 * of files.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_SETTINGS_H
#define PH_SYSTEM_SETTINGS_H

/* Lines that are no setting are warned of and left out: a slip in the site's file must not stop
 * jobs. */
void ph_settings_read(void);

#endif
