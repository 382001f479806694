package dev.stagesim.stage.astrasim;

import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.NpuStatistics;
import dev.stagesim.sim.collective.SimulationResult;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The lines that the reference prints about a run, in its order and words, without the time stamps of the log. */
final class NativeLog {
    private static final int HUNDRED = 100;

    private final SimulationResult result;
    private final Compat compat;
    private final Writer out;
    private Optional<NpuStatistics> known = Optional.empty();
    private List<String> its = List.of();

    private NativeLog(SimulationResult result, Compat compat, Writer out) {
        this.result = result;
        this.compat = compat;
        this.out = out;
    }

    static void write(SimulationResult result, Compat compat, Writer out) throws IOException {
        NativeLog log = new NativeLog(result, compat, out);
        for (int npu : result.finishOrder()) {
            log.npu(npu);
        }
        if (compat != Compat.ASTRA_2023) {
            log.line("[system] [warning] Exiting");
        }
    }

    private void npu(int npu) throws IOException {
        String name = "sys[" + npu + "]";
        String finished = name + " finished, " + result.finishNs()[npu] + " cycles";
        if (compat == Compat.ASTRA_2023) {
            line(finished);
            return;
        }
        line("[workload] [info] " + finished + ", exposed communication " + result.exposedNs()[npu] + " cycles.");
        // NPUs that one stood in for have the same statistics, which are put into words once.
        if (its.isEmpty() || !result.statistics().get(npu).equals(known)) {
            known = result.statistics().get(npu);
            its = statistics(known);
        }
        for (String text : its) {
            out.append("[statistics] [info] ").append(name).append(text).append('\n');
        }
    }

    private static List<String> statistics(Optional<NpuStatistics> known) {
        List<String> lines = new ArrayList<>();
        lines.add(". Post statistics processing start.");
        if (known.isEmpty() || !known.get().isReference()) {
            return lines;
        }
        NpuStatistics figures = known.get();
        lines.add(". Post statistics processing end.");
        lines.add(", Wall time: " + figures.wallNs());
        figures.gpuNs().ifPresent(ns -> lines.add(", GPU time: " + ns));
        figures.commNs().ifPresent(ns -> lines.add(", Comm time: " + ns));
        if (figures.overlapNs() > 0) {
            lines.add(", Total compute-communication overlap: " + figures.overlapNs());
        }
        figures.roofline().ifPresent(use -> {
            lines.add(", Compute bound percentage: " + percent(use.computeBound()));
            lines.add(", Average compute utilization: " + percent(use.compute()));
            lines.add(", Average memory utilization: " + percent(use.memory()));
            lines.add(", Average operation intensity: " + String.format(Locale.ROOT, "%.3f", use.intensity()));
        });
        return lines;
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3f%%", share * HUNDRED);
    }

    private void line(String text) throws IOException {
        out.append(text).append('\n');
    }
}
