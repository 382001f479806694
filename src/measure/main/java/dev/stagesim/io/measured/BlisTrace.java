package dev.stagesim.io.measured;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the requests of a run as a BLIS TraceV2: {@code trace.yaml} and {@code trace.csv}, times in us. Values that
 * the run does not contain are empty or 0, as in traces that BLIS generates.
 */
public final class BlisTrace {
    private static final String COLUMNS =
            "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,streaming,"
                    + "input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,reason_ratio,model,"
                    + "deadline_us,server_input_tokens,arrival_time_us,send_time_us,first_chunk_time_us,last_chunk_time_us,"
                    + "num_chunks,status,error_message,finish_reason";
    private static final long NS_PER_US = 1000;

    /** Value of {@code mode} in the trace: the origin of the times. */
    enum Mode {
        REAL("real"),
        /** Times from a simulation of the requests. */
        REPLAYED("replayed"),
        /** No times: the requests have not been served. */
        GENERATED("generated");

        private final String text;

        Mode(String text) {
            this.text = text;
        }
    }

    private BlisTrace() {}

    public static boolean canWrite(Path run) {
        return TableFile.exists(run.resolve(Tables.REQUEST_METRICS.name()))
                || TableFile.exists(run.resolve(Tables.TRACE_LENGTHS.name()));
    }

    /**
     * Writes both files.
     *
     * @param run directory of a run with requests
     * @param measured true if the times come from a real system
     * @param model name of the model, or empty if absent
     */
    public static void write(Path run, boolean measured, String model, Path out) throws IOException {
        Path metrics = run.resolve(Tables.REQUEST_METRICS.name());
        boolean served = TableFile.exists(metrics);
        Mode mode = !served ? Mode.GENERATED : measured ? Mode.REAL : Mode.REPLAYED;
        List<String> lines = new ArrayList<>(List.of(COLUMNS));
        for (RequestRow row : served ? RequestRow.read(metrics) : planned(run)) {
            lines.add(line(row, model, served));
        }
        Files.writeString(out.resolve("trace.csv"), String.join("\n", lines) + "\n");
        Files.writeString(
                out.resolve("trace.yaml"),
                "trace_version: 2\ntime_unit: microseconds\nmode: " + mode.text + "\nwarm_up_requests: 0\n");
    }

    private static String line(RequestRow row, String model, boolean served) {
        boolean ok = row.completed();
        String status = !served || ok ? "ok" : row.status() == RequestStatus.FAILED ? "error" : "timeout";
        long output = ok ? row.actual() : row.requested();
        long arrival = micros(row.arrival());
        return row.id() + ",,,,,0,,0,true," + row.prefill() + "," + output + "," + row.prefill() + ",0,0,0,0.0,"
                + TableFile.quoted(model) + ",0," + (served ? row.prefill() : 0) + "," + arrival + "," + arrival + ","
                + micros(row.first()) + "," + micros(row.completion()) + "," + (served ? row.actual() : 0) + ","
                + status
                + ",," + (served && ok ? "length" : "");
    }

    private static long micros(long ns) {
        return ns < 0 ? 0 : Math.round((double) ns / NS_PER_US);
    }

    private static List<RequestRow> planned(Path run) throws IOException {
        List<RequestRow> rows = new ArrayList<>();
        try (TableReader lengths = TableReader.open(run.resolve(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS);
                TableReader times =
                        TableReader.open(run.resolve(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            int id = lengths.column("request_id");
            int prompt = lengths.column("num_prefill_tokens");
            int output = lengths.column("num_decode_tokens");
            int arrival = times.column("arrival_time_ns");
            while (lengths.next() && times.next()) {
                rows.add(new RequestRow(
                        lengths.longAt(id),
                        times.longAt(arrival),
                        Requests.NONE,
                        Requests.NONE,
                        lengths.longAt(prompt),
                        lengths.longAt(output),
                        0,
                        RequestStatus.UNFINISHED,
                        Requests.NONE));
            }
        }
        return rows;
    }
}
