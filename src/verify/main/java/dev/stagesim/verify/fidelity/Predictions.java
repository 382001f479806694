package dev.stagesim.verify.fidelity;

import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stats.Quantiles;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Predicts rows: static batches and saturated throughput by adding up steps, clients with a number of streams or a rate by simulating
 * them. Rows of one setting share a simulation.
 */
final class Predictions {
    private static final int MAX_SEQUENCES = 2048;
    private static final int OPEN_REQUESTS = 300;
    private static final int CACHED_PREFIX = 100;
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
        Subject subject = subjects.of(row);
        try {
            return switch (row.load().kind()) {
                case "batch" -> batch(row, subject);
                case "concurrency", "max_num_seqs", "qps" -> figure(row, served(row, subject), subject);
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

    private LoadRun.LoadResult served(Row row, Subject subject) {
        String setting = row.setting();
        UnpredictableRow before = failed.get(setting);
        if (before != null) {
            throw before;
        }
        try {
            return runs.computeIfAbsent(setting, key -> run(row, subject));
        } catch (UnpredictableRow refusal) {
            failed.put(setting, refusal);
            throw refusal;
        }
    }

    private static LoadRun.LoadResult run(Row row, Subject subject) {
        int input = input(row);
        int output = row.load().output();
        int copies = subject.sharding().attentionCopies();
        if (row.load().kind().equals("qps")) {
            boolean cached = row.note().contains("shared prefix");
            int own = Math.max(1, cached ? input - CACHED_PREFIX : input);
            boolean poisson = row.note().contains("Poisson");
            // constant arrivals are combined with constant lengths, random arrivals with lengths of conversations
            RequestLengths spread = RequestLengths.even(own, output, poisson ? 0.5 : 1, poisson ? 1.5 : 1);
            RequestTrace trace = spread.trace(OPEN_REQUESTS / copies, row.load().amount() / copies, poisson);
            return new LoadRun(subject.of(spread.longest())).replay(trace);
        }
        int streams = Math.max(1, (int) Math.round(row.load().amount() / copies));
        Client client = Client.closed(row, input, streams);
        boolean isCapped = row.load().kind().equals("max_num_seqs");
        int most = isCapped ? streams : Math.max(streams, subject.sequences());
        return new LoadRun(subject.of(client.spread().longest(), most))
                .closed(streams, client)
                .read(Client.mostTokensPerSecond(row));
    }

    private static double figure(Row row, LoadRun.LoadResult served, Subject subject) {
        String metric = row.metric();
        int at = metric.lastIndexOf('_');
        String statistic = metric.substring(at + 1);
        String what = metric.substring(0, Math.max(0, at));
        int copies = subject.sharding().attentionCopies();
        return switch (what) {
            case "ttft" ->
                statistic(served.ttftMs(), statistic) + Client.waitedSteps(row) * statistic(served.tpotMs(), statistic);
            case "tpot" -> statistic(served.tpotMs(), statistic);
            case "e2e" -> statistic(served.e2eMs(), statistic);
            case "itl" -> statistic(served.gapsMs(), statistic);
            case "output" -> served.tokensPerSecond() * copies;
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
                "steps hold at most " + Subjects.DEFAULT_CHUNK + " tokens where the row names no chunk",
                "prompts have the task's mean length: " + new java.util.TreeMap<>(Client.PROMPTS),
                "prompts of ml.energy's chats are spread as the square of an exponential variable, its other prompts as the"
                        + " root of one, answers exponentially up to the most that its client asks for (4,096 tokens in"
                        + " lm-arena-chat, 2,048 for code to be filled in, 1,024 in chat, 512 for code), those of GPQA"
                        + " evenly over 0.5 to 1.5 times their mean; lengths of Poisson arrivals evenly over 0.5 to 1.5 times their mean, those"
                        + " at a constant rate are all alike",
                "ml.energy sends 1,024 requests, of GPQA 198, and counts tokens while all streams are busy; its older version"
                        + " sends 2,000, of code 3,280 without sampling, and counts all of the run",
                "the client of ml.energy reads at most 12,000 tokens a second on machines with H100, 21,000 on those with"
                        + " B200",
                "InferenceX has SGLang send tokens every 10 steps and, with DeepSeek on Blackwell, look for requests every"
                        + " 10 steps, or every 30 from 16 streams on; on Blackwell it stores the KV cache of DeepSeek and gpt-oss in 8"
                        + " bits; it lets SGLang, and TensorRT-LLM with gpt-oss, run steps of 16,384 tokens, TensorRT-LLM"
                        + " with DeepSeek until 2025 steps of one prompt, and"
                        + " vLLM on Blackwell from 8 April 2026 on (8-bit weights on B200: from the 3rd) steps of two prompts, with an 8-bit cache",
                "InferenceX has vLLM schedule a step ahead; TensorRT-LLM waits 20 steps for more prompts of 1,024 tokens"
                        + " with Llama on fewer than 8 devices, sends DeepSeek's tokens every 10 steps and lets its"
                        + " attention copies wait for one another, 30 steps on average",
                "random prompts and outputs of InferenceX are spread evenly over " + Client.RANDOM_RATIO
                        + " to 1 times their length; clients with streams send 10 requests a stream, all streams"
                        + " starting at once",
                "the vendor's own runs have room for one prompt in a step",
                "engines named vllm_v0 run prompts whole and in steps of their own",
                "runs of InferenceX whose devices are counted as those of attention times those of the experts are of"
                        + " one machine; vLLM spreads experts over all devices of its attention",
                "of prompts with a shared prefix " + CACHED_PREFIX + " tokens are cached",
                "vLLM and engines without a memory rule take 0.9 of the memory: weights, KV cache, and with vLLM the peak of a"
                        + " step of as many sequences as the row names, else its server's default, libraries, and from"
                        + " 0.21 on graphs; SGLang takes its default share, and TensorRT-LLM's cache 0.9 of what weights"
                        + " and a step leave",
                "NVIDIA's runs of trtllm-bench send 1,000 to 30,000 equal requests at once, by their lengths, in steps of the"
                        + " tool's sizes, with 0.95 of the memory that weights and the greatest step leave as cache; with PyTorch"
                        + " (from 0.19) decodes run at 1, 2, 4, ... 256, 384, 512, 1,024, 2,048 sequences; from 1.0 on every"
                        + " device has its own copy of attention in a mixture of experts",
                "other saturated engines run at most " + MAX_SEQUENCES + " sequences",
                "tuned systems split their devices in the way that serves most tokens",
                "tokens are taken by the greatest logit; the runs of ml.energy sort, except gpt-oss, whose own"
                        + " settings name no top-k or top-p",
                "machines of ml.energy have host class " + Subjects.MLENERGY_HOST
                        + ", others that of their hardware card",
                "engines store the KV cache in 8 bits where their card says so",
                "gpt-oss keeps 16 bits outside its experts; FP8 is block-scaled where the model's card is",
                "several devices of llama.cpp hold some layers each and work one after the other",
                "stages of a pipeline each work on their part of the sequences at a time");
    }
}
