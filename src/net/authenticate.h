/*
 * Who comes to the coordinator.
 */
#ifndef SOTTO_NET_AUTHENTICATE_H
#define SOTTO_NET_AUTHENTICATE_H

#include "keys.h"

#include <microhttpd.h>

/* Where it comes from, for the log. */
const char *remote_address(struct MHD_Connection *c, char out[64]);

/* NULL, and which party it is; or why it is none. */
const char *authenticate_party(struct MHD_Connection *c, const federation *f,
                               int *whose);

#endif
