package dev.stagesim.verify.mnk;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.io.scalesim.Reports;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.Gemm;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.WorkloadText;
import dev.stagesim.sim.systolic.ArraySpec;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.sim.systolic.FirstVersion;
import dev.stagesim.sim.systolic.LayerFigures;
import dev.stagesim.sim.systolic.LayerShape;
import dev.stagesim.sim.systolic.SystolicArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A case run by us, the reference's way. */
final class MnkRun {
    private static final Map<String, String> DEFAULTS = Map.of(
            "mnk", "mnk_inputs/test.csv",
            "run_name", "test",
            "output_file", "workload.txt",
            "parallel", "DATA",
            "datatype_size", "2",
            "num_npus", "8",
            "num_packages", "1",
            "scalesim_config", "",
            "scalesim_path", "");
    private static final List<String> PASSES = List.of("fwd_pass", "inp_grad", "weight_grad");

    private final boolean isFirst;
    private final String policy;
    private final int bytes;
    private final Cluster cluster;
    private final ArraySpec array;
    private final List<MnkLayer> layers;

    private MnkRun(Path path, JsonAt recorded) throws IOException {
        Map<String, String> options = options(recorded.get("args").asStrings());
        isFirst = recorded.get("scalesim").asString().startsWith("v1");
        String config = options.getOrDefault("scalesim_config", "");
        Path cfg = config.isEmpty() ? path.resolve(recorded.get("cfg").asString()) : path.resolve(config);
        ArrayFile described = ArrayReader.read(cfg, isFirst ? Compat.NONE : Compat.V2);
        // The first version needs a quoted run name, the second one an unquoted one.
        if (described.runName().startsWith("\"") != isFirst) {
            throw wrong("run_name", "the report would not be found");
        }
        array = described.array();
        policy = options.getOrDefault("parallel", "");
        bytes = number(options, "datatype_size");
        int processors = number(options, "num_npus");
        int packages = number(options, "num_packages");
        if (processors < 1 || packages < 1 || processors % packages != 0) {
            throw wrong("num_packages", "does not divide num_npus");
        }
        cluster = new Cluster(processors, packages);
        String table = options.getOrDefault("mnk", "");
        layers = MnkReader.read(path.resolve(table.substring(table.lastIndexOf('/') + 1)), policy, cluster, true);
        for (MnkLayer layer : layers) {
            for (Pass pass : Pass.values()) {
                Gemm gemm = layer.gemm(pass, cluster);
                if (gemm.m() < 1 || gemm.k() < 1 || gemm.n() < 1) {
                    throw wrong(layer.name(), "a share is empty");
                }
            }
        }
    }

    static MnkRun of(Path path, JsonAt recorded) throws IOException {
        return new MnkRun(path, recorded);
    }

    private static StageException wrong(String where, String what) {
        return StageException.input(Problem.of("case", where, what));
    }

    private static Map<String, String> options(List<String> args) {
        Map<String, String> options = new TreeMap<>(DEFAULTS);
        for (String arg : args) {
            int equals = arg.indexOf('=');
            String name = equals < 0 ? arg : arg.substring(2, equals);
            if (!DEFAULTS.containsKey(name)) {
                throw wrong(arg, "unknown option");
            }
            options.put(name, arg.substring(equals + 1));
        }
        return options;
    }

    private static int number(Map<String, String> options, String name) {
        String text = options.getOrDefault(name, "");
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException notANumber) {
            throw StageException.input(Problem.of("case", name, "expected a whole number, found " + text), notANumber);
        }
    }

    /** The text of an output file. */
    String file(String name) {
        if (name.equals("workload.txt")) {
            return workload();
        }
        String base = name.substring(name.lastIndexOf('/') + 1);
        for (Pass pass : Pass.values()) {
            String suffix = PASSES.get(pass.ordinal());
            if (base.endsWith(suffix + ".csv")) {
                return topology(pass);
            }
            if (base.endsWith(suffix + ".COMPUTE_REPORT.csv")) {
                return Reports.compute(Reports.once(figures(pass)), Compat.V2).text();
            }
            if (base.endsWith(suffix + "_cycles.csv")) {
                return firstCycles(pass);
            }
        }
        // All passes are read from the report of the last one.
        return base.equals("COMPUTE_REPORT.csv")
                ? Reports.compute(Reports.once(figures(Pass.WEIGHT_GRADIENT)), Compat.V2)
                        .text()
                : "an unknown file";
    }

    private List<LayerFigures> figures(Pass pass) {
        List<LayerFigures> figures = new ArrayList<>();
        for (MnkLayer layer : layers) {
            Gemm gemm = layer.gemm(pass, cluster);
            figures.add(SystolicArray.simulate(array, LayerShape.gemm(layer.name(), gemm.m(), gemm.n(), gemm.k())));
        }
        return figures;
    }

    private long firstCycles(Gemm gemm) {
        return FirstVersion.cycles(array.dataflow(), array.rows(), array.columns(), gemm.m(), gemm.k(), gemm.n());
    }

    private String workload() {
        List<WorkloadText.Row> rows = new ArrayList<>();
        List<LayerFigures> lastPass = isFirst ? List.of() : figures(Pass.WEIGHT_GRADIENT);
        for (int i = 0; i < layers.size(); i++) {
            List<String> cycles = new ArrayList<>();
            for (Pass pass : Pass.values()) {
                cycles.add(
                        isFirst
                                ? Long.toString(firstCycles(layers.get(i).gemm(pass, cluster)))
                                : " " + lastPass.get(i).totalCycles());
            }
            rows.add(new WorkloadText.Row(layers.get(i), cycles, true));
        }
        return WorkloadText.of(policy, rows, cluster, bytes);
    }

    private String topology(Pass pass) {
        StringBuilder out = new StringBuilder(
                "Layer name,ifmap height,ifmap width,filter height,filter width,channels,num filter,strides,\n");
        for (MnkLayer layer : layers) {
            Gemm gemm = layer.gemm(pass, cluster);
            out.append(layer.name())
                    .append(',')
                    .append(gemm.m())
                    .append(',')
                    .append(gemm.k())
                    .append(",1,");
            out.append(gemm.k()).append(",1,").append(gemm.n()).append(",1,\n");
        }
        return out.toString();
    }

    private String firstCycles(Pass pass) {
        StringBuilder out = new StringBuilder("Layer,\tCycles,\t% Utilization,\n");
        for (MnkLayer layer : layers) {
            Gemm gemm = layer.gemm(pass, cluster);
            double use = FirstVersion.utilization(
                    array.dataflow(), array.rows(), array.columns(), gemm.m(), gemm.k(), gemm.n());
            out.append(layer.name()).append(",\t").append(firstCycles(gemm));
            out.append(",\t").append(ShortestDouble.of(use)).append(",\n");
        }
        return out.toString();
    }
}
