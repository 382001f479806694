package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.CycleTable;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.Gemm;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.PassTables;
import dev.stagesim.sim.mnk.Work;
import dev.stagesim.sim.systolic.ScaleSimV1;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.MemoryMode;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.ShippedFiles;
import dev.stagesim.systolic.MnkWorkload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Returns the cycles of one pass of a layer on one processor. */
interface MnkCompute {
    long cycles(MnkLayer layer, Pass pass, Cluster cluster);

    /** Returns the array for SCALE-Sim version 1; empty for other sources. */
    default Optional<ArraySpec> firstVersion() {
        return Optional.empty();
    }

    /** Returns the source of the settings, for these layers. */
    static MnkCompute of(MnkWorkload settings, boolean isReference, List<MnkLayer> layers, Path home)
            throws IOException {
        return switch (settings.times().compute()) {
            case SCALE_SIM -> scaleSim(settings, isReference, home);
            case SCALE_SIM_V1 -> FirstVersion.of(settings, home);
            case ROOFLINE -> roofline(settings);
            case TABLE -> table(settings, layers, home);
        };
    }

    /** Returns the description of the array, which has a default. */
    static Path array(MnkWorkload settings, Path home) {
        Path defaults = home.getFileSystem().getPath("configs", "scale_sim_files", "ws_128.cfg");
        return ShippedFiles.file(settings.times().scalesimConfig().orElse(defaults), home);
    }

    private static MnkCompute scaleSim(MnkWorkload settings, boolean isReference, Path home) throws IOException {
        // Counts cycles like the reference, with or without its confusion of passes.
        Path file = array(settings, home);
        ArrayFile described = ArrayReader.read(file, isReference ? ScaleSimCompat.V2 : ScaleSimCompat.NONE);
        if (!isReference && (described.needsLayout() || described.isReplayed())) {
            throw unused(
                    file,
                    described.needsLayout() ? "a custom layout" : "replay of latencies",
                    "remove it from the file");
        }
        ArraySpec array = described.array().withCompat(ScaleSimCompat.V2);
        Map<Gemm, Long> known = new ConcurrentHashMap<>();
        return (layer, pass, cluster) -> {
            // A look-up uses only the array columns that its words pass through.
            long sum = ceil(layer.lookedUp(pass, cluster), array.columns());
            for (Work work : layer.work(pass, cluster)) {
                refuse(array, layer, work.gemm());
                long each = known.computeIfAbsent(work.gemm(), gemm -> SystolicArray.simulate(
                                array, LayerShape.gemm("", gemm.m(), gemm.n(), gemm.k()))
                        .totalCycles());
                sum += Math.multiplyExact(each, work.count());
            }
            return sum;
        };
    }

    private static StageException unused(Path file, String what, String hint) {
        return StageException.input(
                Problem.of("array error", file.toString(), what + " has no effect on a workload of matrix products")
                        .hint(hint));
    }

    private static void refuse(ArraySpec array, MnkLayer layer, Gemm gemm) {
        SystolicArray.unsupportedReason(array, LayerShape.gemm("", gemm.m(), gemm.n(), gemm.k()))
                .ifPresent(why -> {
                    throw StageException.input(Problem.of("m/n/k table error", "layer '" + layer.name() + "'", why));
                });
    }

    /** Version 1 of SCALE-Sim, which has no bandwidth, layout or sparsity. */
    record FirstVersion(ArraySpec array) implements MnkCompute {
        private static final double MAX_UTILIZATION_WORK = 3e9;

        static FirstVersion of(MnkWorkload settings, Path home) throws IOException {
            Path file = MnkCompute.array(settings, home);
            ArrayFile described = ArrayReader.read(file, ScaleSimCompat.NONE);
            ArraySpec array = described.array();
            String what = array.sparse().isPresent()
                    ? "sparsity"
                    : described.hasImageLayout() || described.hasFilterLayout()
                            ? "a custom layout"
                            : array.mode() == MemoryMode.USER ? "InterfaceBandwidth: USER" : "";
            if (!what.isEmpty()) {
                throw unused(file, what, "remove it, or use compute=scale_sim");
            }
            return new FirstVersion(array);
        }

        @Override
        public Optional<ArraySpec> firstVersion() {
            return Optional.of(array);
        }

        @Override
        public long cycles(MnkLayer layer, Pass pass, Cluster cluster) {
            long sum = ceil(layer.lookedUp(pass, cluster), array.columns());
            for (Work work : layer.work(pass, cluster)) {
                Gemm gemm = work.gemm();
                double steps =
                        ScaleSimV1.utilizationWork(array.dataflow(), array.rows(), array.columns(), gemm.m(), gemm.n());
                if (steps > MAX_UTILIZATION_WORK) {
                    throw StageException.input(Problem.of(
                                    "m/n/k table error",
                                    "layer '" + layer.name() + "'",
                                    "its product of " + gemm.m() + " x " + gemm.n()
                                            + " outputs has too many folds for the utilization that version 1 reports")
                            .hint("use a larger array, another dataflow, or compute=scale_sim"));
                }
                sum += Math.multiplyExact(PassTables.cycles(gemm, array), work.count());
            }
            return sum;
        }
    }

    private static long ceil(long value, long by) {
        return (value + by - 1) / by;
    }

    private static MnkCompute roofline(MnkWorkload settings) {
        long peak = settings.times().peak().orElse(16_384);
        long bandwidth = settings.times().bandwidth().orElse(128);
        return (layer, pass, cluster) -> {
            long macs = 0;
            // A look-up reads and writes a row.
            long values = 2 * layer.lookedUp(pass, cluster);
            for (Work work : layer.work(pass, cluster)) {
                macs += work.macs();
                values += work.values();
            }
            return Math.max(
                    ceil(macs, peak), ceil(Math.multiplyExact(values, (long) settings.datatypeSize()), bandwidth));
        };
    }

    private static MnkCompute table(MnkWorkload settings, List<MnkLayer> layers, Path home) throws IOException {
        Path file = ShippedFiles.file(settings.times().table().orElseThrow(), home);
        Map<String, List<Long>> measured = CycleTable.read(file);
        List<Problem> problems = layers.stream()
                .filter(layer -> !measured.containsKey(layer.name()))
                .map(layer -> Problem.of(
                        "cycle table error", file.toString(), "there are no cycles of layer '" + layer.name() + "'"))
                .toList();
        StageException.refuse(problems);
        return (layer, pass, cluster) ->
                measured.getOrDefault(layer.name(), List.of()).get(pass.ordinal());
    }
}
