package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.pipeline.request.TypedArguments;
import dev.stagesim.stage.Stage;
import java.nio.file.Path;
import java.util.ArrayList;
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
        "plan, ep=true, search.expert_parallel=[true]",
        "plan, speculative=none, search.draft_tokens=[0]",
        "plan, speculative=off, search.draft_tokens=[0]",
        "vidur_sim, speculative=null, scheduler.speculative.method=none",
        "vidur_sim, speculative=No, scheduler.speculative.method=none",
        "vidur_sim, speculative=none, scheduler.speculative.method=none",
        "cluster_sim, ep=true, cluster.pools.each_pool.expert_parallel=true",
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

    @ParameterizedTest
    @CsvSource({
        "rate=inf, arrival=static",
        "'rate=inf,2', 'arrival={kind:static},{kind:poisson,qps:2}'",
        "'rate=[2,inf]', 'arrival={kind:poisson,qps:2},{kind:static}'",
    })
    void sendsAllRequestsAtOnceAtAnUnlimitedRate(String word, String override) {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of(word))).containsExactly(override);
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("rate=inf,2", "concurrency=8")))
                .containsExactly("arrival.qps=null,2", "arrival=closed_loop", "arrival.concurrency=8");
    }

    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    private static JsonValue workload(String name, List<String> warnings, String... words) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));
        JobComposer composer = new JobComposer(engine, stage(name), name, Path::toString);
        List<String> overrides = ShortKeys.expand(stage(name), List.of(words));
        RunRequest request = composer.request(composer.compose(overrides), overrides, warnings::add);
        return Json.parse(Json.pretty(request.json()), "config")
                .get(name.equals("cluster_sim") ? "cluster" : "workload")
                .value();
    }

    @ParameterizedTest
    @CsvSource({
        "prompt_tokens=9000 output_tokens=100, 9100",
        "prompt_tokens=3000..9000 output_tokens=100, 9100",
        "prompt_tokens=9000 output_tokens=100 max_model_len=9500, 9500",
        "prompt_tokens=3000 output_tokens=100, 4096",
        "workload=azure_conv prompt_tokens=9000 output_tokens=100, 16384",
    })
    void raisesTheContextOfLongRequests(String words, String context) {
        List<String> warnings = new ArrayList<>();
        assertThat(Json.compact(workload("vidur_sim", warnings, words.split(" "))))
                .contains("\"max_tokens\":" + context);
        assertThat(warnings).isEmpty();
    }

    @Test
    void warnsOfALengthThatIsADefault() {
        List<String> warnings = new ArrayList<>();
        workload("vidur_sim", warnings, "workload=azure_conv", "prompt_tokens=1000");
        assertThat(warnings).singleElement().asString().contains("output_tokens is not set", "512 tokens");
    }

    @Test
    void setsTheKeysOfAllPools() {
        String pools =
                Json.compact(workload("cluster_sim", new ArrayList<>(), "tp=2", "engine=sglang", "cluster=pd_1_1"));
        assertThat(pools.split("\"tp\":2", -1)).hasSize(3);
        assertThat(pools.split("\"engine\":\"sglang\"", -1)).hasSize(3);
        assertThatThrownBy(() -> workload("cluster_sim", new ArrayList<>(), "replicas=2", "cluster=pd_1_1"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("prefill, decode", "cluster.pools.prefill.replicas=2");
        assertThat(Json.compact(workload("cluster_sim", new ArrayList<>(), "replicas=5")))
                .contains("\"replicas\":5", "\"role\":\"both\"", "\"kind\":\"round_robin\"");
    }

    @ParameterizedTest
    @CsvSource({"tp=8 ep=8, true", "tp=2 dp=4 ep=8, true", "dp=4 ep=1, false", "tp=8 ep=true, true", "ep=false, false"})
    void placesExpertsOnAllDevices(String words, String parallel) {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of(words.split(" "))))
                .contains("scheduler.enable_expert_parallel=" + parallel);
    }

    @ParameterizedTest
    @CsvSource({"ep=8, set tp=8 or dp=8", "ep=0, set ep=1", "tp=4 ep=8, set ep=1 or ep=4"})
    void namesALegalDegreeOfExpertParallelism(String words, String hint) {
        assertThatThrownBy(() -> ShortKeys.expand(stage("vidur_sim"), List.of(words.split(" "))))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(hint);
    }

    @Test
    void selectsGammaArrivals() {
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("rate=5", "burstiness=0.25,1")))
                .containsExactly("arrival.qps=5", "arrival=gamma", "arrival.cv=2.0,1.0", "arrival.exact_rate=true");
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("burstiness=[4]", "rate=5", "concurrency=8")))
                .containsExactly(
                        "arrival.cv=0.5",
                        "arrival.exact_rate=true",
                        "arrival.qps=5",
                        "arrival=closed_loop",
                        "arrival.concurrency=8");
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("rate=5", "arrival.exact_rate=false", "burstiness=4")))
                .containsExactly("arrival.qps=5", "arrival.exact_rate=false", "arrival=gamma", "arrival.cv=0.5");
    }

    @Test
    void showsTypedDistributions() {
        TypedArguments typed = new TypedArguments(
                stage("vidur_sim"), List.of("prompt_tokens=[100..200,1000..3000]", "output_tokens=10"));
        assertThat(typed.typed(List.of(
                        "workload.lengths.kind=distributions",
                        "workload.lengths.prefill_tokens='1000..3000'",
                        "workload.lengths.decode_tokens='10'")))
                .containsExactly("prompt_tokens=1000..3000", "output_tokens=10");
        TypedArguments fixed = new TypedArguments(stage("vidur_sim"), List.of("prompt_tokens=100"));
        assertThat(fixed.typed(List.of("workload.lengths.kind=distributions")))
                .containsExactly("workload.lengths.kind=distributions");
    }

    @Test
    void showsTypedValuesOfKeysThatSetAnInverse() {
        TypedArguments typed = new TypedArguments(stage("vidur_sim"), List.of("burstiness=[1, 0.25]", "speed=4,5"));
        assertThat(typed.typed(List.of("arrival=gamma", "arrival.cv=2.0", "arrival.time_scale=0.25")))
                .containsExactly("burstiness=0.25", "speed=4");
        assertThat(typed.typed(List.of("arrival.cv=1.0", "arrival.time_scale=0.2")))
                .containsExactly("burstiness=1", "speed=5");
    }

    @Test
    void selectsDraftsAndTheSpeedOfATrace() {
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("speculative=mtp", "speed=4")))
                .containsExactly(
                        "scheduler.speculative.method=mtp",
                        "scheduler.speculative.num_tokens=3",
                        "arrival.time_scale=0.25");
        assertThat(ShortKeys.expand(
                        stage("vidur_sim"), List.of("scheduler.speculative.num_tokens=1", "speculative=[mtp,eagle]")))
                .containsExactly("scheduler.speculative.num_tokens=1", "scheduler.speculative.method=mtp,eagle");
        assertThat(ShortKeys.expand(stage("plan"), List.of("speculative=eagle3")))
                .containsExactly("search.draft_method=eagle3", "search.draft_tokens=[3]");
    }

    @Test
    void selectsSharedPrefixesAndSessions() {
        assertThat(ShortKeys.expand(stage("plan"), List.of("prefix_tokens=0,1000")))
                .containsExactly(
                        "workload.sharing.kind=prefixes",
                        "workload.sharing.groups=1",
                        "workload.sharing.tokens=0,1000");
        assertThat(ShortKeys.expand(stage("vidur_sim"), List.of("prefix_tokens=9", "workload.sharing.groups=4")))
                .containsExactly(
                        "workload.sharing.kind=prefixes", "workload.sharing.tokens=9", "workload.sharing.groups=4");
        assertThat(ShortKeys.expand(stage("cluster_sim"), List.of("prefix_tokens=9", "turns=4")))
                .containsExactly(
                        "workload.sharing.shared_prefix_tokens=9",
                        "workload.sharing.kind=sessions",
                        "workload.sharing.turns=4");
        assertThat(ShortKeys.expand(stage("workload"), List.of("workload.sharing.kind=agents", "prefix_tokens=0")))
                .containsExactly("workload.sharing.kind=agents", "workload.sharing.shared_prefix_tokens=0");
        assertThat(Json.compact(workload("vidur_sim", new ArrayList<>(), "turns=3", "prefix_tokens=70")))
                .contains("\"shared_prefix_tokens\":70", "\"turns\":3");
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
        "vidur_sim, ep=8, ep=true for all devices",
        "scale_sim, rate=2, has no effect in scale_sim",
        "astra_sim, prefix_tokens=2, has no effect in astra_sim",
        "fabric, turns=2, has no effect in fabric",
        "astra_sim, prompt_tokens=2, has no effect in astra_sim",
        "train_plan, ep=true, for example ep=8",
        "vidur_sim, +tp=2, cluster.tensor_parallel_size=...",
        "vidur_sim, 'max_model_len=2048,4096', takes one value",
        "vidur_sim, 'max_model_len=[2048,4096]', takes one value",
        "vidur_sim, prompt_tokens=1000-2000, prompt_tokens=1000..2000",
        "vidur_sim, output_tokens=10:20, output_tokens=10..20",
        "vidur_sim, burstiness=0, positive number",
        "vidur_sim, burstiness=low, positive number",
        "vidur_sim, speed=0, half of the time",
        "cluster_sim, speculative=mtp, no effect",
        "cluster_sim, dp=4, 'an instance is one engine'",
        "cluster_sim, dp=4, 'set replicas=4; if these share the experts of a mixture, also +cluster.pools.<name>.experts.instances=4'",
        "cluster_sim, ep=8, 'set tp=8 as well'",
        "vidur_sim, ep=8, 'set tp=8 or dp=8 as well'",
        "vidur_profile, dp=4, no effect in vidur_profile",
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
