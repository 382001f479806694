package dev.stagesim.io.csv;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * Reads a CSV file of another tool row by row, as text, in bounded memory; no schema of ours stands behind it.
 *
 * <p>Takes any line ending, a byte order mark and a last line without line ending. Malformed files are the user's input.
 */
public final class CsvRows implements Closeable {
    private final String source;
    private final CsvReader<CsvRecord> reader;
    private final Iterator<CsvRecord> rows;
    private final List<String> header;
    private List<String> fields = List.of();
    private long line = 1;

    private CsvRows(String source, InputStream in) throws IOException {
        this.source = source;
        this.reader = CsvReader.builder()
                .detectBomHeader(true)
                .allowUnclosedQuote(false)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .ofCsvRecord(in);
        this.rows = reader.iterator();
        this.header = header(reader);
    }

    /** Reads the header; the file is closed when that fails. */
    private List<String> header(Closeable file) throws IOException {
        try {
            if (!advance()) {
                throw StageException.input(Problem.artifact(source, "the file is empty, expected a CSV header"));
            }
            List<String> names = fields.stream().map(String::strip).toList();
            refuseTwice(names);
            return names;
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** A column without a name, such as an index, may repeat. */
    private void refuseTwice(List<String> names) {
        List<Problem> twice = names.stream()
                .filter(name -> !name.isEmpty() && names.indexOf(name) < names.lastIndexOf(name))
                .distinct()
                .map(name -> problem("column '" + name + "' appears twice"))
                .toList();
        StageException.refuse(twice);
    }

    public static CsvRows open(Path file) throws IOException {
        try {
            return new CsvRows(TableFile.find(file).toString(), TableFile.open(file));
        } catch (NoSuchFileException e) {
            throw StageException.input(Problem.artifact(file.toString(), "the file does not exist, expected CSV"), e);
        }
    }

    static CsvRows open(Path file, InputStream in) throws IOException {
        return new CsvRows(file.toString(), in);
    }

    /** Column names, without blanks around them. */
    public List<String> header() {
        return header;
    }

    /** Position of a column; a missing one is the user's error. */
    public int column(String name) {
        int at = header.indexOf(name);
        if (at < 0) {
            throw StageException.input(Problem.artifact(source + ":1", "column '" + name + "' is missing")
                    .didYouMean(Suggest.near(name, header))
                    .options(header));
        }
        return at;
    }

    /** Moves to the next row; false at the end. A row with another number of fields than the header is an error. */
    public boolean next() {
        if (!advance()) {
            return false;
        }
        if (fields.size() != header.size()) {
            throw StageException.input(
                    problem("the row has " + fields.size() + " fields, the header " + header.size()));
        }
        return true;
    }

    private boolean advance() {
        try {
            if (!rows.hasNext()) {
                return false;
            }
            CsvRecord row = rows.next();
            line = row.getStartingLineNumber();
            fields = row.getFields();
            return true;
        } catch (CsvParseException e) {
            throw StageException.input(Problem.artifact(source, "not valid CSV: " + e.getMessage()), e);
        }
    }

    /** Text of a field of the current row, without blanks around it. */
    public String text(int column) {
        return fields.get(column).strip();
    }

    /** Line of the file on which the current row begins, from 1. */
    public long line() {
        return line;
    }

    /** A problem with the current row. */
    public Problem problem(String what) {
        return Problem.artifact(source + ":" + line, what);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
