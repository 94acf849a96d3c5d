/* SPDX-License-Identifier: MIT */
/*
 * Classic BPF as seccomp(2) has it, in user space: a filter can be asked for its verdict
 * on any call of any architecture without one being made.
 */
#ifndef QUOD_TESTS_BPF_H
#define QUOD_TESTS_BPF_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

/* Whether the kernel would take it as a seccomp filter. */
bool bpf_check(const struct sock_filter *code, unsigned len);

/* The filter's answer, SECCOMP_RET_*. The code must have passed bpf_check(). */
uint32_t bpf_run(const struct sock_filter *code, const struct seccomp_data *data);

#endif
