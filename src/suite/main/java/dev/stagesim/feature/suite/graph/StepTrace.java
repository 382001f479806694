package dev.stagesim.feature.suite.graph;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A training step as an execution trace: sequential operators, and with more than one processor an all-reduce of the
 * gradients per layer with weights.
 *
 * <p>An all-reduce starts when its layer's weight gradients are complete and overlaps with the rest of the backward
 * pass. The layer's update waits for it.
 */
public final class StepTrace {
    private static final int GRADIENT_BYTES = 4;

    private final Optional<PeakRates> rates;
    private final int npus;
    private final List<EtNode> nodes = new ArrayList<>();
    private final Map<String, Long> lastGradient = new TreeMap<>();
    private final Map<String, Long> exchanged = new TreeMap<>();
    private final Map<String, Long> parameters = new TreeMap<>();

    private StepTrace(Optional<PeakRates> rates, int npus) {
        this.rates = rates;
        this.npus = npus;
    }

    /** Returns the nodes of one processor; all processors have the same nodes. */
    public static List<EtNode> nodes(OperatorGraph graph, Optional<PeakRates> rates, int npus) {
        StepTrace trace = new StepTrace(rates, npus);
        for (SuiteOperator operator : graph.operators()) {
            trace.parameters.merge(operator.layer(), operator.parameters(), Long::sum);
            if (operator.direction() != Direction.FORWARD && operator.direction() != Direction.UPDATE) {
                trace.lastGradient.put(operator.layer(), trace.lastGradient.getOrDefault(operator.layer(), 0L) + 1);
            }
        }
        long previous = -1;
        for (SuiteOperator operator : graph.operators()) {
            previous = trace.add(operator, previous);
        }
        return trace.nodes;
    }

    private long add(SuiteOperator operator, long previous) {
        long id = nodes.size();
        List<EtAttribute> attributes = new ArrayList<>();
        attributes.add(EtAttribute.ofBool(EtNames.IS_CPU_OP, false));
        attributes.add(EtAttribute.ofLong(EtNames.NUM_OPS, operator.flops() + operator.elementwiseFlops()));
        attributes.add(EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, operator.bytes()));
        Long allReduce = operator.direction() == Direction.UPDATE ? exchanged.get(operator.layer()) : null;
        nodes.add(EtNode.of(id, operator.name(), NodeType.COMP_NODE)
                .withDuration(micros(operator))
                .withAttributes(attributes)
                .withDataDeps(deps(previous, allReduce == null ? -1 : allReduce)));
        exchange(operator, id);
        return id;
    }

    private static long[] deps(long first, long second) {
        if (first < 0) {
            return new long[0];
        }
        return second < 0 ? new long[] {first} : new long[] {first, second};
    }

    /** Duration in whole microseconds, the unit of traces, and at least 1. */
    private long micros(SuiteOperator operator) {
        return rates.map(peak -> Math.max(1, Math.round(peak.nanos(operator) / NS_PER_US)))
                .orElse(1L);
    }

    /** Adds the all-reduce after the last gradient of a layer. */
    private void exchange(SuiteOperator operator, long id) {
        if (operator.direction() == Direction.FORWARD || operator.direction() == Direction.UPDATE) {
            return;
        }
        long left = lastGradient.merge(operator.layer(), -1L, Long::sum);
        long weights = parameters.getOrDefault(operator.layer(), 0L);
        if (left > 0 || weights == 0 || npus == 1) {
            return;
        }
        long collective = nodes.size();
        nodes.add(EtNode.of(collective, operator.layer() + "/all_reduce", NodeType.COMM_COLL_NODE)
                .withAttributes(List.of(
                        EtAttribute.ofBool(EtNames.IS_CPU_OP, false),
                        EtAttribute.ofLong(EtNames.COMM_TYPE, CollectiveType.ALL_REDUCE.number()),
                        EtAttribute.ofLong(EtNames.COMM_SIZE, weights * GRADIENT_BYTES)))
                .withDataDeps(id));
        exchanged.put(operator.layer(), collective);
    }
}
