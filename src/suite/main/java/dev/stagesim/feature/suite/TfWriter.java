package dev.stagesim.feature.suite;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.graph.Direction;
import dev.stagesim.feature.suite.graph.OpClass;
import dev.stagesim.feature.suite.graph.OperatorGraph;
import dev.stagesim.feature.suite.graph.PeakRates;
import dev.stagesim.feature.suite.graph.StepTrace;
import dev.stagesim.feature.suite.graph.SuiteOperator;
import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.stage.StageContext;
import dev.stagesim.traces.TraceFolder;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes a suite workload as operators, topologies, a table of matrix products, and execution traces. */
final class TfWriter {
    private static final String PREFIX = "tf";
    /** Job description for the engine process. */
    private static final String JOB = "job.properties";

    private static final String GEMMS = "Layer,M,N,K,Products,\n";

    private final TfWorkload workload;
    private final SuiteSettings suite;
    private final StageContext context;
    private final OperatorGraph graph;
    private final Optional<PeakRates> rates;

    TfWriter(TfWorkload workload, SuiteSettings suite, StageContext context) {
        this.workload = workload;
        this.suite = suite;
        this.context = context;
        graph = TfChecks.graph(workload, suite);
        rates = TfChecks.rates(workload);
    }

    void write() throws IOException {
        Path out = context.out();
        operators(out.resolve(SuiteTables.OPERATORS.name()));
        StringBuilder all = new StringBuilder(GEMMS);
        for (Direction direction : List.of(Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT)) {
            String rows = topology(direction);
            all.append(rows);
            text(out, "topology_" + KeyNames.constant(direction) + ".csv", GEMMS + rows);
        }
        text(out, "topology.csv", all.toString());
        text(out, "mnk.csv", products());
        EtTemplate trace =
                new EtTemplate(new EtMetadata("1.0.0", List.of()), StepTrace.nodes(graph, rates, workload.npus()));
        new TraceFolder(out, PREFIX).same(trace, workload.npus());
        text(out, JOB, new TfJob(workload, suite, graph).text());
        new TfSummary(workload, suite, graph, rates).report().summary(out);
        headlines();
    }

    private void headlines() {
        context.headline("batch", workload.batch(suite));
        context.headline("parameters", graph.parameters());
        context.headline("forward_flops", graph.forwardFlops());
        context.headline("train_flops", graph.trainFlops());
        rates.ifPresent(peak -> context.headline("roofline_step_ns", TfSummary.nanos(graph, peak)));
    }

    private void operators(Path file) throws IOException {
        try (TableWriter rows = TableWriter.create(file, SuiteTables.OPERATORS)) {
            long id = 0;
            for (SuiteOperator operator : graph.operators()) {
                rows.put(id++).put(operator.layer()).put(operator.op());
                rows.put(KeyNames.constant(operator.type()));
                rows.put(KeyNames.constant(operator.direction()));
                rows.put(operator.m()).put(operator.n()).put(operator.k()).put(operator.count());
                rows.put(operator.flops()).put(operator.elementwiseFlops());
                rows.put(operator.bytes()).put(operator.parameters());
                rows.put(rates.map(peak -> peak.nanos(operator))).endRow();
            }
        }
    }

    /**
     * Returns the products of one direction as a {@code scale_sim} topology; equal products of an operator share a row.
     */
    private String topology(Direction direction) {
        StringBuilder rows = new StringBuilder();
        for (SuiteOperator operator : graph.products(direction)) {
            rows.append(operator.name()).append(',').append(operator.m()).append(',');
            rows.append(operator.n()).append(',').append(operator.k());
            if (operator.count() > 1) {
                rows.append(",x").append(operator.count());
            }
            rows.append(",\n");
        }
        return rows.toString();
    }

    /**
     * Returns the forward layers as input of {@code workload.kind=mnk}, which derives the gradients itself. The steps
     * of a recurrent layer share weights, so they become rows of one product.
     */
    private String products() {
        StringBuilder rows = new StringBuilder("Layer,m,n,k,parallelism,type,count\n");
        for (SuiteOperator operator : graph.products(Direction.FORWARD)) {
            boolean isPair = operator.type() == OpClass.ATTENTION;
            boolean isFolded = operator.type() == OpClass.RECURRENT;
            long m = isFolded ? operator.m() * operator.count() : operator.m();
            String type = isPair ? (operator.op().equals("score") ? "SCORE" : "CONTEXT") : "GEMM";
            rows.append(operator.layer()).append('.').append(operator.op()).append(',');
            rows.append(m).append(',').append(operator.n()).append(',').append(operator.k());
            rows.append(",DATA,").append(type).append(',').append(isFolded ? 1 : operator.count());
            rows.append('\n');
        }
        return rows.toString();
    }

    private static void text(Path out, String name, String text) throws IOException {
        Files.writeString(out.resolve(name), text, StandardCharsets.UTF_8);
    }

    /**
     * Serialises a suite workload as lines of {@code key=value} for the engine process; list keys have a numeric
     * suffix.
     */
    private static final class TfJob {
        private static final String LEFT_OUT = " left out";
        private static final String BLOCK = "block ";

        private final Map<String, String> lines = new TreeMap<>();

        TfJob(TfWorkload workload, SuiteSettings suite, OperatorGraph graph) {
            lines.put("label", workload.label());
            lines.put("family", KeyNames.constant(workload.family()));
            lines.put("seed", Integer.toString(workload.values().seed()));
            lines.put("batch", Integer.toString(workload.batch(suite)));
            lines.put("xla", Boolean.toString(workload.xla(suite)));
            lines.put("host", workload.host(suite).orElse("none"));
            lines.put("parameters", Long.toString(graph.parameters()));
            list("net", workload.net());
            list("special", workload.special());
            list(
                    "left_out",
                    graph.notes().stream()
                            .filter(note -> note.endsWith(LEFT_OUT))
                            .map(note -> note.substring(BLOCK.length(), note.length() - LEFT_OUT.length()))
                            .toList());
            data(workload.data());
            train(workload.train());
            lines.put("device", KeyNames.constant(workload.runtime().device()));
            lines.put("inter_threads", Integer.toString(workload.runtime().interThreads()));
            lines.put("intra_threads", Integer.toString(workload.runtime().intraThreads()));
        }

        private void list(String key, List<?> values) {
            for (int i = 0; i < values.size(); i++) {
                lines.put(key + "." + i, String.valueOf(values.get(i)));
            }
        }

        private void data(TfWorkload.Data data) {
            lines.put("source", KeyNames.constant(data.samples().source()));
            lines.put("labels", KeyNames.constant(data.samples().labels()));
            lines.put("elements", Integer.toString(data.samples().elements().orElse(0)));
            lines.put("classes", Integer.toString(data.samples().classes().orElse(0)));
            lines.put("vocabulary", Integer.toString(data.samples().vocabulary().orElse(0)));
            lines.put(
                    "parallel_calls",
                    Integer.toString(data.pipeline().parallelCalls().orElse(0)));
            lines.put("shuffle", Integer.toString(data.pipeline().shuffle().orElse(0)));
            lines.put("cache", Boolean.toString(data.pipeline().cache()));
            lines.put("repeat", Boolean.toString(data.pipeline().repeat()));
            lines.put("prefetch", Integer.toString(data.pipeline().prefetch().orElse(0)));
            lines.put("prefetch_to_device", Boolean.toString(data.pipeline().prefetchToDevice()));
            list("element", data.samples().element());
            list("input", data.input());
            list("ops", data.ops());
        }

        private void train(TfWorkload.Train train) {
            lines.put("optimizer", KeyNames.constant(train.optimizer()));
            lines.put("learning_rate", ShortestDouble.of(train.learningRate()));
            lines.put("loss", KeyNames.constant(train.loss()));
            lines.put("mixed", Boolean.toString(train.precision() == TfWorkload.Precision.MIXED_FLOAT16));
            lines.put("epochs", Integer.toString(train.epochs()));
            lines.put("steps_per_epoch", Integer.toString(train.stepsPerEpoch()));
            lines.put("callback", KeyNames.constant(train.callback()));
            lines.put("accuracy", Boolean.toString(train.accuracy()));
        }

        String text() {
            return lines.entrySet().stream()
                    .map(line -> line.getKey() + "=" + line.getValue() + "\n")
                    .collect(Collectors.joining());
        }
    }

    /** Summary of a suite workload. */
    private record TfSummary(TfWorkload workload, SuiteSettings suite, OperatorGraph graph, Optional<PeakRates> rates) {
        private static final double MEGA = 1e6;

        /** Lower bound of the step time, with sequential operators. */
        static double nanos(OperatorGraph graph, PeakRates rates) {
            return graph.operators().stream().mapToDouble(rates::nanos).sum();
        }

        Report report() {
            Report page = new Report(workload.label())
                    .answer(sentence())
                    .prose("Input: " + pipeline() + ".")
                    .table(classes());
            rates.ifPresent(peak -> page.prose("At the peaks of "
                    + workload.hardware().orElseThrow().name() + " a step takes at least "
                    + Numbers.significant(nanos(graph, peak) / NS_PER_US, 4) + " µs."));
            graph.notes().forEach(note -> page.prose("Drawn from the seed: " + note + "."));
            return page;
        }

        private String sentence() {
            String precision = KeyNames.constant(workload.train().precision());
            return "A training step of " + Numbers.count(workload.batch(suite)) + " samples ("
                    + KeyNames.constant(workload.runtime().device()) + ", " + precision
                    + (workload.xla(suite) ? ", XLA" : "")
                    + ", "
                    + workload.runtime().interThreads() + " x "
                    + workload.runtime().intraThreads() + " threads): "
                    + Numbers.count(graph.parameters()) + " parameters, "
                    + Numbers.fixed(graph.forwardFlops() / MEGA, 2) + " MFLOP forward, "
                    + Numbers.fixed(graph.trainFlops() / MEGA, 2) + " MFLOP in all.";
        }

        private String pipeline() {
            TfWorkload.Data data = workload.data();
            StringBuilder text =
                    new StringBuilder(KeyNames.constant(data.samples().source()));
            data.samples().elements().ifPresent(count -> text.append(" (")
                    .append(Numbers.count(count))
                    .append(" samples)"));
            for (String op : data.ops()) {
                boolean isHost =
                        workload.host(suite).filter(op.split(" ", 2)[0]::equals).isPresent();
                text.append(" → ").append(op).append(isHost ? " (host)" : "");
            }
            if (data.pipeline().cache()) {
                text.append(" → cache");
            }
            data.pipeline().shuffle().ifPresent(buffer -> text.append(" → shuffle ")
                    .append(buffer));
            text.append(data.pipeline().repeat() ? " → repeat" : "").append(" → flat_map → batch ");
            text.append(workload.batch(suite)).append(" → prefetch ");
            text.append(data.pipeline().prefetch().map(String::valueOf).orElse("tuned"));
            return text.append(data.pipeline().prefetchToDevice() ? " → device" : "")
                    .toString();
        }

        /** Work by kind of operator. */
        private DataTable classes() {
            DataTable table = new DataTable("Operators by kind")
                    .columns("Kind", "#Operators", "#MFLOP", "#MB", "#Minimum time (µs)");
            for (OpClass type : OpClass.values()) {
                List<SuiteOperator> of = graph.operators().stream()
                        .filter(operator -> operator.type() == type)
                        .toList();
                if (of.isEmpty()) {
                    continue;
                }
                double flops = of.stream()
                        .mapToDouble(operator -> (double) operator.flops() + operator.elementwiseFlops())
                        .sum();
                double bytes = of.stream().mapToDouble(SuiteOperator::bytes).sum();
                String lowerBound = rates.map(peak -> Numbers.significant(
                                of.stream().mapToDouble(peak::nanos).sum() / NS_PER_US, 4))
                        .orElse("");
                table.row(
                        KeyNames.constant(type),
                        Numbers.count(of.size()),
                        Numbers.fixed(flops / MEGA, 2),
                        Numbers.fixed(bytes / MEGA, 2),
                        lowerBound);
            }
            return table;
        }
    }
}
