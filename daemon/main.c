/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "daemon/quodd.h"
#include "daemon/server.h"

int main(int argc, char **argv)
{
	if (argc > 0 && !strcmp(argv[0], SERVER_NAME))
		return server_main(argc, argv);
	return quodd_main(argc, argv);
}
