package dev.stagesim.stage.vidursim;

import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What the report draws over time, thinned while the simulation runs: its size does not depend on the run's length. */
final class Timeline implements ServingRecorder {
    /** Stage executions that are kept one by one. */
    static final int MOST_EXECUTIONS = 240;

    /** Stages of replicas that are shown. */
    static final int MOST_LANES = 16;

    /** A batch on a stage, in seconds since the first arrival. */
    record Execution(int lane, double from, double to, long batch, int requests, int tokens, int promptTokens) {}

    private final double start;
    private final int stages;
    private final int lanes;
    private final List<Execution> executions = new ArrayList<>();
    private final TimeBins[] prompts;
    private final TimeBins[] outputs;
    private final TimeBins batchSize;
    private final TimeBins memory;
    private final TimeBins queue;
    private final TimeBins restarts;
    private final TimeBins asked;
    private final TimeBins found;
    private final int[] waiting;
    private long executed;
    private long allWaiting;

    Timeline(ServingSpec spec, double start) {
        this.start = start;
        this.stages = spec.cluster().pipelineStages();
        this.lanes = (int) Math.min(MOST_LANES, (long) spec.cluster().replicas() * stages);
        this.prompts = new TimeBins[lanes];
        this.outputs = new TimeBins[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            prompts[lane] = new TimeBins(start);
            outputs[lane] = new TimeBins(start);
        }
        this.batchSize = new TimeBins(start);
        this.memory = new TimeBins(start);
        this.queue = new TimeBins(start);
        this.restarts = new TimeBins(start);
        this.asked = new TimeBins(start);
        this.found = new TimeBins(start);
        this.waiting = new int[spec.cluster().replicas()];
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCH_FORMED, Signal.STAGE_ENDED, Signal.MEMORY);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        batchSize.add(time, batch.size());
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        long lane = (long) batch.replica() * stages + stage;
        if (lane >= lanes) {
            return;
        }
        double from = time - totalSeconds;
        boolean mixed = batch.prefillTokens() > 0;
        (mixed ? prompts : outputs)[(int) lane].addSpan(from, time);
        (mixed ? outputs : prompts)[(int) lane].reach(time);
        executed++;
        if (executions.size() < MOST_EXECUTIONS) {
            executions.add(new Execution(
                    (int) lane,
                    from - start,
                    time - start,
                    batch.id(),
                    batch.size(),
                    batch.totalTokens(),
                    batch.prefillTokens()));
        }
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        memory.add(time, 100.0 * allocated / total);
    }

    @Override
    public void queueSample(int replica, double time, int size) {
        allWaiting += size - waiting[replica];
        waiting[replica] = size;
        queue.add(time, allWaiting);
        restarts.reach(time);
    }

    @Override
    public void requestRestarted(int request, double time) {
        restarts.add(time, 1);
    }

    @Override
    public void cacheAsked(int tokens, int hits, double time) {
        asked.add(time, tokens);
        found.add(time, hits);
    }

    /** Gives all quantities bins of one width. */
    void align() {
        List<TimeBins> all = List.of(batchSize, memory, queue, restarts, asked, found);
        double end = all.stream().mapToDouble(TimeBins::lastTime).max().orElse(start);
        all.forEach(bins -> bins.reach(end));
    }

    List<Execution> executions() {
        return executions;
    }

    /** True when there were more stage executions than are kept. */
    boolean thinned() {
        return executed > executions.size();
    }

    int lanes() {
        return lanes;
    }

    String laneName(int lane) {
        return stages == 1 ? "r" + lane : "r" + lane / stages + " s" + lane % stages;
    }

    /** Time a lane spent on batches with prompt tokens. */
    TimeBins prompts(int lane) {
        return prompts[lane];
    }

    /** Time a lane spent on batches of output tokens alone. */
    TimeBins outputs(int lane) {
        return outputs[lane];
    }

    TimeBins batchSize() {
        return batchSize;
    }

    TimeBins memory() {
        return memory;
    }

    TimeBins queue() {
        return queue;
    }

    TimeBins restarts() {
        return restarts;
    }

    /** Prompt tokens that prefix caches were asked for. */
    TimeBins asked() {
        return asked;
    }

    /** Those that they had. */
    TimeBins found() {
        return found;
    }
}
