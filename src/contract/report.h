/*
 * report: pages about models and ledgers, for people. It sees models, their
 * statements and ledgers, and no record.
 */
#ifndef SOTTO_REPORT_H
#define SOTTO_REPORT_H

#include "base.h"

/*
 * Adds text to HTML as text and nothing else, in elements and in attributes
 * with quotes: & < > " ' are written as references; what controls a terminal
 * or the direction of writing becomes a replacement character, and so do
 * bytes that are not UTF-8.
 */
void report_escape(text_buffer *t, const char *text);

#endif
