/*
 * otf2_records.h - the rare records of OTF2, each with four small numbers as its operands.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FUZZ_OTF2_RECORDS_H
#define PH_FUZZ_OTF2_RECORDS_H

#include <otf2/otf2.h>

#define RECORD(name, ...)                                                                          \
	(void) OTF2_EvtWriter_##name(writer, NULL, time, __VA_ARGS__);                                 \
	break

/* n: small, or far out of what is defined. */
static inline void
write_window_record(OTF2_EvtWriter *writer, uint64_t time, uint8_t kind, const uint32_t n[4])
{
	switch (kind % 14)
	{
		case 0:
			RECORD(RmaGet, n[0], n[1], n[2], n[3] % 4);
		case 1:
			RECORD(RmaAtomic, n[0], n[1], (OTF2_RmaAtomicType) (n[2] % 9), n[3], n[2], n[1] % 4);
		case 2:
			RECORD(RmaOpCompleteBlocking, n[0], n[3] % 4);
		case 3:
			RECORD(RmaOpCompleteNonBlocking, n[0], n[3] % 4);
		case 4:
			RECORD(RmaOpTest, n[0], n[3] % 4);
		case 5:
			RECORD(RmaOpCompleteRemote, n[0], n[3] % 4);
		case 6:
			RECORD(RmaWinCreate, n[0]);
		case 7:
			RECORD(RmaWinDestroy, n[0]);
		case 8:
			(void) OTF2_EvtWriter_RmaCollectiveBegin(writer, NULL, time);
			break;
		case 9:
			RECORD(RmaSync, n[0], n[1], (OTF2_RmaSyncType) (n[2] % 3));
		case 10:
			RECORD(RmaWaitChange, n[0]);
		case 11:
			RECORD(RmaRequestLock, n[0], n[1], n[2], (OTF2_LockType) (n[3] % 2));
		case 12:
			RECORD(RmaTryLock, n[0], n[1], n[2], (OTF2_LockType) (n[3] % 2));
		default:
			RECORD(RmaPut, n[0], n[1], n[2], n[3] % 4);
	}
}

static inline void
write_thread_record(OTF2_EvtWriter *writer, uint64_t time, uint8_t kind, const uint32_t n[4])
{
	OTF2_Paradigm model = OTF2_PARADIGM_OPENMP;

	switch (kind % 12)
	{
		case 0:
			RECORD(ThreadFork, model, n[0]);
		case 1:
			RECORD(ThreadJoin, model);
		case 2:
			RECORD(ThreadAcquireLock, model, n[0], n[1]);
		case 3:
			RECORD(ThreadReleaseLock, model, n[0], n[1]);
		case 4:
			RECORD(ThreadTeamEnd, n[0]);
		case 5:
			RECORD(ThreadTaskCreate, n[0], n[1], n[2]);
		case 6:
			RECORD(ThreadTaskSwitch, n[0], n[1], n[2]);
		case 7:
			RECORD(ThreadTaskComplete, n[0], n[1], n[2]);
		case 8:
			RECORD(ThreadCreate, n[0], n[1]);
		case 9:
			RECORD(ThreadBegin, n[0], n[1]);
		case 10:
			RECORD(ThreadWait, n[0], n[1]);
		default:
			RECORD(ThreadEnd, n[0], n[1]);
	}
}

static inline void
write_io_record(OTF2_EvtWriter *writer, uint64_t time, uint8_t kind, const uint32_t n[4])
{
	switch (kind % 13)
	{
		case 0:
			RECORD(IoCreateHandle, n[0], (OTF2_IoAccessMode) (n[1] % 3), n[2], n[3]);
		case 1:
			RECORD(IoDestroyHandle, n[0]);
		case 2:
			RECORD(IoDuplicateHandle, n[0], n[1], n[2]);
		case 3:
			RECORD(IoChangeStatusFlags, n[0], n[1]);
		case 4:
			RECORD(IoDeleteFile, n[0], n[1]);
		case 5:
			RECORD(IoOperationBegin, n[0], (OTF2_IoOperationMode) (n[1] % 3), n[2], n[3], n[1]);
		case 6:
			RECORD(IoOperationTest, n[0], n[1]);
		case 7:
			RECORD(IoOperationIssued, n[0], n[1]);
		case 8:
			RECORD(IoOperationComplete, n[0], n[2], n[1]);
		case 9:
			RECORD(IoOperationCancelled, n[0], n[1]);
		case 10:
			RECORD(IoAcquireLock, n[0], (OTF2_LockType) (n[1] % 2));
		case 11:
			RECORD(IoReleaseLock, n[0], (OTF2_LockType) (n[1] % 2));
		default:
			RECORD(IoTryLock, n[0], (OTF2_LockType) (n[1] % 2));
	}
}

static inline void
write_rest_record(OTF2_EvtWriter *writer, uint64_t time, uint8_t kind, const uint32_t n[4])
{
	switch (kind % 13)
	{
		case 0:
			RECORD(ProgramBegin, n[0] + 100, n[1] % 3, n + 1);
		case 1:
			RECORD(ProgramEnd, n[0]);
		case 2:
			RECORD(CommCreate, n[0]);
		case 3:
			RECORD(CommDestroy, n[0]);
		case 4:
			RECORD(CallingContextEnter, n[0], n[1]);
		case 5:
			RECORD(CallingContextLeave, n[0]);
		case 6:
			RECORD(MpiIsendComplete, n[0]);
		case 7:
			RECORD(MpiRequestTest, n[0]);
		case 8:
			RECORD(NonBlockingCollectiveRequest, n[0]);
		case 9:
			RECORD(NonBlockingCollectiveComplete, (OTF2_CollectiveOp) n[0], n[1], n[2], n[3], 1,
				   n[3]);
		case 10:
			RECORD(MeasurementOnOff, (OTF2_MeasurementMode) (n[0] % 2 + 1));
		case 11:
			RECORD(ParameterInt, n[0], -(int64_t) n[1]);
		default:
			RECORD(ParameterString, n[0], n[1] + 100);
	}
}

#endif
