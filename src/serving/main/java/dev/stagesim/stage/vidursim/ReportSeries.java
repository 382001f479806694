package dev.stagesim.stage.vidursim;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Time series of the report, downsampled during the simulation; the size is independent of the length of the run. */
final class ReportSeries implements ServingRecorder {
    /** Maximum number of individually stored batches. */
    static final int MAX_EXECUTIONS = 240;

    /** Maximum number of displayed pipeline stages. */
    static final int MAX_LANES = 16;

    /** A batch on a stage, in seconds since the first arrival. */
    record Execution(int lane, double from, double to, long batch, int requests, int tokens, int promptTokens) {}

    private final double start;
    private final int stages;
    final int lanes;
    final List<Execution> executions = new ArrayList<>();
    /** Time of each stage in batches with prompt tokens, and in other batches. */
    final TimeBins[] prompts;

    final TimeBins[] outputs;
    final TimeBins batchSize;
    final TimeBins memory;
    final TimeBins queue;
    final TimeBins restarts;
    /** Prompt tokens of prefix cache look-ups, and the cached ones of them. */
    final TimeBins promptTokens;

    final TimeBins cachedTokens;
    private final int[] waiting;
    private long executed;
    private long allWaiting;

    ReportSeries(ServingSpec spec, double start) {
        this.start = start;
        this.stages = spec.cluster().pipelineStages();
        this.lanes = (int) Math.min(MAX_LANES, (long) spec.cluster().replicas() * stages);
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
        this.promptTokens = new TimeBins(start);
        this.cachedTokens = new TimeBins(start);
        this.waiting = new int[spec.cluster().replicas()];
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCH_FORMED, Signal.STAGE_ENDED, Signal.MEMORY);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        batchSize.add(time, batch.size);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        long lane = (long) batch.replica * stages + stage;
        if (lane >= lanes) {
            return;
        }
        double from = time - totalSeconds;
        boolean mixed = batch.prefillTokens > 0;
        (mixed ? prompts : outputs)[(int) lane].addSpan(from, time);
        (mixed ? outputs : prompts)[(int) lane].reach(time);
        executed++;
        if (executions.size() < MAX_EXECUTIONS) {
            executions.add(new Execution(
                    (int) lane,
                    from - start,
                    time - start,
                    batch.id,
                    batch.size,
                    batch.totalTokens,
                    batch.prefillTokens));
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
    public void cacheLookup(int tokens, int hits, double time) {
        promptTokens.add(time, tokens);
        cachedTokens.add(time, hits);
    }

    /** Aligns the bin widths of all quantities. */
    void align() {
        List<TimeBins> all = List.of(batchSize, memory, queue, restarts, promptTokens, cachedTokens);
        double end = all.stream().mapToDouble(TimeBins::lastTime).max().orElse(start);
        all.forEach(bins -> bins.reach(end));
    }

    /** Returns true if batches exceeded the maximum. */
    boolean thinned() {
        return executed > executions.size();
    }

    String laneName(int lane) {
        return stages == 1 ? "r" + lane : "r" + lane / stages + " s" + lane % stages;
    }
}
