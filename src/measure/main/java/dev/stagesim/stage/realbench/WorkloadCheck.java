package dev.stagesim.stage.realbench;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Compares a measurement with the requests of a workload run. */
record WorkloadCheck(long[] prefill, long[] decode, long[] arrival) {
    private static final int MAX_SHOWN = 3;

    static WorkloadCheck read(RunInput workload) throws IOException {
        LongStream.Builder prefill = LongStream.builder();
        LongStream.Builder decode = LongStream.builder();
        LongStream.Builder arrival = LongStream.builder();
        TableReader.forEach(workload.file(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS, row -> {
            prefill.add(row.longAt("num_prefill_tokens"));
            decode.add(row.longAt("num_decode_tokens"));
        });
        TableReader.forEach(
                workload.file(Tables.TRACE_INTERVALS.name()),
                Tables.TRACE_INTERVALS,
                row -> arrival.add(row.longAt("arrival_time_ns")));
        return new WorkloadCheck(
                prefill.build().toArray(),
                decode.build().toArray(),
                arrival.build().toArray());
    }

    /** Returns the first few differences of each kind; empty if the measurement has the requests of this workload. */
    List<String> differences(Requests requests, double toleranceSeconds) {
        if (requests.size() != prefill.length) {
            return List.of(prefill.length + " requests in the workload, " + requests.size() + " measured");
        }
        List<String> lengths = new ArrayList<>();
        List<String> arrivals = new ArrayList<>();
        long tolerance = Math.round(toleranceSeconds * 1e9);
        for (int i = 0; i < prefill.length; i++) {
            Request request = requests.all().get(i);
            if (request.prefill() != prefill[i] || request.requested() != decode[i]) {
                lengths.add("request " + i + ": " + prefill[i] + " prompt and " + decode[i]
                        + " output tokens in the workload, " + request.prefill() + " and " + request.requested()
                        + " measured");
            }
            if (i < arrival.length && Math.abs(request.arrival() - arrival[i]) > tolerance) {
                arrivals.add("request " + i + ": arrives at " + seconds(arrival[i]) + " in the workload, at "
                        + seconds(request.arrival()) + " measured");
            }
        }
        List<String> shown = new ArrayList<>(few(lengths));
        shown.addAll(few(arrivals));
        return shown;
    }

    private static List<String> few(List<String> all) {
        if (all.size() <= MAX_SHOWN) {
            return all;
        }
        List<String> shown = new ArrayList<>(all.subList(0, MAX_SHOWN));
        shown.add("and " + (all.size() - MAX_SHOWN) + " more like these");
        return shown;
    }

    private static String seconds(long nanos) {
        return java.math.BigDecimal.valueOf(nanos, 9).stripTrailingZeros().toPlainString() + " s";
    }
}
