package dev.stagesim.feature.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.feature.studio.Form.Field;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FormTest {
    static List<String> stages() {
        return StageRegistry.standard().names();
    }

    private static List<Field> fields(String stage) {
        return Form.fields(CommandRequest.stage(stage).spec().settings());
    }

    private static Field field(String stage, String path) {
        return fields(stage).stream()
                .filter(each -> each.path().equals(path))
                .findFirst()
                .orElseThrow();
    }

    /** The form has exactly the keys that the binder accepts. */
    @ParameterizedTest
    @MethodSource("stages")
    void listsEveryKeyOfTheBinder(String name) {
        Stage<?> stage = CommandRequest.stage(name);
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
    void showsTheDeclarationOfAKey() {
        Field qps = field("vidur_sim", "arrival.qps");
        assertThat(qps.doc()).contains("rate");
        assertThat(qps.unit()).isEqualTo("requests/s");
        assertThat(qps.range()).isEqualTo("0.000001..1000000000");
        assertThat(qps.when()).containsExactly("arrival.kind=poisson");
        Field kind = field("vidur_sim", "scheduler.kind");
        assertThat(kind.def()).isEqualTo("vllm_v1");
        assertThat(kind.options()).containsKeys("vllm", "orca", "sarathi");
        assertThat(field("vidur_sim", "workload.dir").isPath()).isTrue();
    }

    @Test
    void returnsAShellCommandForKeysOfTheCommandLine() {
        for (String key : List.of("profile.python", "profile/python")) {
            assertThatThrownBy(() -> words("vidur_profile", "profile.profiler=torch", key + "=/any/program"))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining(key + "=/any/program")
                    .hasMessageContaining("run it in a shell: ./stage vidur_profile profile.profiler=torch " + key);
        }
        for (String word : List.of(
                "endpoint.url=http://x/v1",
                "endpoint.api_key_env=HOME",
                "endpoint.allow_host=x",
                "endpoint.journal=x")) {
            assertThatThrownBy(() -> words("real_bench", word))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("./stage real_bench");
        }
        for (String word :
                List.of("server.host=0.0.0.0", "server.port=80", "server.api_key_env=HOME", "server.ready_file=x")) {
            assertThatThrownBy(() -> words("serve_mock", word))
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("./stage serve_mock");
        }
    }

    private static CommandRequest sim(String... words) {
        return words("vidur_sim", words);
    }

    private static CommandRequest words(String stage, String... words) {
        return CommandRequest.of(new CommandRequest.Request(stage, List.of(words), Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model=llama3_8b",
                "arrival.qps=1,2,4",
                "workload.dir=tmp/workload/w",
                "workload.dir=/project/here/tmp/w",
                "repeat=2",
                "tp=4",
                "scheduler.batch_size_cap=range(1,5)"
            })
    void acceptsOverridesOfTheStage(String word) {
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
                "workload.dir=\\/etc",
                "arrival.qps=1\n2"
            })
    void rejectsArgumentsOnlyForTheCommandLine(String word) {
        assertThatThrownBy(() -> sim(word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(word.split("\n", 2)[0]);
    }
}
