package dev.stagesim.pipeline;

import static dev.stagesim.pipeline.TestStages.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.ArtifactSchemas;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Key;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunMetaJson;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class PipelineTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final TestStages.NumbersStage numbers = new TestStages.NumbersStage();
    private final TestStages.SumStage sum = new TestStages.SumStage();
    private final TestStages.GaugeStage gauge = new TestStages.GaugeStage();
    private final TestStages.Log log = new TestStages.Log();
    private Pipeline pipeline = open(dir);

    private Pipeline open(Path workDir) {
        return new Pipeline(
                new StageRegistry(List.of(numbers, sum, gauge)),
                dir.resolve("home"),
                workDir,
                log,
                Clock.fixed(Instant.parse("2026-01-02T03:04:05.678901Z"), ZoneOffset.UTC));
    }

    private RunRef runSum(String... overrides) {
        return pipeline.run(sum, request(sum, overrides), RunOptions.DEFAULT);
    }

    private RunRef runNumbers(String... overrides) {
        return pipeline.run(numbers, request(numbers, overrides), RunOptions.DEFAULT);
    }

    private static List<String> problems(ThrowingCallable call) {
        StageException error = catchThrowableOfType(StageException.class, call);
        assertThat(error).isNotNull();
        assertThat(error.kind()).isEqualTo(StageException.Kind.INPUT);
        return error.problems().stream().map(p -> p.render()).toList();
    }

    @Test
    void runsUpstreamStagesAndReusesThem() throws IOException {
        RunRef first = runSum("numbers.count=4", "sum.factor=2");
        assertThat(first.dir().toString()).matches("/work/tmp/sum/sum-[0-9a-f]{10}");
        assertThat(Files.readString(first.dir().resolve("sum.txt"))).isEqualTo("12\n");
        assertThat(first.reused()).isFalse();
        assertThat(log.lines).containsExactly("started numbers", "finished numbers", "started sum", "finished sum");
        pipeline = open(dir);
        log.lines.clear();
        RunRef second = runSum("sum.factor=2", "numbers.count=4");
        assertThat(second.runId()).isEqualTo(first.runId());
        assertThat(second.sha256()).isEqualTo(first.sha256());
        assertThat(second.reused()).isTrue();
        assertThat(log.lines).containsExactly("reused numbers", "reused sum");
        assertThat(numbers.runs).hasValue(1);
        assertThat(sum.runs).hasValue(1);
    }

    @Test
    void knowsWhatTheUserSet() {
        assertThat(warning(request(sum, "sum.mode=keys"))).isEqualTo("false false false few");
        assertThat(warning(request(sum, "sum.mode=keys", "sum.factor=1", "numbers.count=7")))
                .isEqualTo("true true false few");
        RunRequest plain = request(sum, "sum.mode=keys", "numbers.count=8");
        assertThat(warning(new RunRequest(
                        plain.config(),
                        List.of("+sum={factor:1,mode:keys}", "numbers=few"),
                        plain.choices(),
                        plain.configName(),
                        plain.configPath(),
                        plain.bindOptions())))
                .isEqualTo("true true false few");
    }

    private String warning(RunRequest request) {
        RunRef run = pipeline.run(sum, request, RunOptions.DEFAULT);
        return run.meta().warnings().get(0).message();
    }

    @Test
    void writesMetaAsDeclared() throws IOException {
        RunRef run = runSum("sum.mode=warn");
        LocatedJson meta = Json.read(run.dir().resolve("run_meta.json"));
        JsonSchemaCheck schema = new JsonSchemaCheck(Json.pretty(ArtifactSchemas.schema(JsonArtifacts.RUN_META)));
        assertThat(schema.problems(meta)).isEmpty();
        assertThat(meta.get("run_type").asString()).isEqualTo("sum");
        assertThat(meta.get("started_at").asString()).isEqualTo("2026-01-02T03:04:05.678Z");
        assertThat(meta.get("git_commit").asString()).isEqualTo("unknown");
        assertThat(Json.compact(meta.get("params").value())).isEqualTo("{\"sum\":{\"factor\":1,\"mode\":\"warn\"}}");
        assertThat(Json.compact(meta.get("config").value()))
                .isEqualTo("{\"name\":\"sum\",\"overrides\":[\"sum.mode=warn\"],\"path\":\"configs\"}");
        assertThat(Json.compact(meta.get("warnings").value()))
                .isEqualTo("[{\"message\":\"mind the sum\",\"stage\":\"sum\"}]");
        assertThat(Json.compact(meta.get("headlines").value())).isEqualTo("{\"total\":3.0}");
        assertThat(meta.get("inputs").items()).singleElement().satisfies(input -> {
            assertThat(input.get("role").asString()).isEqualTo("numbers");
            assertThat(input.get("path").asString()).startsWith("/work/tmp/numbers/numbers-");
        });
        RunMeta upstream = RunReader.meta(
                dir.resolve(meta.get("inputs").items().get(0).get("path").asString()));
        assertThat(upstream.outputs()).extracting(RunMeta.Output::path).containsExactly("numbers.csv", "summary.md");
        assertThat(upstream.outputs().get(0).rows()).hasValue(3L);
        assertThat(upstream.config().overrides()).isEmpty();
        assertThat(RunMetaJson.write(RunReader.meta(run.dir()))).isEqualTo(meta.value());
    }

    @Test
    void computesTheIdFromTheConfigurationOnly() throws IOException {
        RunRef made = runSum("numbers.count=5");
        Path source = runNumbers("numbers.count=5").dir();
        RunRef given = runSum("numbers.dir=" + source);
        assertThat(given.runId()).isEqualTo(made.runId());
        assertThat(runSum("numbers.count=6").runId()).isNotEqualTo(made.runId());
        assertThat(runSum("numbers.count=5", "sum.factor=2").runId()).isNotEqualTo(made.runId());
        // A different directory with the same request gives the same bytes.
        pipeline = open(dir.resolve("elsewhere"));
        RunRef there = runSum("numbers.count=5");
        assertThat(there.runId()).isEqualTo(made.runId());
        assertThat(there.sha256()).isEqualTo(made.sha256());
        assertThat(steadyBytes(there.dir())).isEqualTo(steadyBytes(made.dir()));
    }

    @Test
    void keepsWarningsInTheRunAndItsDependents() throws IOException {
        String inherited = "warning numbers: all numbers are the same";
        String own = "warning sum: mind the sum";
        RunRef made = runSum("numbers.step=0", "sum.mode=warn");
        assertThat(log.lines).contains(inherited, own);
        assertThat(made.meta().warnings())
                .containsExactly(
                        new RunMeta.Warning("numbers", "all numbers are the same"),
                        new RunMeta.Warning("sum", "mind the sum"));
        // reused
        pipeline = open(dir);
        log.lines.clear();
        assertThat(runSum("numbers.step=0", "sum.mode=warn").meta().warnings()).hasSize(2);
        assertThat(log.lines).containsExactly("reused numbers", "reused sum");
        // Read as an input.
        pipeline = open(dir);
        Path source = runNumbers("numbers.step=0").dir();
        log.lines.clear();
        assertThat(runSum("numbers.dir=" + source, "sum.factor=3").meta().warnings())
                .extracting(RunMeta.Warning::stage)
                .containsExactly("numbers");
        assertThat(log.lines).containsExactly(inherited, "started sum", "finished sum");
        // Imported from another working directory.
        pipeline = open(dir.resolve("elsewhere"));
        log.lines.clear();
        pipeline.sweeps().adopt(made.dir());
        assertThat(log.lines).containsExactly(inherited, own);
    }

    private static Map<String, String> steadyBytes(Path run) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (Path file : Digests.filesBelow(run)) {
            String name = Digests.relative(run, file);
            if (!name.equals("run_meta.json")) {
                files.put(name, Files.readString(file));
            }
        }
        return files;
    }

    @Test
    void includesContentsOfFilesInTheId() throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve("a.txt"), "one");
        Path copy = Files.writeString(dir.resolve("b.txt"), "one");
        String first = runNumbers("numbers.file=" + file).runId();
        assertThat(runNumbers("numbers.file=b.txt").runId()).isEqualTo(first);
        Files.writeString(copy, "other");
        RunRef other = runNumbers("numbers.file=b.txt");
        assertThat(other.runId()).isNotEqualTo(first);
        assertThat(other.meta().inputs()).singleElement().satisfies(input -> {
            assertThat(input.role()).isEqualTo("file");
            assertThat(input.runId()).isEmpty();
        });
        assertThat(problems(() -> runNumbers("numbers.file=none.txt")))
                .singleElement()
                .asString()
                .contains("/work/none.txt: does not exist");
    }

    @Test
    void includesContentsOfShippedFilesInTheId() throws IOException {
        Path shipped = dir.resolve("home/presets/a.txt");
        Files.createDirectories(shipped.getParent());
        Files.writeString(shipped, "one");
        Files.writeString(dir.resolve("mine.txt"), "one");
        RunRef run = runNumbers("numbers.file=presets/a.txt");
        assertThat(run.runId()).isEqualTo(runNumbers("numbers.file=mine.txt").runId());
        assertThat(run.meta().params().toString()).doesNotContain("presets");
    }

    @Test
    void excludesUnreadSectionsFromTheId() {
        assertThat(runNumbers("numbers.count=99").meta().params().members()).containsOnlyKeys("numbers");
        assertThat(runNumbers("gauge.level=2").meta().params().members()).containsOnlyKeys("numbers", "gauge");
        assertThat(problems(() -> runNumbers("numbers.count=99", "gauge.level=2")))
                .containsExactly("config error: gauge.level=2: nothing in this run reads it");
    }

    @Test
    void checksTheWholeChainBeforeAnyRun() {
        RunRequest wrong = request(sum, "numbers.step=13", "numbers.file=none.txt");
        assertThat(problems(() -> pipeline.plan(sum, wrong, RunOptions.DEFAULT)))
                .singleElement()
                .asString()
                .contains("numbers.step: cannot be 13");
        RunRequest missing = request(sum, "numbers.file=none.txt");
        assertThat(problems(() -> pipeline.plan(sum, missing, RunOptions.DEFAULT)))
                .singleElement()
                .asString()
                .contains("/work/none.txt: does not exist");
        assertThat(problems(() -> pipeline.run(sum, wrong, RunOptions.DEFAULT))).hasSize(1);
        assertThat(log.lines).isEmpty();
    }

    @Test
    void repeatsOnlyTheNamedStageWithForce() {
        runSum();
        RunRef again = pipeline.run(sum, request(sum), new RunOptions(true, Optional.empty()));
        assertThat(again.reused()).isFalse();
        assertThat(sum.runs).hasValue(2);
        assertThat(numbers.runs).hasValue(1);
        assertThat(runSum().reused()).isTrue();
    }

    @Test
    void acceptsRepetitionsOnlyForMeasuringStages() {
        RunRef first = pipeline.run(gauge, request(gauge), RunOptions.DEFAULT);
        RunRef second = pipeline.run(gauge, request(gauge), new RunOptions(false, Optional.of(1)));
        assertThat(second.runId()).isNotEqualTo(first.runId());
        RunRef zeroth = pipeline.run(gauge, request(gauge), new RunOptions(false, Optional.of(0)));
        assertThat(zeroth.runId()).isEqualTo(first.runId());
        assertThat(problems(() -> pipeline.plan(sum, request(sum), new RunOptions(false, Optional.of(0)))))
                .hasSize(1);
        assertThat(problems(() -> pipeline.run(sum, request(sum), new RunOptions(false, Optional.of(1)))))
                .singleElement()
                .asString()
                .contains("no effect");
    }

    @Test
    void rejectsDirectoriesThatAreNoFinishedRuns() throws IOException {
        assertThat(problems(() -> runSum("numbers.dir=/none")))
                .singleElement()
                .asString()
                .contains("numbers.dir: /none does not exist");
        Files.createDirectories(dir.resolve("half"));
        Files.writeString(dir.resolve("half/numbers.csv"), "n\n1\n");
        assertThat(problems(() -> runSum("numbers.dir=half")))
                .singleElement()
                .asString()
                .contains("half is not a finished run: it has no run_meta.json");
        Files.writeString(dir.resolve("half/run_meta.json"), "{}");
        assertThat(problems(() -> runSum("numbers.dir=half")))
                .singleElement()
                .asString()
                .contains("run_meta.json: member 'schema_version' is missing");
        RunRef other = runSum();
        assertThat(problems(() -> runSum("numbers.dir=" + other.dir())))
                .singleElement()
                .asString()
                .contains("is a run of sum, which cannot be used here")
                .contains("options       numbers");
    }

    @Test
    void rejectsChangedInputsAndNamesEach() throws IOException {
        Path run = runNumbers().dir();
        Files.writeString(run.resolve("numbers.csv"), "n\n7\n");
        Files.delete(run.resolve("summary.md"));
        pipeline = open(dir);
        assertThat(problems(() -> runSum("numbers.dir=" + run)))
                .satisfiesExactly(
                        p -> assertThat(p).contains("numbers.csv: was changed after the run was finished"),
                        p -> assertThat(p).contains("summary.md: is missing"));
    }

    @Test
    void repeatsDamagedRuns() throws IOException {
        Path run = runNumbers().dir();
        Files.writeString(run.resolve("numbers.csv"), "n\n7\n");
        pipeline = open(dir);
        RunRef again = runNumbers();
        assertThat(again.reused()).isFalse();
        assertThat(Files.readString(run.resolve("numbers.csv"))).isEqualTo("n\n0\n1\n2\n");
        assertThat(log.lines).anySatisfy(line -> assertThat(line).contains("is damaged and is made again"));
        Files.delete(run.resolve("run_meta.json"));
        pipeline = open(dir);
        assertThat(runNumbers().reused()).isFalse();
    }

    @Test
    void rejectsOverridesWithoutEffect() {
        Path run = runNumbers().dir();
        assertThat(problems(() -> runSum("numbers.dir=" + run, "numbers.count=9", "sum.factor=3")))
                .containsExactly("config error: numbers.count=9: has no effect because numbers.dir is given");
        assertThat(runSum("numbers.dir=" + run, "sum.factor=3").meta().params().members())
                .containsOnlyKeys("sum");
    }

    @Test
    void leavesNoFilesWhenAStageFails() throws IOException {
        assertThatThrownBy(() -> runSum("sum.mode=throw"))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.kind()).isEqualTo(StageException.Kind.FAILED))
                .hasMessageContaining("disk full");
        assertThatThrownBy(() -> runSum("sum.mode=bug"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a bug");
        assertThatThrownBy(() -> runSum("sum.mode=reserved"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("run_meta.json");
        assertThat(problems(() -> runSum("sum.mode=refuse"))).hasSize(1);
        try (Stream<Path> left = Files.list(dir.resolve("tmp/sum"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void storesFailedChecksWithTheRun() {
        RunRef run = runSum("sum.mode=check");
        assertThat(run.meta().checks()).singleElement().satisfies(p -> assertThat(p.render())
                .contains("too big"));
        pipeline = open(dir);
        RunRef again = runSum("sum.mode=check");
        assertThat(again.reused()).isTrue();
        assertThat(again.meta().checks()).isEqualTo(run.meta().checks());
    }

    @Test
    void reproducesARunFromItsSnapshotAnywhere() throws IOException {
        Files.createDirectories(dir);
        Files.writeString(dir.resolve("a.txt"), "one");
        RunRef run = runNumbers("numbers.file=a.txt", "numbers.count=7");
        ConfigSnapshot.Snapshot snapshot = ConfigSnapshot.read(run.dir());
        assertThat(snapshot.stage()).isEqualTo("numbers");
        assertThat(snapshot.request().overrides()).containsExactly("numbers.file=a.txt", "numbers.count=7");
        pipeline = open(dir.resolve("far/away"));
        RunRef again = pipeline.run(numbers, snapshot.request(), RunOptions.DEFAULT);
        assertThat(again.runId()).isEqualTo(run.runId());
        assertThat(again.dir()).isNotEqualTo(run.dir());
        assertThat(problems(() -> ConfigSnapshot.read(dir)))
                .singleElement()
                .asString()
                .contains("config snapshot");
        RunRef total = runSum("numbers.dir=" + run.dir());
        ConfigSnapshot.Snapshot second = ConfigSnapshot.read(total.dir().resolve("config"));
        assertThat(pipeline.run(sum, second.request(), RunOptions.DEFAULT).runId())
                .isEqualTo(total.runId());
    }

    @Test
    void sharesOneRunBetweenThreads() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<RunRef>> runs = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                String factor = "sum.factor=" + i % 4;
                runs.add(threads.submit(() -> runSum("numbers.count=50", factor)));
            }
            List<String> ids = new ArrayList<>();
            for (Future<RunRef> run : runs) {
                ids.add(run.get().runId());
            }
            assertThat(ids.stream().distinct()).hasSize(4);
        } finally {
            threads.shutdownNow();
        }
        assertThat(numbers.runs).hasValue(1);
        assertThat(sum.runs).hasValue(4);
    }

    /** Stores a run in the directory of another run, as if their ids had the same prefix. */
    private Path takeThePlace(RunRef other, RunRef mine) throws IOException {
        for (Path file : Digests.filesBelow(mine.dir())) {
            Files.delete(file);
        }
        for (Path file : Digests.filesBelow(other.dir())) {
            Path to = mine.dir().resolve(Digests.relative(other.dir(), file));
            Files.createDirectories(to.getParent());
            Files.copy(file, to);
        }
        Path meta = mine.dir().resolve(RunMetaJson.FILE);
        Files.writeString(meta, Files.readString(meta).replace(other.runId(), mine.runId()));
        pipeline = open(dir);
        return mine.dir();
    }

    @Test
    void distinguishesRunsWithTheSameId() throws IOException {
        RunRef mine = runNumbers("numbers.count=4");
        Path taken = takeThePlace(runNumbers("numbers.count=7"), mine);
        RunRef found = runNumbers("numbers.count=4");
        assertThat(found.reused()).isFalse();
        assertThat(found.runId()).matches("numbers-[0-9a-f]{64}").startsWith(mine.runId());
        assertThat(found.meta().outputs().get(0).rows()).hasValue(4L);
        assertThat(RunReader.meta(taken).outputs().get(0).rows()).hasValue(7L);
        pipeline = open(dir);
        assertThat(runNumbers("numbers.count=4").reused()).isTrue();
        RunRef again =
                pipeline.run(numbers, request(numbers, "numbers.count=4"), new RunOptions(true, Optional.empty()));
        assertThat(again.dir()).isEqualTo(found.dir());
        assertThat(runSum("numbers.dir=" + found.dir()).meta().headlines()).containsEntry("total", 6.0);
        assertThat(RunReader.meta(taken).outputs().get(0).rows()).hasValue(7L);
    }

    @Test
    void distinguishesTheSameSettingsWithOtherInputs() throws IOException {
        RunRef mine = runSum("numbers.count=4");
        takeThePlace(runSum("numbers.count=7"), mine);
        RunRef found = runSum("numbers.count=4");
        assertThat(found.reused()).isFalse();
        assertThat(found.meta().headlines()).containsEntry("total", 6.0);
    }

    record ServiceSettings(@Key("Name. | x") String name) {}

    /** A service that runs until it is stopped. */
    private static final class ServiceStage implements Stage<ServiceSettings> {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @Override
        public StageSpec<ServiceSettings> spec() {
            return new StageSpec<>("service", "Serves.", ServiceSettings.class, List::of, 1, false);
        }

        @Override
        public List<Upstream> upstreams(ServiceSettings settings) {
            return List.of();
        }

        @Override
        public void run(ServiceSettings settings, StageContext context) {
            context.endsWith(end::countDown);
            begun.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void stopsInterruptedWorkAfterOtherWorkCompletes() throws Exception {
        ServiceStage service = new ServiceStage();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            Future<RunRef> run = threads.submit(() -> pipeline.run(service, request(service), RunOptions.DEFAULT));
            service.begun.await();
            runSum();
            assertThat(pipeline.end()).isTrue();
            assertThat(run.get().meta().runType()).isEqualTo("service");
            assertThat(pipeline.end()).isFalse();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void reportsBindingProblemsBeforeAnyWork() {
        assertThat(problems(() -> runSum("numbers.count=-1", "sum.factor=x"))).hasSize(2);
        assertThat(numbers.runs).hasValue(0);
    }
}
