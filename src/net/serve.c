/*
 * The coordinator on a network. Each connection has a thread of
 * libmicrohttpd's, which handles its requests (requests.c); one lock guards the
 * coordinator's state. This file starts and ends the service. In between it
 * watches for silent parties, and shuts down connections that take too long
 * (admission.c).
 */
#include "limits.h"
#include "option.h"
#include "service.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { GRACE = 5, SWEEP_INTERVAL = 1 };

void service_fail(service *s, sotto_status status, const sotto_error *error)
{
    if (s->status == SOTTO_OK) {
        s->status = status;
        s->failure = *error;
    }
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
}

void service_wait_until(service *s, double when)
{
    struct timespec t = {.tv_sec = (time_t)when};
    t.tv_nsec = (long)((when - (double)t.tv_sec) * 1e9);
    pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

/* ---- until it is over ---- */

/* As service_wait_until; now and then it closes connections whose time is
   over. With the lock. */
static void watch_until(service *s, double when)
{
    double now = net_now();
    if (admission_expire(&s->admission, now))
        pthread_cond_broadcast(&s->changed);
    service_wait_until(s, fmin(when, now + SWEEP_INTERVAL));
}

/* A party has been silent for too long. With the lock. */
static void give_up(service *s, int who)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_status status;
    if (s->f.absent_skips)
        status = coordinator_skip(s->coordinator, &error);
    else
        status = error_set(
            &error, SOTTO_PEER, "party %s has been silent for %lld s",
            show_name(s->f.party[who].name).text, (long long)s->f.patience);
    if (status != SOTTO_OK)
        service_fail(s, status, &error);
    pthread_cond_broadcast(&s->changed);
}

/* All parties have the model. Waits until they have compared it. With the
   lock. */
static void await_comparison(service *s)
{
    int who = -1;
    int64_t events = coordinator_events(s->coordinator);
    double until = net_now() + (double)s->f.patience;
    while (!s->stopping && net_now() < until &&
           (who = coordinator_waits_to_compare(s->coordinator)) >= 0) {
        watch_until(s, until);
        if (events != coordinator_events(s->coordinator))
            until = net_now() + (double)s->f.patience;
        events = coordinator_events(s->coordinator);
    }
    if (!s->stopping && who >= 0)
        log_line(&s->log,
                 "party %s has not confirmed that it has the same model as the "
                 "others",
                 show_name(s->f.party[who].name).text);
}

/* With the lock. */
static void watch(service *s)
{
    double since = net_now();
    int64_t events = coordinator_events(s->coordinator);
    int who;
    while (!s->stopping && (who = coordinator_waits_for(s->coordinator)) >= 0) {
        if (events != coordinator_events(s->coordinator)) {
            events = coordinator_events(s->coordinator);
            since = net_now();
        }
        double until = since + (coordinator_is_silent(s->coordinator, who)
                                    ? 0
                                    : (double)s->f.patience);
        if (net_now() >= until)
            give_up(s, who);
        else
            watch_until(s, until);
    }
    await_comparison(s);
    /* parties that do not know yet that it is over ask once more */
    double until = net_now() + GRACE;
    while (!s->stopping && s->told < s->f.parties && net_now() < until)
        watch_until(s, until);
    s->stopping = 1;
    pthread_cond_broadcast(&s->changed);
}

static sotto_status listen_and_watch(service *s, sotto_error *error)
{
    /* twice what is admitted: one that was shut is there for a moment more */
    unsigned most = 2 * (NET_STRANGERS + NET_OF_PARTY * (unsigned)s->f.parties);
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION |
                     MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_TLS |
                     MHD_USE_ERROR_LOG;
    /* the logger comes first: the options after it may log something */
    struct MHD_Daemon *d = MHD_start_daemon(
        flags, (uint16_t)s->f.port, NULL, NULL, service_handle, s,
        MHD_OPTION_EXTERNAL_LOGGER, service_log_library, s,
        MHD_OPTION_HTTPS_MEM_KEY, s->keys.key, MHD_OPTION_HTTPS_MEM_CERT,
        s->keys.certificate, MHD_OPTION_HTTPS_MEM_TRUST, s->keys.authority,
        MHD_OPTION_HTTPS_PRIORITIES, "NORMAL:-VERS-ALL:+VERS-TLS1.3",
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)NET_IDLE,
        MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_NOTIFY_CONNECTION,
        service_connection_changed, s, MHD_OPTION_NOTIFY_COMPLETED,
        service_completed, s, MHD_OPTION_END);
    if (!d)
        return error_set(error, SOTTO_FAILED,
                         "cannot listen on port %lld (is it taken?)",
                         (long long)s->f.port);
    log_line(&s->log, "listening on port %lld", (long long)s->f.port);
    pthread_mutex_lock(&s->lock);
    watch(s);
    pthread_mutex_unlock(&s->lock);
    MHD_stop_daemon(d);
    if (s->status != SOTTO_OK) {
        *error = s->failure;
        log_line(&s->log, "%s", error->message);
    }
    return s->status;
}

/* ---- life ---- */

static sotto_status open_service(service *s, const char *config,
                                 const sotto_options *options,
                                 const sotto_log_callback *callback,
                                 sotto_error *error)
{
    if (!option_given(options, OPTION_KEYS) ||
        !option_given(options, OPTION_STATE))
        return error_set(error, SOTTO_USAGE,
                         "expected --keys FOLDER and --state FOLDER");
    const char *state = option_text(options, OPTION_STATE);
    sotto_status status = federation_read(&s->f, config, error);
    if (status == SOTTO_OK)
        status = federation_settle_agreed(&s->f, config, 1, error);
    if (status == SOTTO_OK)
        status = net_keys_read(&s->keys, &s->f,
                               option_text(options, OPTION_KEYS), error);
    if (status == SOTTO_OK &&
        !hash_same(&s->keys.own_key, &s->f.coordinator_key))
        status = error_set(error, SOTTO_PEER,
                           "%s: this certificate is not the coordinator's of "
                           "the agreement",
                           show_name(s->keys.certificate_path).text);
    if (status == SOTTO_OK)
        status = log_open(&s->log, state, callback, error);
    return status == SOTTO_OK
               ? coordinator_open(&s->coordinator, &s->f, state, &s->log, error)
               : status;
}

sotto_status sotto_federation_serve(const char *config,
                                    const sotto_options *options,
                                    const sotto_log_callback *callback,
                                    sotto_model **out, sotto_error *error)
{
    service s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    s.admission = (admission){.lock = PTHREAD_MUTEX_INITIALIZER,
                              .report = service_log_refused,
                              .context = &s};
    pthread_condattr_t steady;
    *out = NULL;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&s.changed, &steady);
    pthread_condattr_destroy(&steady);
    sotto_status status = open_service(&s, config, options, callback, error);
    if (status == SOTTO_OK)
        status = listen_and_watch(&s, error);
    if (status == SOTTO_OK)
        status = coordinator_model(s.coordinator, out, error);
    coordinator_close(s.coordinator);
    log_close(&s.log);
    net_keys_free(&s.keys);
    federation_free(&s.f);
    pthread_cond_destroy(&s.changed);
    return status;
}
