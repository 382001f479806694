package dev.stagesim.io.csv;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a CSV file of another tool row by row, as text, in bounded memory and without a schema.
 *
 * <p>Accepts LF and CRLF, a byte-order mark and a last line without line end. A malformed file is an input error.
 */
public final class CsvRows implements Closeable {
    private final String source;
    private final CsvScanner scanner;
    private final List<String> header;

    private CsvRows(String source, InputStream in) throws IOException {
        this.source = source;
        this.scanner = new CsvScanner(source, in);
        try {
            this.header = readHeader();
        } catch (RuntimeException e) {
            scanner.close();
            throw e;
        }
    }

    private List<String> readHeader() {
        if (!advance()) {
            throw StageException.input(Problem.artifact(source, "the file is empty, expected a CSV header"));
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < scanner.cells(); i++) {
            names.add(text(i));
        }
        rejectDuplicates(names);
        return List.copyOf(names);
    }

    /** Rejects repeated column names. Several columns may be unnamed, such as row indexes. */
    private void rejectDuplicates(List<String> names) {
        List<Problem> duplicates = names.stream()
                .filter(name -> !name.isEmpty() && names.indexOf(name) < names.lastIndexOf(name))
                .distinct()
                .map(name -> problem("column '" + name + "' appears twice"))
                .toList();
        StageException.refuse(duplicates);
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

    /** Returns the column names, without surrounding blanks. */
    public List<String> header() {
        return header;
    }

    /** Returns the position of a column. A missing column is an input error. */
    public int column(String name) {
        int at = header.indexOf(name);
        if (at < 0) {
            throw StageException.input(Problem.artifact(source + ":1", "column '" + name + "' is missing")
                    .didYouMean(Suggest.near(name, header))
                    .options(header));
        }
        return at;
    }

    /** Moves to the next row, or returns false at the end. A row must have as many fields as the header. */
    public boolean next() {
        if (!advance()) {
            return false;
        }
        if (scanner.cells() != header.size()) {
            throw StageException.input(
                    problem("the row has " + scanner.cells() + " fields, but the header has " + header.size()));
        }
        return true;
    }

    private boolean advance() {
        try {
            boolean isRow = scanner.next();
            if (isRow && scanner.malformed()) {
                throw StageException.input(
                        problem("not valid CSV: a quote is never closed, or text follows a closing quote"));
            }
            return isRow;
        } catch (IOException e) {
            throw new UncheckedIOException(source + ": " + e.getMessage(), e);
        }
    }

    /** Returns the text of a field of the current row, without surrounding blanks. */
    public String text(int column) {
        return scanner.text(column).strip();
    }

    /** Returns the line at which the current row begins, from 1. */
    long line() {
        return scanner.line();
    }

    /** Returns a problem with the current row. */
    public Problem problem(String what) {
        return Problem.artifact(source + ":" + line(), what);
    }

    @Override
    public void close() throws IOException {
        scanner.close();
    }
}
