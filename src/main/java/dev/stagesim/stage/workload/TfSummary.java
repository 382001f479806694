package dev.stagesim.stage.workload;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Markdown;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.SuiteSettings;
import dev.stagesim.settings.TfWorkload;
import dev.stagesim.sim.suite.OpClass;
import dev.stagesim.sim.suite.OperatorGraph;
import dev.stagesim.sim.suite.PeakRates;
import dev.stagesim.sim.suite.SuiteOperator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A suite workload at a glance. */
final class TfSummary {
    private static final double MEGA = 1e6;
    private static final double NS_PER_US = 1e3;

    private final TfWorkload workload;
    private final SuiteSettings suite;
    private final OperatorGraph graph;
    private final Optional<PeakRates> rates;

    TfSummary(TfWorkload workload, SuiteSettings suite, OperatorGraph graph, Optional<PeakRates> rates) {
        this.workload = workload;
        this.suite = suite;
        this.graph = graph;
        this.rates = rates;
    }

    /** Least time of a step when its operators follow each other. */
    static double nanos(OperatorGraph graph, PeakRates rates) {
        return graph.operators().stream().mapToDouble(rates::nanos).sum();
    }

    String markdown() {
        Markdown page = new Markdown()
                .heading(1, workload.label())
                .paragraph(sentence())
                .paragraph("Input: " + pipeline() + ".")
                .table(classes());
        rates.ifPresent(peak -> page.paragraph("At the peaks of "
                + workload.hardware().orElseThrow().name() + " a step takes at least "
                + Numbers.significant(nanos(graph, peak) / NS_PER_US, 4) + " µs."));
        graph.notes().forEach(note -> page.paragraph("Drawn from the seed: " + note + "."));
        return page.build();
    }

    private String sentence() {
        String precision = lower(workload.train().precision());
        return "A training step of " + Numbers.count(workload.batch(suite)) + " samples ("
                + lower(workload.runtime().device()) + ", " + precision + (workload.xla(suite) ? ", XLA" : "") + ", "
                + workload.runtime().interThreads() + " x " + workload.runtime().intraThreads() + " threads): "
                + Numbers.count(graph.parameters()) + " parameters, "
                + Numbers.fixed(graph.forwardFlops() / MEGA, 2) + " MFLOP forward, "
                + Numbers.fixed(graph.trainFlops() / MEGA, 2) + " MFLOP in all.";
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private String pipeline() {
        TfWorkload.Data data = workload.data();
        StringBuilder text = new StringBuilder(lower(data.source()));
        data.elements()
                .ifPresent(
                        count -> text.append(" (").append(Numbers.count(count)).append(" samples)"));
        for (String op : data.ops()) {
            boolean isHost =
                    workload.host(suite).filter(op.split(" ", 2)[0]::equals).isPresent();
            text.append(" → ").append(op).append(isHost ? " (host)" : "");
        }
        if (data.cache()) {
            text.append(" → cache");
        }
        data.shuffle().ifPresent(buffer -> text.append(" → shuffle ").append(buffer));
        text.append(data.repeat() ? " → repeat" : "").append(" → flat_map → batch ");
        text.append(workload.batch(suite)).append(" → prefetch ");
        text.append(data.prefetch().map(String::valueOf).orElse("tuned"));
        return text.append(data.prefetchToDevice() ? " → device" : "").toString();
    }

    /** Work by kind of operator. */
    private DataTable classes() {
        DataTable table = new DataTable("Operators by kind")
                .text("Kind")
                .number("Operators")
                .number("MFLOP")
                .number("MB")
                .number("Least time (µs)");
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
            String least = rates.map(peak -> Numbers.significant(
                            of.stream().mapToDouble(peak::nanos).sum() / NS_PER_US, 4))
                    .orElse("");
            table.row(
                    lower(type),
                    Numbers.count(of.size()),
                    Numbers.fixed(flops / MEGA, 2),
                    Numbers.fixed(bytes / MEGA, 2),
                    least);
        }
        return table;
    }
}
