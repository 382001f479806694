package dev.stagesim.sim.collective;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.Network;
import dev.stagesim.sim.network.SymmetryBroken;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Runs the work of all NPUs on a network. */
public final class CollectiveSimulation {
    private CollectiveSimulation() {}

    /**
     * Simulates until nothing is left to do.
     *
     * @param spec what all NPUs have in common
     * @param traces work of each rank; ranks with the same work should share one object
     * @param network a fresh network of as many NPUs
     * @param observer told what happens while it does
     * @throws StageException of kind input when a node cannot be executed as it stands, or the machine is such that no
     *     collective could run on it
     */
    public static SimulationResult run(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        List<Problem> problems = SpecCheck.problems(spec);
        if (traces.size() != spec.npus() || network.npus() < spec.npus()) {
            throw new IllegalArgumentException("there are " + spec.npus() + " NPUs, " + traces.size()
                    + " traces, and a network for " + network.npus());
        }
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
        if (spec.compat() == Compat.NONE) {
            network.orderByTag();
        }
        String why = "";
        if (spec.symmetry()) {
            try {
                SimulationResult result = symmetric(spec, traces, network, observer);
                if (result.stuck().isEmpty() || result.isStopped()) {
                    return result;
                }
                why = "the run got stuck, and each NPU is to be named";
            } catch (SymmetryBroken broken) {
                why = String.valueOf(broken.getMessage());
            }
            observer.restarts();
            network.unfold();
        }
        int[] representatives = IntStream.range(0, traces.size()).toArray();
        return new Engine(spec, traces, representatives, network, observer)
                .run()
                .withSymmetryNote(why);
    }

    /**
     * How many messages are to be sent, at most, as far as is known before the run.
     *
     * @param sent by all NPUs
     * @param simulated those of NPUs that are simulated, where some stand for others; a run that proves less symmetric than it
     *     seems is begun anew with all
     */
    public record Messages(double sent, double simulated) {}

    /** What a run is going to send. */
    public static Messages messages(SimulationSpec spec, List<RankTrace> traces) {
        NpuClasses classes = NpuClasses.of(traces, spec.groups());
        boolean folds =
                spec.symmetry() && asymmetry(spec, traces.size(), classes).isEmpty();
        return MessageCount.of(spec, classes, folds);
    }

    /** Why every NPU has to be simulated, as far as is known before the run. */
    private static Optional<String> asymmetry(SimulationSpec spec, int npus, NpuClasses classes) {
        if (spec.compat() != Compat.NONE) {
            return Optional.of("the reference's order of events differs from NPU to NPU");
        }
        if (classes.count() == npus) {
            return Optional.of("no two NPUs have the same trace");
        }
        if (classes.count() > SymmetricNetwork.MOST_CLASSES) {
            return Optional.of("there are " + classes.count() + " different traces");
        }
        if (!areCustomsAlike(spec)) {
            return Optional.of("a custom collective gives NPUs different parts");
        }
        boolean isShared =
                spec.memory().kind() == MemorySpec.Kind.POOL || spec.memory().kind() == MemorySpec.Kind.PER_NODE;
        return isShared ? Optional.of("NPUs share memory servers") : Optional.empty();
    }

    /** Whether every custom collective has the same trace for each NPU, and none runs in a part of the machine. */
    private static boolean areCustomsAlike(SimulationSpec spec) {
        SystemSpec system = spec.system();
        List<CustomCollective> customs = Stream.concat(
                        system.custom().values().stream(), system.customNodes().values().stream())
                .toList();
        boolean hasParts = spec.groups().groups().values().stream().anyMatch(ranks -> ranks.size() != spec.npus());
        return customs.isEmpty() || (!hasParts && customs.stream().allMatch(its -> its.isSame(spec.npus())));
    }

    private static SimulationResult symmetric(
            SimulationSpec spec, List<RankTrace> traces, Network network, SimulationObserver observer) {
        NpuClasses classes = NpuClasses.of(traces, spec.groups());
        asymmetry(spec, traces.size(), classes).ifPresent(why -> {
            throw new SymmetryBroken(why);
        });
        SymmetricNetwork quotient = new SymmetricNetwork(network, classes, observer.wantsMessages());
        SimulationResult result = new Engine(spec, traces, classes.representatives(), quotient, observer).run();
        if (quotient.hasUnmatched() && result.stuck().isEmpty() && !result.isStopped()) {
            throw new SymmetryBroken("a message is sent that nobody asks for, or asked for and never sent");
        }
        quotient.tellTraffic(observer);
        return result;
    }

    /** Finds what in a machine's description could not work for any trace. */
    private static final class SpecCheck {
        private static final String CATEGORY = "simulation error";

        private SpecCheck() {}

        static List<Problem> problems(SimulationSpec spec) {
            List<Problem> problems = new ArrayList<>();
            SystemSpec system = spec.system();
            atLeastOne(problems, "splits", system.splits(), "a collective cannot be divided");
            atLeastOne(problems, "active chunks per dimension", system.activeChunks(), "no chunk would ever run");
            atLeastOne(problems, "queues per dimension", system.queuesPerDimension(), "no chunk would ever run");
            if (system.endpointDelay() < 0) {
                problems.add(Problem.of(
                        CATEGORY,
                        "endpoint delay",
                        "it must be at least 0 ns, not " + system.endpointDelay() + ": packets would never leave"));
            }
            system.implementations().forEach((kind, list) -> {
                if (list.size() > spec.dimensions().size()) {
                    problems.add(Problem.of(
                            CATEGORY,
                            kind.name().toLowerCase(Locale.ROOT).replace('_', '-') + " implementation",
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

    /** How many messages a run sends, at most, as far as traces and machine tell before it. */
    private static final class MessageCount {
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
        static CollectiveSimulation.Messages of(SimulationSpec spec, NpuClasses classes, boolean folds) {
            MessageCount count = new MessageCount(spec, folds);
            double sent = 0;
            double folded = 0;
            for (int number = 0; number < classes.count(); number++) {
                RankTrace trace = classes.trace(classes.members(number)[0]);
                double its = count.of(trace, classes.size(number) > 1);
                sent += its * classes.size(number);
                folded += its;
            }
            return new CollectiveSimulation.Messages(sent, count.folds ? folded : sent);
        }

        /** Under the rendezvous protocol the receiver asks for each message with one of its own. */
        private double of(RankTrace trace, boolean standsForOthers) {
            double messages = 0;
            for (int node = 0; node < trace.size(); node++) {
                messages += switch (trace.type[node]) {
                    case SEND -> 1;
                    case COLLECTIVE -> of(trace, node, standsForOthers);
                    default -> 0;
                };
            }
            if (messages == 0 || !spec.system().rendezvous()) {
                return messages;
            }
            folds &= !standsForOthers;
            return 2 * messages;
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
            folds &= plan.usual().isFoldable();
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
}
