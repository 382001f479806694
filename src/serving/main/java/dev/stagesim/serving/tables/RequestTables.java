package dev.stagesim.serving.tables;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;

/** Writes the two tables of all workloads. */
public final class RequestTables {
    private RequestTables() {}

    /** Writes prompt and lengths of each request; requests are numbered from 0. */
    public static void lengths(
            Path dir, int requests, IntFunction<String> prompt, IntToLongFunction prefill, IntToLongFunction decode)
            throws IOException {
        try (TableWriter table = TableWriter.in(dir, Tables.TRACE_LENGTHS)) {
            for (int i = 0; i < requests; i++) {
                table.put((long) i).put(prompt.apply(i));
                table.put(prefill.applyAsLong(i)).put(decode.applyAsLong(i)).endRow();
            }
        }
    }

    /** Writes the arrival times in ns. */
    public static void intervals(Path dir, int requests, IntToLongFunction arrivalNs) throws IOException {
        try (TableWriter table = TableWriter.in(dir, Tables.TRACE_INTERVALS)) {
            long last = 0;
            for (int i = 0; i < requests; i++) {
                long arrival = arrivalNs.applyAsLong(i);
                table.put((long) i).put(arrival - last).put(arrival).endRow();
                last = arrival;
            }
        }
    }
}
