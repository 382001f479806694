package dev.stagesim.sim.collective;

/** How far one chunk is in the trace of a custom collective. */
final class CustomRun {
    final RankTrace trace;
    final int[] waitsFor;
    int running;
    int done;

    CustomRun(RankTrace trace) {
        this.trace = trace;
        this.waitsFor = trace.parents.clone();
    }
}
