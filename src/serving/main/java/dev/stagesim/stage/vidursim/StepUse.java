package dev.stagesim.stage.vidursim;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.kernels.StepCost;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Sums the parts of steps by kind for a simulated engine: kernels by group, communication, gaps and host. */
final class StepUse implements ServingRecorder {
    private static final double US_PER_S = 1e6;
    private static final double US_PER_MS = 1e3;

    private static final List<Operator> PRODUCTS =
            List.of(Operator.ATTN_PRE_PROJ, Operator.ATTN_POST_PROJ, Operator.MLP_UP_PROJ, Operator.MLP_DOWN_PROJ);

    private enum Kind {
        DECODE,
        PREFILL,
        MIXED
    }

    /** Parts of a step. */
    private enum Part {
        ATTENTION,
        MATMUL,
        ELEMENTWISE,
        COMMUNICATION,
        HEAD,
        SAMPLER,
        KERNEL_GAP,
        HOST,
        DRAFTS
    }

    private final StepModel step;
    private final OperatorTimes times;
    private final int layers;
    private final boolean sharded;
    private final int stages;
    private double[] productsUs = new double[0];
    private final long[] steps = new long[Kind.values().length];
    private final long[] hostBound = new long[Kind.values().length];
    private final double[][] micros = new double[Kind.values().length][Part.values().length];

    /** Time in which engines sent tokens to the experts and back. */
    private final double[] exchangeUs = new double[Kind.values().length];

    /**
     * The previous step with its parts, and whether the host delayed it. Cached because consecutive decode steps are
     * often equal.
     */
    private final double[] parts = new double[Part.values().length];

    private boolean isHostBound;
    private double lastModel = Double.NaN;
    private double lastAttention;
    private double lastShared;
    private double lastExchange;
    private double lastWait;
    private int lastTokens;
    private int lastDecodes;
    private int lastPrefills;

    /**
     * @param layers layers of a stage
     * @param sharded whether tensor parallelism is above 1
     * @param stages pipeline stages; the last one runs the drafts
     */
    StepUse(StepModel step, OperatorTimes times, int layers, boolean sharded, int stages) {
        this.step = step;
        this.times = times;
        this.layers = layers;
        this.sharded = sharded;
        this.stages = stages;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.STAGE_ENDED);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        int decodes = batch.step.decodes;
        int prefills = batch.step.prefills;
        int tokens = batch.step.tokens;
        double attention = (batch.step.decodeMs + batch.step.prefillMs) * layers * US_PER_MS;
        double shared = batch.step.sharedMs;
        double wait = batch.step.waitMs;
        if (modelSeconds != lastModel
                || attention != lastAttention
                || shared != lastShared
                || wait != lastWait
                || tokens != lastTokens
                || decodes != lastDecodes
                || prefills != lastPrefills) {
            lastModel = modelSeconds;
            lastAttention = attention;
            lastShared = shared;
            lastExchange = batch.step.exchangeMs;
            lastWait = wait;
            lastTokens = tokens;
            lastDecodes = decodes;
            lastPrefills = prefills;
            split();
        }
        int kind = (prefills == 0 ? Kind.DECODE : decodes == 0 ? Kind.PREFILL : Kind.MIXED).ordinal();
        steps[kind]++;
        hostBound[kind] += isHostBound ? 1 : 0;
        for (int part = 0; part < parts.length; part++) {
            micros[kind][part] += parts[part];
        }
        exchangeUs[kind] += lastExchange * layers * US_PER_MS;
        micros[kind][Part.DRAFTS.ordinal()] += stage == stages - 1 ? batch.step.draftSeconds * US_PER_S : 0;
    }

    private void split() {
        int tokens = lastTokens;
        StepCost cost = step.cost(lastModel * US_PER_S / US_PER_MS, tokens, lastDecodes, lastPrefills);
        double products = products(tokens);
        double communication = sharded ? 2 * times.milliseconds(Operator.ALL_REDUCE, tokens) * layers * US_PER_MS : 0;
        products += (lastShared - lastExchange) * layers * US_PER_MS;
        communication += (lastExchange + lastWait) * layers * US_PER_MS;
        isHostBound = cost.bound() == StepCost.Bound.HOST;
        parts[Part.ATTENTION.ordinal()] = lastAttention;
        parts[Part.MATMUL.ordinal()] = products;
        parts[Part.COMMUNICATION.ordinal()] = communication;
        parts[Part.ELEMENTWISE.ordinal()] = Math.max(0, cost.operatorsUs() - lastAttention - products - communication);
        parts[Part.HEAD.ordinal()] = cost.headUs();
        parts[Part.SAMPLER.ordinal()] = cost.samplerUs();
        parts[Part.KERNEL_GAP.ordinal()] = cost.gapsUs();
        parts[Part.HOST.ordinal()] = Math.max(0, cost.hostUs());
    }

    /** Returns the time of the matrix products of a step, cached by the number of tokens. */
    private double products(int tokens) {
        if (tokens >= productsUs.length) {
            int known = productsUs.length;
            productsUs = Arrays.copyOf(productsUs, 2 * tokens);
            Arrays.fill(productsUs, known, productsUs.length, Double.NaN);
        }
        if (Double.isNaN(productsUs[tokens])) {
            double sum = 0;
            for (Operator operator : PRODUCTS) {
                sum += times.milliseconds(operator, tokens) * layers * US_PER_MS;
            }
            productsUs[tokens] = sum;
        }
        return productsUs[tokens];
    }

    private double mean(Kind kind, Part part) {
        return micros[kind.ordinal()][part.ordinal()] / steps[kind.ordinal()];
    }

    private double mean(Kind kind) {
        double sum = 0;
        for (Part part : Part.values()) {
            sum += mean(kind, part);
        }
        return sum;
    }

    /** Returns the kind of step with the largest share of {@link #exchangeShare}. */
    private Kind exchanging() {
        return Arrays.stream(Kind.values())
                .max(Comparator.comparingDouble(this::exchangeShare))
                .orElseThrow();
    }

    private double exchangeShare(Kind kind) {
        return steps[kind.ordinal()] == 0 ? 0 : exchangeUs[kind.ordinal()] / steps[kind.ordinal()] / mean(kind);
    }

    /** Returns a warning if sending tokens to experts and back dominates a kind of step of {@code copy} devices. */
    Optional<String> dominantExchange(int copy, HardwareCard hardware) {
        Kind kind = exchanging();
        return ConditionText.dominantExchange(
                exchangeShare(kind),
                name(kind),
                copy,
                hardware,
                "cluster.tensor_parallel_size, scheduler.data_parallel_size");
    }

    void write(Path folder) throws IOException {
        try (TableWriter out = TableWriter.in(folder, SimulationTables.STEP_PARTS)) {
            for (Kind kind : Kind.values()) {
                if (steps[kind.ordinal()] > 0) {
                    out.put(name(kind))
                            .put(steps[kind.ordinal()])
                            .put(hostBound[kind.ordinal()])
                            .put(mean(kind));
                    for (Part part : Part.values()) {
                        out.put(mean(kind, part));
                    }
                    out.endRow();
                }
            }
        }
    }

    /** Returns the report section of step parts. */
    DataTable table() {
        DataTable table = new DataTable("Parts of a step, mean ms").columns("Step", "#steps", "bound by", "#step");
        for (Part part : Part.values()) {
            table.number(KeyNames.constant(part).replace('_', ' '));
        }
        for (Kind kind : Kind.values()) {
            if (steps[kind.ordinal()] == 0) {
                continue;
            }
            double share = 100.0 * hostBound[kind.ordinal()] / steps[kind.ordinal()];
            java.util.ArrayList<String> cells = new java.util.ArrayList<>(List.of(
                    name(kind),
                    Numbers.count(steps[kind.ordinal()]),
                    share >= 50 ? "host" : "device",
                    Numbers.significant(mean(kind) / US_PER_MS, 4)));
            for (Part part : Part.values()) {
                cells.add(Numbers.significant(mean(kind, part) / US_PER_MS, 3));
            }
            table.row(cells.toArray(new String[0]));
        }
        return table;
    }

    private static String name(Kind kind) {
        return KeyNames.constant(kind);
    }
}
