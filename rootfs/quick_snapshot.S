/* SPDX-License-Identifier: MIT */
/* The snapshot of quick.h, mapped with the program: no file has to be opened for it. */
	.section .rodata
	.balign 4096
	.globl quick_snapshot_file
	.type quick_snapshot_file, %object
quick_snapshot_file:
	.incbin "rootfs/quick_snapshot"
	.size quick_snapshot_file, . - quick_snapshot_file
	.section .note.GNU-stack, "", %progbits
