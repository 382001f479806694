package dev.stagesim.stage.compare;

import dev.stagesim.report.DataTable;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says of each metric by which definition it is compared, or why it is not. */
final class Definitions {
    private static final String NOT_SAID = "not said";
    private final Comparison c;

    Definitions(Comparison comparison) {
        this.c = comparison;
    }

    DataTable table() {
        DataTable table = new DataTable("Which definitions are compared")
                .columns("metric", "definition")
                .text(c.real().label() + " side says")
                .text("compared");
        for (Metric metric : Metric.values()) {
            table.row(
                    metric.shortName(),
                    metric.definition().isEmpty() ? "only one" : metric.definition(),
                    c.real().fact("definitions." + metric.key()).orElse(NOT_SAID),
                    verdict(metric));
        }
        return table;
    }

    /** How a metric is compared. */
    private String verdict(Metric metric) {
        if (c.metric(metric).isPresent()) {
            return metric == Metric.TOKEN_GAP ? "yes, gap by gap" : "yes, request by request";
        }
        if (c.published().stream().anyMatch(row -> row.metric() == metric)) {
            return "yes, published figures";
        }
        List<String> others = c.real().published().stream()
                .filter(aggregate ->
                        Metric.named(aggregate.metric()) == metric && !metric.agrees(aggregate.definition()))
                .map(Side.Aggregate::definition)
                .distinct()
                .toList();
        if (!others.isEmpty()) {
            return "no: published under definition " + others.stream().collect(Collectors.joining(", "));
        }
        return missing(metric)
                .map(label -> "no: the " + label + " side does not tell it")
                .orElse("no: nothing to compare");
    }

    /** The side that lacks what the metric needs. */
    private Optional<String> missing(Metric metric) {
        if (metric == Metric.TOKEN_GAP && !c.aggregatesOnly()) {
            return c.real().hasGaps()
                    ? Optional.of(c.sim().label()).filter(label -> !c.sim().hasGaps())
                    : Optional.of(c.real().label());
        }
        return c.aggregatesOnly() ? Optional.of(c.real().label()) : Optional.empty();
    }
}
