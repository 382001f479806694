package dev.stagesim.stage.workload;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.chakra.EtTemplate;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.TfWorkload;
import dev.stagesim.sim.suite.Direction;
import dev.stagesim.sim.suite.OpClass;
import dev.stagesim.sim.suite.OperatorGraph;
import dev.stagesim.sim.suite.PeakRates;
import dev.stagesim.sim.suite.StepTrace;
import dev.stagesim.sim.suite.SuiteOperator;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes a suite workload as operators, as topologies, as a table of matrix products and as execution traces. */
final class TfWriter {
    private static final String PREFIX = "tf";
    /** What an engine that runs the workload is told. */
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
            text(out, "topology_" + direction.name().toLowerCase(Locale.ROOT) + ".csv", GEMMS + rows);
        }
        text(out, "topology.csv", all.toString());
        text(out, "mnk.csv", products());
        EtTemplate trace =
                new EtTemplate(new EtMetadata("1.0.0", List.of()), StepTrace.nodes(graph, rates, workload.npus()));
        new TraceFolder(out, PREFIX).same(trace, workload.npus());
        text(out, JOB, new TfJob(workload, suite, graph).text());
        text(out, "summary.md", new TfSummary(workload, suite, graph, rates).markdown());
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
                rows.put(operator.type().name().toLowerCase(Locale.ROOT));
                rows.put(operator.direction().name().toLowerCase(Locale.ROOT));
                rows.put(operator.m()).put(operator.n()).put(operator.k()).put(operator.count());
                rows.put(operator.flops()).put(operator.elementwiseFlops());
                rows.put(operator.bytes()).put(operator.parameters());
                if (rates.isPresent()) {
                    rows.put(rates.get().nanos(operator));
                } else {
                    rows.putEmpty();
                }
                rows.endRow();
            }
        }
    }

    /** Products of one direction as {@code scale_sim} reads them; equal ones of an operator are one row. */
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
     * The layers of the forward pass as {@code workload.kind=mnk} reads them; it derives the gradients itself. The steps of
     * a recurrent layer share their weights, so they are rows of one product.
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
}
