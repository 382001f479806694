package dev.stagesim.config.bind;

import static dev.stagesim.config.bind.Trees.map;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinderTest {
    private static final MapNode NAMED = map("server", map("name", "vllm"));

    @Test
    void usesDefaultsOfKeys() {
        SampleSettings settings = Binder.bind(NAMED, SampleSettings.class);

        assertThat(settings)
                .isEqualTo(new SampleSettings(
                        new SampleSettings.Fixed(128),
                        new SampleSettings.Server(
                                "vllm",
                                1.0,
                                42,
                                true,
                                1L << 30,
                                Duration.ofMillis(250),
                                List.of("a", "b"),
                                Optional.empty()),
                        Map.of(),
                        List.of(),
                        Optional.empty(),
                        SampleSettings.Mode.BEST_EFFORT));
    }

    @Test
    void bindsEveryKindOfValue() {
        MapNode tree = map(
                "lengths", map("kind", "zipf", "theta", 1, "max", "2_000"),
                "server",
                        map(
                                "name",
                                ScalarNode.of(1.0, "1.0", Trees.file(3)),
                                "qps",
                                "2.5",
                                "memory",
                                "10MiB",
                                "timeout",
                                "2s",
                                "tags",
                                List.of(1, true),
                                "cap",
                                5),
                "weights", map("z", 1, "a", 0.5),
                "gpus", List.of(map("name", "a100"), map("name", "h100", "count", 8)),
                "dir", "tmp/x",
                "mode", "strict");

        SampleSettings settings = Binder.bind(tree, SampleSettings.class);

        assertThat(settings.lengths()).isEqualTo(new SampleSettings.Zipf(1.0, 1, 2000));
        assertThat(settings.server().name()).isEqualTo("1.0");
        assertThat(settings.server().qps()).isEqualTo(2.5);
        assertThat(settings.server().memory()).isEqualTo(10L << 20);
        assertThat(settings.server().tags()).containsExactly("1", "true");
        assertThat(settings.server().cap()).contains(5);
        assertThat(settings.weights().keySet()).containsExactly("z", "a");
        assertThat(settings.gpus())
                .containsExactly(new SampleSettings.Gpu("a100", 1), new SampleSettings.Gpu("h100", 8));
        assertThat(settings.dir()).contains(Path.of("tmp/x"));
        assertThat(settings.mode()).isEqualTo(SampleSettings.Mode.STRICT);
    }

    @Test
    void reportsEveryProblemAtOnce() {
        MapNode tree = map(
                "server", map("name", "x", "qps", "abc", "sed", 7, "cap", 65, "warm_up", "yes"),
                "lengths", map("kind", "fixed", "theta", 0.5, "tokens", 5.5),
                "gpus", List.of(map("count", 0)),
                "mode", "Strict",
                "qps", 3);

        List<Problem> problems = problems(tree);

        assertThat(problems.stream().map(problem -> problem.where() + ": " + problem.what()))
                .containsExactly(
                        "qps: unknown key",
                        "lengths.theta: needs lengths.kind=zipf, but lengths.kind is fixed",
                        "lengths.tokens: expected an integer >= 1 (tokens), got 5.5",
                        "server.sed: unknown key",
                        "server.qps: expected a number > 0 (requests/s), got string \"abc\"",
                        "server.warm_up: expected true or false, got string \"yes\"",
                        "server.cap: expected an integer from 1 to 64, got 65",
                        "gpus.0.name: no value given, expected a string",
                        "gpus.0.count: expected an integer from 1 to 8, got 0",
                        "mode: expected one of best_effort, strict, got string \"Strict\"");
        assertThat(note(problems.get(0), "did you mean")).isEqualTo("server.qps");
        assertThat(note(problems.get(0), "options")).contains("gpus", "server", "weights");
        assertThat(note(problems.get(3), "did you mean")).isEqualTo("server.seed");
        assertThat(note(problems.get(9), "did you mean")).isEqualTo("strict");
    }

    @Test
    void reportsTheOriginOfAValueAndTheReplacedValue() {
        ScalarNode old = ScalarNode.of(1.0, "1.0", Origin.file("conf/workload/sharegpt.conf", 3));
        ScalarNode given =
                ScalarNode.of("abc", Origin.override(2, "server.qps=abc")).replacing(old);

        List<Problem> problems = problems(map("server", map("name", "x", "qps", given)));

        assertThat(problems).hasSize(1);
        assertThat(problems.get(0).render())
                .isEqualTo(
                        """
                        config error: server.qps: expected a number > 0 (requests/s), got string "abc"
                          from          override #2 'server.qps=abc'
                          was           1.0   (conf/workload/sharegpt.conf:3)""");
    }

    @ParameterizedTest
    @CsvSource({
        "1.0,write 1",
        "1.5e0,integers are never rounded",
        "5e-1,integers are never rounded",
        "5.5,integers are never rounded"
    })
    void rejectsAFloatForAnInteger(String text, String hint) {
        ScalarNode value = ScalarNode.of(Double.parseDouble(text), text, Trees.file(1));

        List<Problem> problems = problems(map("server", map("name", "x", "seed", value)));

        assertThat(problems).hasSize(1);
        assertThat(note(problems.get(0), "hint")).isEqualTo(hint);
    }

    @ParameterizedTest
    @CsvSource({"1e3,1000", "1.5e+3,1500", "12E0,12"})
    void acceptsAnExactExponentForAnInteger(String text, long value) {
        ScalarNode given = ScalarNode.of(Double.parseDouble(text), text, Trees.file(1));
        assertThat(Binder.bind(map("server", map("name", "x", "seed", given)), SampleSettings.class)
                        .server()
                        .seed())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e19", "1e30", "1e999"})
    void rejectsAnExponentBeyondTheType(String text) {
        ScalarNode given = ScalarNode.of(Double.parseDouble(text), text, Trees.file(1));
        assertThat(problems(map("server", map("name", "x", "seed", given)))).hasSize(1);
    }

    @Test
    void rejectsIntegersBeyondTheType() {
        List<Problem> problems = problems(map("server", map("name", "x", "cap", 3_000_000_000L)));

        assertThat(problems.get(0).what()).isEqualTo("expected an integer from 1 to 64, got 3000000000");
    }

    @Test
    void namesTheLimitOfTheTypeWhenAKeyHasNone() {
        ValueRange positive = new ValueRange(BigDecimal.ZERO, true, null, "> 0");
        assertThat(positive.minInteger(BigInteger.TWO)).isEqualTo(BigInteger.ONE);
        assertThat(ValueRange.NONE.minInteger(BigInteger.TWO)).isEqualTo(BigInteger.TWO);
    }

    @Test
    void reportsProblemsOfARecord() {
        List<Problem> problems =
                problems(map("server", map("name", "x"), "lengths", map("kind", "zipf", "min", 9, "max", 3)));

        assertThat(problems).hasSize(1);
        assertThat(problems.get(0).where()).isEqualTo("lengths");
        assertThat(problems.get(0).what()).isEqualTo("min 9 is greater than max 3");
        assertThat(note(problems.get(0), "from")).isEqualTo("configs/test.conf:1");
    }

    @Test
    void namesTheOptionsOfAGroupThatWasNotChosen() {
        BindOptions options =
                BindOptions.STRICT.withGroups(path -> path.equals("server") ? List.of("orca", "vllm") : List.of());
        StageException error = catchThrowableOfType(
                StageException.class, () -> Binder.bind(MapNode.empty(), SampleSettings.class, options));

        assertThat(error.problems()).hasSize(1);
        assertThat(error.problems().get(0).what()).isEqualTo("nothing chosen");
        assertThat(note(error.problems().get(0), "options")).isEqualTo("orca, vllm");
        assertThat(note(error.problems().get(0), "hint")).isEqualTo("choose one with server=<option>");
    }

    @Test
    void listsTheKindsWhenOneIsUnknownOrMissing() {
        List<Problem> unknown = problems(map("server", map("name", "x"), "lengths", map("kind", "zip")));

        assertThat(unknown.get(0).where()).isEqualTo("lengths.kind");
        assertThat(note(unknown.get(0), "options")).isEqualTo("fixed, zipf");
        assertThat(note(unknown.get(0), "did you mean")).isEqualTo("zipf");
    }

    @Test
    void ignoresForeignSectionsOnlyWhenProjecting() {
        MapNode tree = NAMED.with("sim", map("dir", "x"));

        assertThat(problems(tree)).hasSize(1);
        assertThat(Binder.bind(tree, SampleSettings.class, BindOptions.STRICT.projecting()))
                .isEqualTo(Binder.bind(NAMED, SampleSettings.class));
    }

    @Test
    void rejectsNullAndWrongContainers() {
        List<Problem> problems =
                problems(map("server", map("name", Trees.NULL, "tags", "a"), "lengths", "zipf", "weights", List.of()));

        assertThat(problems.stream().map(problem -> problem.where() + ": " + problem.what()))
                .containsExactly(
                        "lengths: expected a section, got string \"zipf\"",
                        "server.name: expected a string, got null",
                        "server.tags: expected a list of string, got string \"a\"",
                        "weights: expected a map of number, got a list of 0");
    }

    @Test
    void writesAListInPlaceOfTextWithoutBrackets() {
        MapNode tree = map("server", map("name", List.of("a<5", "b<6")));

        assertThatThrownBy(() -> Binder.bind(tree, SampleSettings.class))
                .isInstanceOfSatisfying(StageException.class, wrong -> assertThat(wrong.problems())
                        .singleElement()
                        .asString()
                        .contains("expected a string, got a list of 2", "server.name='a<5,b<6'"));
    }

    @Test
    void explainsHowToChooseACardWhenTextIsGiven() {
        BindOptions options =
                BindOptions.STRICT.withGroups(name -> name.equals("hardware") ? List.of("h100", "h200") : List.of());
        for (String key : List.of("output_hardware", "hardware", "other")) {
            StageException error = catchThrowableOfType(
                    StageException.class, () -> Binder.bind(map("search", map(key, "h200")), OfSearch.class, options));
            Problem problem = error.problems().get(0);
            assertThat(problem.where() + ": " + problem.what())
                    .isEqualTo("search." + key + ": expected a section, got string \"h200\"");
            if (key.equals("other")) {
                assertThat(note(problem, "hint")).isEmpty();
            } else {
                assertThat(note(problem, "hint")).isEqualTo("choose one with +hardware@search." + key + "=h200");
            }
        }
    }

    record OfSearch(@Key("Where to look. | {}") Cards search) {}

    record Cards(
            @Key("Some devices. | null") Optional<Card> outputHardware,
            @Key("Other devices. | null") Optional<Card> hardware,
            @Key("No group has it. | null") Optional<Card> other) {}

    record Card(@Key("Its name.") String name) {}

    @Test
    void throwsForAComponentWithoutAKey() {
        assertThatThrownBy(() -> SettingsSchema.of(NoKey.class))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("NoKey.b has no @Key");
    }

    record NoKey(@Key("A. | 1") int a, int b) {}

    private static List<Problem> problems(MapNode tree) {
        StageException error =
                catchThrowableOfType(StageException.class, () -> Binder.bind(tree, SampleSettings.class));
        assertThat(error).as("binding fails").isNotNull();
        return error.problems();
    }

    private static String note(Problem problem, String label) {
        return problem.notes().stream()
                .filter(note -> note.label().equals(label))
                .map(Problem.Note::text)
                .findFirst()
                .orElse("");
    }
}
