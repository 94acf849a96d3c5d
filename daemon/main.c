/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "daemon/quodd.h"

int main(int argc, char **argv)
{
	return quodd_main(argc, argv, NULL);
}
