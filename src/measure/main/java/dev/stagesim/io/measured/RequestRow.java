package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A row of {@code request_metrics.csv}. Times are in ns since the start of the run, or {@link Requests#NONE} if absent.
 *
 * @param first time of the first token
 * @param completion time of the last token
 * @param prefill prompt tokens
 * @param requested requested output tokens
 * @param actual received output tokens
 * @param schedulingDelay wait before the first batch
 */
public record RequestRow(
        long id,
        long arrival,
        long first,
        long completion,
        long prefill,
        long requested,
        long actual,
        RequestStatus status,
        long schedulingDelay) {
    public boolean completed() {
        return status == RequestStatus.COMPLETED;
    }

    public RequestRow numbered(long number) {
        return new RequestRow(number, arrival, first, completion, prefill, requested, actual, status, schedulingDelay);
    }

    /** True if the client cancelled the request. */
    public boolean cancelled() {
        return status == RequestStatus.CANCELLED;
    }

    /** Reads the rows of a file in file order. */
    public static List<RequestRow> read(Path file) throws IOException {
        List<RequestRow> all = new ArrayList<>();
        try (TableReader table = TableReader.open(file, Tables.REQUEST_METRICS)) {
            int id = table.column("request_id");
            int arrival = table.column("arrival_time_ns");
            int first = table.column("first_token_time_ns");
            int completion = table.column("completion_time_ns");
            int prefill = table.column("num_prefill_tokens");
            int requested = table.column("num_decode_tokens");
            int actual = table.column("num_decode_tokens_actual");
            int status = table.column("status");
            int delay = table.column("scheduling_delay_ns");
            while (table.next()) {
                all.add(new RequestRow(
                        table.longAt(id),
                        table.longAt(arrival),
                        time(table, first),
                        time(table, completion),
                        table.longAt(prefill),
                        table.longAt(requested),
                        table.longAt(actual),
                        RequestStatus.of(table.stringAt(status)),
                        time(table, delay)));
            }
        }
        return all;
    }

    private static long time(TableReader table, int column) {
        return column < 0 || table.isEmpty(column) ? Requests.NONE : table.longAt(column);
    }
}
