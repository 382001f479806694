package dev.stagesim.sim.collective;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.collective.result.SimulationObserver;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.spec.MemorySpec;
import dev.stagesim.sim.collective.spec.SimulationSpec;
import dev.stagesim.sim.collective.spec.SystemSpec;
import dev.stagesim.sim.collective.symmetry.NpuClasses;
import dev.stagesim.sim.collective.symmetry.SymmetricNetwork;
import dev.stagesim.sim.collective.trace.CustomCollective;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.SymmetryBroken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Simulates the traces of all NPUs on a network. */
public final class CollectiveSimulation {
    private CollectiveSimulation() {}

    /**
     * Runs the simulation to its end.
     *
     * @param spec settings common to all NPUs
     * @param traces trace of each rank; ranks with equal work should share one object
     * @param network a new network with at least as many NPUs
     * @param observer receives the events of the run
     * @throws StageException of kind input if a node cannot be executed, or if no collective could run on the machine
     */
    public static SimulationResult run(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        List<Problem> problems = SpecCheck.problems(spec);
        if (traces.size() != spec.npus() || network.npus() < spec.npus()) {
            throw new IllegalArgumentException("there are " + spec.npus() + " NPUs, " + traces.size()
                    + " traces, and a network for " + network.npus());
        }
        StageException.refuse(problems);
        if (spec.compat() == AstraCompat.NONE) {
            network.orderByTag();
        }
        String why = "";
        if (spec.symmetry()) {
            try {
                SimulationResult result = symmetric(spec, traces, network, observer);
                if (result.stuck().isEmpty() || result.isStopped()) {
                    return result;
                }
                why = "the run is deadlocked, and every NPU is reported";
            } catch (SymmetryBroken broken) {
                why = String.valueOf(broken.getMessage());
            }
            observer.restarts();
            network.unfold();
        }
        int[] representatives = IntStream.range(0, traces.size()).toArray();
        return new CollectiveEngine(
                        spec, traces, new SimulationResult.Symmetry(representatives, why), network, observer)
                .run();
    }

    /**
     * Upper bounds of the number of messages, estimated before the run.
     *
     * @param sent messages of all NPUs
     * @param simulated messages of the simulated NPUs, if representatives are used; if the run cannot verify the
     *     symmetry, it restarts with all NPUs
     */
    public record Messages(double sent, double simulated) {}

    /** Estimates the number of messages. */
    public static Messages messages(SimulationSpec spec, List<RankTrace> traces) {
        NpuClasses classes = NpuClasses.of(traces, spec.groups());
        boolean folds =
                spec.symmetry() && asymmetry(spec, traces.size(), classes).isEmpty();
        return MessageCount.of(spec, classes, folds);
    }

    /** Returns the reason why every NPU must be simulated, as far as it is visible before the run. */
    private static Optional<String> asymmetry(SimulationSpec spec, int npus, NpuClasses classes) {
        if (spec.compat() != AstraCompat.NONE) {
            return Optional.of("the reference's order of events differs from NPU to NPU");
        }
        if (classes.count() == npus) {
            return Optional.of("no two NPUs have the same trace");
        }
        if (classes.count() > SymmetricNetwork.MAX_CLASSES) {
            return Optional.of("there are " + classes.count() + " different traces");
        }
        if (!areCustomsUniform(spec)) {
            return Optional.of("a custom collective gives NPUs different parts");
        }
        boolean isShared =
                spec.memory().kind() == MemorySpec.Kind.POOL || spec.memory().kind() == MemorySpec.Kind.PER_NODE;
        return isShared ? Optional.of("NPUs share memory servers") : Optional.empty();
    }

    /** True if each custom collective has the same trace for every NPU, and none runs on a subset of the machine. */
    private static boolean areCustomsUniform(SimulationSpec spec) {
        SystemSpec system = spec.system();
        List<CustomCollective> customs = Stream.concat(
                        system.procedures().custom().values().stream(),
                        system.procedures().customNodes().values().stream())
                .toList();
        boolean hasParts = spec.groups().groups().values().stream().anyMatch(ranks -> ranks.size() != spec.npus());
        return customs.isEmpty() || (!hasParts && customs.stream().allMatch(custom -> custom.isUniform(spec.npus())));
    }

    private static SimulationResult symmetric(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        NpuClasses classes = NpuClasses.of(traces, spec.groups());
        asymmetry(spec, traces.size(), classes).ifPresent(why -> {
            throw new SymmetryBroken(why);
        });
        SymmetricNetwork quotient = new SymmetricNetwork(network, classes, observer.needsMessages());
        SimulationResult result = new CollectiveEngine(
                        spec, traces, new SimulationResult.Symmetry(classes.representatives(), ""), quotient, observer)
                .run();
        if (quotient.hasUnmatched() && result.stuck().isEmpty() && !result.isStopped()) {
            throw new SymmetryBroken("a send has no matching receive, or a receive no matching send");
        }
        quotient.reportTraffic(observer);
        return result;
    }

    /** Checks a machine's description for values that cannot work with any trace. */
    private static final class SpecCheck {
        private static final String CATEGORY = "simulation error";

        private SpecCheck() {}

        static List<Problem> problems(SimulationSpec spec) {
            List<Problem> problems = new ArrayList<>();
            SystemSpec system = spec.system();
            atLeastOne(problems, "splits", system.scheduling().splits(), "a collective cannot be divided");
            atLeastOne(
                    problems,
                    "active chunks per dimension",
                    system.scheduling().activeChunks(),
                    "no chunk would ever run");
            atLeastOne(
                    problems,
                    "queues per dimension",
                    system.scheduling().queuesPerDimension(),
                    "no chunk would ever run");
            if (system.endpointDelay() < 0) {
                problems.add(Problem.of(
                        CATEGORY,
                        "endpoint delay",
                        "it must be at least 0 ns, not " + system.endpointDelay() + ": packets would never leave"));
            }
            system.procedures().implementations().forEach((kind, list) -> {
                if (list.size() > spec.dimensions().size()) {
                    problems.add(Problem.of(
                            CATEGORY,
                            KeyNames.constant(kind).replace('_', '-') + " implementation",
                            "found " + list.size() + " algorithms, expected at most "
                                    + spec.dimensions().size() + ", one for each dimension of the network"));
                }
            });
            spec.groups().groups().forEach((id, ranks) -> checkGroup(problems, spec, id, ranks));
            return problems;
        }

        private static void atLeastOne(List<Problem> problems, String key, int value, String otherwise) {
            if (value < 1) {
                problems.add(
                        Problem.of(CATEGORY, key, "it must be at least 1, not " + value + ": otherwise " + otherwise));
            }
        }

        private static void checkGroup(List<Problem> problems, SimulationSpec spec, int id, List<Integer> ranks) {
            String where = "communicator group " + id;
            if (id < 1) {
                problems.add(Problem.of(CATEGORY, where, "a group's id must be above 0"));
            }
            for (int rank : ranks) {
                if (rank < 0 || rank >= spec.npus()) {
                    problems.add(
                            Problem.of(CATEGORY, where, "NPU " + rank + " does not exist: there are " + spec.npus()));
                }
            }
            if (ranks.stream().distinct().count() != ranks.size()) {
                problems.add(Problem.of(CATEGORY, where, "an NPU is listed twice"));
            }
        }
    }

    /** Upper bound of the number of messages, from the traces and the machine. */
    private static final class MessageCount {
        private final SimulationSpec spec;
        private final CollectivePlanner planner;
        private boolean folds;

        private MessageCount(SimulationSpec spec, boolean folds) {
            this.spec = spec;
            this.planner = new CollectivePlanner(spec);
            this.folds = folds;
        }

        /**
         * Counts the messages of all NPUs.
         *
         * @param folds whether NPUs with equal traces are simulated once, unless a collective prevents it
         */
        static CollectiveSimulation.Messages of(SimulationSpec spec, NpuClasses classes, boolean folds) {
            MessageCount count = new MessageCount(spec, folds);
            double sent = 0;
            double folded = 0;
            for (int number = 0; number < classes.count(); number++) {
                RankTrace trace = classes.trace(classes.members(number)[0]);
                double messages = count.of(trace, classes.size(number) > 1);
                sent += messages * classes.size(number);
                folded += messages;
            }
            return new CollectiveSimulation.Messages(sent, count.folds ? folded : sent);
        }

        /** With the rendezvous protocol, the receiver requests each message by an additional one. */
        private double of(RankTrace trace, boolean isRepresentative) {
            double messages = 0;
            for (int node = 0; node < trace.size(); node++) {
                messages += switch (trace.type[node]) {
                    case SEND -> 1;
                    case COLLECTIVE -> of(trace, node, isRepresentative);
                    default -> 0;
                };
            }
            if (messages == 0 || !spec.system().rendezvous()) {
                return messages;
            }
            folds &= !isRepresentative;
            return 2 * messages;
        }

        /** Returns 0 if the node is invalid; the run reports the error when it reaches the node. */
        private double of(RankTrace trace, int node, boolean isRepresentative) {
            NodePlan plan;
            try {
                plan = planner.plan(trace, node);
            } catch (StageException refusedLater) {
                return 0;
            }
            if (plan.custom().isPresent()) {
                folds &= !isRepresentative;
                return plan.custom().get().traces().stream()
                        .mapToDouble(MessageCount::sends)
                        .max()
                        .orElse(0);
            }
            folds &= plan.regular().isFoldable();
            return plan.chunks() * plan.regular().messages();
        }

        private static double sends(RankTrace custom) {
            int sends = 0;
            for (RankTrace.Type type : custom.type) {
                sends += type == RankTrace.Type.SEND ? 1 : 0;
            }
            return sends;
        }
    }
}
