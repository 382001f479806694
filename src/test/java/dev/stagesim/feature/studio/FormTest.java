package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.feature.studio.Form.Field;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FormTest {
    private static final Path WORK = Path.of("/project/here");
    private static final Pattern PROGRAM =
            Pattern.compile("(?i)\\b(interpreter|executable|binary|launcher|shell|command|spark-submit)\\b");

    static List<String> stages() {
        return StageRegistry.standard().names();
    }

    private static List<Field> fields(String stage) {
        return Form.fields(Words.stage(stage).spec().settings());
    }

    private static Field field(String stage, String path) {
        return fields(stage).stream()
                .filter(each -> each.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    /** The form has the keys that binding knows, no more and no fewer. */
    @ParameterizedTest
    @MethodSource("stages")
    void everyKeyIsInTheForm(String name) {
        Stage<?> stage = Words.stage(name);
        SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
        Set<String> shown = fields(name).stream().map(Field::path).collect(Collectors.toSet());
        assertThat(shown).isNotEmpty().allMatch(schema::isKnown);
        Set<String> sections = schema.keys().stream()
                .map(KeyInfo::path)
                .filter(path -> path.contains("."))
                .flatMap(path -> java.util.stream.IntStream.range(0, path.length())
                        .filter(i -> path.charAt(i) == '.')
                        .mapToObj(i -> path.substring(0, i)))
                .collect(Collectors.toSet());
        assertThat(schema.keys())
                .extracting(KeyInfo::path)
                .filteredOn(path -> !sections.contains(path) && !path.contains("<"))
                .allMatch(path -> shown.contains(path) || shown.stream().anyMatch(each -> each.startsWith(path + ".")));
        Set<String> paths = schema.keys().stream()
                .filter(KeyInfo::isPath)
                .map(KeyInfo::path)
                .filter(path -> !path.contains("<"))
                .collect(Collectors.toSet());
        assertThat(fields(name).stream().filter(Field::isPath).map(Field::path).collect(Collectors.toSet()))
                .containsAll(paths);
    }

    @Test
    void aKeyIsShownWithAllThatIsDeclared() {
        Field qps = field("vidur_sim", "arrival.qps");
        assertThat(qps.doc()).contains("rate");
        assertThat(qps.unit()).isEqualTo("requests/s");
        assertThat(qps.range()).isEqualTo(">0..");
        assertThat(qps.when()).containsExactly("arrival.kind=poisson");
        Field kind = field("vidur_sim", "scheduler.kind");
        assertThat(kind.def()).isEqualTo("sarathi");
        assertThat(kind.options()).containsKeys("vllm", "orca", "sarathi");
        assertThat(field("vidur_sim", "workload.dir").isPath()).isTrue();
    }

    /** A page may not choose what is started, also under keys that come to be. */
    @ParameterizedTest
    @MethodSource("stages")
    void keysThatNameProgramsAreNotForPages(String stage) {
        assertThat(fields(stage))
                .filteredOn(field -> field.options().isEmpty()
                        && PROGRAM.matcher(field.doc()).find())
                .extracting(field -> field.path() + "=/any/program")
                .allMatch(Words::namesProgram);
    }

    @Test
    void aRefusedProgramComesWithTheCommandForAShell() {
        assertThat(field("vidur_profile", "profile.python").doc()).containsPattern(PROGRAM);
        for (String key : List.of("profile.python", "profile/python", "launcher.submit")) {
            assertThatThrownBy(() -> words("vidur_profile", "profile.profiler=torch", key + "=/any/program"))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining(key + "=/any/program")
                    .hasMessageContaining("names a program")
                    .hasMessageContaining("run it in a shell: ./stage vidur_profile profile.profiler=torch " + key);
        }
    }

    /** Links count as what they lead to, also where the end of the path is still to be made. */
    @ParameterizedTest
    @CsvSource({
        "tmp/w, true",
        "none/w, true",
        "none/../tmp, true",
        "inside/w, true",
        "outside, false",
        "outside/w, false",
        "outside/none/w, false",
        "none/../outside/w, false",
        "outside/../tmp, false",
        "nowhere, false",
        "nowhere/w, false",
        "none/../../w, false"
    })
    void linksOutOfTheWorkingDirectoryAreNotFollowed(String path, boolean allowed, @TempDir Path folder)
            throws IOException {
        Path work = Files.createDirectory(folder.resolve("work"));
        Files.createDirectories(work.resolve("tmp"));
        Files.createDirectories(folder.resolve("other/w"));
        Files.createSymbolicLink(work.resolve("inside"), work.resolve("tmp"));
        Files.createSymbolicLink(work.resolve("outside"), folder.resolve("other"));
        Files.createSymbolicLink(work.resolve("nowhere"), folder.resolve("missing"));
        for (String sent : List.of("workload.dir=" + path, "workload.dir=" + work + "/" + path)) {
            if (allowed) {
                assertThat(words(work, "vidur_sim", sent).words()).containsExactly(sent);
            } else {
                assertThatThrownBy(() -> words(work, "vidur_sim", sent))
                        .isInstanceOf(StageException.class)
                        .hasMessageContaining("outside of the working directory");
            }
        }
    }

    private static Words sim(String... words) {
        return words("vidur_sim", words);
    }

    private static Words words(String stage, String... words) {
        return words(WORK, stage, words);
    }

    private static Words words(Path work, String stage, String... words) {
        JsonValue asked = JsonValue.object()
                .put("stage", stage)
                .put("words", JsonValue.strings(List.of(words)))
                .put("sweep", false)
                .build();
        return Words.of(Json.parse(Json.compact(asked), "request"), work);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model=llama3_8b",
                "arrival.qps=1,2,4",
                "workload.dir=tmp/workload/w",
                "workload.dir=/project/here/tmp/w",
                "repeat=2",
                "scheduler.batch_size_cap=range(1,5)"
            })
    void overridesOfTheStageMayBeSent(String word) {
        assertThat(sim(word).command("--dry-run")).containsExactly("vidur_sim", "--dry-run", word);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "--config-dir=/etc",
                "-m",
                "model",
                "+model.x=1",
                "~model",
                "no.such=1",
                "launcher.kind=spark",
                "hydra.searchpath=[/etc]",
                "arrival.qps=${oc.env:HOME}",
                "workload={dir: /etc}",
                "workload.dir=/etc",
                "workload.dir=../elsewhere",
                "workload.dir=/project/here/../there",
                "workload.dir='/etc'",
                "workload.dir=\\/etc",
                "workload.dir=tmp/w,/etc",
                "arrival.qps=1\n2"
            })
    void whatElseIsForTheCommandLine(String word) {
        assertThatThrownBy(() -> sim(word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(word.split("\n", 2)[0]);
    }
}
