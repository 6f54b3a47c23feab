/*
 * The page around everything: one file, no script, nothing from elsewhere.
 */
#include "page.h"

#include <stdlib.h>
#include <string.h>

/* ---- text that cannot be anything else ---- */

/* How many bytes the character at s has, if it is well-formed; or 0. */
static size_t character(const char *s)
{
    unsigned char c = (unsigned char)*s;
    size_t size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (strnlen(s, size) < size || !text_is_utf8(s, size))
        return 0;
    return size;
}

/* Controls, and what turns the direction of writing or cannot be seen:
   U+0080-9F, U+061C, U+200B-200F, U+2028-202E, U+2060-206F, U+FEFF. */
static int is_control(const char *s, size_t size)
{
    const unsigned char *u = (const unsigned char *)s;
    if (size == 1)
        return u[0] < 32 || u[0] == 127;
    if (size == 2)
        return (u[0] == 0xc2 && u[1] < 0xa0) || (u[0] == 0xd8 && u[1] == 0x9c);
    if (size != 3)
        return 0;
    if (u[0] == 0xe2 && u[1] == 0x80)
        return (u[2] >= 0x8b && u[2] <= 0x8f) || (u[2] >= 0xa8 && u[2] <= 0xae);
    return (u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa0 && u[2] <= 0xaf) ||
           (u[0] == 0xef && u[1] == 0xbb && u[2] == 0xbf);
}

static const char *reference(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void report_escape(text_buffer *t, const char *text)
{
    while (*text) {
        size_t size = character(text);
        if (reference(*text))
            text_put(t, reference(*text));
        else if (!size || is_control(text, size))
            text_put(t, "\xef\xbf\xbd");
        else
            text_add(t, text, size);
        text += size ? size : 1;
    }
}

/* ---- numbers ---- */

/* 1e-06 is 1e-6 for people. */
static void put_short(text_buffer *t, const char *text)
{
    const char *e = strchr(text, 'e');
    if (!e) {
        text_put(t, text);
        return;
    }
    text_add(t, text, (size_t)(e - text));
    text_format(t, "e%d", atoi(e + 1));
}

void page_number(text_buffer *t, double x, int digits)
{
    put_short(t, sotto_number_print(x, digits).text);
}

void page_number_up(text_buffer *t, double x, int digits)
{
    put_short(t, sotto_number_print_up(x, digits).text);
}

void page_number_down(text_buffer *t, double x, int digits)
{
    put_short(t, sotto_number_print_down(x, digits).text);
}

void page_number_end(text_buffer *t, double x, double error, int up)
{
    put_short(t, sotto_number_end(x, error, up).text);
}

/* ---- the page ---- */

/* Nothing is loaded and nothing runs, even if somebody slipped it in. */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char style[] =
    "<style>\n"
    ":root{--paper:#fbfaf7;--ink:#1d2327;--soft:#5d666d;--line:#d9d6cd;"
    "--card:#fff;--mark:#1f6f8b;--minus:#b4532a;--noise:#8a929a;"
    "--bad:#a3121f;--badpaper:#fdecec}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#14181b;--ink:#e8e6e1;"
    "--soft:#a3abb2;--line:#343b41;--card:#1b2024;--mark:#6cc0dc;"
    "--minus:#ee9a6d;--noise:#7d868e;--bad:#ff8f95;--badpaper:#3a1518}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 "
    "system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\n"
    "main{max-width:52rem;margin:0 auto;padding:1.5rem 1rem 4rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}\n"
    "h2{font-size:1.35rem;line-height:1.25;margin:3rem 0 .5rem;"
    "overflow-wrap:anywhere}\n"
    "h3{font-size:1.05rem;margin:2rem 0 .4rem}\n"
    "p{margin:.5rem 0;max-width:44rem}\n"
    ".soft,figcaption,caption{color:var(--soft);font-size:.9rem}\n"
    ".card{background:var(--card);border:1px solid var(--line);"
    "border-radius:.6rem;padding:1rem;margin:1rem 0;max-width:44rem}\n"
    ".lead{font-size:1.2rem;line-height:1.4;margin-top:0}\n"
    ".big{font-size:1.6rem;font-weight:600;line-height:1.2}\n"
    ".bad{border:3px solid var(--bad);background:var(--badpaper)}\n"
    ".bad .big{color:var(--bad)}\n"
    "figure{margin:1rem 0}\n"
    "svg{display:block;width:100%;height:auto;max-width:44rem}\n"
    "svg text{fill:var(--ink);font-size:13px;font-family:inherit}\n"
    "svg .soft{fill:var(--soft)}\n"
    "svg .axis{stroke:var(--line);fill:none}\n"
    "svg .curve{stroke:var(--mark);stroke-width:2.5;fill:none}\n"
    "svg .dot{fill:var(--mark)}\n"
    "svg .band{fill:var(--mark);opacity:.22}\n"
    "svg .error{stroke:var(--noise);stroke-width:1.5}\n"
    "svg .even{stroke-dasharray:4 4;stroke:var(--noise)}\n"
    "svg.square{max-width:30rem}\n"
    "svg .here{fill:var(--paper);stroke:var(--minus);stroke-width:3}\n"
    ".plus{fill:var(--mark);background:var(--mark)}\n"
    ".minus{fill:var(--minus);background:var(--minus)}\n"
    ".noise{fill:var(--noise);background:var(--noise)}\n"
    "svg .faint{opacity:.35}\n"
    "svg.bar{height:1.2rem;border-radius:.2rem}svg .room{fill:var(--line)}\n"
    ".key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .8em}\n"
    "table{border-collapse:collapse;width:100%;max-width:44rem;"
    "font-size:.92rem;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;padding:.3rem 0}\n"
    "th,td{text-align:left;padding:.3rem .5rem .3rem 0;border-bottom:1px "
    "solid var(--line);vertical-align:top;overflow-wrap:anywhere}\n"
    "th{font-weight:600;overflow-wrap:break-word}\n"
    "td .soft{font-size:.94em}.w{white-space:nowrap}\n"
    "table.facts th{width:12.5rem;padding-right:1rem}"
    "code{font-size:.92em;overflow-wrap:anywhere}\n"
    "table.narrow{width:auto}table.narrow td,table.narrow th{"
    "padding-left:1.5rem}\n"
    ".n{text-align:right;white-space:nowrap;overflow-wrap:normal}\n"
    "blockquote{margin:1rem 0;padding:.2rem 0 .2rem 1rem;border-left:4px "
    "solid var(--mark)}\n"
    ".bad blockquote,blockquote.warn{border-color:var(--bad)}\n"
    "@media (max-width:34rem){body{font-size:15px}table{font-size:.82rem}"
    "th,td{padding-right:.3rem}table.facts th{width:7rem}svg "
    "text{font-size:19px}th.n,td.pair{white-space:normal}}\n"
    "@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;"
    "--line:#bbb;--mark:#1f6f8b;--minus:#b4532a;--noise:#8a929a;--bad:#a3121f;"
    "--badpaper:#fff}body{font-size:11pt}main{max-width:none;padding:0}"
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "figure,tr,.card,blockquote{break-inside:avoid}h2,h3{break-after:avoid}"
    "section+section{break-before:page}}\n"
    "</style>\n";

void page_begin(text_buffer *t, const char *title, const char *heading)
{
    text_put(t, head);
    text_format(t, "<title>%s</title>\n", title);
    text_put(t, style);
    text_format(t, "</head>\n<body>\n<main>\n<h1>%s</h1>\n", heading);
}

void page_end(text_buffer *t, const char *source)
{
    text_format(t,
                "<p class=\"soft\">Made by sotto %s from %s alone: no "
                "record was read for this page.</p>\n</main>\n</body>\n"
                "</html>\n",
                sotto_version(), source);
}
