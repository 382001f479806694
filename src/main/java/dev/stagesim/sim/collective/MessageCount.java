package dev.stagesim.sim.collective;

import dev.stagesim.model.StageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How many messages a run sends, at most, as far as traces and machine tell before it. */
final class MessageCount {
    private final SimulationSpec spec;
    private final Planner planner;
    private boolean folds;

    private MessageCount(SimulationSpec spec, boolean folds) {
        this.spec = spec;
        this.planner = new Planner(spec);
        this.folds = folds;
    }

    /**
     * The messages of all NPUs.
     *
     * @param folds whether NPUs with the same trace are simulated as one, as long as no collective prevents it
     */
    static CollectiveSimulation.Messages of(SimulationSpec spec, List<RankTrace> traces, boolean folds) {
        Map<RankTrace, Long> ranks = traces.stream()
                .collect(Collectors.groupingBy(Function.identity(), LinkedHashMap::new, Collectors.counting()));
        MessageCount count = new MessageCount(spec, folds);
        double sent = 0;
        double folded = 0;
        for (Map.Entry<RankTrace, Long> entry : ranks.entrySet()) {
            double its = count.of(entry.getKey(), entry.getValue() > 1);
            sent += its * entry.getValue();
            folded += its;
        }
        return new CollectiveSimulation.Messages(sent, count.folds ? folded : sent);
    }

    /** Under the rendezvous protocol the receiver asks for each message with one of its own. */
    private double of(RankTrace trace, boolean standsForOthers) {
        double messages = 0;
        for (int node = 0; node < trace.size(); node++) {
            messages += switch (trace.type[node]) {
                case SEND -> alone(standsForOthers);
                case COLLECTIVE -> of(trace, node, standsForOthers);
                default -> 0;
            };
        }
        return spec.system().rendezvous() ? 2 * messages : messages;
    }

    private double alone(boolean standsForOthers) {
        folds &= !standsForOthers;
        return 1;
    }

    /** None where the node is refused, which it is when the run comes to it. */
    private double of(RankTrace trace, int node, boolean standsForOthers) {
        NodePlan plan;
        try {
            plan = planner.plan(trace, node);
        } catch (StageException refusedLater) {
            return 0;
        }
        if (plan.custom().isPresent()) {
            folds &= !standsForOthers;
            return plan.custom().get().traces().stream()
                    .mapToDouble(MessageCount::sends)
                    .max()
                    .orElse(0);
        }
        folds &= plan.usual().isFoldable() && !(standsForOthers && spec.system().rendezvous());
        return plan.chunks() * plan.usual().messages();
    }

    private static double sends(RankTrace custom) {
        int sends = 0;
        for (RankTrace.Type type : custom.type) {
            sends += type == RankTrace.Type.SEND ? 1 : 0;
        }
        return sends;
    }
}
