package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.ReachingValue;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfinementTest {
    private static final Path HOME = Path.of("").toAbsolutePath();

    @TempDir
    Path folder;

    private Path work = Path.of("");

    @BeforeEach
    void aWorkingDirectoryWithLinks() throws IOException {
        work = Files.createDirectory(folder.resolve("work"));
        Files.createDirectories(work.resolve("tmp"));
        Files.createDirectories(folder.resolve("other/w"));
        Files.createSymbolicLink(work.resolve("inside"), work.resolve("tmp"));
        Files.createSymbolicLink(work.resolve("outside"), folder.resolve("other"));
        Files.createSymbolicLink(work.resolve("nowhere"), folder.resolve("missing"));
    }

    private void compose(String stage, String... words) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));
        Stage<?> known = StageRegistry.standard().find(stage).orElseThrow();
        new JobComposer(engine, known, stage, Path::toString, work)
                .confined(HOME)
                .compose(List.of(words));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "vidur_sim; model.hf_config; model.hf_config=/etc/shadow",
                "vidur_sim; workload.tokenizer; workload.tokenizer=/etc/passwd",
                "vidur_sim; workload.tokenizer; workload.tokenizer=\"/etc/passwd\"",
                "vidur_sim; workload.file; workload=azure_conv workload.file=../x",
                "fabric; calibration.runs.0; calibration.runs=[/etc]",
                "fabric; calibration.runs.1; calibration.runs=[tmp,'/etc']",
                "fabric; calibration.runs.0; calibration.runs=[tmp] calibration.runs.0=/etc/passwd",
                "fabric; atlas.records.0; atlas.records=[/etc]",
                "fabric; atlas.hardware; atlas.hardware=/etc",
                "cluster_sim; cluster.pools.all.experts.load.file;"
                        + " +cluster.pools.all.experts.load.kind=recorded +cluster.pools.all.experts.load.file=/etc/passwd",
                "astra_sim; network.packet.config;" + " network.packet.kind=file network.packet.config=/etc/passwd",
                "real_bench; endpoint.url; endpoint.url=http://127.0.0.1:1/v1",
                "real_bench; endpoint.api_key_env; endpoint.api_key_env=HOME",
                "real_bench; endpoint.allow_host; endpoint.allow_host=example.com",
                "real_bench; endpoint.journal; endpoint.journal=j.jsonl",
                "serve_mock; server.host; server.host=0.0.0.0",
                "serve_mock; server.port; server.port=80",
                "serve_mock; server.api_key_env; server.api_key_env=PATH",
                "serve_mock; server.ready_file; server.ready_file=stage",
                "vidur_profile; profile.python; profile.profiler=torch profile.python=/bin/sh"
            })
    void rejectsPathsOutsideInAnyKey(String stage, String key, String words) {
        assertThatThrownBy(() -> compose(stage, words.split(" ", -1)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("command line");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hydra.searchpath=[/etc]",
                "+hydra.searchpath=[/etc]",
                "++hydra.searchpath=['file:///etc']",
                "hydra={searchpath:[/etc]}"
            })
    void rejectsOverridesOfTheSearchPath(String word) {
        assertThatThrownBy(() -> compose("vidur_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(word)
                .hasMessageContaining("command line");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model.name=${oc.env:SECRET}",
                "model.name='a ${ oc.env : SECRET } b'",
                "model.name=${oc.decode:${oc.env:SECRET}}",
                "model.name=${oc.env:SECRET,none}",
                "model.name=${oc.${hardware.name}:SECRET}",
                "workload.lengths.seed=${oc.decode:${oc.env:SECRET}}"
            })
    void rejectsOverridesThatReadTheEnvironment(String word) {
        assertThatThrownBy(() -> compose("vidur_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("environment");
    }

    @Test
    void acceptsOverridesThatReadOtherKeys() {
        assertThatCode(() -> compose("vidur_sim", "model.source=${model.name}")).doesNotThrowAnyException();
    }

    /** A link counts as its target, also if the end of the path does not exist yet. */
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
    void rejectsLinksOutOfTheWorkingDirectory(String path, boolean allowed) {
        for (String sent : List.of("workload.dir=" + path, "workload.dir=" + work + "/" + path)) {
            if (allowed) {
                assertThatCode(() -> compose("vidur_sim", sent)).doesNotThrowAnyException();
            } else {
                assertThatThrownBy(() -> compose("vidur_sim", sent))
                        .isInstanceOf(StageException.class)
                        .hasMessageContaining("outside the working directory");
            }
        }
    }

    @Test
    void acceptsPresetsOfTheProduct() {
        assertThatCode(() -> {
                    compose("vidur_sim", "model=llama3_8b", "hardware=h100", "workload=azure_conv");
                    compose("workload", "workload=azure_conv", "workload.tokenizer=cl100k_base");
                    compose("serve_mock", "model=llama3_8b", "hardware=h100");
                })
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsOptionsOfGroups() throws IOException {
        Files.writeString(folder.resolve("evil.conf"), "name = x");
        for (String option :
                List.of("../../../../.." + folder + "/evil", folder + "/evil", "../llama3_8b/../../evil")) {
            assertThatThrownBy(() -> compose("vidur_sim", "model=" + option)).isInstanceOf(StageException.class);
        }
    }

    /** Finds every declared path key of every stage in a tree, also in lists and maps. */
    @Test
    void findsEveryDeclaredKey() {
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            SettingsSchema schema = SettingsSchema.of(stage.spec().settings());
            for (KeyInfo key : schema.keys()) {
                if (key.access() != Resource.NONE) {
                    MapNode tree = (MapNode) tree(List.of(key.path().split("\\.", -1)));
                    assertThat(schema.reaching(tree))
                            .as(stage.spec().name() + " " + key.path())
                            .extracting(ReachingValue::access)
                            .contains(key.access());
                    assertThat(schema.access(key.path().replace("<n>", "0").replace("<name>", "x")))
                            .as(key.path())
                            .isEqualTo(key.access());
                }
            }
        }
    }

    private static Node tree(List<String> path) {
        if (path.isEmpty()) {
            return ScalarNode.of("/etc", Origin.override(1, "x"));
        }
        Node below = tree(path.subList(1, path.size()));
        return path.get(0).equals("<n>")
                ? new ListNode(List.of(below), Origin.UNKNOWN)
                : MapNode.of(Map.of(path.get(0).equals("<name>") ? "x" : path.get(0), below), Origin.UNKNOWN);
    }
}
