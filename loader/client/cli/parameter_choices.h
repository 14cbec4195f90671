/*
 * parameter_choices.h - the words that parameters of views and of the API may be, for parameters.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_CLI_PARAMETER_CHOICES_H
#define PH_CLI_PARAMETER_CHOICES_H

#include <stddef.h>

static const char *const costs[] = {"inclusive", "exclusive", NULL};
static const char *const ensemble[] = {"ensemble", NULL};
static const char *const span_metrics[] = {"lateness",
										   "global_lateness",
										   "differential",
										   "global_differential",
										   "duration",
										   "idle_experienced",
										   "differential_duration",
										   "imbalance",
										   "differential_lateness",
										   "global_differential_lateness",
										   NULL};
static const char *const levels[] = {"library", "file", "function", "node", NULL};
static const char *const series[] = {"path", "function", "module", "total", NULL};
static const char *const modes[] = {"default", "otava", NULL};
static const char *const scalings[] = {"auto", "strong", "weak", NULL};
static const char *const colors_of_graph[] = {"module", "inclusive", "exclusive", "imbalance",
											  NULL};
static const char *const colors_of_two[] = {"module",	 "inclusive",  "exclusive",
											"imbalance", "difference", NULL};
static const char *const colors_of_flames[] = {"module", "exclusive", NULL};
static const char *const colors_of_tree[] = {"max",		  "min",	"mean", "imbalance",
											 "inclusive", "module", NULL};
static const char *const colors_of_iterations[] = {"cost", "change", NULL};
static const char *const colors_of_matrix[] = {"bytes", "messages", NULL};
static const char *const colors_of_spans[] = {
	"lateness", "global_lateness",	"differential",			 "global_differential",
	"duration", "idle_experienced", "differential_duration", "imbalance",
	NULL};
static const char *const colors_of_steps[] = {"lateness",
											  "global_lateness",
											  "differential",
											  "global_differential",
											  "duration",
											  "deviation",
											  "phase",
											  "enter",
											  "leave",
											  "counter",
											  "step_counter",
											  "idle_experienced",
											  "differential_duration",
											  "imbalance",
											  NULL};
static const char *const groups_of_waits[] = {"path", "function", "module", NULL};
static const char *const layouts[] = {"tree", "radial", NULL};
static const char *const guides[] = {"none", "summary", "detailed", NULL};
static const char *const ranges[] = {"most", "all", "step", NULL};
static const char *const focuses[] = {"latest", "centroid", NULL};
static const char *const summaries[] = {"sum", "max", "mean", NULL};
static const char *const orders[] = {"rank",	"host",		"plane-1", "plane-2",
									 "plane-3", "boundary", NULL};
static const char *const orders_of_columns[] = {"rank",	   "host",	   "plane-1",	"plane-2",
												"plane-3", "boundary", "iteration", NULL};
static const char *const run_orders[] = {
	"run_id",	   "-run_id", "application", "-application", "title",  "-title", "started_at",
	"-started_at", "n_ranks", "-n_ranks",	 "total",		 "-total", NULL};
static const char *const phase_orders[] = {"phase",		   "-phase",		"n_events",
										   "-n_events",	   "n_locations",	"-n_locations",
										   "max_lateness", "-max_lateness", NULL};
static const char *const function_orders[] = {"name",	   "-name",		 "instances", "-instances",
											  "exclusive", "-exclusive", NULL};
static const char *const palettes[] = {"default", "colour-blind", "red-green", NULL};
static const char *const themes[] = {"light", "dark", NULL};
static const char *const formats[] = {"svg", "png", "pdf", "sql", NULL};

#endif
