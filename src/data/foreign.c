/*
 * Files of other programs, known by their first bytes: they are refused by
 * name, with the way to convert them.
 */
#include "format.h"

#include <string.h>

#define PANDAS(read)                                                           \
    "convert it to CSV, with pandas: pandas." read                             \
    "(FILE).to_csv(OUT, index=False)"
#define SHEET "save it as CSV in UTF-8 from the spreadsheet program"
#define R_DATA                                                                 \
    "convert it to CSV, in R: write.csv(DATA, OUT, row.names = FALSE)"

enum { ZIP_HEAD = 30 };

/* Where a mark stands, the mark, what the file is, how to convert it. */
#define AT(place, marked, is, convert)                                         \
    {                                                                          \
        .what = is, .mark = FORMAT_MARK(place, marked), .advice = convert      \
    }
/* The same for a zip archive, by a part of the first name in it. */
#define IN_ZIP(part, is, convert)                                              \
    {                                                                          \
        .what = is, .mark = FORMAT_MARK(0, "PK\3\4"), .in_zip = part,          \
        .advice = convert                                                      \
    }

/* The first row that fits is the format. */
static const file_format foreign_table[] = {
    IN_ZIP("[Content_Types].xml", "an Excel (.xlsx) or other Office file",
           SHEET),
    IN_ZIP("xl/", "an Excel (.xlsx) or other Office file", SHEET),
    IN_ZIP("docProps/", "an Excel (.xlsx) or other Office file", SHEET),
    IN_ZIP("_rels/", "an Excel (.xlsx) or other Office file", SHEET),
    IN_ZIP("mimetype", "an OpenDocument (.ods) file", SHEET),
    IN_ZIP(".npy", "a NumPy .npz archive",
           "save one array with numpy.save, as .npy"),
    IN_ZIP("", "a zip archive", "unpack it (unzip) and give the file inside"),
    AT(0, "PAR1", "a Parquet file", PANDAS("read_parquet")),
    AT(0, "ORC", "an ORC file", PANDAS("read_orc")),
    AT(0, "ARROW1", "an Arrow (Feather) file", PANDAS("read_feather")),
    AT(0, "FEA1", "a Feather file", PANDAS("read_feather")),
    AT(0, "\x89HDF\r\n\x1a\n", "an HDF5 file", PANDAS("read_hdf")),
    AT(0, "\x80\x04\x95", "a Python pickle", PANDAS("read_pickle")),
    AT(0, "\x80\x05\x95", "a Python pickle", PANDAS("read_pickle")),
    AT(0, "<stata_dta>", "a Stata file", PANDAS("read_stata")),
    AT(0, "$FL2", "an SPSS file", PANDAS("read_spss")),
    AT(0, "RDX", "an R data file", R_DATA),
    AT(0, "X\n\0\0\0", "an R data file", R_DATA),
    AT(0, "SQLite format 3\0", "an SQLite database",
       "convert it to CSV: sqlite3 -header -csv FILE 'select * from TABLE'"),
    AT(0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel (.xls) file",
       SHEET),
    AT(0, "7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it: 7z x"),
    AT(0,
       "\xfd"
       "7zXZ\0",
       "an xz file", "unpack it: xz -d"),
    AT(0, "\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it: zstd -d"),
    AT(0, "\x04\x22\x4d\x18", "an LZ4 file", "unpack it: lz4 -d"),
    AT(4, "1AY&SY", "a bzip2 file", "unpack it: bunzip2"),
    AT(0, "\x1f\x8b", "a gzip file that is packed twice or not called .gz",
       "unpack it: gunzip"),
    AT(257, "ustar", "a tar archive",
       "unpack it: tar xf, and give the file inside"),
    AT(0, "\xff\xfe", "UTF-16 text",
       "convert it with iconv -f UTF-16 -t UTF-8"),
    AT(0, "\xfe\xff", "UTF-16 text",
       "convert it with iconv -f UTF-16 -t UTF-8"),
};

/* Whether the name of what comes first in a zip archive contains `part`. */
static int foreign_zip_has(const char *bytes, size_t size, const char *part)
{
    char name[256] = "";
    size_t length = size < ZIP_HEAD ? 0 : (unsigned char)bytes[26];
    if (length && length <= size - ZIP_HEAD)
        memcpy(name, bytes + ZIP_HEAD, length);
    return strstr(name, part) != NULL;
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

const file_format *foreign_format(const char *bytes, size_t size)
{
    int text = foreign_is_text(bytes, size);
    for (size_t i = 0; i < sizeof foreign_table / sizeof *foreign_table; i++) {
        const file_format *f = &foreign_table[i];
        if (format_matches(f, bytes, size) &&
            (!text || (unsigned char)f->mark.bytes[0] >= 0x80) &&
            (!f->in_zip || foreign_zip_has(bytes, size, f->in_zip)))
            return f;
    }
    return NULL;
}
