package dev.stagesim.stage.workload;

import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.sim.trace.generate.LegacyForm;
import dev.stagesim.sim.trace.generate.MicroBatchOrder;
import dev.stagesim.sim.trace.generate.PatternOptions;
import dev.stagesim.sim.trace.generate.TracePattern;
import dev.stagesim.sim.trace.generate.TracePatterns;
import dev.stagesim.sim.trace.generate.TrainingCost;
import dev.stagesim.sim.trace.generate.TrainingLayout;
import dev.stagesim.sim.trace.generate.TrainingOptions;
import dev.stagesim.sim.trace.generate.TrainingStep;
import dev.stagesim.sim.trace.text.TextSchema;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.StageContext;
import dev.stagesim.traces.ChakraGenerateWorkload;
import dev.stagesim.traces.TraceFolder;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Generates traces and writes them with their groups and a summary. */
final class ChakraGenerateWriter {
    private static final int DEFAULT_NPUS = 8;
    private static final int DEFAULT_LAYERS = 3;
    private static final int DEFAULT_MICRO_BATCHES = 4;
    private static final int DEFAULT_LEGACY_DIMS = 2;
    private static final int DEFAULT_SEQUENCE = 2048;
    private static final double DEFAULT_EFFICIENCY = 0.5;
    private static final double TERA_PER_MICRO = 1e6;
    private static final double GIGA_PER_MICRO = 1e3;

    /** Forward and backward nodes of a layer of one micro-batch; experts add a router and exchanges. */
    private static final double NODES_PER_LAYER = 10;

    private static final double NODES_PER_EXPERT_LAYER = 16;

    private static final double SECONDS_PER_NODE = 3e-6;

    /** A processor's nodes are in memory until its file is written. */
    private static final double MEMORY_PER_NODE = 400;

    private static final double DISK_PER_NODE = 100;

    private final ChakraGenerateWorkload settings;
    private final CompatMode compat;
    private final StageContext context;
    private final TextSchema schema;

    ChakraGenerateWriter(ChakraGenerateWorkload settings, CompatMode compat, StageContext context) {
        this.settings = settings;
        this.compat = compat;
        this.context = context;
        schema = ChakraGenerateChecks.schema(settings);
    }

    void write() throws IOException {
        switch (settings.pattern()) {
            case ChakraGenerateChecks.TRANSFORMER -> transformer();
            case ChakraGenerateChecks.REFERENCE -> reference();
            default -> single(TracePatterns.find(settings.pattern()).orElseThrow());
        }
    }

    private PatternOptions options() {
        PatternOptions defaults = PatternOptions.reference(npus());
        int dims = settings.sizes().numDims().orElse(schema == TextSchema.V0_0_1 ? DEFAULT_LEGACY_DIMS : -1);
        return new PatternOptions(
                compat == CompatMode.CHAKRA,
                npus(),
                settings.sizes().runtime().orElse(defaults.runtime()),
                settings.sizes().tensorSize().orElse(defaults.tensorSize()),
                settings.sizes().commSize().orElse(defaults.commSize()),
                dims,
                schema != TextSchema.V1_0_0,
                settings.sizes().layers().orElse(DEFAULT_LAYERS),
                settings.sizes().microBatches().orElse(DEFAULT_MICRO_BATCHES));
    }

    private int npus() {
        return settings.numNpus().orElse(DEFAULT_NPUS);
    }

    private EtMetadata metadata() {
        return new EtMetadata(schema == TextSchema.V1_0_0 ? "1.0.0" : "0.0.4", List.of());
    }

    /** Node ids start at 0 in each file, so that equal traces are equal files. */
    private void single(TracePattern pattern) throws IOException {
        PatternOptions options = options();
        TraceFolder folder = folder(settings.prefix().orElse(pattern.name()));
        long nodes = 0;
        if (schema == TextSchema.V0_0_1) {
            nodes = legacy(folder, pattern, options);
        } else if (pattern.isUniform()) {
            EtTemplate template = new EtTemplate(metadata(), pattern.nodes(0, options));
            folder.same(template, npus());
            nodes = (long) template.nodes() * npus();
        } else {
            nodes = folder.each(npus(), metadata(), npu -> pattern.nodes(npu, options));
        }
        summary(pattern.name(), pattern.doc(), npus(), nodes);
    }

    private long legacy(TraceFolder folder, TracePattern pattern, PatternOptions options) throws IOException {
        AtomicLong count = new AtomicLong();
        TraceFolder.forEach(npus(), npu -> {
            List<EtNode> made = pattern.nodes(npu, options);
            folder.writeLegacy(npu, made.stream().map(LegacyForm::of).toList());
            count.addAndGet(made.size());
        });
        return count.get();
    }

    /** Node ids continue from file to file and from pattern to pattern, except in schema 0.0.1. */
    private void reference() throws IOException {
        PatternOptions options = options();
        long shift = 0;
        List<TracePattern> patterns = ChakraGenerateChecks.referencePatterns(settings);
        for (TracePattern pattern : patterns) {
            TraceFolder folder = folder(pattern.name());
            if (schema == TextSchema.V0_0_1) {
                shift += legacy(folder, pattern, options);
                continue;
            }
            for (int npu = 0; npu < npus(); npu++) {
                EtTemplate template = new EtTemplate(metadata(), pattern.nodes(npu, options));
                folder.copy(template, npu, shift);
                shift += template.nodes();
            }
        }
        summary("the reference's generator", patterns.size() + " patterns.", npus(), shift);
    }

    private void transformer() throws IOException {
        TrainingOptions options = training(settings);
        ModelFeature.warnings(options.model(), TrainingCost.MODELLED).forEach(context::warn);
        int npus = options.split().npus();
        context.expect(expected(options));
        TraceFolder folder = folder(settings.prefix().orElse(ChakraGenerateChecks.TRANSFORMER));
        long nodes = folder.each(npus, metadata(), npu -> TrainingStep.nodes(options, npu));
        folder.groups(new TrainingLayout(options).groups());
        TrainingOptions.Split split = options.split();
        summary(
                options.model().name(),
                "A training step of " + options.microBatches() + " micro-batches with tp=" + split.tp() + ", pp="
                        + split.pp() + ", dp=" + split.dp() + ", ep=" + split.ep() + ".",
                npus,
                nodes);
    }

    private static Estimate expected(TrainingOptions options) {
        double perLayer = options.model().experts().numExperts().isPresent() ? NODES_PER_EXPERT_LAYER : NODES_PER_LAYER;
        double layers =
                (double) options.model().shape().numLayers() / options.split().pp();
        double perNpu = perLayer * layers * options.microBatches();
        int npus = options.split().npus();
        int threads = Math.min(npus, Runtime.getRuntime().availableProcessors());
        return new Estimate(
                perNpu * npus,
                "nodes",
                perNpu * npus * SECONDS_PER_NODE,
                perNpu * threads * MEMORY_PER_NODE,
                perNpu * npus * DISK_PER_NODE);
    }

    /** Returns the training step of the settings, which must have a model and a device. */
    static TrainingOptions training(ChakraGenerateWorkload settings) {
        ModelCard model = settings.model().orElseThrow();
        HardwareCard hardware = settings.hardware().orElseThrow();
        ChakraGenerateWorkload.Training step = settings.training();
        ChakraGenerateWorkload.Parallelism split = settings.parallelism();
        double tflops =
                hardware.rates().bf16Tflops().orElseThrow() * step.efficiency().orElse(DEFAULT_EFFICIENCY);
        return new TrainingOptions(
                model,
                new TrainingOptions.Split(
                        split.tp().orElse(1),
                        split.pp().orElse(1),
                        split.dp().orElse(1),
                        split.ep().orElse(1)),
                settings.sizes().microBatches().orElse(DEFAULT_MICRO_BATCHES),
                step.sequences().orElse(1),
                step.sequence().orElse(Math.min(DEFAULT_SEQUENCE, model.maxPosition())),
                step.schedule().orElse(MicroBatchOrder.ONE_F_ONE_B),
                new TrainingOptions.Device(tflops * TERA_PER_MICRO, hardware.statedMemBwGbs() * GIGA_PER_MICRO),
                step.shardedOptimizer().orElse(false));
    }

    private TraceFolder folder(String prefix) {
        return new TraceFolder(context.out(), prefix, settings.sharedFiles());
    }

    private void summary(String what, String doc, int npus, long nodes) throws IOException {
        new Report("Execution traces of " + what)
                .answer(doc + " " + Numbers.count(npus) + " processors, " + Numbers.count(nodes) + " nodes in total.")
                .summary(context.out());
        context.headline("npus", npus);
        context.headline("nodes", nodes);
    }
}
