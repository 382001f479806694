package dev.stagesim.io.json;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;

/** Writes one event per line in the Trace Event format of Chrome and the Perfetto UI. */
public final class TraceEvents {
    private final Writer out;
    private final StringBuilder line = new StringBuilder(256);
    private char[] written = new char[256];
    private String begin = "\n{";
    private String close = "}";

    /** Starts a file; {@code unit} is the time unit of viewers. */
    public TraceEvents(Writer out, String unit) throws IOException {
        this.out = out;
        out.append("{\"displayTimeUnit\":\"").append(unit).append("\",\"traceEvents\":[");
    }

    /** Starts an event of a phase, for example {@code X} for one with a duration; {@link #end} ends it. */
    public TraceEvents event(char phase) {
        line.setLength(0);
        line.append(begin).append("\"ph\":\"").append(phase).append('"');
        begin = ",\n{";
        close = "}";
        return this;
    }

    private StringBuilder key(String key) {
        if (line.charAt(line.length() - 1) != '{') {
            line.append(',');
        }
        return line.append('"').append(key).append("\":");
    }

    public TraceEvents text(String key, String value) {
        key(key).append(Json.quoted(value));
        return this;
    }

    public TraceEvents number(String key, long value) {
        key(key).append(value);
        return this;
    }

    /** Adds a number that is already text. */
    public TraceEvents number(String key, String value) {
        key(key).append(value);
        return this;
    }

    /** Adds a time in microseconds, with the nanoseconds as decimals. */
    public TraceEvents micros(String key, long ns) {
        long rest = ns % 1000;
        key(key).append(ns / 1000).append('.');
        line.append((char) ('0' + rest / 100))
                .append((char) ('0' + rest / 10 % 10))
                .append((char) ('0' + rest % 10));
        return this;
    }

    /** Starts the arguments of the event. */
    public TraceEvents args() {
        key("args").append('{');
        close = "}}";
        return this;
    }

    public void end() {
        try {
            int length = line.append(close).length();
            if (written.length < length) {
                written = new char[2 * length];
            }
            line.getChars(0, length, written, 0);
            out.write(written, 0, length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void process(long process, String name) {
        named("process_name", process, 0, name);
    }

    public void thread(long process, long thread, String name) {
        named("thread_name", process, thread, name);
    }

    private void named(String what, long process, long thread, String name) {
        event('M').text("name", what).number("pid", process).number("tid", thread);
        args().text("name", name).end();
    }

    /** Ends the file. */
    public void finish() throws IOException {
        out.append("\n]}\n");
    }
}
