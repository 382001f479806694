package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.Operations.Collective;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.io.measured.formats.ResultFormats;
import dev.stagesim.model.ArrivalTime;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that all formats share. */
class FigureChecksTest {
    private static final long MS = 1_000_000;
    private static final long YEAR = 365L * 86_400 * 1_000_000_000L;
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/results");

    private static MeasurementBuilder builder() {
        return new MeasurementBuilder("test", "tool", "file").rate("requests_per_s", 2);
    }

    private static Request request(String id, long first, long completion, long... chunks) {
        return Request.completed(id, 0, first, completion, 10, 4, chunks);
    }

    private static Published figure(String metric, String statistic, double ms) {
        return new Published(
                metric, metric.equals("tpot") ? "A" : "", statistic, ms * MS, Optional.empty(), Optional.empty());
    }

    private static Measurement aggregates(Published... figures) {
        MeasurementBuilder builder = builder();
        for (Published figure : figures) {
            builder.published(figure, "file#/" + figure.metric() + "/" + figure.statistic());
        }
        return builder.done();
    }

    @ParameterizedTest
    @CsvSource({"100, 100, true", "100, 105, true", "100, 106, false", "19, 950, false"})
    void includesOutputInAllTokens(double all, double output, boolean isRead) {
        MeasurementBuilder builder = builder().rate("total_tokens_per_s", all).rate("output_tokens_per_s", output);
        if (isRead) {
            assertThat(builder.done()).isNotNull();
        } else {
            assertThatThrownBy(builder::done)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("output_tokens_per_s is " + output);
        }
    }

    @ParameterizedTest
    @CsvSource({"20, 20, 5, ''", "200, 20, 5, num_prompts", "20, 20, 0, duration", "20, 20, -1, duration"})
    void rejectsCompletedRequestsWithoutSendTimeOrDuration(int completed, int sent, double seconds, String refused)
            throws IOException {
        String text =
                """
                {"model_id": "m", "backend": "vllm", "num_prompts": %d, "completed": %d, "duration": %s,
                 "total_input_tokens": 2000, "total_output_tokens": 2000, "mean_ttft_ms": 20.0, "mean_tpot_ms": 9.0}
                """
                        .formatted(sent, completed, seconds);
        if (refused.isEmpty()) {
            assertThat(read("vllm.json", text)).isNotNull();
        } else {
            assertThatThrownBy(() -> read("vllm.json", text))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining(refused);
        }
    }

    private Measurement read(String name, String text) throws IOException {
        return read(name, text, ReadOptions.NONE);
    }

    private Measurement read(String name, String text, ReadOptions options) throws IOException {
        Files.createDirectories(dir);
        return ResultFormats.read(Files.writeString(dir.resolve(name), text), Optional.empty(), options);
    }

    @Test
    void rejectsImpossibleRequestsWithPlaceValueAndRange() {
        List<Request> wrong = List.of(
                request("zero", 0, 9 * MS),
                request("", MS, 9 * MS),
                request("negative", -5 * MS, 9 * MS),
                request("order", 9 * MS, 5 * MS),
                request("year", MS, YEAR + MS),
                request("overflow", MS, Long.MAX_VALUE),
                request("chunks", MS, 9 * MS, MS, 5 * MS, 4 * MS),
                request("late chunk", MS, 9 * MS, MS, 10 * MS),
                Request.completed("arrival", -1, MS, 2 * MS, 10, 4, new long[0]),
                Request.completed("prompt", 0, MS, 2 * MS, -3, 4, new long[0]),
                Request.completed("output", 0, MS, 2 * MS, 3, 0, new long[0]),
                Request.completed("counts", 0, MS, 2 * MS, 3, 1L << 40, new long[0]));
        for (Request request : wrong) {
            MeasurementBuilder builder = builder().request("file:7", request);
            assertThatThrownBy(builder::done, request.promptId())
                    .isInstanceOf(StageException.class)
                    .hasMessageContainingAll("file:7", "'" + request.promptId() + "'", "expected");
        }
    }

    @Test
    void omitsOneImpossibleRequestOfManyWithAWarning() {
        MeasurementBuilder builder = builder();
        IntStream.range(0, 40).forEach(i -> builder.request("file:" + i, request("r" + i, i == 7 ? -MS : MS, 9 * MS)));
        Measurement m = builder.done();
        assertThat(m.requests().size()).isEqualTo(39);
        assertThat(m.warnings()).singleElement().asString().contains("1 of 40 requests", "file:7", "'r7'", "-1.0 ms");
    }

    @Test
    void rejectsARepeatedId() {
        MeasurementBuilder builder =
                builder().request("file:1", request("a", MS, 9 * MS)).request("file:2", request("a", MS, 9 * MS));
        assertThatThrownBy(builder::done).hasMessageContainingAll("file:2", "'a'", "file:1");
    }

    @ParameterizedTest
    @CsvSource({"ttft, -1", "ttft, 0", "e2e, 1e308", "tpot, -12.4", "norm_latency, 4e10", "token_gap, -0.1"})
    void dropsAllStatisticsOfAMetricWithAnImpossibleOne(String metric, double ms) {
        Measurement m = aggregates(figure(metric, "mean", ms), figure(metric, "p99", 3), figure("other", "mean", 5));
        assertThat(m.published()).extracting(Published::metric).containsExactly("other");
        assertThat(m.warnings())
                .anyMatch(w -> w.contains("all 2 values of " + metric) && w.contains("file#/" + metric));
    }

    @Test
    void warnsOfAMetricWithoutObservations() {
        for (double marker : new double[] {0, Double.NaN}) {
            Measurement m = aggregates(figure("ttft", "mean", marker), figure("ttft", "p99", marker));
            assertThat(m.published()).isEmpty();
            assertThat(m.warnings()).anyMatch(w -> w.contains("not measured"));
        }
    }

    @Test
    void rejectsContradictoryValues() {
        assertThatThrownBy(() -> aggregates(figure("ttft", "p50", 9), figure("ttft", "p99", 8)))
                .hasMessageContainingAll("file#/ttft/p50", "ttft p99");
        assertThatThrownBy(() -> aggregates(figure("e2e", "mean", 9), figure("e2e", "max", 8)))
                .hasMessageContaining("e2e max");
        assertThatThrownBy(() -> aggregates(figure("e2e", "mean", 1), figure("e2e", "p50", 80)))
                .as("half of the values are at least 80")
                .hasMessageContaining("e2e p50");
        assertThatThrownBy(() -> aggregates(figure("ttft", "mean", 900), figure("e2e", "mean", 80)))
                .hasMessageContaining("e2e mean");
        assertThatThrownBy(() -> aggregates(figure("tpot", "p50", 900), figure("e2e", "max", 80)))
                .hasMessageContaining("e2e max");
    }

    @Test
    void dropsATimePerTokenWhenItsFirstTokenIsRejected() {
        Measurement m =
                aggregates(figure("ttft", "mean", -1e9), figure("tpot", "mean", 1e9), figure("e2e", "mean", 80));
        assertThat(m.published()).extracting(Published::metric).containsExactly("e2e");
        assertThat(m.warnings()).anyMatch(w -> w.contains("values of tpot"));
    }

    @Test
    void reportsTpotThatContradictsTheLatency() {
        MeasurementBuilder builder = builder().outputTokens(Optional.of(200.0));
        builder.published(figure("tpot", "mean", 400), "a").published(figure("e2e", "mean", 20_000), "b");
        assertThat(builder.done().warnings()).anyMatch(w -> w.contains("tpot mean is 400.0 ms at 200.0 output tokens"));
        MeasurementBuilder fitting = builder().outputTokens(Optional.of(200.0));
        fitting.published(figure("tpot", "mean", 100), "a").published(figure("e2e", "mean", 20_000), "b");
        assertThat(fitting.done().warnings()).noneMatch(w -> w.contains("output tokens"));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e300})
    void dropsImpossibleRates(double rate) {
        Measurement m = builder().rate("output_tokens_per_s", rate).done();
        assertThat(m.about().get("rates").orElseThrow().toString()).doesNotContain("output_tokens_per_s");
        assertThat(m.warnings()).anyMatch(w -> w.startsWith("output_tokens_per_s is left out"));
    }

    @Test
    void rejectsAFileWithoutUsableValues() {
        MeasurementBuilder builder =
                new MeasurementBuilder("test", "tool", "file").published(figure("ttft", "mean", -1), "file#/a");
        assertThatThrownBy(builder::done)
                .hasMessageContainingAll("file", "no usable value", "values of ttft are left out");
    }

    @Test
    void checksOperatorTimesAgainstCalls() {
        List<Operator> wrong = List.of(
                new Operator("gpu", "kernel", "a", -1, 10, 5, 5),
                new Operator("gpu", "kernel", "b", 2, 10, 8, 5),
                new Operator("gpu", "kernel", "c", 2, 1000, 5, 5),
                new Operator("gpu", "kernel", "d", 100, 10, 5, 5),
                new Operator("gpu", "kernel", "e", 1, Long.MAX_VALUE, 5, Long.MAX_VALUE),
                new Operator("gpu", "kernel", "f", 1, -10, -10, -10));
        for (Operator row : wrong) {
            assertThatThrownBy(() -> builder().operations(List.of(row)).done())
                    .as(row.name())
                    .hasMessageContaining("operator '" + row.name() + "'");
        }
        assertThat(builder()
                        .operations(List.of(new Operator("cpu", "", "", 2, 10, 5, 5)))
                        .done()
                        .operations()
                        .rows())
                .containsExactly(new Operator("cpu", "(unnamed)", "(unnamed)", 2, 10, 5, 5));
    }

    @ParameterizedTest
    @CsvSource({
        "all_reduce, 8, 100, 175, true",
        "all_reduce, 16, 100, 175, false",
        "all_gather, 8, 100, 87.5, true",
        "all_gather, 8, 100, 175, false",
        "broadcast, 8, 100, 100, true",
        "broadcast, 8, 100, 87.5, false",
        "all_reduce, 8, 50, 87.5, false",
        "all_reduce, 0, 100, 175, false",
        "all_reduce, 8, -100, -175, false",
        "anything, 8, 100, 3, false",
        "anything, 8, 100, 250, false",
        "anything, 8, 100, 87.5, true",
        "anything, 8, 100, 175, true"
    })
    void checksTheRatioOfBandwidths(String name, int ranks, double algorithm, double bus, boolean isTrue) {
        MeasurementBuilder builder = builder()
                .operations(
                        List.of(),
                        List.of(new Collective(name, ranks, 1_000_000, false, 10_000, algorithm, bus, 0)),
                        List.of("file:3"));
        if (isTrue) {
            assertThat(builder.done().operations().collectives()).hasSize(1);
        } else {
            assertThatThrownBy(builder::done).hasMessageContaining("file:3");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "9, 9, 100, ''",
        "36, 9, 100, ''",
        "90, 9, 100, chunks have about 10.0 tokens",
        "900, 9, 100, chunks have about 100.0 tokens",
        "900, 9, 0, chunks have about 100.0 tokens",
        "3, 9, 100, chunks have about 0.33",
        "900, 9, 20, refused"
    })
    void checksGapsAgainstTpot(double gap, double each, double tokens, String expected) {
        MeasurementBuilder builder = builder().outputTokens(Optional.of(tokens));
        builder.published(figure("token_gap", "mean", gap), "file#/gap");
        builder.published(figure("tpot", "mean", each), "file#/tpot");
        if (expected.equals("refused")) {
            assertThatThrownBy(builder::done)
                    .hasMessageContainingAll("file#/gap", "file#/tpot", "900.0 ms", "expected");
        } else if (expected.isEmpty()) {
            assertThat(builder.done().warnings()).noneMatch(w -> w.contains("chunks"));
        } else {
            assertThat(builder.done().warnings()).anyMatch(w -> w.contains(expected) && w.contains("file#/gap"));
        }
    }

    @Test
    void checksTheMinimumAndDropsIt() {
        assertThatThrownBy(() -> aggregates(figure("e2e", "min", 9), figure("e2e", "max", 8)))
                .hasMessageContainingAll("e2e min", "e2e max");
        assertThatThrownBy(() -> aggregates(figure("e2e", "min", 9), figure("e2e", "mean", 8)))
                .hasMessageContainingAll("e2e mean", "e2e min");
        assertThat(aggregates(figure("e2e", "min", 0), figure("e2e", "max", 8)).published())
                .extracting(Published::statistic)
                .containsExactly("max");
    }

    @ParameterizedTest
    @CsvSource({
        "100, 120, 10, 100000, 1, 'concurrency is 100000'",
        "100, 120, 10, 64, 8, 'needs 80.0 requests in flight'",
        "100, 120, 10, 64, 1, ''",
        "100, 120, 1, 64, 1, 'requests_per_s is 10.0'"
    })
    void warnsOfUnlikelyRuns(int completed, int sent, double seconds, int clients, double latency, String expected) {
        LocatedJson json = Json.parse(
                """
                {"sent": %d, "completed": %d, "duration": %s, "clients": %d, "rate": 10.0}
                """
                        .formatted(sent, completed, seconds, clients),
                "file");
        MeasurementBuilder builder = new MeasurementBuilder("test", "tool", "file");
        builder.fact(RunFact.SENT_REQUESTS, json.find("sent"))
                .fact(RunFact.COMPLETED_REQUESTS, json.find("completed"))
                .fact(RunFact.DURATION_NS, json.find("duration"), 1e9)
                .fact(RunFact.CLIENTS, json.find("clients"))
                .rate("requests_per_s", json.find("rate"));
        builder.published(figure("e2e", "mean", Math.min(latency, seconds) * 1000), "file#/e2e");
        List<String> warnings = builder.done().warnings();
        if (expected.isEmpty()) {
            assertThat(warnings).noneMatch(w -> w.contains("expected"));
        } else {
            assertThat(warnings).anyMatch(w -> w.contains(expected) && w.contains("file#/"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "p50=0.13 p99=13.6, 13.4, warned",
        "p50=0.13 p99=13.6 max=14, 13.4, refused",
        "p50=0.13 p90=20 max=21, 17.4, refused",
        "p50=0.13, 13.4, ''",
        "p50=0 p75=0 p90=6 p95=8 p99=9.6 max=10, 2, ''",
        "p50=1 p90=2 p99=20, 5, ''",
        "p50=13 p99=14 max=14, 13.4, ''"
    })
    void percentilesLimitTheMean(String percentiles, double mean, String expected) {
        MeasurementBuilder builder = builder().published(figure("token_gap", "mean", mean), "file#/mean");
        for (String percentile : percentiles.split(" ", 0)) {
            String[] parts = percentile.split("=", 2);
            builder.published(figure("token_gap", parts[0], Double.parseDouble(parts[1])), "file#/" + parts[0]);
        }
        if (expected.equals("refused")) {
            assertThatThrownBy(builder::done)
                    .hasMessageContainingAll("file#/mean", "by the percentiles up to token_gap max");
        } else {
            assertThat(builder.done().warnings().stream().anyMatch(w -> w.contains("by the percentiles")))
                    .isEqualTo(expected.equals("warned"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "output_tokens_per_s, 200, 100, false",
        "output_tokens_per_s, 2, 100, true",
        "output_tokens_per_s, 20000, 100, true",
        "user_tokens_per_s_decoding, 100, 100, false",
        "user_tokens_per_s_decoding, 10000, 100, true",
        "user_tokens_per_s_with_prompt, 90, 100, false",
        "user_tokens_per_s_with_prompt, 1, 100, true"
    })
    void ratesFitEachOtherAndTheTimes(String name, double rate, double tokens, boolean isWarned) {
        MeasurementBuilder builder = builder().outputTokens(Optional.of(tokens)).rate(name, rate, "file#/rate");
        builder.published(figure("tpot", "mean", 10), "a").published(figure("e2e", "mean", 1100), "b");
        assertThat(builder.done().warnings().stream().anyMatch(w -> w.startsWith(name + " is " + rate)))
                .isEqualTo(isWarned);
    }

    @Test
    void limitsCompletedTokensToTheOutput() {
        assertThatThrownBy(() -> builder()
                        .rate("output_tokens_per_s", 15)
                        .rate("completed_tokens_per_s", 1500)
                        .done())
                .hasMessageContaining("completed_tokens_per_s is 1500.0");
    }

    /** Requests of 10 ms that arrive at 0 and at the given time, in a run of 1 s with 2 requests sent. */
    @ParameterizedTest
    @CsvSource({
        "500, 2, 2, 0, ''",
        "1400, 2, 2, 0, warned",
        "9000, 2, 2, 0, refused",
        "500, 2, 200, 0, warned",
        "500, 2, 2, 1, refused"
    })
    void requestsFitTheCountsAndTheDuration(long arrivalMs, int completed, int sent, int failed, String expected) {
        LocatedJson json = Json.parse(
                "{\"sent\": %d, \"completed\": %d, \"failed\": %d, \"duration\": 1}".formatted(sent, completed, failed),
                "file");
        MeasurementBuilder builder = new MeasurementBuilder("test", "tool", "file")
                .fact(RunFact.SENT_REQUESTS, json.find("sent"))
                .fact(RunFact.COMPLETED_REQUESTS, json.find("completed"))
                .fact(RunFact.FAILED_REQUESTS, json.find("failed"))
                .fact(RunFact.DURATION_NS, json.find("duration"), 1e9);
        for (long at : List.of(0L, arrivalMs)) {
            Request request = Request.completed("r" + at, at * MS, (at + 5) * MS, (at + 10) * MS, 10, 4, new long[0]);
            builder.request("file:" + at, request);
        }
        if (expected.equals("refused")) {
            assertThatThrownBy(builder::done).hasMessageContaining("file#/");
        } else {
            assertThat(builder.done().warnings().stream().anyMatch(w -> w.contains("the file ")))
                    .isEqualTo(expected.equals("warned"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "e2e, 20000, 10, duration of 10000.0 ms",
        "ttft, 20000, 10, duration of 10000.0 ms",
        "token_gap, 20000, 10, duration of 10000.0 ms"
    })
    void rejectsLatenciesLongerThanTheRun(String metric, double ms, double seconds, String expected) {
        MeasurementBuilder builder = builder()
                .fact(
                        RunFact.DURATION_NS,
                        Json.parse("{\"d\": " + seconds + "}", "file").find("d"),
                        1e9);
        builder.published(figure(metric, "p99", ms), "file#/p99");
        assertThatThrownBy(builder::done).hasMessageContainingAll(expected, metric + " p99", "file#/d");
    }

    @ParameterizedTest
    @CsvSource({
        "output_tokens_per_s, 2e8, 1, true",
        "total_tokens_per_s, 2e8, 4, false",
        "total_tokens_per_s, 1e9, 4, true"
    })
    void rejectsRatesAboveTheFastestDevice(String rate, double value, long devices, boolean isRefused) {
        MeasurementBuilder stated = builder().rate(rate, value).devices(devices, "file#/tp");
        if (isRefused) {
            assertThatThrownBy(stated::done).hasMessageContainingAll(rate, "expected at most");
            assertThat(builder().rate(rate, value).done().warnings()).anyMatch(w -> w.startsWith(rate));
        } else {
            assertThat(stated.done().warnings()).noneMatch(w -> w.startsWith(rate));
        }
    }

    @Test
    void rejectsClampedTimes() {
        for (double ns : new double[] {Double.NaN, 1e300, -1e300, Double.POSITIVE_INFINITY}) {
            assertThat(ToolUnits.isDuration(ToolUnits.round(ns))).isFalse();
        }
        long[] ends = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE};
        for (long stamp : ends) {
            for (long origin : ends) {
                long since = ToolUnits.since(stamp, origin);
                assertThat(Long.signum(since)).isEqualTo(Long.compare(stamp, origin));
                assertThat(ToolUnits.isDuration(since)).isEqualTo(stamp >= origin && since < YEAR);
            }
        }
    }

    private static final String BLIS =
            "request_id,input_tokens,output_tokens,arrival_time_us,send_time_us,first_chunk_time_us,last_chunk_time_us,status\n";

    @Test
    void measuresFromTheSendTimeWithTwoOrigins() throws IOException {
        String text = BLIS + "0,10,4,0,1789000000000300,1789000000041300,1789000000212300,ok\n"
                + "1,10,4,180000,1789000000180400,1789000000228400,1789000000366400,ok\n";
        Measurement m = read("trace.csv", text);
        assertThat(m.requests().all()).extracting(r -> r.first() - r.arrival()).containsExactly(41 * MS, 48 * MS);
        assertThat(m.warnings()).anyMatch(w -> w.contains("different origins") && w.contains("trace.csv:2"));
        ReadOptions intended = new ReadOptions(Optional.empty(), Optional.of(ArrivalTime.INTENDED));
        assertThatThrownBy(() -> read("trace.csv", text, intended)).hasMessageContaining("real.arrivals=sent");
        String zero = BLIS + "0,10,4,0,1789000000000300,41300,212300,ok\n1,10,4,1,1789000000180400,48000,366400,ok\n";
        assertThatThrownBy(() -> read("zero.csv", zero)).hasMessageContaining("zero.csv:2");
    }

    @Test
    void infersTheCollectiveFromTheRatioOfBandwidths() throws IOException {
        String[][] tests = {
            {"sum", "-1", "1.75", "all_reduce"},
            {"sum", "-1", "0.875", "reduce_scatter"},
            {"sum", "0", "1", "reduce"},
            {"none", "0", "1", "broadcast"},
            {"none", "-1", "0.875", "unknown"}
        };
        for (String[] test : tests) {
            String bus = String.valueOf(100 * Double.parseDouble(test[2]));
            String side = " 10.00 100.00 " + bus + " 0";
            String text = ranks(8) + "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
                    + " 1000000 250000 float " + test[0] + " " + test[1] + side + side + "\n";
            Measurement m = read("run.log", text);
            assertThat(m.operations().collectives())
                    .extracting(Collective::collective)
                    .containsOnly(test[3]);
            assertThat(m.warnings()).anyMatch(w -> w.contains("does not name its test"));
        }
    }

    private static String ranks(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) {
            text.append("#  Rank ").append(i).append(" Group  0 Pid 200 on node device 0\n");
        }
        return text.toString();
    }

    private static final String TABLE = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
            + " 1000000 250000 float %s -1 10.00 100.00 %s 0 10.00 100.00 %s 0\n";

    @Test
    void readsRanksAndNamesOfEachTestInALog() throws IOException {
        String text = "# Collective test starting: all_reduce_perf\n" + ranks(4)
                + TABLE.formatted("sum", "150.00", "150.00") + "# Collective test starting: all_gather_perf\n"
                + ranks(2) + TABLE.formatted("none", "50.00", "50.00");
        assertThat(read("two.log", text).operations().collectives())
                .extracting(c -> c.collective() + c.ranks())
                .containsExactly("all_reduce4", "all_reduce4", "all_gather2", "all_gather2");
        List<String> missing =
                new ArrayList<>(Arrays.asList((ranks(8) + TABLE.formatted("sum", "175.00", "175.00")).split("\n", 0)));
        missing.remove(3);
        assertThatThrownBy(() -> read("missing.log", String.join("\n", missing)))
                .hasMessageContaining("7 ranks");
        assertThatThrownBy(() -> read("again.log", ranks(8) + ranks(8) + TABLE.formatted("sum", "175.00", "175.00")))
                .hasMessageContainingAll("again.log:9", "rank 0");
        assertThatThrownBy(() -> read(
                        "other.log", "./all_reduce_perf\n" + ranks(16) + TABLE.formatted("sum", "175.00", "175.00")))
                .hasMessageContainingAll("other.log:19", "16 ranks");
    }
}
