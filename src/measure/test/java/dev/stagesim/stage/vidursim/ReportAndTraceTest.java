package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportAndTraceTest {
    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
        runs.cluster = SimRuns.cluster(2, 1, 2, GlobalPolicy.ROUND_ROBIN, Optional.empty());
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    @Test
    void writesASelfContainedReport() throws IOException {
        runs.report = true;
        String html = Files.readString(runs.run().out().resolve("report.html"));
        assertThat(html)
                .contains("20 of 20 requests completed", "Time to first token", "KV cache in use", "Waiting requests")
                .contains("r0 s0", "r1 s1", "prefers-color-scheme: dark", "width=device-width")
                .contains("<title>batch 0: ")
                .doesNotContain("<script src", "http://www.w3.org/1999", "src=");
        assertThat(html.length()).isLessThan(300_000);
    }

    @Test
    void thinsALongRunAndReportsIt() throws IOException {
        runs.report = true;
        runs.requests(200, 30, 60);
        String html = Files.readString(runs.run().out().resolve("report.html"));
        assertThat(html).contains("The first 240 batches on stages", "too many batches to draw");
        assertThat(html.length()).isLessThan(400_000);
    }

    @Test
    void omitsTheReportOnRequest() throws IOException {
        assertThat(runs.run().out().resolve("report.html")).doesNotExist();
    }

    private List<LocatedJson> trace(FakeContext context) throws IOException {
        return Json.read(context.out().resolve("trace.json")).get("traceEvents").items();
    }

    @Test
    void namesTracksAndClosesPhasesInTheTrace() throws IOException {
        runs.traceEvents = 100_000;
        List<LocatedJson> events = trace(runs.run());
        Map<String, List<LocatedJson>> kinds =
                events.stream().collect(Collectors.groupingBy(e -> e.get("ph").asString()));
        assertThat(kinds).containsOnlyKeys("M", "X", "C", "b", "e");
        assertThat(kinds.get("M"))
                .extracting(e -> e.get("args").get("name").asString())
                .containsExactly("requests", "replica 0", "stage 0", "stage 1", "replica 1", "stage 0", "stage 1");
        assertThat(kinds.get("X")).allSatisfy(e -> {
            assertThat(e.get("ts").asDouble()).isNotNegative();
            assertThat(e.get("dur").asDouble()).isPositive();
            assertThat(e.get("pid").asInt()).isBetween(1, 2);
            assertThat(e.get("tid").asInt()).isBetween(0, 1);
        });
        assertThat(kinds.get("C").stream().map(e -> e.get("name").asString()).distinct())
                .containsExactlyInAnyOrder("batch size", "KV blocks", "queue");
        assertThat(open(events)).isEmpty();
    }

    @Test
    void writesBatchesWithoutOverlapPerStage() throws IOException {
        runs.traceEvents = 100_000;
        runs.requests(60, 30, 60);
        Map<String, Long> ends = new HashMap<>();
        for (LocatedJson event : trace(runs.run())) {
            if (event.get("ph").asString().equals("X")) {
                String track = event.get("pid").asInt() + "/" + event.get("tid").asInt();
                long begin = nanos(event.get("ts"));
                assertThat(begin).isGreaterThanOrEqualTo(ends.getOrDefault(track, 0L));
                ends.put(track, begin + nanos(event.get("dur")));
            }
        }
        assertThat(ends).hasSize(4);
    }

    private static long nanos(LocatedJson micros) {
        return Math.round(micros.asDouble() * 1000);
    }

    @Test
    void writesACounterWhenItChanges() throws IOException {
        runs.traceEvents = 100_000;
        Map<String, Integer> last = new HashMap<>();
        for (LocatedJson event : trace(runs.run())) {
            if (event.get("ph").asString().equals("C")) {
                String track = event.get("pid").asInt() + event.get("name").asString();
                int value =
                        event.get("args").members().values().iterator().next().asInt();
                assertThat(Optional.ofNullable(last.put(track, value)))
                        .as(track)
                        .isNotEqualTo(Optional.of(value));
            }
        }
        assertThat(last.entrySet().stream().filter(e -> e.getKey().contains("KV")))
                .hasSize(2)
                .allSatisfy(e -> assertThat(e.getValue()).isZero());
    }

    @Test
    void keepsATruncatedTraceValidAndReportsTheTruncation() throws IOException {
        for (int limit : new int[] {50, 51, 200, 201, 202, 203}) {
            runs.traceEvents = limit;
            FakeContext context = runs.run();
            List<LocatedJson> events = trace(context);
            assertThat(events.size() - 7).isLessThanOrEqualTo(limit);
            assertThat(open(events)).isEmpty();
            assertThat(context.output).anyMatch(w -> w.contains("simulation.trace_events=" + limit));
        }
    }

    /** Returns asynchronous phases that begin and do not end. */
    private static Map<String, Integer> open(List<LocatedJson> events) {
        Map<String, Integer> open = new HashMap<>();
        for (LocatedJson event : events) {
            String kind = event.get("ph").asString();
            if (kind.equals("b") || kind.equals("e")) {
                String key = event.get("id").asInt() + event.get("name").asString();
                open.merge(key, kind.equals("b") ? 1 : -1, Integer::sum);
            }
        }
        open.values().removeIf(count -> count == 0);
        return open;
    }
}
