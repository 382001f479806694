package dev.stagesim.cli.console;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The output streams of the process: results for programs on {@code out}, messages for the user on {@code err}.
 *
 * @param out machine-readable results only
 * @param err progress, tables, warnings and errors
 * @param live true if {@code err} is a terminal that can redraw a line
 * @param colour true if {@code err} supports colours
 */
public record Console(PrintStream out, PrintStream err, boolean live, boolean colour) {
    private static final String ESC = "\u001b[";

    /** Returns the streams of the process, always in UTF-8. The launcher reports whether stderr is a terminal. */
    public static Console system() {
        return of(
                new Output(new Watched(new FileOutputStream(FileDescriptor.out))),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("stagesim.terminal"),
                System.getenv());
    }

    /** Returns a console on two streams. A terminal of type dumb neither redraws lines nor supports colours. */
    static Console of(PrintStream out, PrintStream err, boolean isTerminal, Map<String, String> environment) {
        boolean live = isTerminal && !"dumb".equals(environment.get("TERM"));
        return new Console(out, err, live, live && !environment.containsKey("NO_COLOR"));
    }

    /** True if the reader of {@code out} has closed it. */
    public boolean isClosed() {
        return out instanceof Output output && output.watched.closed;
    }

    /** A stream that records the cause of a write error, which a plain PrintStream discards. */
    public static final class Output extends PrintStream {
        private final Watched watched;

        public Output(Watched watched) {
            super(watched, true, StandardCharsets.UTF_8);
            this.watched = watched;
        }
    }

    /** Records when the reader of a pipe is gone. */
    public static final class Watched extends FilterOutputStream {
        private static final String CLOSED = "Broken pipe";

        private boolean closed;

        public Watched(OutputStream to) {
            super(to);
        }

        @Override
        public void write(byte[] bytes, int from, int count) throws IOException {
            try {
                out.write(bytes, from, count);
            } catch (IOException failed) {
                closed |= CLOSED.equals(failed.getMessage());
                throw failed;
            }
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }
    }

    /** Prints a result line for programs. */
    public void result(String line) {
        out.print(line);
        out.print('\n');
        out.flush();
    }

    /** Prints a message line for the user. */
    public void info(String line) {
        err.print(line);
        err.print('\n');
    }

    /** Prints a warning for the user. */
    public void warn(String text) {
        info(yellow("warning: ") + text);
    }

    /** Prints a note for the user. */
    public void note(String text) {
        info("note: " + text);
    }

    public String red(String text) {
        return paint("1;31", text);
    }

    public String yellow(String text) {
        return paint("33", text);
    }

    public String dim(String text) {
        return paint("2", text);
    }

    private String paint(String code, String text) {
        return colour ? ESC + code + "m" + text + ESC + "0m" : text;
    }
}
