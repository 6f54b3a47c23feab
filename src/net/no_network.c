/*
 * For a build without GnuTLS, libmicrohttpd and libcurl: every call says so.
 */
#include "federate.h"

static sotto_status no_network(sotto_error *error)
{
    return error_set(error, SOTTO_FAILED,
                     "this build has no network: it was made without GnuTLS, "
                     "libmicrohttpd or libcurl");
}

sotto_status sotto_federation_keygen(const char *config, const char *folder,
                                     sotto_error *error)
{
    (void)config, (void)folder;
    return no_network(error);
}

sotto_status sotto_federation_serve(const char *config,
                                    const sotto_options *options,
                                    const sotto_log_callback *callback,
                                    sotto_model **out, sotto_error *error)
{
    (void)config, (void)options, (void)callback;
    *out = NULL;
    return no_network(error);
}

sotto_status sotto_federation_join(const char *config,
                                   const sotto_options *options,
                                   const sotto_log_callback *callback,
                                   sotto_model **out, sotto_error *error)
{
    (void)config, (void)options, (void)callback;
    *out = NULL;
    return no_network(error);
}
