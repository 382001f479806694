package dev.stagesim.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The two streams of the process: results for programs on {@code out}, words for people on {@code err}.
 *
 * @param out machine-readable results only
 * @param err progress, tables, warnings and errors
 * @param live true when {@code err} is a terminal that can redraw a line
 * @param colour true when {@code err} understands colours
 */
record Console(PrintStream out, PrintStream err, boolean live, boolean colour) {
    private static final String ESC = "\u001b[";

    /** The process's own streams, in UTF-8 whatever the locale; the launcher says whether stderr is a terminal. */
    static Console system() {
        return of(
                new Output(new Watched(new FileOutputStream(FileDescriptor.out))),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("stagesim.terminal"),
                System.getenv());
    }

    /** A console on two streams; a terminal that calls itself dumb neither redraws lines nor understands colours. */
    static Console of(PrintStream out, PrintStream err, boolean isTerminal, Map<String, String> environment) {
        boolean live = isTerminal && !"dumb".equals(environment.get("TERM"));
        return new Console(out, err, live, live && !environment.containsKey("NO_COLOR"));
    }

    /** True when whoever read {@code out} has closed it. */
    boolean isClosed() {
        return out instanceof Output output && output.watched.closed;
    }

    /** A stream that knows how its writing failed, which a plain one forgets. */
    static final class Output extends PrintStream {
        private final Watched watched;

        Output(Watched watched) {
            super(watched, true, StandardCharsets.UTF_8);
            this.watched = watched;
        }
    }

    /** Notes when the other end of a pipe is gone. */
    static final class Watched extends FilterOutputStream {
        private static final String CLOSED = "Broken pipe";

        private boolean closed;

        Watched(OutputStream to) {
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
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }
    }

    /** A result line for programs. */
    void result(String line) {
        out.print(line);
        out.print('\n');
        out.flush();
    }

    /** A line for people. */
    void say(String line) {
        err.print(line);
        err.print('\n');
    }

    /** A warning for people. */
    void warn(String text) {
        say(yellow("warning: ") + text);
    }

    String red(String text) {
        return paint("1;31", text);
    }

    String yellow(String text) {
        return paint("33", text);
    }

    String dim(String text) {
        return paint("2", text);
    }

    private String paint(String code, String text) {
        return colour ? ESC + code + "m" + text + ESC + "0m" : text;
    }
}
