package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.NpuStatistics;
import dev.stagesim.sim.collective.NpuStatistics.Utilization;
import dev.stagesim.sim.collective.SimulationResult;
import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The lines that the reference prints about a run, in its order and words, without the time stamps of the log. */
final class NativeLog {
    private static final int HUNDRED = 100;

    private final SimulationResult result;
    private final Compat compat;
    private final Writer out;

    private NativeLog(SimulationResult result, Compat compat, Writer out) {
        this.result = result;
        this.compat = compat;
        this.out = out;
    }

    static void write(SimulationResult result, Compat compat, Writer out) throws IOException {
        NativeLog log = new NativeLog(result, compat, out);
        for (int npu : log.order()) {
            log.npu(npu);
        }
        if (compat != Compat.ASTRA_2023) {
            log.line("[system] [warning] Exiting");
        }
    }

    /** The order of the reference, or by time and rank, which does not depend on what stood in for what. */
    private int[] order() {
        if (compat != Compat.NONE) {
            return result.finishOrder();
        }
        return Arrays.stream(result.finishOrder())
                .boxed()
                .sorted(Comparator.<Integer>comparingLong(npu -> result.finishNs()[npu])
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    private void npu(int npu) throws IOException {
        String name = "sys[" + npu + "]";
        String finished = name + " finished, " + result.finishNs()[npu] + " cycles";
        if (compat == Compat.ASTRA_2023) {
            line(finished);
            return;
        }
        line("[workload] [info] " + finished + ", exposed communication " + result.exposedNs()[npu] + " cycles.");
        statistics(name + ". Post statistics processing start.");
        Optional<NpuStatistics> known = result.statistics().get(npu);
        if (known.isEmpty() || !known.get().isReference()) {
            return;
        }
        NpuStatistics figures = known.get();
        statistics(name + ". Post statistics processing end.");
        statistics(name + ", Wall time: " + figures.wallNs());
        if (figures.gpuNs().isPresent()) {
            statistics(name + ", GPU time: " + figures.gpuNs().getAsLong());
        }
        if (figures.commNs().isPresent()) {
            statistics(name + ", Comm time: " + figures.commNs().getAsLong());
        }
        if (figures.overlapNs() > 0) {
            statistics(name + ", Total compute-communication overlap: " + figures.overlapNs());
        }
        if (figures.roofline().isPresent()) {
            roofline(name, figures.roofline().get());
        }
    }

    private void roofline(String name, Utilization use) throws IOException {
        statistics(name + ", Compute bound percentage: " + percent(use.computeBound()));
        statistics(name + ", Average compute utilization: " + percent(use.compute()));
        statistics(name + ", Average memory utilization: " + percent(use.memory()));
        statistics(name + ", Average operation intensity: " + String.format(Locale.ROOT, "%.3f", use.intensity()));
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3f%%", share * HUNDRED);
    }

    private void statistics(String text) throws IOException {
        line("[statistics] [info] " + text);
    }

    private void line(String text) throws IOException {
        out.append(text).append('\n');
    }
}
