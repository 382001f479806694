package dev.stagesim.verify.fidelity;

import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.serving.metrics.DevicePower;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.verify.fidelity.lengths.RequestLengths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Predicts published values. Static batches and saturated throughput are sums of step times; clients with streams or a
 * request rate are simulated. Rows with the same setting share a simulation.
 */
final class Predictions {
    private static final int MAX_SEQUENCES = 2048;
    private static final double FLOPS_PER_WEIGHT = 2;
    private static final double FLOPS_PER_TERAFLOP = 1e12;
    private static final double PERCENT = 100;
    private static final int OPEN_REQUESTS = 300;

    /** Requests of clients that repeat prompts; the first prompts, which fill the cache, must not determine percentiles. */
    private static final int REPEATING_REQUESTS = 1500;

    private static final double MS_PER_US = 1e-3;
    private static final double MS_PER_S = 1e3;

    private final Subjects subjects;
    private final Map<String, LoadRun.LoadResult> runs = new HashMap<>();
    private final Map<String, UnpredictableRow> failed = new HashMap<>();

    Predictions(Subjects subjects) {
        this.subjects = subjects;
    }

    /**
     * The predicted value, in the unit of the row.
     *
     * @throws UnpredictableRow when the row cannot be predicted
     */
    double of(Row row) {
        try {
            if (Pool.Split.of(row).isPresent()) {
                return figure(row, served(row, this::split), 1);
            }
            Subject subject = subjects.of(row);
            return switch (row.load().kind()) {
                case "batch" -> batch(row, subject);
                case "concurrency", "max_num_seqs", "qps" -> {
                    LoadRun.LoadResult served = served(row, one -> run(one, subject));
                    int copies = subject.sharding().attentionCopies();
                    yield row.metric().equals("power_per_gpu_mean")
                            ? watts(row, subject, served.tokensPerSecond() * copies)
                            : figure(row, served, copies);
                }
                case "server", "interactive" ->
                    figure(
                            row,
                            served(row, one -> MlperfServer.run(one, subject, input(one))),
                            MlperfServer.copies(row, subject));
                case "unlimited" -> saturated(row, subject);
                case "offline" -> offline(row, subject);
                default -> throw new UnpredictableRow("load " + row.load().kind() + " is not modelled");
            };
        } catch (StageException e) {
            throw Subject.refusal(e);
        }
    }

    private static int input(Row row) {
        Integer task = Client.PROMPTS.get(row.load().input());
        if (task != null) {
            return task;
        }
        try {
            return Integer.parseInt(row.load().input());
        } catch (NumberFormatException e) {
            throw new UnpredictableRow("prompt length of the task " + row.load().input() + " is unknown");
        }
    }

    private static double batch(Row row, Subject subject) {
        int size = (int) row.load().amount();
        StaticBatch batch = new StaticBatch(subject, input(row), row.load().output());
        double request = subject.replica().engine().arrivalUs(input(row)) * MS_PER_US;
        String metric = row.metric();
        boolean one = row.setup().engine().equals("llama.cpp");
        LlamaBench bench = LlamaBench.of(row, batch, input(row));
        if (metric.startsWith("e2e")) {
            if (batch.fasterThanWeights(row.value(), row.load().output())) {
                throw new UnpredictableRow("faster than the weights can be read");
            }
            return one ? bench.wholeMs(row.load().output()) : batch.wholeMs(size);
        }
        if (metric.startsWith("tpot")) {
            return batch.meanDecodeMs(size);
        }
        if (metric.startsWith("ttft")) {
            return request + batch.prefillMs(size);
        }
        return switch (metric) {
            case "prefill_batch" -> batch.prefillMs(size);
            case "prefill_throughput" ->
                MS_PER_S * size * input(row) / (one ? bench.promptMs() : batch.prefillMs(size));
            case "output_throughput" ->
                MS_PER_S
                        * size
                        * (row.origin().file().startsWith("single")
                                ? 1 / batch.meanDecodeMs(size)
                                : row.load().output() / batch.wholeMs(size));
            default -> throw new UnpredictableRow("metric " + metric + " is not modelled");
        };
    }

    private static double saturated(Row row, Subject subject) {
        if (TrtllmBench.isOne(row)) {
            return TrtllmBench.tokensPerSecond(subject, input(row), row.load().output());
        }
        StaticBatch batch = new StaticBatch(subject, input(row), row.load().output());
        return subject.sharding().attentionCopies() * batch.saturated(MAX_SEQUENCES);
    }

    /** All requests at once on a tuned system: the split of the devices that serves most. */
    private double offline(Row row, Subject subject) {
        if (row.groups().tensor() > 0) {
            StaticBatch stated = new StaticBatch(subject, input(row), row.load().output());
            return stated.saturated(MAX_SEQUENCES) * MlperfServer.copies(row, subject);
        }
        double best = 0;
        for (int tensor = 1; tensor <= row.groups().devices(); tensor *= 2) {
            Optional<Subject> split = Subjects.split(subject, tensor);
            if (split.isEmpty()
                    || split.get()
                            .of(input(row) + row.load().output())
                            .whyInfeasible()
                            .isPresent()) {
                continue;
            }
            StaticBatch batch =
                    new StaticBatch(split.get(), input(row), row.load().output());
            best = Math.max(best, batch.saturated(MAX_SEQUENCES) * row.groups().devices() / tensor);
        }
        if (best == 0) {
            throw new UnpredictableRow("weights and one sequence do not fit the memory");
        }
        return best;
    }

    private LoadRun.LoadResult served(Row row, Function<Row, LoadRun.LoadResult> run) {
        String setting = row.setting();
        UnpredictableRow before = failed.get(setting);
        if (before != null) {
            throw before;
        }
        try {
            return runs.computeIfAbsent(setting, key -> run.apply(row));
        } catch (UnpredictableRow refusal) {
            failed.put(setting, refusal);
            throw refusal;
        }
    }

    private static LoadRun.LoadResult run(Row row, Subject subject) {
        int input = input(row) * Client.promptFactor(row);
        int output = row.load().output();
        int copies = subject.sharding().attentionCopies();
        if (row.load().kind().equals("qps")) {
            boolean poisson = row.note().contains("Poisson");
            // constant arrivals are combined with constant lengths, random arrivals with lengths of conversations
            RequestLengths spread = RequestLengths.even(input, output, poisson ? 0.5 : 1, poisson ? 1.5 : 1);
            int prompts = Client.repeatedPrompts(row);
            int requests = prompts > 0 ? REPEATING_REQUESTS : OPEN_REQUESTS;
            RequestTrace trace = spread.trace(requests / copies, row.load().amount() / copies, poisson, prompts);
            return new LoadRun(subject.of(spread.longest())).replay(trace);
        }
        int streams = Math.max(1, (int) Math.round(row.load().amount() / copies));
        Client client =
                Client.closed(row, Script.of(row, Pool.aggregated(row)), Script.admission(row, copies), input, streams);
        boolean isCapped = row.load().kind().equals("max_num_seqs");
        int max = isCapped ? streams : Script.requests(row, Math.max(streams, subject.sequences()));
        return new LoadRun(subject.of(client.spread().longest(), max))
                .closed(streams, client)
                .read(Client.mostTokensPerSecond(row));
    }

    private LoadRun.LoadResult split(Row row) {
        Pool.Split stated = Pool.Split.of(row).orElseThrow();
        Optional<Recipe> recipe = Recipe.of(row, stated);
        Pool.Split pools = recipe.map(each -> each.actual(stated)).orElse(stated);
        Script script = Script.of(row, Optional.of(pools.decode()));
        Subject prefill = subjects.of(row, Optional.of(pools.prefill()), 0);
        Subject decode = subjects.generating(
                row, pools.decode(), recipe.map(Recipe::drafts).orElse(script.drafts()));
        int streams = (int) Math.round(row.load().amount());
        Client client = Client.closed(row, script, AdmissionGate.Rule.IMMEDIATE, input(row), streams);
        return new SplitRun(
                        recipe.map(each -> each.prefill(prefill)).orElse(prefill),
                        decode.limited(
                                decode.chunk(),
                                recipe.map(Recipe::decodeRequests).orElse(Math.max(streams, decode.sequences()))),
                        pools)
                .closed(client, streams);
    }

    /** Returns the mean power of a device in W. */
    private static double watts(Row row, Subject subject, double tokensPerSecond) {
        HardwareCard hardware = subject.replica().hardware();
        double tokens = tokensPerSecond * (1 + (double) input(row) / row.load().output());
        double flops = FLOPS_PER_WEIGHT * subject.replica().model().size().activeParameters() * tokens;
        double peak = hardware.bf16OrFp16Tflops().orElseThrow() * FLOPS_PER_TERAFLOP * Splits.devices(row);
        return hardware.costs().powerW().orElseThrow() * DevicePower.busy(PERCENT * flops / peak);
    }

    private static double figure(Row row, LoadRun.LoadResult served, int copies) {
        String metric = row.metric();
        int at = metric.lastIndexOf('_');
        String statistic = metric.substring(at + 1);
        String what = metric.substring(0, Math.max(0, at));
        return switch (what) {
            case "ttft" ->
                statistic(served.ttftMs(), statistic) + Client.waitedSteps(row) * statistic(served.tpotMs(), statistic);
            case "tpot" -> statistic(served.tpotMs(), statistic);
            case "e2e" -> statistic(served.e2eMs(), statistic);
            case "itl" -> statistic(served.gapsMs(), statistic);
            case "output" -> served.tokensPerSecond() * copies * Pool.rateFactor(row);
            case "input" ->
                served.tokensPerSecond()
                        * copies
                        * Pool.rateFactor(row)
                        * input(row)
                        / row.load().output();
            default -> throw new UnpredictableRow("metric " + metric + " is not modelled");
        };
    }

    /** The mean, or a percentile. */
    static double statistic(double[] values, String name) {
        if (values.length == 0) {
            throw new UnpredictableRow("no request has such a time");
        }
        if (name.equals("mean")) {
            double sum = 0;
            for (double value : values) {
                sum += value;
            }
            return sum / values.length;
        }
        if (name.matches("p\\d\\d")) {
            return Quantiles.of(values, Integer.parseInt(name.substring(1)) / 100.0);
        }
        throw new UnpredictableRow("statistic " + name + " is not modelled");
    }

    /** Assumptions for values that rows do not state. */
    static List<String> assumptions() {
        return List.of(
                "a step has at most " + Subjects.DEFAULT_CHUNK + " tokens if the row does not state a chunk size",
                "prompts have the mean length of the task: " + new java.util.TreeMap<>(Client.PROMPTS),
                "ml.energy: prompt lengths of chats are distributed as the square of an exponential variable, other prompt"
                        + " lengths as its square root; output lengths are exponential up to the limit that the client sets (4,096"
                        + " tokens in lm-arena-chat, 2,048 for code completion, 1,024 in chat, 512 for code)",
                "lengths of GPQA, and of runs with Poisson arrivals, are uniform from 0.5 to 1.5 times their mean; runs at a"
                        + " constant rate have equal lengths",
                "ml.energy sends 1,024 requests (198 for GPQA) and counts tokens while all streams are busy; its older version"
                        + " sends 2,000 (3,280 for code, without sampling) and counts the whole run",
                "the client of ml.energy reads at most 12,000 tokens per second on machines with H100, and 21,000 on"
                        + " machines with B200",
                "InferenceX: servers send tokens every 10 steps, SGLang with 8-bit DeepSeek on Blackwell every 30, recipes with"
                        + " separate prefill workers every 10 to 100, servers on AMD devices every step; gaps between tokens are"
                        + " gaps between transmissions",
                "InferenceX: SGLang with DeepSeek on Blackwell looks for requests every 10 steps, or every 30 from 16 streams on",
                "InferenceX with multi-token prediction: 2 drafts under SGLang (3 on AMD), 3 under TensorRT-LLM, or 1 with 16"
                        + " streams per attention replica; drafts are accepted with probabilities " + Script.ACCEPTANCE,
                "InferenceX: rates of prompts and of outputs are per device of their workers, times all devices",
                "dstack with separate prefill workers: 500 requests with constant prompts, which runs with fewer than 128 streams"
                        + " repeat if the KV cache has room, outputs that end after a third to two thirds of the stated ones,"
                        + " and workers that share eight devices",
                "separate prefill workers: one decode engine is simulated with its streams and the prompts of the others; caches"
                        + " move at 400 Gb/s per device; the first token arrives with the first step of the decode engine",
                "InferenceX with separate prefill workers: drafts, and the maximum requests and prompt tokens of the engines, are"
                        + " those of the recipe with the same workers and lengths",
                "InferenceX: engines on Blackwell store the KV cache of DeepSeek and gpt-oss in 8 bits; from 8 April 2026 on (3 April"
                        + " for 8-bit weights on B200) vLLM on Blackwell does so for every model, with steps of two prompts",
                "InferenceX: SGLang runs steps of 8,192 to 196,608 tokens with DeepSeek, depending on the device and the precision,"
                        + " and 16,384 with other models, as TensorRT-LLM with gpt-oss; TensorRT-LLM with DeepSeek ran steps of one"
                        + " prompt until 2025, and with drafts later",
                "InferenceX: prompts of DeepSeek under SGLang on NVIDIA devices had five times as many tokens as stated from April to"
                        + " 14 May 2026",
                "InferenceX: the first prompts wait until kernels are loaded or compiled; under SGLang with 8-bit weights on Hopper"
                        + " and AMD devices the first single prompt of a run of 2026 waits again",
                "InferenceX: products of DeepSeek with 8-bit weights under SGLang on B200 and B300 run in FlashInfer's kernels",
                "InferenceX: SGLang with drafts runs at most 48 requests on MI325X, and on MI355X with 4-bit weights",
                "InferenceX: vLLM schedules one step ahead",
                "InferenceX: TensorRT-LLM waits 20 steps for more prompts of 1,024 tokens with Llama on fewer than 8 devices, and"
                        + " its attention replicas wait up to 60 steps until all have a prompt",
                "InferenceX: random prompt and output lengths are uniform from " + Client.RANDOM_RATIO
                        + " to 1 times the stated length; a client with streams sends 10 requests per stream, and all streams"
                        + " start together",
                "MLPerf: prompts have the mean length of the samples of the data set, also if rows state another one",
                "runs by the vendor have one prompt per step, under SGLang at most 1,500 prompt tokens beyond one prompt, in steps"
                        + " that also contain decodes",
                "engines named vllm_v0 run whole prompts in steps without decodes",
                "runs of InferenceX with as many devices as attention devices times expert devices used one machine; vLLM"
                        + " distributes experts over all devices of its attention",
                "inference-perf with a shared prefix repeats 45 prompts, which the prefix cache contains",
                "vLLM, and engines without a memory rule, use 0.9 of the memory for weights, KV cache and, in vLLM, libraries,"
                        + " CUDA graphs from 0.21 on, and the peak of a step with the sequences that the row states or the"
                        + " server's default",
                "SGLang uses its default share of the memory; the cache of TensorRT-LLM has 0.9 of the memory that weights and"
                        + " a step leave",
                "runs of trtllm-bench by NVIDIA send 1,000 to 30,000 equal requests at once (depending on the length) in steps of"
                        + " the tool's sizes; the cache has 0.95 of the memory that weights and the largest step leave",
                "trtllm-bench with PyTorch (from 0.19) runs decodes in batches of 1, 2, 4, ... 256, 384, 512, 1,024 or 2,048"
                        + " sequences; from 1.0 on, every device of a mixture of experts has a copy of attention",
                "other saturated engines run at most " + MAX_SEQUENCES + " sequences",
                "tuned systems use the parallelism with the highest throughput",
                "sampling selects the maximum logit; runs of ml.energy sort the logits, except gpt-oss, whose generation settings"
                        + " have neither top-k nor top-p",
                "machines of ml.energy have host class " + Subjects.MLENERGY_HOST
                        + "; other machines have the host class of their hardware card",
                "an engine stores the KV cache in 8 bits if its card states it",
                "gpt-oss uses 16 bits outside its experts; FP8 weights are block-scaled if the model card states it",
                "several devices of llama.cpp each store some of the layers and compute in sequence",
                "each pipeline stage processes a part of the sequences at a time");
    }
}
