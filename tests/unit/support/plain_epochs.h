/*
 * plain_epochs.h - which ends of epochs of windows belong together, by plain searches over the
 * events of a window program.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_PLAIN_EPOCHS_H
#define SUPPORT_PLAIN_EPOCHS_H

#include "support/comm.h"

/* Is it the record of an epoch with this rank, among others? */
bool plain_is_with(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t rank);

/* The record of another rank's call that lets this one's go on; PH_NONE: nothing of it does. */
uint32_t plain_signal(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t other);

/* Is the other end of its epoch with that rank not recorded? */
bool plain_is_lonely(const CommTrace *trace, uint32_t at, uint32_t seq, uint32_t other);

#endif
