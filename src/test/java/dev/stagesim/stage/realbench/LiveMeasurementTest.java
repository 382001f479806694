package dev.stagesim.stage.realbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.RawServer;
import dev.stagesim.contract.MeasuredTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.BenchSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.Defaults;
import dev.stagesim.settings.EndpointSettings;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.RealSettings.Source;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Live measurements of servers that misbehave: every request is accounted for, and what went wrong is said. */
class LiveMeasurementTest {
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final CountDownLatch over = new CountDownLatch(1);
    private Path workload = disk.getPath("/workload");
    private Optional<Path> journal = Optional.empty();
    private Optional<String> keyVariable = Optional.empty();
    private double stallSeconds = 60;
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

    private FakeContext measure(String url) throws IOException {
        FakeContext context = new FakeContext(
                        Files.createDirectories(disk.getPath("/out" + runs++)), disk.getPath("/home"))
                .with("workload", workload, "workload");
        EndpointSettings endpoint = new EndpointSettings(
                Optional.of(url),
                EndpointSettings.Api.COMPLETIONS,
                Optional.empty(),
                Optional.empty(),
                keyVariable,
                100,
                0,
                journal,
                true,
                60,
                stallSeconds,
                120);
        RealSettings real = new RealSettings(
                Source.ENDPOINT, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), 0.001, false);
        new RealBenchStage()
                .run(
                        new RealBenchSettings(
                                CardFiles.model("qwen3"),
                                CardFiles.hardware("a100"),
                                Defaults.workload(),
                                Defaults.arrival(),
                                Compat.NONE,
                                real,
                                endpoint,
                                new BenchSettings.None(),
                                new SuiteSettings(SuiteSettings.Values.TABLE),
                                Defaults.engine(),
                                Defaults.scheduler(),
                                Defaults.cluster()),
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
    void everyFaultIsOneRequestsOwn() throws Exception {
        requests(30);
        stallSeconds = 3;
        try (RawServer server = new RawServer((n, head, socket) -> {
            switch (n % 6) {
                case 1 -> {
                    RawServer.tokens(socket, 2);
                    RawServer.die(socket);
                }
                case 2 -> RawServer.write(socket, "\u0000\u0001 no HTTP at all\r\n\r\n");
                case 3 -> {
                    RawServer.tokens(socket, 1);
                    over.await();
                }
                case 4 -> RawServer.tokens(socket, 2);
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
                    .contains("5 of 30 requests failed: the connection broke")
                    .contains("5 of 30 requests failed: nothing came for 3 s")
                    .contains("5 of 30 requests failed: the stream ended early, after 2 chunks")
                    .contains("5 of 30 requests failed: an event of the stream is no completion");
        }
    }

    @Test
    void aServerThatIsGoneForGoodFailsTheStage() throws Exception {
        requests(4);
        RawServer server = new RawServer((n, head, socket) -> {});
        server.close();
        assertThatThrownBy(() -> measure(server.url()))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.FAILED))
                .hasMessageContainingAll("all 4 requests failed", "cannot connect");
    }

    @Test
    void anInterruptedReplayGoesOnWithWhatIsLeft() throws Exception {
        requests(8);
        journal = Optional.of(disk.getPath("/journals/replay.jsonl"));
        Set<String> sent = new ConcurrentSkipListSet<>();
        try (RawServer server = new RawServer((n, head, socket) -> {
            sent.add(head + n);
            RawServer.whole(socket, 3);
        })) {
            measure(server.url());
            assertThat(sent).hasSize(8);
            // what a kill leaves: some lines, the last one cut off
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
                    .hasMessageContaining("is of another replay");
        }
    }

    @Test
    void theKeyIsSentAndWrittenNowhere() throws Exception {
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
}
