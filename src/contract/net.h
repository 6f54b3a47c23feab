/*
 * net: the federation's network. TLS 1.3 with certificates on both sides;
 * whose key is whose stands in the agreement.
 */
#ifndef SOTTO_NET_H
#define SOTTO_NET_H

#include "federate.h"

/* The files that the option `keys` names the folder of. */
#define NET_AUTHORITY "authority.pem"
#define NET_CERTIFICATE "certificate.pem"
#define NET_KEY "key.pem"
#define NET_SECRET "consortium.secret"

#endif
