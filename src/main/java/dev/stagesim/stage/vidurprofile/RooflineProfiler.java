package dev.stagesim.stage.vidurprofile;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.BundleLayout;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Roofline;
import dev.stagesim.settings.HostOverhead;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Writes a bundle whose times follow from the model card and the hardware card. */
final class RooflineProfiler {
    private static final String BACKEND = "roofline";
    private static final int VALUE_BYTES = 2;
    private static final int PAIR = 2;
    private static final double MILLIS_PER_MICRO = 1e-3;

    private final ModelCard model;
    private final HardwareCard hardware;
    private final ProfileSettings.Roofline settings;
    private final StageContext context;
    private final ReachedRates rates;
    private final Sizes sizes;

    RooflineProfiler(ModelCard model, HardwareCard hardware, ProfileSettings.Roofline settings, StageContext context) {
        this.model = model;
        this.hardware = hardware;
        this.settings = settings;
        this.context = context;
        this.rates = new ReachedRates(hardware, settings.efficiency());
        this.sizes = Sizes.of(settings.grid(), model.maxPosition());
    }

    void run() throws IOException {
        List<Problem> problems = rates.withoutEffect();
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        TreeMap<Integer, Roofline> models = models();
        String device = BundleLayout.slug(hardware.name());
        BundleWriter writer = new BundleWriter(context.out(), model, device, device);
        List<BundleRow.Mlp> mlp = new ArrayList<>();
        List<BundleRow.Attention> attention = new ArrayList<>();
        List<BundleRow.Transfer> allReduce = new ArrayList<>();
        models.forEach((degree, roofline) -> {
            mlp.addAll(mlpRows(degree, roofline));
            attention.addAll(attentionRows(degree, roofline));
            if (degree > 1) {
                allReduce.addAll(allReduceRows(degree, roofline));
            }
        });
        writer.mlp(mlp);
        writer.attention(attention, settings.blockSize(), BACKEND);
        if (!allReduce.isEmpty()) {
            writer.allReduce(allReduce);
        }
        List<BundleRow.Transfer> sendRecv = sendRecvRows();
        if (!sendRecv.isEmpty()) {
            writer.sendRecv(sendRecv);
        }
        if (settings.host() instanceof HostOverhead.Linear host) {
            writer.hostOverheads(hostRows(host, models));
        }
        Roofline single = new Roofline(model, rates.of(1), 1);
        List<Integer> degrees = List.copyOf(models.keySet());
        PredictionQuality quality = PredictionQuality.ofWritten(
                model, hardware, settings.blockSize(), degrees, settings.quality(), context);
        new RooflineReport(model, hardware, single, rates.assumptions(), degrees, sizes, quality).write(context);
    }

    private TreeMap<Integer, Roofline> models() {
        TreeMap<Integer, Roofline> models = new TreeMap<>();
        List<String> left = new ArrayList<>();
        for (int degree : settings.tensorParallelSizes()) {
            if (!Roofline.splits(model, degree)) {
                left.add(degree + " (does not divide the heads or the feed-forward width)");
            } else if (degree > 1 && !rates.canLink(degree)) {
                left.add(degree + " (the hardware card has no link for it)");
            } else {
                models.put(degree, new Roofline(model, rates.of(degree), degree));
            }
        }
        if (models.isEmpty()) {
            throw StageException.input(Problem.of(
                    "config error",
                    "profile.tensor_parallel_sizes",
                    "no size can be profiled: " + String.join(", ", left)));
        }
        if (!left.isEmpty()) {
            context.warn("tensor-parallel sizes left out: " + String.join(", ", left));
        }
        return models;
    }

    private List<BundleRow.Mlp> mlpRows(int degree, Roofline roofline) {
        List<BundleRow.Mlp> rows = new ArrayList<>();
        for (int tokens : sizes.tokens()) {
            List<Stats> stats = new ArrayList<>();
            for (String name : BundleTables.MLP_OPERATORS) {
                double ms = name.equals("emb")
                        ? roofline.embeddingMilliseconds(tokens)
                        : roofline.milliseconds(Operator.valueOf(name.toUpperCase(Locale.ROOT)), tokens);
                stats.add(Stats.exact(ms));
            }
            rows.add(new BundleRow.Mlp(degree, tokens, stats));
        }
        return rows;
    }

    private List<BundleRow.Attention> attentionRows(int degree, Roofline roofline) {
        List<BundleRow.Attention> rows = new ArrayList<>();
        for (int chunk : sizes.chunks()) {
            for (int kv : sizes.kvTokens()) {
                rows.add(attentionRow(degree, 1, chunk, kv, roofline.prefillMilliseconds(kv, chunk), roofline));
            }
        }
        for (int batch : sizes.batchSizes()) {
            for (int kv : sizes.kvTokens()) {
                rows.add(attentionRow(degree, batch, 0, kv, roofline.decodeMilliseconds(batch, kv), roofline));
            }
        }
        return rows;
    }

    private static BundleRow.Attention attentionRow(
            int degree, int batch, int chunk, int kv, double ms, Roofline roofline) {
        double write = roofline.milliseconds(Operator.ATTN_KV_CACHE_SAVE, Math.max(batch, chunk));
        return new BundleRow.Attention(degree, batch, chunk, kv, Stats.exact(ms), Stats.exact(write));
    }

    private List<BundleRow.Transfer> allReduceRows(int degree, Roofline roofline) {
        List<BundleRow.Transfer> rows = new ArrayList<>();
        for (int tokens : sizes.tokens()) {
            Stats time = Stats.exact(roofline.milliseconds(Operator.ALL_REDUCE, tokens));
            rows.add(new BundleRow.Transfer(degree, degree, rates.devicesPerNode(), bytes(tokens), time));
        }
        return rows;
    }

    /** Rows with one device per node go through the network, those with two stay inside a node. */
    private List<BundleRow.Transfer> sendRecvRows() {
        List<BundleRow.Transfer> rows = new ArrayList<>();
        Roofline pair = new Roofline(model, rates.of(PAIR), 1);
        for (int tokens : sizes.tokens()) {
            if (rates.hasNetwork()) {
                rows.add(sendRecvRow(pair, tokens, false));
            }
            if (rates.canLink(PAIR)) {
                rows.add(sendRecvRow(pair, tokens, true));
            }
        }
        return rows;
    }

    private BundleRow.Transfer sendRecvRow(Roofline pair, int tokens, boolean sameNode) {
        Stats time = Stats.exact(pair.sendRecvMilliseconds(tokens, sameNode));
        return new BundleRow.Transfer(PAIR, sameNode ? PAIR : 1, rates.devicesPerNode(), bytes(tokens), time);
    }

    private long bytes(int tokens) {
        return (long) VALUE_BYTES * tokens * model.hiddenSize();
    }

    private List<BundleRow.Host> hostRows(HostOverhead.Linear host, TreeMap<Integer, Roofline> models) {
        List<HostOverhead.Step> steps =
                List.of(host.schedule(), host.sampler(), host.prepareInputs(), host.processOutputs());
        List<BundleRow.Host> rows = new ArrayList<>();
        for (int degree : models.keySet()) {
            for (int batch : sizes.batchSizes()) {
                List<Stats> stats = steps.stream()
                        .map(step -> Stats.exact(milliseconds(step, batch)))
                        .toList();
                rows.add(new BundleRow.Host(degree, batch, stats, milliseconds(host.workerComm(), batch)));
            }
        }
        return rows;
    }

    private static double milliseconds(HostOverhead.Step step, int batch) {
        return MILLIS_PER_MICRO * (step.baseUs() + batch * step.perRequestUs());
    }
}
