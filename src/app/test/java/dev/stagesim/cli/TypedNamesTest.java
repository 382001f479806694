package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.ForeignNames;
import dev.stagesim.model.Variant;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors about arguments as users of other tools type them. */
final class TypedNamesTest {
    private static boolean isKnown(Stage<?> stage, String key) {
        return SettingsSchema.of(stage.spec().settings()).isKnown(key)
                || ShortKeys.of(stage).containsKey(key);
    }

    @Test
    void suggestsOnlyKeysAndValuesThatExist() {
        Set<String> values = Stream.concat(
                        Stream.of(RouterSettings.class.getPermittedSubclasses())
                                .map(kind -> kind.getAnnotation(Variant.class)
                                        .value()
                                        .split(" ", 2)[0]),
                        Stream.of("cheapest"))
                .collect(Collectors.toSet());
        ForeignNames.all().forEach((name, meant) -> assertThat(meant)
                .as(name)
                .isNotEmpty()
                .allMatch(key -> values.contains(key)
                        || StageRegistry.standard().stages().stream().anyMatch(stage -> isKnown(stage, key))));
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim, gpu=h100, hardware",
        "vidur_sim, gpus=2, tp",
        "vidur_sim, max-concurrency=8, concurrency",
        "vidur_sim, num_prompts=10, requests",
        "vidur_sim, batch_size=8, concurrency",
        "vidur_sim, seq_len=100, prompt_tokens",
        "vidur_sim, output_len=100, output_tokens",
        "vidur_sim, dtype=fp8, weights",
        "vidur_sim, kv_cache_dtype=fp8, kv_cache",
        "cluster_sim, quantization=fp8, weights",
        "train_plan, dtype=fp8, precision",
        "plan, dtype=fp8, weights",
        "fits, dtype=fp8, weights",
        "cluster_sim, request_rate=8, rate",
        "plan, gpus=16, devices",
        "plan, tensor_parallel_size=2, tp",
        "plan, goal=cost, cheapest",
        "cluster_sim, cluster.router.kind=least_loaded, least_outstanding",
        "cluster_sim, cluster.router.kind=p2c, power_of_two",
        "cluster_sim, cluster.router.kind=prefix_cache, aibrix_prefix",
        "train_plan, gpus=64, cluster.devices",
        "train_plan, gbs=64, batch.global",
        "train_plan, seq_len=64, sequence",
        "plan, ttft=0.5s, slo",
        "astra_sim, hardware=h100, network",
        "astra_sim, size=1GiB, workload.comm_size",
        "fits, conc=64, concurrency",
        "fits, gpu_memory_utilization=0.9, scheduler.gpu_memory_utilization",
        "fits, context=16384, max_model_len",
    })
    void suggestsTheKeyOfANameInAnotherTool(String command, String word, String meant) {
        CliTester tester = CliTester.run(command, word);
        assertThat(tester.exit()).isEqualTo(2);
        assertThat(tester.err().lines()).contains("  did you mean  " + meant);
    }

    /** Numbers and limits of latencies that other tools accept have a working form in the error. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "vidur_sim rate=10/s | write 10",
                "vidur_sim prompt_tokens=4k | write 4000, or 4096",
                "vidur_sim max_model_len=128k | write 128000, or 131072",
                "vidur_sim tp=1-8 | range(1,9) with -m",
                "vidur_sim requests= | write a number after the =",
                "vidur_sim slo.ttft_ms=500 | slo='ttft_p99_ms<500' in plan",
                "vidur_sim ttft=500 | sweeper=capacity",
                "plan slo.ttft_ms=500 | slo='ttft_p99_ms<500' in plan",
                "vidur_sim memory=80GB | comes from hardware=",
            })
    void givesTheWorkingForm(String command, String hint) {
        CliTester tester = CliTester.run(command.split(" "));
        assertThat(tester.exit()).isEqualTo(2);
        assertThat(tester.err().lines().filter(line -> line.startsWith("  hint")))
                .anyMatch(line -> line.contains(hint));
    }

    @ParameterizedTest
    @CsvSource({"ls, runs list", "list, runs list", "show, runs show", "plans, plan"})
    void suggestsCommandsOfGroups(String word, String meant) {
        CliTester tester = CliTester.run(word);
        assertThat(tester.exit()).isEqualTo(2);
        assertThat(tester.err()).contains("  did you mean  " + meant);
    }

    @Test
    void listsShortKeysFirst() {
        assertThat(CliTester.run("vidur_sim", "nonsense=1").err())
                .containsPattern("options +prompt_tokens, output_tokens, .*rate, .*tp, .*scheduler");
        assertThat(CliTester.run("fits", "nonsense=1").err())
                .containsPattern("options +max_model_len, concurrency, tp, .*scheduler");
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim --tensor-parallel-size=2, tp=2",
        "vidur_sim --model llama3_8b, model=llama3_8b",
        "vidur_sim --model tp=2, model=<value>",
        "fits --max-num-seqs, scheduler.max_num_seqs=<value>",
        "fits --max-model-len 4096, max_model_len=4096",
    })
    void rewritesOptionsOfOtherTools(String command, String setting) {
        assertThat(CliTester.run(command.split(" ")).err()).contains("write " + setting + "\n");
    }

    @ParameterizedTest
    @CsvSource({
        "model=llama3_8b hardware=h100 rate=-4, override #3 'rate=-4'",
        "rate=2 prompt_tokens=-4 output_tokens=2, override #2 'prompt_tokens=-4'",
        "rate=2 tp=2 workload.seed=x, override #3 'workload.seed=x'",
        "tp=0 rate=2, override #1 'tp=0'",
    })
    void locatesTypedArguments(String words, String origin) {
        String[] arguments = ("vidur_sim " + words).split(" ");
        assertThat(CliTester.run(arguments).err().lines()).contains("  from          " + origin);
    }

    @Test
    void reportsAMissingFileOfAModel() {
        for (String model : List.of("/tmp/no_such.json", "no_such.json", "./no_such")) {
            assertThat(CliTester.run("vidur_sim", "model=" + model).err()).contains("the file does not exist");
        }
        assertThat(CliTester.run("vidur_sim", "model=no/such").err())
                .contains("no preset has this name, and there is no such folder", "model=path/config.json");
    }

    @ParameterizedTest
    @CsvSource({
        "arrival, 'poisson,gamma', arrival.qps=5",
        "arrival, 'gamma,poisson', rate=5",
        "workload.lengths.kind, 'fixed,uniform', tp=2",
        "scheduler.speculative.num_tokens, '1,3', speculative=eagle",
    })
    void printsEveryKeyThatIsSwept(String key, String values, String other) {
        CliTester sweep = CliTester.run("vidur_sim", "-m", "--dry-run", "engine=vllm_v1", key + "=" + values, other);
        String[] items = values.split(",", -1);
        assertThat(sweep.out()).contains("#0  engine=vllm_v1 " + key + "=" + items[0] + " " + other);
        assertThat(sweep.out()).contains("#1  engine=vllm_v1 " + key + "=" + items[1] + " " + other);
    }

    @ParameterizedTest
    @CsvSource({
        "plan rate=inf, rate=inf: plan requires a finite rate",
        "plan rate=inf concurrency=8, rate=inf: plan requires a finite rate",
        "'plan -m rate=[5,inf]', 'rate=[5,inf]: plan requires a finite rate'",
        "vidur_sim rate=inf burstiness=0.5, burstiness=0.5: has no effect with rate=inf",
        "cluster_sim concurrency=8 burstiness=2 rate=inf, burstiness=2: has no effect with rate=inf",
        "'vidur_sim -m rate=inf,5 arrival=gamma', 'rate=inf,5: contradicts arrival=gamma'",
        "'vidur_sim -m rate=inf,x', 'rate=inf,x: expected numbers next to inf, got x'",
    })
    void rejectsAnUnlimitedRateWithoutEffect(String command, String error) {
        CliTester tester = CliTester.run(command.split(" "));
        assertThat(tester.exit()).isEqualTo(2);
        assertThat(tester.err()).containsOnlyOnce("error: ").contains(error);
    }

    /** Several values of a key with one value can only be swept; a key with a list also accepts a list. */
    @ParameterizedTest
    @CsvSource({
        "plan, 'hardware=h100,h200', -m 'hardware=h100|h200', =[",
        "vidur_sim, 'concurrency=1,2', -m 'concurrency=1|2', =[",
        "vidur_sim, 'engine=vllm_v1,sglang', -m 'engine=vllm_v1|sglang', =[",
        "plan, 'search.tp=1,2', 'write search.tp=[1|2]', takes one value",
    })
    void suggestsTheSweepOfSeveralValues(String stage, String word, String hint, String absent) {
        CliTester tester = CliTester.run(stage, word);
        assertThat(tester.exit()).isEqualTo(2);
        assertThat(tester.err()).contains(hint.replace('|', ',')).doesNotContain(absent);
    }

    @Test
    void namesShortKeysAsTyped() {
        CliTester sweep = CliTester.run("vidur_sim", "-m", "--dry-run", "tp=1,2", "rate=5", "prompt_tokens=100");
        assertThat(sweep.out().lines())
                .containsExactly("#0  tp=1 rate=5 prompt_tokens=100", "#1  tp=2 rate=5 prompt_tokens=100");
        CliTester system = CliTester.run("vidur_sim", "-m", "--dry-run", "hardware=dgx_h100", "tp=4,8", "rate=5");
        assertThat(system.err()).containsOnlyOnce("hardware=dgx_h100 is read as hardware=h100, one device");
        CliTester unlimited = CliTester.run("vidur_sim", "-m", "--dry-run", "tp=1,2", "rate=inf");
        assertThat(unlimited.out().lines()).containsExactly("#0  tp=1 rate=inf", "#1  tp=2 rate=inf");
        CliTester rates = CliTester.run("vidur_sim", "-m", "--dry-run", "rate=[inf,5]", "tp=2");
        assertThat(rates.out().lines()).containsExactly("#0  rate=inf tp=2", "#1  rate=5 tp=2");
        CliTester limited = CliTester.run("cluster_sim", "-m", "--dry-run", "rate=5,inf", "concurrency=8");
        assertThat(limited.out().lines()).containsExactly("#0  rate=5 concurrency=8", "#1  rate=inf concurrency=8");
        CliTester twice = CliTester.run("plan", "--dry-run", "rate=2", "rate=3");
        assertThat(twice.err()).contains("'rate=2' has no effect, because 'rate=3' comes after it");
    }
}
