package dev.stagesim.stage.workload;

import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.CycleTable;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.MnkWorkload;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.Gemm;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.Work;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.LayerShape;
import dev.stagesim.sim.systolic.SystolicArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Cycles that one pass of a layer takes on one processor. */
interface MnkCompute {
    long cycles(MnkLayer layer, Pass pass, Cluster cluster);

    /** The source that the settings name, for these layers. */
    static MnkCompute of(MnkWorkload settings, boolean isReference, List<MnkLayer> layers, Path home)
            throws IOException {
        return switch (settings.compute()) {
            case SCALE_SIM -> scaleSim(settings, isReference, home);
            case ROOFLINE -> roofline(settings);
            case TABLE -> table(settings, layers, home);
        };
    }

    /** The description of the array, also where the settings leave it to the product. */
    static Path array(MnkWorkload settings, Path home) {
        Path usual = home.getFileSystem().getPath("configs", "scale_sim_files", "ws_128.cfg");
        return UserFiles.locate(settings.scalesimConfig().orElse(usual), home);
    }

    private static MnkCompute scaleSim(MnkWorkload settings, boolean isReference, Path home) throws IOException {
        // Cycles are counted as the reference counts them, with or without its mix-up of passes.
        ArraySpec array = ArrayReader.read(array(settings, home), isReference ? Compat.V2 : Compat.NONE)
                .array()
                .withCompat(Compat.V2);
        Map<Gemm, Long> known = new ConcurrentHashMap<>();
        return (layer, pass, cluster) -> {
            // A look-up leaves the array's columns idle but for the words that pass through them.
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

    private static void refuse(ArraySpec array, MnkLayer layer, Gemm gemm) {
        SystolicArray.refusal(array, LayerShape.gemm("", gemm.m(), gemm.n(), gemm.k()))
                .ifPresent(why -> {
                    throw StageException.input(Problem.of("m/n/k table error", "layer '" + layer.name() + "'", why));
                });
    }

    private static long ceil(long value, long by) {
        return (value + by - 1) / by;
    }

    private static MnkCompute roofline(MnkWorkload settings) {
        long peak = settings.peak().orElse(16_384);
        long bandwidth = settings.bandwidth().orElse(128);
        return (layer, pass, cluster) -> {
            long macs = 0;
            // A look-up reads a row and writes it.
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
        Path file = UserFiles.locate(settings.table().orElseThrow(), home);
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
