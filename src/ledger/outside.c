/*
 * What a ledger takes from outside: the time, random ids, and how long it
 * waits for others. Tests put their own in the place of these.
 */
#include "internal.h"

#include <sodium.h>
#include <time.h>

/* In UTC. It is for people: nothing is decided by it. */
void ledger_now(char time[LEDGER_TIME])
{
    struct timespec now = {0};
    struct tm parts = {.tm_year = 70, .tm_mday = 1};
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    unsigned year = (unsigned)(parts.tm_year + 1900) % 10000;
    snprintf(time, LEDGER_TIME, "%04u-%02u-%02u %02u:%02u:%02u", year,
             (unsigned)(parts.tm_mon + 1) % 100u,
             (unsigned)parts.tm_mday % 100u, (unsigned)parts.tm_hour % 100u,
             (unsigned)parts.tm_min % 100u, (unsigned)parts.tm_sec % 100u);
}

/* 128 bits: no two are the same. libsodium ends the process where the system
   gives none. */
void ledger_random(char id[LEDGER_ID])
{
    unsigned char bytes[(LEDGER_ID - 1) / 2];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(id, LEDGER_ID, bytes, sizeof bytes);
}

int ledger_patience(void)
{
    return 60000;
}
