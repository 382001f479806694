package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ShortKeysTest {
    private static Stage<?> stage(String name) {
        return StageRegistry.standard().find(name).orElseThrow();
    }

    static Stream<String> stages() {
        return StageRegistry.standard().names().stream();
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim, tp=4, cluster.tensor_parallel_size=4",
        "compare, replicas=2, cluster.replicas=2",
        "plan, 'tp=2,4', 'search.tp=[2,4]'",
        "plan, 'dp=1,8', 'search.dp=[1,8]'",
        "plan, 'tp=[2,4]', 'search.tp=[2,4]'",
        "plan, rate=30, load=30",
        "plan, requests=300, requests=300",
        "workload, requests=300, workload.num_requests=300",
        "vidur_sim, model.name=tp=4, model.name=tp=4",
    })
    void setsTheKeyOfTheStage(String stage, String word, String override) {
        assertThat(ShortKeys.expand(stage(stage), List.of(word))).containsExactly(override);
    }

    @ParameterizedTest
    @CsvSource({"'concurrency=1,8', 'arrival.concurrency=1,8'", "'concurrency=[1,8]', 'arrival.concurrency=1,8'"})
    void selectsAClosedLoop(String word, String override) {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of(word)))
                .containsExactly("arrival=closed_loop", override);
    }

    @ParameterizedTest
    @CsvSource({
        "1000..2000, '''1000..2000'''",
        "'1..2,30', '''1..2'',''30'''",
        "'lognormal(mean=2000,cv=0.5)', '''lognormal(mean=2000,cv=0.5)'''",
        "'''lognormal(mean=2,cv=1)''', '''lognormal(mean=2,cv=1)'''",
    })
    void selectsDistributions(String value, String override) {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("prompt_tokens=" + value, "output_tokens=100")))
                .containsExactly(
                        "workload.lengths.prefill_tokens=" + override,
                        "workload.lengths.kind=distributions",
                        "workload.lengths.decode_tokens='100'");
    }

    @Test
    void selectsPoissonArrivalsUnlessOthersAreChosen() {
        assertThat(ShortKeys.expand(stage("real_bench"), List.of("rate=1,2")))
                .containsExactly("arrival=poisson", "arrival.qps=1,2");
        assertThat(ShortKeys.expand(stage("real_bench"), List.of("rate=4", "arrival=trace")))
                .containsExactly("arrival.qps=4", "arrival=trace");
    }

    @Test
    void raisesTheContextOfLongRequests() {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("prompt_tokens=9000", "output_tokens=100,1000")))
                .endsWith("workload.max_tokens=10000");
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("prompt_tokens=3000..9000", "output_tokens=100")))
                .endsWith("workload.max_tokens=9100");
        assertThat(ShortKeys.expand(
                        stage("vidur_sim"), List.of("prompt_tokens=9000", "output_tokens=100", "max_model_len=9500")))
                .contains("workload.max_tokens=9500")
                .doesNotContain("workload.max_tokens=9100");
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("prompt_tokens=3000", "output_tokens=100")))
                .noneMatch(override -> override.startsWith("workload.max_tokens"));
    }

    @Test
    void selectsGammaArrivals() {
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("rate=5", "burstiness=0.25,1")))
                .containsExactly("arrival.qps=5", "arrival=gamma", "arrival.cv=2.0,1.0");
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("burstiness=[4]", "rate=5", "concurrency=8")))
                .containsExactly("arrival.cv=0.5", "arrival.qps=5", "arrival=closed_loop", "arrival.concurrency=8");
    }

    @Test
    void selectsFixedLengthsOnce() {
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("prompt_tokens=900", "output_tokens=100")))
                .containsExactly(
                        "workload.lengths.prefill_tokens=900",
                        "workload.lengths.kind=fixed",
                        "workload.lengths.decode_tokens=100");
    }

    @ParameterizedTest
    @CsvSource({
        "cluster_sim, tp=2, cluster.pools.<name>.tp",
        "scale_sim, rate=2, has no effect in scale_sim",
        "vidur_sim, +tp=2, cluster.tensor_parallel_size=...",
        "vidur_sim, 'max_model_len=2048,4096', takes one value",
        "vidur_sim, 'max_model_len=[2048,4096]', takes one value",
        "vidur_sim, prompt_tokens=1000-2000, prompt_tokens=1000..2000",
        "vidur_sim, output_tokens=10:20, output_tokens=10..20",
        "vidur_sim, burstiness=0, positive number",
        "vidur_sim, burstiness=low, positive number",
        "vidur_sim, tp:=2, cluster.tensor_parallel_size=...",
    })
    void rejectsKeysWithoutEffectAndOtherOperators(String stage, String word, String part) {
        assertThatThrownBy(() -> ShortKeys.expand(stage(stage), List.of(word)))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(word, part);
    }

    @Test
    void appliesTheLastOfSeveralOverrides() {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("tp=4", "cluster.tensor_parallel_size=8", "tp=4")))
                .containsExactly("cluster.tensor_parallel_size=8", "cluster.tensor_parallel_size=4");
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("max_model_len=2048")))
                .containsExactly("workload.max_tokens=2048", "simulation.max_tokens=2048");
    }

    @ParameterizedTest
    @MethodSource("stages")
    void setsOnlyKeysThatTheStageHas(String name) {
        SettingsSchema schema = SettingsSchema.of(stage(name).spec().settings());
        ShortKeys.of(stage(name))
                .forEach((key, paths) -> assertThat(paths.split(" ")).as(key).allMatch(schema::isKnown));
    }
}
