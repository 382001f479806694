package dev.stagesim.feature.mock;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.Endpoint;
import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.bench.Replay;
import dev.stagesim.bench.ReplayOutcome;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.OnlineSettings;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.stage.Checks;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The artifacts of a server's run, on a file system in memory and a port of loopback. */
class ServeMockStageTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path out = files.getPath("/out");
    private final Path bundle = files.getPath("/bundle");

    @BeforeEach
    void bundle() throws IOException {
        Files.createDirectories(out);
        Files.createDirectories(bundle);
        VidurProfileSettings made = new VidurProfileSettings(
                CardFiles.model("qwen3"), CardFiles.hardware("a100"), ProfileDefaults.roofline(1), Defaults.engine());
        new VidurProfileStage().run(made, new FakeContext(bundle, files.getPath("/")));
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    private static ServeMockSettings settings(Optional<Long> requests, double jitter, Optional<Long> seed) {
        return Defaults.of(
                ServeMockSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model("qwen3")),
                        entry("hardware", CardFiles.hardware("a100")),
                        entry("profile", ProfileDefaults.roofline(1)),
                        entry(
                                "simulation",
                                new OnlineSettings(
                                        Optional.of(2048), Defaults.online().overheads())),
                        entry(
                                "server",
                                KeyRecord.of(
                                        ServerSettings.class,
                                        Map.ofEntries(
                                                entry("port", 0),
                                                entry("model", Optional.of("m")),
                                                entry("maxRequests", 64),
                                                entry("jitter", jitter),
                                                entry("seed", seed),
                                                entry("stopAfterRequests", requests),
                                                entry("stopAfter", Optional.of(60.0)))))));
    }

    private FakeContext context() {
        return new FakeContext(out, files.getPath("/")).with("profiling", bundle, "vidur_profile");
    }

    private static URI address(FakeContext context) throws InterruptedException {
        String text = context.output.poll(60, TimeUnit.SECONDS);
        assertThat(text).startsWith("listening on http://127.0.0.1:");
        return URI.create(text.split(" ", 0)[2]);
    }

    private static CompletableFuture<Void> start(ServeMockSettings settings, FakeContext context) {
        return CompletableFuture.runAsync(() -> {
            try {
                new ServeMockStage().run(settings, context);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static List<ReplayOutcome> replay(URI base, int count) {
        List<PlannedRequest> requests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            requests.add(new PlannedRequest(i, 5_000_000L * i, "four words of text", 6));
        }
        Duration minute = Duration.ofMinutes(1);
        Endpoint endpoint = new Endpoint(base, false, "m", Optional.empty(), minute, minute, minute, true);
        return Replay.run(endpoint, requests, 64, (o, done, all) -> {}).outcomes();
    }

    private long rows(TableSchema schema) throws IOException {
        long rows = 0;
        try (TableReader reader = TableReader.open(out.resolve(schema.name()), schema)) {
            while (reader.next()) {
                rows++;
            }
        }
        return rows;
    }

    @Test
    void writesRequestsAsWorkloadAndSimulatedRun() throws Exception {
        FakeContext context = context();
        CompletableFuture<Void> run = start(settings(Optional.of(7L), 0.1, Optional.of(3L)), context);
        assertThat(replay(address(context), 7)).allSatisfy(o -> {
            assertThat(o.error()).isEmpty();
            assertThat(o.chunkNs()).hasSize(6);
            assertThat(o.promptTokens()).isEqualTo(4);
        });
        run.get(60, TimeUnit.SECONDS);
        assertThat(rows(Tables.REQUEST_METRICS)).isEqualTo(7);
        assertThat(rows(Tables.TRACE_LENGTHS)).isEqualTo(7);
        assertThat(rows(Tables.TRACE_INTERVALS)).isEqualTo(7);
        assertThat(context.headlines).containsEntry("requests_answered", 7.0).containsEntry("tokens", 42.0);
        assertThat(Files.readString(out.resolve("report.html"))).contains("<svg", "Simulated latency", "7 requests");
        assertThat(rows(MeasuredTables.SERVED_METRICS)).isEqualTo(7);
        assertThat(Files.readString(out.resolve("summary.md"))).contains("7 requests", "7 completed", "TPOT");
    }

    @Test
    void stopsWhenRequested() throws Exception {
        FakeContext context = context();
        CompletableFuture<Void> run = start(settings(Optional.empty(), 0, Optional.empty()), context);
        assertThat(address(context)).isNotNull();
        Runnable end = context.endings.poll(60, TimeUnit.SECONDS);
        assertThat(end).isNotNull();
        end.run();
        run.get(60, TimeUnit.SECONDS);
        assertThat(out.resolve(Tables.REQUEST_METRICS.name())).doesNotExist();
        assertThat(context.headlines).containsEntry("requests", 0.0);
    }

    @Test
    void rejectsASeedWithoutJitter() {
        assertThatThrownBy(() -> Checks.check(
                        new ServeMockStage(), settings(Optional.empty(), 0, Optional.of(1L)), files.getPath("/")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("server.seed");
    }
}
