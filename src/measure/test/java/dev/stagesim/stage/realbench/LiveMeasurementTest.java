package dev.stagesim.stage.realbench;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.Cancellation;
import dev.stagesim.bench.LiveWorkload;
import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.bench.RawServer;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.measure.CancelSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EndpointSettings;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Live measurements of faulty servers. Every request has an outcome, and errors are reported. */
@Tag("acceptance")
class LiveMeasurementTest {
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final CountDownLatch over = new CountDownLatch(1);
    private Path workload = disk.getPath("/workload");
    private Optional<Path> journal = Optional.empty();
    private Optional<String> keyVariable = Optional.empty();
    private CancelSettings cancel = new CancelSettings.None();
    private Optional<String> allowHost = Optional.empty();
    private double stallSeconds = 60;
    private Optional<Double> maxFailedPercent = Optional.empty();
    private Optional<String> salt = Optional.of("s");
    private int runs;

    @BeforeEach
    void make() throws IOException {
        Files.createDirectories(workload);
    }

    @AfterEach
    void close() throws IOException {
        over.countDown();
        disk.close();
    }

    private void requests(int count) throws IOException {
        List<String> lengths = new ArrayList<>(List.of("request_id,prompt_id,num_prefill_tokens,num_decode_tokens"));
        List<String> times = new ArrayList<>(List.of("request_id,inter_arrival_ns,arrival_time_ns"));
        for (int i = 0; i < count; i++) {
            lengths.add(i + ",p" + i + ",7,3");
            times.add(i + "," + (i == 0 ? 0 : 2_000_000) + "," + i * 2_000_000L);
        }
        Files.write(workload.resolve("trace_lengths.csv"), lengths);
        Files.write(workload.resolve("trace_intervals.csv"), times);
    }

    private EndpointSettings endpoint(String url) {
        return KeyRecord.of(
                EndpointSettings.class,
                Map.ofEntries(
                        entry("url", Optional.of(url)),
                        entry("allowHost", allowHost),
                        entry("apiKeyEnv", keyVariable),
                        entry("promptSalt", salt),
                        entry("maxConcurrency", 100),
                        entry("warmupRequests", 0),
                        entry("journal", journal),
                        entry("cancel", cancel),
                        entry("connectTimeout", 60),
                        entry("stallTimeout", stallSeconds),
                        entry("requestTimeout", 120),
                        entry("maxFailedPercent", maxFailedPercent)));
    }

    private FakeContext measure(String url) throws IOException {
        FakeContext context = new FakeContext(
                        Files.createDirectories(disk.getPath("/out" + runs++)), disk.getPath("/home"))
                .with("workload", workload, "workload");
        EndpointSettings endpoint = endpoint(url);
        RealSettings real = KeyRecord.with(RealSettings.class, Defaults.real(), Map.of("source", "endpoint"));
        new RealBenchStage()
                .run(
                        Defaults.of(
                                RealBenchSettings.class,
                                Map.ofEntries(
                                        entry("model", CardFiles.model("qwen3")),
                                        entry("hardware", CardFiles.hardware("a100")),
                                        entry("real", real),
                                        entry("endpoint", endpoint),
                                        entry("suite", new SuiteSettings(SuiteSettings.Values.TABLE)))),
                        context);
        return context;
    }

    private static List<String> column(FakeContext context, TableSchema schema, String column) throws IOException {
        List<String> values = new ArrayList<>();
        try (TableReader reader = TableReader.open(context.out().resolve(schema.name()), schema)) {
            int at = reader.column(column);
            while (reader.next()) {
                values.add(reader.stringAt(at));
            }
        }
        return values;
    }

    @Test
    void attributesEachFaultToOneRequest() throws Exception {
        requests(30);
        try (RawServer server = new RawServer((n, head, socket) -> {
            switch (n % 6) {
                case 1 -> {
                    RawServer.tokens(socket, 2);
                    RawServer.die(socket);
                }
                case 2 -> RawServer.write(socket, "\u0000\u0001 no HTTP at all\r\n\r\n");
                case 3, 4 -> RawServer.tokens(socket, 2);
                case 5 -> {
                    RawServer.tokens(socket, 1);
                    RawServer.write(socket, "data: {\"choices\":oops}\n\n");
                }
                default -> RawServer.whole(socket, 3);
            }
        })) {
            FakeContext context = measure(server.url());
            assertThat(column(context, Tables.REQUEST_METRICS, "status"))
                    .hasSize(30)
                    .filteredOn("completed"::equals)
                    .hasSize(5);
            assertThat(column(context, MeasuredTables.CLIENT_METRICS, "error"))
                    .hasSize(30)
                    .filteredOn(String::isEmpty)
                    .hasSize(5);
            assertThat(context.headlines).containsEntry("requests", 30.0).containsEntry("failed", 25.0);
            String warnings = String.join("\n", context.warnings);
            assertThat(warnings)
                    .contains("5 of 30 requests failed: the connection failed")
                    .contains("10 of 30 requests failed: the stream ended early, after 2 chunks")
                    .contains("5 of 30 requests failed: an event of the stream is not a completion");
        }
    }

    private List<Long> sorted(FakeContext context, String times) throws IOException {
        return column(context, Tables.REQUEST_METRICS, times).stream()
                .map(Long::valueOf)
                .sorted()
                .toList();
    }

    /**
     * In a closed loop, each client sends its next request when the previous one ends, regardless of recorded times.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void replaysAClosedLoopAsAClosedLoop(int clients) throws Exception {
        requests(12);
        Files.writeString(workload.resolve("measurement.json"), "{\"workload\":{\"closed_loop\":" + clients + "}}");
        AtomicInteger open = new AtomicInteger();
        AtomicInteger maxOpen = new AtomicInteger();
        CountDownLatch allClients = new CountDownLatch(clients);
        try (RawServer server = new RawServer((n, head, socket) -> {
            maxOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
            allClients.countDown();
            allClients.await();
            open.decrementAndGet();
            RawServer.whole(socket, 3);
        })) {
            FakeContext context = measure(server.url());
            assertThat(maxOpen.get()).isEqualTo(clients);
            List<Long> starts = sorted(context, "arrival_time_ns");
            List<Long> ends = sorted(context, "completion_time_ns");
            for (int i = clients; i < 12; i++) {
                assertThat(starts.get(i)).as("start %d", i).isGreaterThanOrEqualTo(ends.get(i - clients));
            }
            LocatedJson document = Json.read(context.out().resolve("measurement.json"));
            assertThat(document.get("workload").get("closed_loop").asLong()).isEqualTo(clients);
            assertThat(document.get("settings").get("max_concurrency").asLong()).isEqualTo(clients);
            assertThat(context.warnings).anyMatch(w -> w.contains("closed loop of " + clients));
        }
    }

    /** Requests 3 to 5 are the second turns of the sessions of requests 0 to 2. */
    @Test
    void sendsATurnAfterTheAnswerOfItsSession() throws Exception {
        requests(6);
        List<String> tokens = new ArrayList<>(List.of("request_id,first_token,num_tokens"));
        for (int i = 3; i < 6; i++) {
            tokens.add(i + "," + ((2L * (i - 3) + 1) << 32) + ",5");
        }
        Files.write(workload.resolve("trace_tokens.csv"), tokens);
        Json.writeDocument(workload, new ClosedLoopDocument(1, 0, 0, true));
        try (RawServer server = new RawServer((n, head, socket) -> RawServer.whole(socket, 3))) {
            FakeContext context = measure(server.url());
            List<Long> sent = column(context, MeasuredTables.CLIENT_METRICS, "sent_ns").stream()
                    .map(Long::valueOf)
                    .toList();
            assertThat(List.of(0, 3, 1, 4, 2, 5).stream().map(sent::get)).isSorted();
            assertThat(sent.get(3) - sent.get(0)).isGreaterThanOrEqualTo(6_000_000);
            assertThat(Json.read(context.out().resolve("measurement.json")).has("workload"))
                    .isFalse();
        }
    }

    @Test
    void limitsTheRequestsInFlight() throws Exception {
        requests(12);
        Json.writeDocument(workload, new ClosedLoopDocument(3, 0.3, 4, false));
        AtomicInteger open = new AtomicInteger();
        AtomicInteger maxOpen = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(2);
        try (RawServer server = new RawServer((n, head, socket) -> {
            maxOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
            second.countDown();
            second.await();
            open.decrementAndGet();
            RawServer.whole(socket, 3);
        })) {
            FakeContext context = measure(server.url());
            assertThat(maxOpen.get()).isBetween(2, 3);
            assertThat(column(context, Tables.REQUEST_METRICS, "status")).hasSize(8);
            List<Long> sent = column(context, MeasuredTables.CLIENT_METRICS, "sent_ns").stream()
                    .map(Long::valueOf)
                    .toList();
            assertThat(sent).hasSize(12);
            assertThat(sent.get(1)).as("ramp-up").isGreaterThanOrEqualTo(100_000_000);
            assertThat(Json.read(context.out().resolve("measurement.json"))
                            .get("workload")
                            .get("closed_loop")
                            .asLong())
                    .isEqualTo(3);
            assertThat(context.warnings).noneMatch(w -> w.contains("closed loop"));
        }
    }

    @Test
    void abortsStalledResponses() throws Exception {
        requests(4);
        stallSeconds = 1;
        try (RawServer server = new RawServer((n, head, socket) -> {
            RawServer.tokens(socket, 1);
            over.await();
        })) {
            assertThatThrownBy(() -> measure(server.url()))
                    .hasMessageContaining("all 4 requests failed: no data for 1 s");
        }
    }

    @Test
    void failsTheCheckButKeepsTheRunWithTooManyFailures() throws Exception {
        requests(4);
        try (RawServer server = new RawServer((n, head, socket) -> RawServer.whole(socket, n % 4 == 0 ? 3 : 0))) {
            assertThat(measure(server.url()).failedChecks)
                    .as("without a limit only all of them")
                    .isEmpty();
            maxFailedPercent = Optional.of(75.0);
            assertThat(measure(server.url()).failedChecks).isEmpty();
            maxFailedPercent = Optional.of(74.0);
            FakeContext strict = measure(server.url());
            assertThat(strict.failedChecks).hasSize(1);
            assertThat(strict.failedChecks.get(0).toString())
                    .contains(
                            "endpoint.max_failed_percent", "3 of 4 requests failed, which is 75 %; the limit is 74 %");
            assertThat(column(strict, Tables.REQUEST_METRICS, "status"))
                    .as("all rows are written")
                    .hasSize(4);
            assertThat(strict.headlines).containsEntry("failed", 3.0);
        }
    }

    @Test
    void failsTheStageWhenTheServerStops() throws Exception {
        requests(4);
        RawServer server = new RawServer((n, head, socket) -> {});
        server.close();
        assertThatThrownBy(() -> measure(server.url()))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.FAILED))
                .hasMessageContainingAll("all 4 requests failed", "cannot connect");
    }

    @Test
    void resumesAnInterruptedReplay() throws Exception {
        requests(8);
        journal = Optional.of(disk.getPath("/journals/replay.jsonl"));
        Set<String> sent = new ConcurrentSkipListSet<>();
        try (RawServer server = new RawServer((n, head, socket) -> {
            sent.add(head + n);
            RawServer.whole(socket, 3);
        })) {
            measure(server.url());
            assertThat(sent).hasSize(8);
            // After a kill, the journal has some lines, and the last one is truncated.
            List<String> lines = Files.readAllLines(journal.get(), StandardCharsets.UTF_8);
            assertThat(lines).hasSize(9);
            Files.writeString(
                    journal.get(),
                    String.join("\n", lines.subList(0, 5)) + "\n" + lines.get(5).substring(0, 30));
            FakeContext again = measure(server.url());
            assertThat(sent).as("four were missing").hasSize(12);
            assertThat(column(again, Tables.REQUEST_METRICS, "status"))
                    .hasSize(8)
                    .containsOnly("completed");
            assertThat(column(again, MeasuredTables.CLIENT_METRICS, "intended_ns"))
                    .containsExactly(
                            "0", "2000000", "4000000", "6000000", "8000000", "10000000", "12000000", "14000000");
            assertThat(again.warnings).anyMatch(w -> w.contains("resumed: 4 of 8 requests were in replay.jsonl"));
            measure(server.url());
            assertThat(sent).as("nothing was missing").hasSize(12);
            requests(9);
            assertThatThrownBy(() -> measure(server.url()))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("belongs to another replay");
        }
    }

    @Test
    void countsClientCancellationsSeparately() throws Exception {
        requests(6);
        Path list = Files.writeString(disk.getPath("/give-up.csv"), "request_id,after_tokens,after_s\n1,2,\n4,,0.05\n");
        cancel = new CancelSettings.Listed(list);
        try (RawServer server = new RawServer((n, head, socket) -> {
            String name = head.replaceAll("(?is).*x-request-id: *\\S+-(\\d+)\\s.*", "$1");
            if (name.equals("1") || name.equals("4")) {
                RawServer.tokens(socket, name.equals("1") ? 2 : 1);
                over.await();
            } else if (name.equals("5")) {
                RawServer.tokens(socket, 1);
            } else {
                RawServer.whole(socket, 3);
            }
        })) {
            FakeContext context = measure(server.url());
            assertThat(column(context, Tables.REQUEST_METRICS, "status"))
                    .containsExactly("completed", "cancelled", "completed", "completed", "cancelled", "failed");
            List<String> tokens = column(context, Tables.REQUEST_METRICS, "num_decode_tokens_actual");
            assertThat(tokens.get(4)).as("tokens before the cancellation").isIn("0", "1");
            tokens.set(4, "-");
            assertThat(tokens).containsExactly("3", "2", "3", "3", "-", "1");
            assertThat(column(context, MeasuredTables.CLIENT_METRICS, "cancelled"))
                    .containsExactly("false", "true", "false", "false", "true", "false");
            assertThat(context.headlines)
                    .containsEntry("requests", 6.0)
                    .containsEntry("failed", 1.0)
                    .containsEntry("cancelled", 2.0);
            assertThat(context.warnings).anyMatch(w -> w.startsWith("1 of 6 requests failed"));
            assertThat(Files.readString(context.out().resolve("summary.md"))).contains("2 given up by their client");
        }
    }

    @Test
    void checksAllCancellations() throws Exception {
        requests(3);
        Path list = Files.writeString(
                disk.getPath("/give-up.csv"), "request_id,after_tokens,after_s\n7,2,\n1,,\n2,0,\n0,1,\n0,2,\n");
        cancel = new CancelSettings.Listed(list);
        assertThatThrownBy(() -> measure("http://127.0.0.1:9/v1"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(
                        "request_id is 7, but the workload has 3 requests",
                        "has neither after_tokens nor after_s",
                        "after_tokens must be at least 1",
                        "lists request 0 again");
        Files.writeString(list, "request_id\n1\n");
        assertThatThrownBy(() -> measure("http://127.0.0.1:9/v1")).hasMessageContaining("no column 'after_tokens'");
        assertThatThrownBy(() -> new CancelSettings.Share(0.5, Optional.empty(), Optional.empty(), 1))
                .hasMessageContaining("endpoint.cancel.after_tokens");
    }

    @Test
    void selectsTheSameShareOfRequestsEachTime() throws Exception {
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            requests.add(new PlannedRequest(i, i, "p", 5));
        }
        CancelSettings share = new CancelSettings.Share(0.2, Optional.of(2), Optional.of(1.5), 3);
        List<PlannedRequest> planned = Cancellations.plan(share, requests);
        assertThat(planned).isEqualTo(Cancellations.plan(share, requests));
        List<Cancellation> drawn = planned.stream()
                .map(PlannedRequest::cancellation)
                .filter(c -> !c.equals(Cancellation.NEVER))
                .toList();
        assertThat(drawn).hasSizeBetween(150, 250).containsOnly(new Cancellation(2, 1_500_000_000L));
    }

    @Test
    void rejectsAnotherMachineUnlessItIsNamed() {
        assertThatThrownBy(() -> measure("http://example.com:8000/v1"))
                .isInstanceOfSatisfying(
                        StageException.class,
                        e -> assertThat(e.kind().exitCode()).isEqualTo(2))
                .hasMessageContainingAll("example.com, which is another machine", "endpoint.allow_host=example.com");
        // A host name with a local prefix is still a remote host.
        assertThatThrownBy(() -> measure("http://127.0.0.1.example.com/v1")).hasMessageContaining("another machine");
        assertThatThrownBy(() -> measure("http://localhost@example.com/v1")).hasMessageContaining("no user");
        allowHost = Optional.of("example.com");
        assertThatThrownBy(() -> measure("http://other.example.com/v1")).hasMessageContaining("another machine");
        assertThatThrownBy(() -> measure("http://127.0.0.1:9/v1"))
                .hasMessageContaining("endpoint.allow_host: has no effect");
        assertThat(LiveServer.of(endpoint("http://example.com:8000/v1"), "m").toString())
                .startsWith("http://example.com:8000/v1/");
    }

    @Test
    void sendsTheKeyAndWritesItNowhere() throws Exception {
        requests(2);
        keyVariable = Optional.of("PATH");
        journal = Optional.of(disk.getPath("/journals/replay.jsonl"));
        String key = System.getenv("PATH");
        Set<String> heads = new ConcurrentSkipListSet<>();
        try (RawServer server = new RawServer((n, head, socket) -> {
            heads.add(head);
            RawServer.whole(socket, 3);
        })) {
            FakeContext context = measure(server.url());
            assertThat(heads).allMatch(head -> head.contains("Authorization: Bearer " + key));
            assertThat(context.warnings).noneMatch(w -> w.contains(key));
        }
        try (Stream<Path> all = Files.walk(disk.getPath("/"))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file)).as(file.toString()).doesNotContain(key);
            }
        }
    }

    private List<String> prompts(RawServer server, List<String> bodies) throws IOException {
        bodies.clear();
        measure(server.url());
        return List.copyOf(bodies);
    }

    /** Prompts of different runs have different prefixes, unless they use the same salt. */
    @Test
    void generatesDifferentPromptsInEachRun() throws Exception {
        requests(5);
        List<String> prompts = new CopyOnWriteArrayList<>();
        try (RawServer server = RawServer.ofBodies((body, socket) -> {
            prompts.add(Json.parse(body, "body").get("prompt").asString());
            RawServer.whole(socket, 3);
        })) {
            salt = Optional.empty();
            Set<String> first = new TreeSet<>(prompts(server, prompts));
            Set<String> second = new TreeSet<>(prompts(server, prompts));
            assertThat(first).hasSize(5).doesNotContainAnyElementsOf(second);
            salt = Optional.of("again");
            Set<String> third = new TreeSet<>(prompts(server, prompts));
            assertThat(new TreeSet<>(prompts(server, prompts))).isEqualTo(third).doesNotContainAnyElementsOf(first);
        }
    }

    @Test
    void sharesPrefixesOfTheWorkload() throws Exception {
        requests(3);
        Files.write(
                workload.resolve("trace_tokens.csv"),
                List.of("request_id,first_token,num_tokens", "0,100,4", "2,100,4", "2,900,1"));
        LiveWorkload live = LiveWorkload.read(
                new FakeContext(disk.getPath("/o"), disk.getPath("/h"))
                        .with("workload", workload, "workload")
                        .input("workload"),
                "s");
        List<List<String>> words = live.requests().stream()
                .map(request -> List.of(request.prompt().strip().split(" ")))
                .toList();
        assertThat(words).allMatch(prompt -> prompt.size() == 7);
        assertThat(words.get(0).subList(0, 4)).isEqualTo(words.get(2).subList(0, 4));
        assertThat(words.get(0).subList(0, 4)).isNotEqualTo(words.get(1).subList(0, 4));
        assertThat(live.warmUp(9)).hasSize(3).noneMatch(warm -> live.requests().stream()
                .anyMatch(request -> request.prompt().equals(warm.prompt())));
    }

    /** Counters of two engines, with and without labels. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "vllm:prefix_cache_queries_total{engine=\"0\"} %d\nvllm:prefix_cache_hits_total{engine=\"0\"} %d.0\n",
                "sglang:prompt_tokens_total{m=\"a b\"} %d\nsglang:cached_tokens_total{m=\"a b\"} %d\n"
            })
    void reportsUnintendedPrefixCacheHits(String metrics) throws Exception {
        requests(4);
        AtomicInteger looks = new AtomicInteger();
        for (int hits : new int[] {0, 60}) {
            try (RawServer server = new RawServer((n, head, socket) -> RawServer.whole(socket, 3))) {
                server.page("/metrics", () -> {
                    int look = looks.getAndIncrement() % 3 == 0 ? 0 : 1;
                    return String.format(Locale.ROOT, metrics, 1000 + 100 * look, 500 + hits * look);
                });
                looks.set(0);
                assertThat(measure(server.url()).warnings.stream().anyMatch(w -> w.contains("prefix cache")))
                        .isEqualTo(hits > 0);
            }
        }
    }

    @Test
    void selectsTheOnlyModelOfTheServer() throws Exception {
        requests(1);
        List<String> models = new CopyOnWriteArrayList<>();
        try (RawServer server = RawServer.ofBodies((body, socket) -> {
            models.add(Json.parse(body, "body").get("model").asString());
            RawServer.whole(socket, 3);
        })) {
            server.page("/v1/models", () -> "{\"data\": [{\"id\": \"served-here\"}]}");
            measure(server.url());
            assertThat(models).containsOnly("served-here");
            server.page("/v1/models", () -> "{\"data\": [{\"id\": \"a\"}, {\"id\": \"b\"}]}");
            assertThatThrownBy(() -> measure(server.url()))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("endpoint.model")
                    .hasMessageContaining("a, b");
        }
    }
}
