package dev.stagesim.serving;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ExpertShape;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks that engines accept a parallelism, a context and a format of the KV cache. vLLM, SGLang and TensorRT-LLM divide or replicate whole KV heads,
 * and do not divide a block of weights with a common scale. They refuse a context above that of the model.
 */
final class EngineChecks {
    private static final String TENSOR = "cluster.tensor_parallel_size";
    private static final int BLOCK = 128;

    private final ModelCard model;
    private final int tensor;
    private final int expertTensor;

    private EngineChecks(ReplicaModel replica) {
        model = replica.model();
        Sharding sharding = replica.sharding();
        tensor = sharding.tensor();
        expertTensor = sharding.expertTensor();
    }

    /** Returns the reasons why engines refuse the parallelism or the format of the KV cache. */
    static List<Problem> problems(ReplicaModel replica) {
        List<Problem> problems = new ArrayList<>();
        if (!isEngine(replica)) {
            return problems;
        }
        cacheFormat(replica.model(), replica.hardware()).ifPresent(problems::add);
        EngineChecks checks = new EngineChecks(replica);
        int heads = checks.model.shape().numKvHeads();
        int tensor = checks.tensor;
        if (checks.model.shape().attention() != ModelCard.Attention.MLA && heads % tensor != 0 && tensor % heads != 0) {
            problems.add(Problem.config(
                            TENSOR,
                            "is " + tensor + ", and engines neither divide nor replicate the " + heads + " KV heads of "
                                    + checks.model.name() + " over that many devices")
                    .hint("use a divisor or a multiple of " + heads));
        }
        if (checks.model.formats().weights() == Precision.FP8_BLOCK) {
            checks.divided()
                    .map(part -> Problem.config(TENSOR, checks.reason(part)).hint(checks.advice(part)))
                    .map(problem -> attentionWarning(replica)
                            .map(warning -> problem.note("note", warning))
                            .orElse(problem))
                    .ifPresent(problems::add);
        }
        if (replica.scheduler() instanceof SchedulerSettings.VllmV1 scheduler
                && scheduler.memory().freeGpuMemoryFraction().isPresent()) {
            tensorRt(scheduler.engines(), replica.cluster().tensorParallelSize())
                    .ifPresent(problems::add);
        }
        return problems;
    }

    /** Returns the option of vLLM that TensorRT-LLM lacks; empty if there is none. */
    private static Optional<Problem> tensorRt(SchedulerSettings.VllmV1.LockstepEngines engines, int tensor) {
        if (engines.prefillScheduleInterval() > 1) {
            return Optional.of(
                    Problem.config("scheduler.prefill_schedule_interval", "TensorRT-LLM has no prefill interval")
                            .hint("omit it"));
        }
        int data = engines.dataParallelSize();
        return data > 1 && tensor > 1
                ? Optional.of(Problem.config(
                                "scheduler.data_parallel_size",
                                "TensorRT-LLM runs attention either tensor-parallel or data-parallel")
                        .hint("use tp=1 dp=" + (long) tensor * data + ", or replicas=" + data + " with tp=" + tensor))
                : Optional.empty();
    }

    private static Optional<Problem> cacheFormat(ModelCard model, HardwareCard hardware) {
        Precision format = model.formats().kvCache();
        boolean isRefused = format.rate() == Precision.Rate.BITS4
                && hardware.rates().fp4Tflops().isEmpty();
        return isRefused
                ? Optional.of(Problem.config(
                                "model.kv_cache",
                                "is " + KeyNames.constant(format)
                                        + ", and engines have fused attention kernels for a 4-bit"
                                        + " KV cache only on devices with a 4-bit rate, which " + hardware.name()
                                        + " lacks")
                        .hint("use fp8 or bf16"))
                : Optional.empty();
    }

    /** Returns true for the schedulers of current engines; the policies of Vidur have their own rules. */
    private static boolean isEngine(ReplicaModel replica) {
        return replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSettings.Sglang;
    }

    /** Returns warnings about a context or a checkpoint that engines refuse. */
    static List<String> warnings(ReplicaModel replica) {
        if (!isEngine(replica)) {
            return List.of();
        }
        EngineChecks checks = new EngineChecks(replica);
        int context = checks.model.maxPosition();
        return Stream.concat(
                        replica
                                .maxTokens()
                                .filter(tokens -> tokens > context)
                                .map(tokens ->
                                        "engines refuse max_model_len=" + tokens + ": " + longer(checks.model, tokens))
                                .stream(),
                        Stream.concat(checks.blocksWarning().stream(), attentionWarning(replica).stream()))
                .toList();
    }

    /** Returns a warning if dp may be meant as SGLang's --dp with DP attention, which divides the devices of --tp. */
    private static Optional<String> attentionWarning(ReplicaModel replica) {
        int data = replica.scheduler().dataParallelSize();
        int tensor = replica.cluster().tensorParallelSize();
        return replica.scheduler() instanceof SchedulerSettings.Sglang && data > 1 && tensor % data == 0
                ? Optional.of("tp=" + tensor + " dp=" + data + " is " + data + " engines of " + tensor
                        + " tensor-parallel devices, " + data * tensor
                        + " in all. With --enable-dp-attention, SGLang's --tp " + tensor + " --dp " + data + " is "
                        + tensor + " devices: set tp=" + tensor / data + " dp=" + data + " for it")
                : Optional.empty();
    }

    private static String longer(ModelCard model, int tokens) {
        return "the context of " + model.name() + " ends at " + Numbers.count(model.maxPosition())
                + " tokens. If it is served with a longer one (rope scaling such as YaRN), set model.max_position="
                + tokens;
    }

    /** Returns a warning if a published FP8 checkpoint, which usually has blocks, would be refused. */
    private Optional<String> blocksWarning() {
        return model.formats().weights() != Precision.FP8
                ? Optional.empty()
                : divided()
                        .map(part -> "weights=fp8 has one scale per tensor or channel. A checkpoint with blocks of "
                                + BLOCK + " by " + BLOCK + " weights (fp8_block), as Qwen and DeepSeek publish, is"
                                + " refused: tensor parallelism " + reason(part) + "; " + advice(part));
    }

    /** A feed-forward width that is divided over devices. */
    private record Part(String key, int width, int devices) {
        boolean isExpert() {
            return key.equals("moe_ffn_dim");
        }

        boolean hasWholeBlocks() {
            return devices == 1 || width % (devices * BLOCK) == 0;
        }
    }

    /** Returns the first width of which a device would have a part of a block. */
    private Optional<Part> divided() {
        List<Part> parts = new ArrayList<>();
        ExpertShape experts = model.experts();
        experts.moeFfnDim().ifPresent(width -> parts.add(new Part("moe_ffn_dim", width, expertTensor)));
        experts.sharedFfnDim().ifPresent(width -> parts.add(new Part("shared_ffn_dim", width, tensor)));
        if (!model.isMixtureOfExperts() || experts.firstDenseLayers().orElse(0) > 0) {
            parts.add(new Part("ffn_dim", model.shape().ffnDim(), tensor));
        }
        return parts.stream().filter(part -> !part.hasWholeBlocks()).findFirst();
    }

    private String reason(Part part) {
        return (part.isExpert() && expertTensor != tensor
                        ? "is " + tensor + ", which with data parallelism divides each expert over " + expertTensor
                                + " devices"
                        : "is " + part.devices())
                + ", and engines do not divide blocks of " + BLOCK + " FP8 weights: "
                + part.key() + " " + part.width() + " / " + part.devices() + " = "
                + (part.width() % part.devices() == 0
                        ? Integer.toString(part.width() / part.devices())
                        : String.format(Locale.ROOT, "%.1f", (double) part.width() / part.devices()))
                + " is not a multiple of " + BLOCK;
    }

    private String advice(Part part) {
        if (part.isExpert() && expertTensor > tensor) {
            return "use ep=" + expertTensor + " to keep experts whole";
        }
        int fewer = part.devices() - 1;
        while (part.devices() % fewer != 0 || (fewer > 1 && part.width() % (fewer * BLOCK) != 0)) {
            fewer--;
        }
        return "use tp=" + fewer + (part.isExpert() ? ", or ep=" + part.devices() + " to keep experts whole" : "");
    }
}
