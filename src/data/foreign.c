/*
 * Files of other programs, known by their first bytes: they are refused by
 * name, with the way to convert them.
 */
#include "reader.h"

#include <string.h>

#define PANDAS(read)                                                           \
    "convert it to CSV, with pandas: pandas." read                             \
    "(FILE).to_csv(OUT, index=False)"
#define SHEET "save it as CSV in UTF-8 from the spreadsheet program"
#define ZIP "unpack it (unzip) and give the file inside"
#define R_DATA                                                                 \
    "convert it to CSV, in R: write.csv(DATA, OUT, row.names = FALSE)"

enum { FOREIGN_LOOK = 512, ZIP_HEAD = 30 };

typedef struct foreign {
    size_t at; /* where the mark stands */
    const char *mark;
    size_t size;
    const char *what, *advice;
} foreign;

#define MARK(at, bytes) at, bytes, sizeof bytes - 1

static const foreign foreign_table[] = {
    {MARK(0, "PAR1"), "a Parquet file", PANDAS("read_parquet")},
    {MARK(0, "ORC"), "an ORC file", PANDAS("read_orc")},
    {MARK(0, "ARROW1"), "an Arrow (Feather) file", PANDAS("read_feather")},
    {MARK(0, "FEA1"), "a Feather file", PANDAS("read_feather")},
    {MARK(0, "\x89HDF\r\n\x1a\n"), "an HDF5 file", PANDAS("read_hdf")},
    {MARK(0, "\x80\x04\x95"), "a Python pickle", PANDAS("read_pickle")},
    {MARK(0, "\x80\x05\x95"), "a Python pickle", PANDAS("read_pickle")},
    {MARK(0, "<stata_dta>"), "a Stata file", PANDAS("read_stata")},
    {MARK(0, "$FL2"), "an SPSS file", PANDAS("read_spss")},
    {MARK(0, "RDX"), "an R data file", R_DATA},
    {MARK(0, "X\n\0\0\0"), "an R data file", R_DATA},
    {MARK(0, "SQLite format 3\0"), "an SQLite database",
     "convert it to CSV: sqlite3 -header -csv FILE 'select * from TABLE'"},
    {MARK(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Excel (.xls) file",
     SHEET},
    {MARK(0, "7z\xbc\xaf\x27\x1c"), "a 7z archive", "unpack it: 7z x"},
    {MARK(0, "\xfd"
             "7zXZ\0"),
     "an xz file", "unpack it: xz -d"},
    {MARK(0, "\x28\xb5\x2f\xfd"), "a Zstandard file", "unpack it: zstd -d"},
    {MARK(0, "\x04\x22\x4d\x18"), "an LZ4 file", "unpack it: lz4 -d"},
    {MARK(4, "1AY&SY"), "a bzip2 file", "unpack it: bunzip2"},
    {MARK(0, "\x1f\x8b"), "a gzip file that is packed twice or not called .gz",
     "unpack it: gunzip"},
    {MARK(257, "ustar"), "a tar archive",
     "unpack it: tar xf, and give the file inside"},
    {MARK(0, "\xff\xfe"), "UTF-16 text",
     "convert it with iconv -f UTF-16 -t UTF-8"},
    {MARK(0, "\xfe\xff"), "UTF-16 text",
     "convert it with iconv -f UTF-16 -t UTF-8"},
};

/* Zip archives, by the name of what comes first in them. */
static const struct {
    const char *inside, *what, *advice;
} foreign_zips[] = {
    {"[Content_Types].xml", "an Excel (.xlsx) or other Office file", SHEET},
    {"xl/", "an Excel (.xlsx) or other Office file", SHEET},
    {"docProps/", "an Excel (.xlsx) or other Office file", SHEET},
    {"_rels/", "an Excel (.xlsx) or other Office file", SHEET},
    {"mimetype", "an OpenDocument (.ods) file", SHEET},
    {".npy", "a NumPy .npz archive", "save one array with numpy.save, as .npy"},
    {"", "a zip archive", ZIP},
};

static sotto_status foreign_refuse(const source *s, const char *what,
                                   const char *advice, sotto_error *error)
{
    return error_set(error, SOTTO_DATA,
                     "%s: this is %s; expected CSV, svmlight or .npy: %s",
                     show_name(source_name(s)).text, what, advice);
}

static sotto_status foreign_zip(const source *s, const char *bytes, size_t size,
                                sotto_error *error)
{
    char name[256] = "";
    size_t length = size < ZIP_HEAD ? 0 : (unsigned char)bytes[26], i = 0;
    if (length && length <= size - ZIP_HEAD)
        memcpy(name, bytes + ZIP_HEAD, length);
    while (!strstr(name, foreign_zips[i].inside))
        i++;
    return foreign_refuse(s, foreign_zips[i].what, foreign_zips[i].advice,
                          error);
}

/* Some marks are letters, which a header may begin with, too; but it has no
   control characters, which all these files have soon. */
static int foreign_is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!bytes[i] ||
            (bytes[i] > 0 && bytes[i] < 32 && !strchr("\t\n\v\f\r", bytes[i])))
            return 0;
    return 1;
}

static int foreign_matches(const foreign *f, const char *bytes, size_t size)
{
    return size >= f->at + f->size && !memcmp(bytes + f->at, f->mark, f->size);
}

sotto_status foreign_check(source *s, int header_only, sotto_error *error)
{
    const char *bytes, *end;
    size_t size, count = sizeof foreign_table / sizeof *foreign_table;
    sotto_status status = source_peek(s, FOREIGN_LOOK, &bytes, &size, error);
    if (status != SOTTO_OK)
        return status;
    if (size >= 6 && !memcmp(bytes, "\x93NUMPY", 6))
        return SOTTO_OK; /* its values may be any bytes */
    if (header_only && (end = memchr(bytes, '\n', size)))
        size = (size_t)(end - bytes);
    int text = foreign_is_text(bytes, size);
    if (!text && size >= 4 && !memcmp(bytes, "PK\3\4", 4))
        return foreign_zip(s, bytes, size, error);
    for (size_t i = 0; i < count; i++) {
        const foreign *f = &foreign_table[i];
        if (foreign_matches(f, bytes, size) &&
            (!text || (unsigned char)f->mark[0] >= 0x80))
            return foreign_refuse(s, f->what, f->advice, error);
    }
    return SOTTO_OK;
}
