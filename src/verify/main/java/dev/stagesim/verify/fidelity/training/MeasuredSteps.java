package dev.stagesim.verify.fidelity.training;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.training.Architecture;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.TrainingJob;
import dev.stagesim.sim.training.TrainingMachine;
import dev.stagesim.sim.training.TrainingMachine.Precision;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/** Reads a table of published training steps. The columns are described in its {@code SOURCES.md}. */
final class MeasuredSteps {
    private static final double GIB = 1L << 30;

    /**
     * Sources that report the memory of tensors or of PyTorch's allocator; other sources report the value of a system tool.
     */
    private static final Set<String> OF_TENSORS = Set.of("simumax-b200", "torchtitan", "korthikanti");

    private static final Map<String, String> OPTIONS =
            LooseTable.resource(MeasuredSteps.class, "devices.csv").texts("gpu", "option");

    private final LooseTable table;
    private final Function<String, Optional<HardwareCard>> cards;
    private final List<MeasuredStep> steps = new ArrayList<>();
    private final Map<String, String> refused = new LinkedHashMap<>();

    private MeasuredSteps(LooseTable table, Function<String, Optional<HardwareCard>> cards) {
        this.table = table;
        this.cards = cards;
    }

    /**
     * The rows of a table.
     *
     * @param steps rows that can be predicted
     * @param refused reasons for all other rows, by name of the row
     */
    record Rows(List<MeasuredStep> steps, Map<String, String> refused) {}

    /**
     * Reads a table.
     *
     * @param cards hardware cards by option
     */
    static Rows read(Path file, Function<String, Optional<HardwareCard>> cards) throws IOException {
        MeasuredSteps reader = new MeasuredSteps(LooseTable.read(file), cards);
        for (int row = 0; row < reader.table.size(); row++) {
            reader.row(row);
        }
        return new Rows(reader.steps, reader.refused);
    }

    private void row(int row) {
        String id = table.text(row, "id");
        try {
            steps.add(step(row));
        } catch (Unpredictable unpredictable) {
            refused.put(id, unpredictable.getMessage());
        }
    }

    private static final class Unpredictable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unpredictable(String why) {
            super(why, null, false, false);
        }
    }

    private int number(int row, String column, int otherwise) {
        return table.isEmpty(row, column) ? otherwise : table.integer(row, column);
    }

    private int needed(int row, String column) {
        if (table.isEmpty(row, column)) {
            throw new Unpredictable("no " + column);
        }
        return table.integer(row, column);
    }

    private String lower(int row, String column) {
        return table.text(row, column).toLowerCase(Locale.ROOT);
    }

    private MeasuredStep step(int row) {
        if (lower(row, "task").equals("lora") || lower(row, "attention").equals("hybrid")) {
            throw new Unpredictable("low-rank adaptation and state-space layers are not modelled");
        }
        Architecture model = model(row);
        Strategy strategy = strategy(row);
        TrainingJob job = job(row);
        int stages = strategy.pipeline() * strategy.chunks();
        if (stages > model.layers() + 2) {
            throw new Unpredictable("more stages than layers");
        }
        double head = model.vocabularyWeights() / (model.activeWeights() / model.layers());
        Layout layout = model.layers() % stages == 0
                ? Layout.even(model.layers(), stages)
                : Layout.balanced(model.layers(), stages, 0, head);
        OptionalDouble memory = OptionalDouble.empty();
        if (!table.isEmpty(row, "memory_gb")) {
            memory = OptionalDouble.of(table.number(row, "memory_gb") * GIB);
        }
        return new MeasuredStep(
                table.text(row, "id"),
                table.text(row, "source"),
                table.text(row, "group"),
                model,
                machine(row),
                job,
                strategy,
                layout,
                table.isEmpty(row, "step_time_s")
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(table.number(row, "step_time_s")),
                memory,
                OF_TENSORS.contains(table.text(row, "source")));
    }

    private Architecture model(int row) {
        int heads = needed(row, "heads");
        int hidden = needed(row, "hidden");
        int width = number(row, "head_dim", hidden / heads);
        boolean isLatent = lower(row, "attention").equals("mla");
        int experts = number(row, "experts", 0);
        Architecture.Mixture mixture = experts == 0
                ? Architecture.Mixture.NONE
                : new Architecture.Mixture(
                        experts,
                        needed(row, "experts_per_token"),
                        number(row, "moe_ffn", number(row, "ffn", 0)),
                        number(row, "shared_ffn", 0),
                        number(row, "first_dense_layers", 0),
                        number(row, "moe_layer_step", 1));
        // Tables name the model without its ranks. DeepSeek-V2 and V3, the only published models with latent
        // attention.
        boolean isLite = lower(row, "model").contains("lite");
        return new Architecture(
                table.text(row, "model"),
                needed(row, "layers"),
                hidden,
                new Architecture.Attention(
                        heads,
                        isLatent ? heads : number(row, "kv_heads", heads),
                        isLatent ? 192 : width,
                        isLatent ? 128 : width,
                        isLatent ? new Architecture.Latent(isLite ? 0 : 1536, 512, 64) : Architecture.Latent.NONE),
                number(row, "ffn", experts > 0 ? number(row, "moe_ffn", 0) : 4 * hidden),
                number(row, "mlp_matrices", 3),
                needed(row, "vocab"),
                number(row, "mlp_matrices", 3) == 2,
                mixture);
    }

    private Strategy strategy(int row) {
        int t = needed(row, "tp");
        int p = needed(row, "pp");
        int c = number(row, "cp", 1);
        int gpus = needed(row, "gpus");
        int d = number(row, "dp", Math.max(1, gpus / (t * p * c)));
        int x = Math.max(1, number(row, "ep", 1));
        String options = lower(row, "options");
        int zero = number(row, "zero", options.contains("fsdp") ? 3 : 0);
        int virtual = Math.max(1, number(row, "vp", 1));
        boolean isInterleaved = virtual > 1 && p > 1;
        String schedule = lower(row, "schedule");
        PipelineSchedule order = isInterleaved ? PipelineSchedule.INTERLEAVED : PipelineSchedule.ONE_F_ONE_B;
        for (PipelineSchedule candidate : PipelineSchedule.values()) {
            order = candidate.id().equals(schedule) && p > 1 && !isInterleaved ? candidate : order;
        }
        // Recipes of Megatron-Bridge do not divide experts; elsewhere the default is to divide them like the rest.
        boolean isWhole = lower(row, "framework").startsWith("megatron-bridge");
        int shard = number(row, "shard_group", 0);
        if (options.contains("fsdp over ")) {
            shard = Integer.parseInt(options.replaceAll(".*fsdp over (\\d+).*", "$1"));
            zero = 3;
        }
        return new Strategy(
                new Strategy.Degrees(
                        t, p, d, c, x, Math.max(1, number(row, "etp", isWhole || t * d * c % (x * t) != 0 ? 1 : t))),
                order,
                isInterleaved ? virtual : 1,
                zero,
                shard > 0 ? shard : d * c,
                needed(row, "micro_batch"),
                number(row, "sp", 0) == 1 && t > 1,
                recompute(row));
    }

    private Recompute recompute(int row) {
        String text = lower(row, "recompute");
        return text.startsWith("full")
                ? Recompute.FULL
                : text.contains("every 2nd")
                        ? Recompute.HALF
                        : text.contains("per op")
                                ? Recompute.OPERATORS
                                : text.startsWith("selective") ? Recompute.SELECTIVE : Recompute.NONE;
    }

    private TrainingJob job(int row) {
        String text = lower(row, "precision");
        String options = lower(row, "options");
        String framework = lower(row, "framework");
        Precision precision = precision(text, framework);
        boolean isOld = framework.equals("megatron-lm")
                || framework.contains("deepspeed")
                || framework.matches("megatron-lm 202[12]");
        boolean isFloat = text.contains("fp32 master") || framework.equals("torchtitan");
        // InternEvo reduces gradients as they are.
        boolean isShort = text.startsWith("fp16") || options.contains("pure") || framework.startsWith("internevo");
        boolean isCaptured = isCaptured(row);
        int perDevice = needed(row, "micro_batch") * number(row, "dp", 1);
        int global = number(row, "global_batch", perDevice * number(row, "grad_accum", 1));
        boolean isSerial = isOld || options.contains("no comm overlap");
        return new TrainingJob(
                needed(row, "seq"),
                global,
                precision,
                new TrainingJob.Kernels(
                        !isOld,
                        attentionShare(framework, table.text(row, "gpu")),
                        isEager(framework, options) ? 1.6 : 1,
                        isCaptured ? 0 : host(row, isOld)),
                new TrainingJob.Overlap(
                        (!isSerial && !framework.contains("torchtitan")) || options.contains("async tp"),
                        !isSerial,
                        isCaptured && (needed(row, "pp") == 1 || number(row, "vp", 1) > 1)),
                TrainingJob.Exchange.unlimited(framework.startsWith("megatron-bridge")),
                new TrainingJob.Storage(
                        isShort ? 2 : 4,
                        isFloat,
                        4,
                        false,
                        false,
                        leavesLoss(row, framework) ? 14 : 6,
                        sharding(framework)));
    }

    private static TrainingJob.Sharding sharding(String framework) {
        return framework.contains("deepspeed")
                ? TrainingJob.Sharding.DEEPSPEED
                : framework.startsWith("internevo") ? TrainingJob.Sharding.TENSORS : TrainingJob.Sharding.BUCKETS;
    }

    /** Until 2025 torchtitan compiled layers only, and not the loss. */
    private boolean leavesLoss(int row, String framework) {
        return framework.equals("torchtitan")
                && table.has("locator")
                && lower(row, "locator").contains("_2024");
    }

    /** Seconds of the host for a layer's forward. */
    private double host(int row, boolean isOld) {
        if (isOld) {
            return TrainingJob.HOST_EAGER + (needed(row, "tp") > 1 ? 0.1e-3 : 0);
        }
        boolean isCompiled = lower(row, "options").contains("torch.compile")
                || lower(row, "framework").contains("maxtext");
        return isCompiled ? TrainingJob.HOST_COMPILED : TrainingJob.HOST_FUSED;
    }

    /**
     * From 26.06 on recipes of Megatron-Bridge capture whole steps of MXFP8 mixtures in a graph and overlap their exchange, which a
     * pipeline needs virtual stages for.
     */
    private boolean isCaptured(int row) {
        return lower(row, "framework").matches("megatron-bridge (26\\.(0[6-9]|1.)|2[7-9]).*")
                && lower(row, "precision").startsWith("mxfp8")
                && number(row, "experts", 0) > 0;
    }

    private static Precision precision(String text, String framework) {
        if (text.startsWith("mxfp8") || text.contains("block")) {
            return Precision.BITS8_BLOCK;
        }
        if (text.startsWith("nvfp4")) {
            return Precision.BITS4;
        }
        if (!text.startsWith("fp8")) {
            return Precision.BITS16;
        }
        // PyTorch finds scales in the step that they are for.
        boolean isCurrent = text.contains("current") || framework.equals("torchtitan");
        return text.contains("rowwise") ? Precision.BITS8_ROW : isCurrent ? Precision.BITS8_TENSOR : Precision.BITS8;
    }

    /** FlashAttention of 2023 was slower than current kernels, and PyTorch's attention is written for Ampere. */
    private static double attentionShare(String framework, String gpu) {
        boolean isEarly = framework.startsWith("composer") || framework.startsWith("internevo");
        boolean isPortable = (isEarly || framework.startsWith("torchtitan")) && !gpu.startsWith("A");
        return (isEarly ? 0.6 : 1) * (isPortable ? 0.6 : 1);
    }

    private static boolean isEager(String framework, String options) {
        return framework.startsWith("composer") || framework.startsWith("internevo") || options.startsWith("eager");
    }

    private TrainingMachine machine(int row) {
        String gpu = table.text(row, "gpu");
        String option = OPTIONS.getOrDefault(gpu, "");
        HardwareCard card = (option.isEmpty() ? Optional.<HardwareCard>empty() : cards.apply(option))
                .orElseThrow(() -> new Unpredictable("no hardware card for " + gpu));
        TrainingMachine machine = TrainingMachine.of(card);
        if (gpu.contains("500 W")) {
            // 96 GB of HBM2e at 500 W: 2.4 TB/s, and a clock that falls with the square root of the power.
            machine = machine.slowed(Math.sqrt(500.0 / 700), 2400.0 / 3350);
        }
        double network = network(lower(row, "inter"), number(row, "gpus_per_node", 8));
        return network > 0 ? machine.network(network) : machine;
    }

    /** Returns the bytes/s per device of a text such as {@code 4 x 100 Gb/s per node}, or 0 if there is no rate. */
    private static double network(String text, int perNode) {
        java.util.regex.Matcher matcher = java.util.regex.Pattern.compile(
                        "(?:(\\d+) x )?(\\d+) gb/s per (gpu|node)|(\\d+) x (\\d+) gb/s.*per node")
                .matcher(text);
        if (!matcher.find()) {
            return 0;
        }
        if (matcher.group(4) != null) {
            return Double.parseDouble(matcher.group(4)) * Double.parseDouble(matcher.group(5)) * 1e9 / 8 / perNode;
        }
        double links = matcher.group(1) == null ? 1 : Double.parseDouble(matcher.group(1));
        double all = links * Double.parseDouble(matcher.group(2)) * 1e9 / 8;
        return matcher.group(3).equals("gpu") ? all : all / perNode;
    }
}
