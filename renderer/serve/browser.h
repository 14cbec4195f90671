/*
 * browser.h - show an address in the person's browser.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BROWSER_H
#define PH_BROWSER_H

/* Starts a browser when there is a display; says so when there is none. Does not wait. */
void ph_browser_open(const char *address);

#endif
