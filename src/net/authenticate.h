/*
 * Which party a client of the coordinator is.
 */
#ifndef SOTTO_NET_AUTHENTICATE_H
#define SOTTO_NET_AUTHENTICATE_H

#include "keys.h"

#include <microhttpd.h>

/* The client's address, for the log. */
const char *remote_address(struct MHD_Connection *c, char out[64]);

/* NULL, and *whose is the party; or why the client is none. */
const char *authenticate_party(struct MHD_Connection *c, const federation *f,
                               int *whose);

#endif
