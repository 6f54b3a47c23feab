/*
 * The ledger: data sets, their budgets, and what was booked.
 */
#include "ledger.h"
