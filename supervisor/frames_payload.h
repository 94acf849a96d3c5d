/* SPDX-License-Identifier: MIT */
/*
 * The payload of one frame: bytes of known length to fields. Used by frames.c alone.
 */
#ifndef QUOD_FRAMES_PAYLOAD_H
#define QUOD_FRAMES_PAYLOAD_H

#include "supervisor/frames.h"

/*
 * Decodes and checks the payload of a frame whose type is one of the guest's and whose
 * length is under its cap. ret_frame is written in any case and means something only
 * with FRAMES_FAULT_NONE.
 */
enum frames_fault frames_payload_decode(const struct frames *frames, enum frame_type type,
					const unsigned char *payload, size_t len,
					struct frame *ret_frame);

#endif
