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
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.LayerShape;
import dev.stagesim.sim.systolic.SystolicArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Cycles that one pass of a layer takes on one processor. */
interface MnkCompute {
    long cycles(MnkLayer layer, Pass pass, Cluster cluster);

    /** The source that the settings name. */
    static MnkCompute of(MnkWorkload settings, Path home) throws IOException {
        return switch (settings.compute()) {
            case SCALE_SIM -> scaleSim(settings, home);
            case ROOFLINE -> roofline(settings);
            case TABLE -> table(settings, home);
        };
    }

    private static MnkCompute scaleSim(MnkWorkload settings, Path home) throws IOException {
        Path file = settings.scalesimConfig()
                .orElse(home.getFileSystem().getPath("configs", "scale_sim_files", "ws_128.cfg"));
        // Cycles are counted as the reference counts them, with or without its mix-up of passes.
        Compat compat = settings.likeReference() ? Compat.V2 : Compat.NONE;
        ArraySpec array =
                ArrayReader.read(UserFiles.locate(file, home), compat).array().withCompat(Compat.V2);
        return (layer, pass, cluster) -> {
            Gemm gemm = layer.gemm(pass, cluster);
            return SystolicArray.simulate(array, LayerShape.gemm(layer.name(), gemm.m(), gemm.n(), gemm.k()))
                    .totalCycles();
        };
    }

    private static MnkCompute roofline(MnkWorkload settings) {
        long peak = settings.peak().orElse(16_384);
        long bandwidth = settings.bandwidth().orElse(128);
        return (layer, pass, cluster) -> {
            Gemm gemm = layer.gemm(pass, cluster);
            long macs = (long) gemm.m() * gemm.k() * gemm.n();
            long values = (long) gemm.m() * gemm.k() + (long) gemm.k() * gemm.n() + (long) gemm.m() * gemm.n();
            long bytes = values * settings.datatypeSize();
            return Math.max((macs + peak - 1) / peak, (bytes + bandwidth - 1) / bandwidth);
        };
    }

    private static MnkCompute table(MnkWorkload settings, Path home) throws IOException {
        Path file = UserFiles.locate(settings.table().orElseThrow(), home);
        Map<String, List<Long>> measured = CycleTable.read(file);
        return (layer, pass, cluster) -> {
            List<Long> cycles = measured.get(layer.name());
            if (cycles == null) {
                throw StageException.input(Problem.of(
                        "cycle table error", file.toString(), "there are no cycles of layer '" + layer.name() + "'"));
            }
            return cycles.get(pass.ordinal());
        };
    }
}
