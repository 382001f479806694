package dev.stagesim.verify.training;

import dev.stagesim.sim.training.calculon.Application;
import dev.stagesim.sim.training.calculon.CalculonStep;
import dev.stagesim.sim.training.calculon.Execution;
import dev.stagesim.sim.training.calculon.Execution.Recompute;
import dev.stagesim.sim.training.calculon.Execution.TensorComm;
import dev.stagesim.sim.training.calculon.Execution.TensorOverlap;
import dev.stagesim.sim.training.calculon.Figures;
import dev.stagesim.sim.training.calculon.Machine;
import dev.stagesim.sim.training.calculon.Refusal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/** calculon's exhaustive search: all executions of an application on a number of processors, in its order. */
public final class CalculonSearch {
    private static final List<Boolean> BOTH = List.of(true, false);
    private static final List<Boolean> OFF = List.of(false);

    private final Application app;
    private final Machine machine;
    private final Question question;
    private final List<Found> best = new ArrayList<>();
    private long executions;
    private long good;

    /**
     * What is searched.
     *
     * @param processors processors to use, all of them
     * @param maxBatch largest batch; the largest multiple of the data parallelism not above it is used
     * @param datatype name of the datatype
     * @param top how many of the best are kept
     * @param stopsEarly whether micro-batches stop growing once none of a size runs
     * @param fused whether the activation function is fused, as tried
     */
    public record Question(
            long processors, long maxBatch, String datatype, int top, boolean stopsEarly, List<Boolean> fused) {
        public Question {
            fused = List.copyOf(fused);
        }
    }

    /** An execution that runs, with its figures. */
    public record Found(Execution execution, Figures figures) {
        double rate() {
            return figures.get("sample_rate");
        }
    }

    /**
     * What was found.
     *
     * @param executions executions tried
     * @param good those that run
     * @param best the best by samples a second, first found first among equals
     */
    public record Answer(long executions, long good, List<Found> best) {
        public Answer {
            best = List.copyOf(best);
        }

        /** Executions that are infeasible. */
        public long bad() {
            return executions - good;
        }
    }

    /** Degrees and batch of a part of the search. */
    private record Degrees(
            long tensor,
            long pipeline,
            long data,
            long interleaving,
            long batch,
            Recompute recompute,
            boolean shards,
            TensorComm comm) {}

    private CalculonSearch(Application app, Machine machine, Question question) {
        this.app = app;
        this.machine = machine;
        this.question = question;
    }

    /** Tries every execution. */
    public static Answer run(Application app, Machine machine, Question question) {
        CalculonSearch search = new CalculonSearch(app, machine, question);
        search.all();
        return new Answer(search.executions, search.good, search.best);
    }

    private static List<Long> divisors(long number, LongPredicate condition) {
        return LongStream.rangeClosed(1, number)
                .filter(d -> number % d == 0 && condition.test(d))
                .boxed()
                .toList();
    }

    private void all() {
        long n = question.processors();
        for (long t : divisors(n, d -> app.hidden() % d == 0 && app.heads() % d == 0)) {
            // calculon takes divisors of the smaller of the two, which need not divide the other.
            for (long p : divisors(Math.min(n / t, app.blocks()), d -> n % (t * d) == 0 && app.blocks() % d == 0)) {
                long d = n / (t * p);
                long batch = question.maxBatch() / d * d;
                for (long v : p == 1 ? List.of(1L) : divisors(app.blocks() / p, any -> true)) {
                    if (batch > 0) {
                        degrees(t, p, d, v, batch);
                    }
                }
            }
        }
    }

    private void degrees(long t, long p, long d, long v, long batch) {
        for (Recompute recompute : Recompute.values()) {
            for (boolean shards : d > 1 ? BOTH : OFF) {
                for (TensorComm comm : TensorComm.values()) {
                    options(new Degrees(t, p, d, v, batch, recompute, shards, comm));
                }
            }
        }
    }

    private void options(Degrees degrees) {
        boolean canRedo = degrees.comm() == TensorComm.RS_AG && degrees.recompute() != Recompute.FULL;
        boolean hasFar = machine.farMemory().capacity() > 0;
        boolean offloadsKept = hasFar && degrees.recompute() != Recompute.FULL;
        TensorOverlap[] overlaps =
                degrees.tensor() > 1 ? TensorOverlap.values() : new TensorOverlap[] {TensorOverlap.NONE};
        for (boolean redoes : canRedo ? BOTH : OFF) {
            for (boolean overlapsData : degrees.data() > 1 ? BOTH : OFF) {
                for (TensorOverlap overlap : overlaps) {
                    for (boolean weights : hasFar ? BOTH : OFF) {
                        for (boolean activations : offloadsKept ? BOTH : OFF) {
                            for (boolean optimizer : hasFar ? BOTH : OFF) {
                                for (boolean fused : question.fused()) {
                                    microBatches(
                                            degrees,
                                            new Options(
                                                    redoes,
                                                    overlapsData,
                                                    overlap,
                                                    weights,
                                                    activations,
                                                    optimizer,
                                                    fused));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /** Switches of a part of the search. */
    private record Options(
            boolean redoes,
            boolean overlapsData,
            TensorOverlap overlap,
            boolean weights,
            boolean activations,
            boolean optimizer,
            boolean fused) {}

    private void microBatches(Degrees degrees, Options options) {
        int tiers = machine.networks().size();
        for (long b : divisors(degrees.batch() / degrees.data(), d -> d * app.sequence() % degrees.tensor() == 0)) {
            long before = good;
            for (int tn = 0; tn < (degrees.tensor() > 1 ? tiers : 1); tn++) {
                for (int pn = 0; pn < (degrees.pipeline() > 1 ? tiers : 1); pn++) {
                    for (int dn = 0; dn < (degrees.data() > 1 ? tiers : 1); dn++) {
                        run(execution(degrees, options, b, new int[] {tn, pn, dn}));
                    }
                }
            }
            if (question.stopsEarly() && good == before) {
                return;
            }
        }
    }

    private Execution execution(Degrees degrees, Options options, long microBatch, int[] networks) {
        return new Execution(
                question.processors(),
                degrees.tensor(),
                degrees.pipeline(),
                degrees.data(),
                networks[0],
                networks[1],
                networks[2],
                degrees.batch(),
                microBatch,
                question.datatype(),
                options.fused(),
                false,
                degrees.recompute(),
                degrees.interleaving(),
                degrees.shards(),
                degrees.comm(),
                options.overlap(),
                options.redoes(),
                options.overlapsData(),
                options.weights(),
                options.activations(),
                options.optimizer(),
                true);
    }

    private void run(Execution execution) {
        executions++;
        try {
            keep(new Found(
                    execution, CalculonStep.run(app, machine, execution, false).figures()));
            good++;
        } catch (Refusal refusal) {
            if (refusal.kind() == Refusal.Kind.REJECTED) {
                throw refusal;
            }
        }
    }

    private void keep(Found found) {
        best.add(found);
        best.sort(Comparator.comparingDouble(Found::rate).reversed());
        if (best.size() > question.top()) {
            best.remove(best.size() - 1);
        }
    }
}
