/*
 * What serve.c and requests.c share.
 */
#ifndef SOTTO_NET_SERVICE_H
#define SOTTO_NET_SERVICE_H

#include "admission.h"
#include "authenticate.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

typedef struct service {
    federation f;
    net_keys keys;
    logbook log;
    coordinator *coordinator;
    admission admission; /* its own lock is taken after this one */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int stopping;
    int told; /* parties that were told that the run is over */
    atomic_long refusals;
    sotto_status status;
    sotto_error failure;
} service;

/* Ends the service with this error. With the lock. */
void service_fail(service *s, sotto_status status, const sotto_error *error);

/* Waits until something has changed, or until that time. With the lock. */
void service_wait_until(service *s, double when);

/* ---- requests.c: what libmicrohttpd calls, and admission.c ---- */

enum MHD_Result service_handle(void *context, struct MHD_Connection *c,
                               const char *url, const char *method,
                               const char *version, const char *data,
                               size_t *size, void **own);
void service_completed(void *context, struct MHD_Connection *c, void **own,
                       enum MHD_RequestTerminationCode how);
void service_connection_changed(void *context, struct MHD_Connection *c,
                                void **own,
                                enum MHD_ConnectionNotificationCode what);
void service_log_refused(void *context, const char *from, const char *why);
void service_log_library(void *context, const char *format, va_list arguments);

#endif
