package dev.stagesim.verify.fidelity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.sim.kernels.Sharding;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PoolTest {
    private static Row row(String gpu, String dtype, String metric, double value, String note) {
        return new Row(
                new Row.Origin("rows.csv", 2, "s"),
                new Row.Setup("sglang", "0.5.9", "deepseek-ai/DeepSeek-R1", "", dtype, gpu),
                new Row.Groups(64, 8, 1, 8, 8),
                new Row.Load("1024", 1024, "concurrency", 64),
                metric,
                value,
                note);
    }

    private static Row note(String note) {
        return row("B200-SXM-180GB", "fp8", "tpot_p50", 1, note);
    }

    @Test
    void readsTheDevicesOfAnEngine() {
        Row copies =
                note("InferenceX run, 2026-03-01; aggregated; framework sglang; decode tp 8 ep 8 dpa True workers 0"
                        + " gpus 64");
        assertThat(Pool.aggregated(copies).orElseThrow().sharding()).isEqualTo(new Sharding(1, 1, 8, 1, 8));
        assertThat(Pool.Split.of(copies)).isEmpty();
        Row shared = note("aggregated; decode tp 4 ep 1 dpa False workers 0 gpus 4");
        assertThat(Pool.aggregated(shared).orElseThrow().sharding()).isEqualTo(Sharding.tensor(4, 1));
        assertThat(Pool.aggregated(note("vendor"))).isEmpty();
    }

    @Test
    void readsWorkersForPromptsAndTokens() {
        Pool.Split split = Pool.Split.of(
                        note("disaggregated; prefill tp 4 ep 4 dpa True workers 2 gpus 8; decode tp 8 ep 1"
                                + " dpa False workers 3 gpus 24"))
                .orElseThrow();
        assertThat(split.prefill().engines()).isEqualTo(8);
        assertThat(split.decode().engines()).isEqualTo(3);
        Pool.Split equal = Pool.Split.of(note("prefill workers 1 decode workers 3, TP 2 each"))
                .orElseThrow();
        assertThat(equal.decode().sharding()).isEqualTo(Sharding.tensor(2, 1));
        Row unknown = note("disaggregated; prefill tp 28 ep 1 dpa False workers 0 gpus 28; decode tp 28 ep 1 dpa False"
                + " workers 0 gpus 28");
        assertThatThrownBy(() -> Pool.Split.of(unknown))
                .isInstanceOfSatisfying(UnpredictableRow.class, refusal -> assertThat(refusal.why())
                        .contains("not recorded"));
    }

    @Test
    void knowsTheSettingsOfScripts() {
        String run = "InferenceX run, 2026-03-01; aggregated; mtp; framework sglang";
        assertThat(Script.of(note(run), Optional.empty())).isEqualTo(new Script(30, 2, true));
        assertThat(Script.of(row("MI355X", "fp8", "itl_p50", 1, run), Optional.empty()))
                .isEqualTo(new Script(1, 3, true));
        assertThat(Script.of(note("other"), Optional.empty())).isEqualTo(new Script(1, 0, false));
        assertThat(Script.admission(note(run), 1)).isEqualTo(new AdmissionGate.Rule(30, 0));
        assertThat(Script.admission(row("MI355X", "fp8", "itl_p50", 1, run), 1))
                .isEqualTo(AdmissionGate.Rule.IMMEDIATE);
    }

    @Test
    void readsTheRecipeOfADeployment() {
        String workers = "; framework dynamo-sglang; prefill tp 8 ep 8 dpa True workers 2 gpus 16;"
                + " decode tp 8 ep 8 dpa True workers 5 gpus 40";
        Row drafts = note("InferenceX run, 2026-02-12; disaggregated; mtp" + workers);
        Pool.Split pools = Pool.Split.of(drafts).orElseThrow();
        assertThat(Recipe.of(drafts, pools)).contains(new Recipe(2, 4096, 64, Optional.of(0.85), 64, false, false));
        Row plain = note("InferenceX run, 2026-02-12; disaggregated" + workers);
        assertThat(Recipe.of(plain, pools)).contains(new Recipe(0, 4096, 128, Optional.of(0.85), 128, false, false));
        assertThat(Recipe.of(note("other"), pools)).isEmpty();
        Pool many = new Pool(99, 8, true, 8);
        assertThat(Recipe.of(plain, new Pool.Split(many, many))).isEmpty();
    }

    /** Attention is shared if a row states no copies, and in recipes of 2025 that state them without having them. */
    @Test
    void knowsDeploymentsThatShareAttention() {
        Row row = row(
                "GB200-NVL72-per-GPU",
                "nvfp4",
                "tpot_p50",
                1,
                "InferenceX run, 2025-12-19; disaggregated; framework dynamo-sglang; prefill tp 1 ep 1 dpa True workers 1"
                        + " gpus 4; decode tp 1 ep 1 dpa True workers 2 gpus 8");
        Row four = new Row(
                row.origin(),
                row.setup(),
                row.groups(),
                new Row.Load("1024", 1024, "concurrency", 4),
                "",
                1,
                row.note());
        assertThat(Recipe.of(four, Pool.Split.of(four).orElseThrow()))
                .contains(new Recipe(0, 8192, 512, Optional.of(0.95), 4096, true, true));
        Row one = note("disaggregated; prefill tp 1 ep 8 dpa False workers 1 gpus 8; decode tp 1 ep 8 dpa False"
                + " workers 2 gpus 16");
        assertThat(Pool.Split.of(one).orElseThrow().decode().sharding()).isEqualTo(new Sharding(8, 1, 1, 1, 8));
    }

    @ParameterizedTest
    @CsvSource({
        "MI355X, mxfp4, '', 196608, 256",
        "MI355X, mxfp4, mtp, 196608, 48",
        "MI325X, fp8, mtp, 131072, 48",
        "H200-SXM-141GB, fp8, mtp, 32768, 256",
        "B200-SXM-180GB, fp8, '', 32768, 256",
        "B200-SXM-180GB, fp8, mtp, 16384, 256"
    })
    void knowsTheLimitsOfSglang(String gpu, String dtype, String drafts, int tokens, int requests) {
        Row run = row(gpu, dtype, "ttft_p50", 1, "InferenceX run, 2026-05-20; aggregated; " + drafts + "; x");
        assertThat(Script.sglangTokens(run)).isEqualTo(tokens);
        assertThat(Script.requests(run, 256)).isEqualTo(requests);
        assertThat(Script.multipliesWithFlashInfer(run)).isEqualTo(gpu.startsWith("B200"));
    }

    @ParameterizedTest
    @CsvSource({
        "MI300X, fp8, 2026-03-01, true, 2",
        "MI355X, fp8, 2025-12-18, true, 2",
        "MI355X, fp8, 2025-12-19, false, 2",
        "MI355X, mxfp4, 2025-12-19, false, 0.4"
    })
    void knowsWhenEnginesAreCold(String gpu, String dtype, String day, boolean beforeTuned, double seconds) {
        Row run = row(gpu, dtype, "ttft_p99", 1, "InferenceX run, " + day + "; aggregated; framework sglang");
        assertThat(Script.isBeforeTunedKernels(run)).isEqualTo(beforeTuned);
        assertThat(Script.coldSeconds(run)).isEqualTo(seconds);
        assertThat(Script.coldSeconds(row("H200-SXM-141GB", "fp8", "ttft_p99", 1, run.note())))
                .isEqualTo(0.4);
        assertThat(Script.coldSeconds(row(gpu, "fp8", "ttft_p99", 1, "other"))).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "H200-SXM-141GB, fp8, true",
        "MI355X, fp8, true",
        "MI355X, mxfp4, false",
        "B200-SXM-180GB, fp8, false",
        "GB200-NVL72-per-GPU, fp8, false"
    })
    void knowsWhichEnginesCompileForNewSizes(String gpu, String dtype, boolean compiles) {
        String run = "InferenceX run, 2026-05-20; aggregated; framework sglang";
        assertThat(Script.compilesBySize(row(gpu, dtype, "ttft_p90", 1, run))).isEqualTo(compiles);
    }

    private static Row vendor(String prompt) {
        Row row = note("vendor run; moe weights fp8_block");
        return new Row(
                row.origin(),
                row.setup(),
                row.groups(),
                new Row.Load(prompt, 1024, "concurrency", 64),
                row.metric(),
                row.value(),
                row.note());
    }

    @Test
    void mixesPromptsInTheCommandsOfTheVendor() {
        assertThat(Client.generatedPrefillTokens(vendor("1000"))).hasValue(2500);
        assertThat(Client.chunk(vendor("1000"), 8192)).isEqualTo(8192);
        assertThat(Client.generatedPrefillTokens(vendor("1024"))).isEmpty();
        assertThat(Client.generatedPrefillTokens(note("other"))).isEmpty();
    }

    @Test
    void knowsClientsThatRepeatPrompts() {
        assertThat(Client.repeatedPrompts(note("experiment 2; constant arrivals, shared prefix")))
                .isEqualTo(45);
        assertThat(Client.repeatedPrompts(note("InferenceX run"))).isZero();
    }

    /** The client of InferenceX used a broken tokenizer for DeepSeek. */
    @ParameterizedTest
    @CsvSource({
        "B300-SXM-288GB, 2026-04-17, 5",
        "B300-SXM-288GB, 2026-05-17, 1",
        "H200-SXM-141GB, 2026-05-13, 5",
        "B200-SXM-180GB, 2026-03-25, 1",
        "MI355X, 2026-05-03, 1"
    })
    void knowsWhenPromptsWereLonger(String gpu, String day, int factor) {
        String run = "InferenceX run, " + day + "; aggregated; framework sglang";
        assertThat(Client.promptFactor(row(gpu, "fp8", "ttft_p50", 1, run))).isEqualTo(factor);
        assertThat(Client.promptFactor(row(gpu, "fp8", "ttft_p50", 1, "other"))).isEqualTo(1);
    }

    /** Rates are per device of the phase, times the 64 devices of the row. */
    @Test
    void knowsTheDevicesOfRates() {
        String run = "InferenceX run, 2026-03-01; disaggregated; framework dynamo-trt; "
                + "prefill tp 8 ep 8 dpa True workers 2 gpus 16; decode tp 16 ep 16 dpa True workers 3 gpus 48";
        Row output = row("B200-SXM-180GB", "fp8", "output_throughput", 1, run);
        assertThat(Pool.rateFactor(output)).isEqualTo(64.0 / 48);
        assertThat(Pool.rateFactor(row("B200-SXM-180GB", "fp8", "input_throughput", 1, run)))
                .isEqualTo(64.0 / 16);
        Row product = note("aggregated; framework trt; decode tp 8 ep 8 dpa True workers 0 gpus 64");
        assertThat(Pool.rateFactor(product)).isEqualTo(8);
        assertThat(Pool.rateFactor(note("vendor"))).isEqualTo(1);
    }

    @Test
    void rejectsRatesThatTheLatenciesRuleOut() {
        String note = "InferenceX run, 2026-03-01; aggregated";
        Row latency = row("B200-SXM-180GB", "nvfp4", "e2e_p50", 10_000, note);
        LittlesLaw rates = new LittlesLaw(List.of(latency));
        // 64 streams x 1,024 tokens / 10 s
        rates.check(row("B200-SXM-180GB", "fp4", "output_throughput", 6_500, note));
        Row many = row("B200-SXM-180GB", "fp4", "output_throughput", 52_000, note);
        assertThatThrownBy(() -> rates.check(many)).isInstanceOf(UnpredictableRow.class);
        // 64 streams / 10 ms
        LittlesLaw tokenTimes = new LittlesLaw(List.of(row("B200-SXM-180GB", "nvfp4", "tpot_p50", 10, note)));
        tokenTimes.check(row("B200-SXM-180GB", "fp4", "output_throughput", 6_500, note));
        assertThatThrownBy(() -> tokenTimes.check(many)).isInstanceOf(UnpredictableRow.class);
    }
}
