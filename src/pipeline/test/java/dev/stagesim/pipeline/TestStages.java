package dev.stagesim.pipeline;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.contract.Column;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.PassedTo;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Three small stages: numbers, their sum, and a measurement of the machine. */
public final class TestStages {
    static final TableSchema NUMBERS = new TableSchema(
            "numbers.csv",
            1,
            "Numbers.",
            List.of(Column.int64("n", "", "A number.").atLeast(0)),
            List.of());

    private TestStages() {}

    public record Numbers(
            @Key("How many. | 3 | 0..") int count,
            @Key("Step. | 1") long step,
            @Key("Run to use. | null") Optional<Path> dir,
            @Key("File with an offset. | null") Optional<Path> file,
            @Key("Pause after each row, for tests that interrupt. | 0 | ms") long pause) {}

    public record Gauge(@Key("Level. | 1.5") double level) {}

    public record Sum(
            @Key("Factor. | 1") long factor,
            @Key("What to do: run, warn, keys, throw, bug, check. | run") String mode) {}

    public record NumbersSettings(
            @Key("Numbers. | {}") Numbers numbers, @Key("Read unless there are 99 numbers. | {}") Gauge gauge) {}

    public record GaugeSettings(@Key("Gauge. | {}") Gauge gauge) {}

    public record SumSettings(@Key("Numbers. | {}") @PassedTo("numbers") Numbers numbers, @Key("Sum. | {}") Sum sum) {}

    /** Writes {@code count} numbers. */
    public static final class NumbersStage implements Stage<NumbersSettings> {
        public final AtomicInteger runs = new AtomicInteger();

        @Override
        public StageSpec<NumbersSettings> spec() {
            return new StageSpec<>("numbers", "Numbers.", NumbersSettings.class, () -> List.of(NUMBERS), 1, false);
        }

        @Override
        public List<Upstream> upstreams(NumbersSettings settings) {
            return List.of();
        }

        @Override
        public List<Path> reads(NumbersSettings settings, Path home) {
            return settings.numbers().file().stream()
                    .map(file -> Files.exists(home.resolve(file.toString())) ? home.resolve(file.toString()) : file)
                    .toList();
        }

        @Override
        public List<String> ignoredSections(NumbersSettings settings) {
            return settings.numbers().count() == 99 ? List.of("gauge") : List.of();
        }

        @Override
        public void check(NumbersSettings settings, Path home) {
            if (settings.numbers().step() == 13) {
                throw StageException.input(Problem.of("config error", "numbers.step", "cannot be 13"));
            }
        }

        @Override
        public void run(NumbersSettings settings, StageContext context) throws IOException {
            runs.incrementAndGet();
            Numbers numbers = settings.numbers();
            if (numbers.step() == 0) {
                context.warn("all numbers are the same");
            }
            try (TableWriter out = TableWriter.create(context.out().resolve("numbers.csv"), NUMBERS)) {
                for (int i = 0; i < numbers.count(); i++) {
                    out.put(i * numbers.step()).endRow();
                    context.progress("rows", i + 1, numbers.count());
                    pause(numbers.pause());
                }
            }
            Files.writeString(context.out().resolve("summary.md"), "# Numbers\n");
        }

        private static void pause(long millis) {
            if (millis > 0) {
                try {
                    Thread.sleep(millis);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    /** Writes a few rows of token times. */
    private static void tokens(SumSettings settings, StageContext context) throws IOException {
        Path file = context.out().resolve(Tables.TOKEN_METRICS.name());
        try (TableWriter out = TableWriter.create(file, Tables.TOKEN_METRICS, List.of())) {
            long time = 0;
            for (int i = 0; i < settings.numbers().count(); i++) {
                long latency = 1_000_003L * (settings.sum().factor() + i);
                time += latency;
                out.put((long) (i / 3))
                        .put((long) (i % 3))
                        .put(time)
                        .put(latency)
                        .endRow();
            }
        }
    }

    /** Adds the numbers of its input. */
    public static final class SumStage implements Stage<SumSettings> {
        public final AtomicInteger runs = new AtomicInteger();

        @Override
        public StageSpec<SumSettings> spec() {
            return new StageSpec<>("sum", "Sum.", SumSettings.class, List::of, 1, false);
        }

        @Override
        public List<Upstream> upstreams(SumSettings settings) {
            return List.of(new Upstream(
                    "numbers",
                    "numbers",
                    List.of("numbers"),
                    "numbers.dir",
                    settings.numbers().dir()));
        }

        @Override
        public void run(SumSettings settings, StageContext context) throws IOException {
            runs.incrementAndGet();
            long total = 0;
            try (TableReader in = TableReader.open(context.input("numbers").file("numbers.csv"), NUMBERS)) {
                while (in.next()) {
                    total += in.longAt(0);
                }
            }
            total *= settings.sum().factor();
            Files.writeString(context.out().resolve("sum.txt"), total + "\n");
            tokens(settings, context);
            context.headline("total", (double) total);
            context.headline("ratio", total / 0.0);
            switch (settings.sum().mode()) {
                case "warn" -> context.warn("mind the sum");
                case "keys" ->
                    context.warn(
                            context.isSet("sum.factor") + " " + context.isSet("numbers") + " " + context.isSet("num")
                                    + " " + context.choice("numbers").orElse("none"));
                case "throw" -> throw new IOException("disk full");
                case "bug" -> throw new IllegalStateException("a bug");
                case "refuse" -> throw StageException.input(Problem.of("config error", "sum.mode", "cannot be refuse"));
                case "check" ->
                    context.checkFailed(
                            Problem.of("check failed", "sum", "too big").hint("less"));
                case "reserved" -> Files.writeString(context.out().resolve("run_meta.json"), "{}");
                default -> {}
            }
        }
    }

    /** A stage with a result that depends on the machine. */
    public static final class GaugeStage implements Stage<GaugeSettings> {
        @Override
        public StageSpec<GaugeSettings> spec() {
            return new StageSpec<>("gauge", "Gauge.", GaugeSettings.class, List::of, 1, true);
        }

        @Override
        public List<Upstream> upstreams(GaugeSettings settings) {
            return List.of();
        }

        @Override
        public void run(GaugeSettings settings, StageContext context) throws IOException {
            Files.writeString(
                    context.out().resolve("level.txt"), settings.gauge().level() + "\n");
        }
    }

    /** Returns a request with {@code key=value} overrides of the stage's defaults; only integers and text. */
    public static RunRequest request(Stage<?> stage, String... overrides) {
        MapNode tree = SettingsSchema.of(stage.spec().settings()).defaults();
        for (String override : overrides) {
            int equals = override.indexOf('=');
            tree = with(
                    tree, List.of(override.substring(0, equals).split("\\.")), leaf(override.substring(equals + 1)));
        }
        return new RunRequest(
                tree,
                List.of(overrides),
                Map.of("numbers", Optional.of("few")),
                Optional.of(stage.spec().name()),
                Optional.of("configs"),
                dev.stagesim.config.bind.BindOptions.STRICT);
    }

    private static Node leaf(String text) {
        Origin origin = Origin.override(1, text);
        return text.matches("-?[0-9]+") ? ScalarNode.of(Long.parseLong(text), origin) : ScalarNode.of(text, origin);
    }

    private static MapNode with(MapNode tree, List<String> path, Node value) {
        String name = path.get(0);
        if (path.size() == 1) {
            return tree.with(name, value);
        }
        MapNode section = tree.get(name) instanceof MapNode map ? map : MapNode.empty();
        return tree.with(name, with(section, path.subList(1, path.size()), value));
    }

    /** Records all events of the pipeline. */
    public static final class Log implements PipelineListener {
        final List<String> lines = new ArrayList<>();

        private synchronized void add(String line) {
            lines.add(line);
        }

        @Override
        public void started(String stage, String runId) {
            add("started " + stage);
        }

        @Override
        public void reused(RunRef run) {
            add("reused " + run.meta().runType());
        }

        @Override
        public void finished(RunRef run) {
            add("finished " + run.meta().runType());
        }

        @Override
        public void warning(String stage, String message) {
            add("warning " + stage + ": " + message);
        }
    }
}
