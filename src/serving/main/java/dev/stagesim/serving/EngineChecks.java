package dev.stagesim.serving;

import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ExpertShape;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Checks that engines accept a parallelism, a context and number formats. vLLM, SGLang and TensorRT-LLM divide or replicate whole KV heads,
 * and do not divide a block or group of weights with a common scale. They refuse a context above that of the model.
 */
final class EngineChecks {
    private static final String TENSOR = "cluster.tensor_parallel_size";
    private static final int BLOCK = 128;
    private static final int SMALL_GROUP = 32;
    private static final int NVFP4_GROUP = 16;

    private final ModelCard model;
    private final int tensor;
    private final int expertTensor;

    private EngineChecks(ReplicaModel replica) {
        model = replica.model();
        Sharding sharding = replica.sharding();
        tensor = sharding.tensor();
        expertTensor = sharding.expertTensor();
    }

    /** Returns the reasons why engines refuse the parallelism or the number formats. */
    static List<Problem> problems(ReplicaModel replica) {
        List<Problem> problems = new ArrayList<>();
        if (!isEngine(replica)) {
            return problems;
        }
        EngineFormats.of(replica)
                .map(formats -> formats.problems(replica.model()))
                .ifPresent(problems::addAll);
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
        checks.divided(UnaryOperator.identity())
                .map(part -> Problem.config(TENSOR, checks.reason(part)).hint(checks.advice(part)))
                .map(problem -> attentionNote(replica)
                        .map(warning -> problem.note("note", warning))
                        .orElse(problem))
                .ifPresent(problems::add);
        if (replica.scheduler() instanceof SchedulerSettings.VllmV1 scheduler && scheduler.isTensorRt()) {
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

    /** Returns true for the schedulers of current engines; the policies of Vidur have their own rules. */
    private static boolean isEngine(ReplicaModel replica) {
        return replica.scheduler() instanceof SchedulerSettings.VllmV1
                || replica.scheduler() instanceof SchedulerSettings.Sglang;
    }

    /** Returns warnings about a context or a checkpoint that engines refuse, and about formats that they convert. */
    static List<String> warnings(ReplicaModel replica) {
        Optional<String> converted = convertedCache(replica);
        if (!isEngine(replica)) {
            return converted.stream().toList();
        }
        EngineChecks checks = new EngineChecks(replica);
        int context = checks.model.maxPosition();
        Optional<String> longer = replica.maxTokens()
                .filter(tokens -> tokens > context)
                .map(tokens -> "engines refuse max_model_len=" + tokens + ": " + longer(checks.model, tokens));
        return Stream.of(
                        converted,
                        longer,
                        EngineFormats.of(replica).flatMap(formats -> formats.warning(checks.model)),
                        checks.blocksWarning(),
                        checks.groupsWarning())
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns a warning about an FP8 cache that kernels convert without hardware. */
    private static Optional<String> convertedCache(ReplicaModel replica) {
        return ConditionText.convertedCache(replica.model(), replica.hardware())
                .map(effect -> replica.hardware().name() + " has no FP8 units: attention converts an FP8 KV cache in"
                        + " software, which step times do not model. Public runs of 2024 on A100 took up to 3.5"
                        + " (TensorRT-LLM) and 6.8 times (vLLM) the predicted time. Set kv_cache=bf16, or int8");
    }

    /** Returns a warning about groups of INT4 experts that kernels for small groups divide. */
    private Optional<String> groupsWarning() {
        int width = model.experts().moeFfnDim().orElse(0);
        boolean isInt4 = model.expertPrecision() == Precision.INT4 || model.expertPrecision() == Precision.W4A8;
        return isInt4 && width % (expertTensor * BLOCK) != 0
                ? Optional.of("moe_ffn_dim " + width + " / " + expertTensor + " divides groups of " + BLOCK
                        + " INT4 weights: vLLM refuses a compressed-tensors checkpoint with such groups, and runs AWQ"
                        + " and GPTQ checkpoints with slower kernels than those of the step times")
                : Optional.empty();
    }

    /** Returns the devices of data-parallel SGLang engines, because SGLang's --dp divides the devices of --tp. */
    static Optional<String> attentionNote(ReplicaModel replica) {
        int data = replica.scheduler().dataParallelSize();
        int tensor = replica.cluster().tensorParallelSize();
        return replica.scheduler() instanceof SchedulerSettings.Sglang && data > 1
                ? Optional.of("tp=" + tensor + " dp=" + data + " is " + Count.of((long) data * tensor, "device")
                        + ", SGLang's --tp " + (long) data * tensor + " --dp " + data + " --enable-dp-attention"
                        + (tensor % data == 0
                                ? "; its --tp " + tensor + " --dp " + data + " is tp=" + tensor / data + " dp=" + data
                                : ""))
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
                : divided(format -> format == Precision.FP8 ? Precision.FP8_BLOCK : format)
                        .map(part -> "weights=fp8 has one scale per tensor or channel. A checkpoint with blocks of "
                                + BLOCK + " by " + BLOCK + " weights (fp8_block), as Qwen and DeepSeek publish, is"
                                + " refused: tensor parallelism " + reason(part) + "; " + advice(part));
    }

    /** The input width of products that is divided over devices, with the format of the weights. */
    private record Part(String key, int width, int devices, Precision format) {
        boolean isExpert() {
            return key.equals("moe_ffn_dim");
        }

        /** Returns the weights with a common scale, which engines do not divide. Experts in INT4 have kernels for parts of 32. */
        int group() {
            return switch (format) {
                case FP8_BLOCK -> BLOCK;
                case INT4, W4A8 -> isExpert() ? SMALL_GROUP : BLOCK;
                case NVFP4, W4A16_NVFP4 -> NVFP4_GROUP;
                default -> 1;
            };
        }

        boolean isWhole() {
            return devices == 1 || width % (devices * group()) == 0;
        }
    }

    /** Returns the first width of which a device would have a part of a group of weights. */
    private Optional<Part> divided(UnaryOperator<Precision> format) {
        List<Part> parts = new ArrayList<>();
        Precision weights = format.apply(model.formats().weights());
        ExpertShape experts = model.experts();
        experts.moeFfnDim()
                .ifPresent(width ->
                        parts.add(new Part("moe_ffn_dim", width, expertTensor, format.apply(model.expertPrecision()))));
        experts.sharedFfnDim().ifPresent(width -> parts.add(new Part("shared_ffn_dim", width, tensor, weights)));
        if (!model.isMixtureOfExperts() || experts.firstDenseLayers().orElse(0) > 0) {
            parts.add(new Part("ffn_dim", model.shape().ffnDim(), tensor, weights));
        }
        int heads = model.shape().numHeads() * model.shape().headDim();
        if (!model.isLatentAttention()) {
            parts.add(new Part("num_heads x head_dim", heads, tensor, weights));
        }
        return parts.stream().filter(part -> !part.isWhole()).findFirst();
    }

    private String reason(Part part) {
        return (part.isExpert() && expertTensor != tensor
                        ? "is " + tensor + ", which with data parallelism divides each expert over " + expertTensor
                                + " devices"
                        : "is " + part.devices())
                + ", and engines do not divide "
                + (part.format() == Precision.FP8_BLOCK
                        ? "blocks of " + BLOCK + " FP8 weights: "
                        : "groups of " + part.group() + " " + EngineChoice.name(part.format())
                                + " weights, which have a common scale: ")
                + part.key() + " " + part.width() + " / " + part.devices() + " = "
                + (part.width() % part.devices() == 0
                        ? Integer.toString(part.width() / part.devices())
                        : String.format(Locale.ROOT, "%.1f", (double) part.width() / part.devices()))
                + " is not a multiple of " + part.group();
    }

    private String advice(Part part) {
        if (part.isExpert() && expertTensor > tensor) {
            return "use ep=" + expertTensor + " to keep experts whole";
        }
        int fewer = part.devices() - 1;
        while (part.devices() % fewer != 0 || (fewer > 1 && part.width() % (fewer * part.group()) != 0)) {
            fewer--;
        }
        int whole = part.devices() * part.group();
        return "use tp=" + fewer
                + (part.isExpert() ? ", or ep=" + part.devices() + " to keep experts whole" : "")
                + (part.key().equals("ffn_dim") && part.format() == Precision.INT4
                        ? ", or model.ffn_dim=" + (part.width() / whole + 1) * whole
                                + " if the checkpoint is padded to it"
                        : "");
    }
}
