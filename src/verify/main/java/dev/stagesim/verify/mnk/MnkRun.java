package dev.stagesim.verify.mnk;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.scalesim.ArrayFile;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.io.scalesim.Reports;
import dev.stagesim.model.Problem;
import dev.stagesim.model.PythonText;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.mnk.Gemm;
import dev.stagesim.sim.mnk.MnkLayer;
import dev.stagesim.sim.mnk.Pass;
import dev.stagesim.sim.mnk.PassTables;
import dev.stagesim.sim.mnk.WorkloadText;
import dev.stagesim.sim.systolic.SystolicArray;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import dev.stagesim.sim.systolic.spec.LayerMetrics;
import dev.stagesim.sim.systolic.spec.LayerShape;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs a case like the reference. */
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

    private final boolean isFirst;
    private final String policy;
    private final String output;
    private final int bytes;
    private final Cluster cluster;
    private final ArraySpec array;
    private final List<MnkLayer> layers;

    private MnkRun(Path path, LocatedJson recorded) throws IOException {
        Map<String, String> options = options(recorded.get("args").asStrings());
        isFirst = recorded.get("scalesim").asString().startsWith("v1");
        String tool = options.getOrDefault("scalesim_path", "");
        if (!tool.isEmpty() && !Files.isDirectory(path.resolve(tool))) {
            throw wrong("scalesim_path", "there is no SCALE-Sim");
        }
        String config = options.getOrDefault("scalesim_config", "");
        Path cfg = config.isEmpty() ? path.resolve(recorded.get("cfg").asString()) : path.resolve(config);
        ArrayFile described = ArrayReader.read(cfg, isFirst ? ScaleSimCompat.NONE : ScaleSimCompat.V2);
        // The first version needs a quoted run name, the second one an unquoted one.
        if (described.runName().startsWith("\"") != isFirst) {
            throw wrong("run_name", "the report would not be found");
        }
        array = described.array();
        policy = options.getOrDefault("parallel", "");
        output = Path.of(options.getOrDefault("output_file", "")).normalize().toString();
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

    static MnkRun of(Path path, LocatedJson recorded) throws IOException {
        return new MnkRun(path, recorded);
    }

    private static StageException wrong(String where, String what) {
        return StageException.input(Problem.of("case", where, what));
    }

    /** Flags in Abseil's syntax: one or two dashes, and the value after {@code =} or in the next word. */
    private static Map<String, String> options(List<String> args) {
        Map<String, String> options = new TreeMap<>(DEFAULTS);
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (!arg.startsWith("-")) {
                continue; // words that are not flags are ignored
            }
            String flag = arg.substring(arg.startsWith("--") ? 2 : 1);
            int equals = flag.indexOf('=');
            String name = equals < 0 ? flag : flag.substring(0, equals);
            if (!DEFAULTS.containsKey(name)) {
                throw wrong(arg, "unknown option");
            }
            if (equals < 0 && i + 1 == args.size()) {
                throw wrong(arg, "expected a value");
            }
            options.put(name, equals < 0 ? args.get(++i) : flag.substring(equals + 1));
        }
        return options;
    }

    private static int number(Map<String, String> options, String name) {
        String text = options.getOrDefault(name, "");
        return PythonText.integer(text)
                .filter(value -> value.bitLength() < Integer.SIZE)
                .map(BigInteger::intValue)
                .orElseThrow(() -> wrong(name, "expected a whole number, found " + text));
    }

    /** Returns the text of an output file. */
    String file(String name) {
        if (name.equals(output)) {
            return workload();
        }
        String base = name.substring(name.lastIndexOf('/') + 1);
        for (Pass pass : Pass.values()) {
            String suffix = pass.fileName();
            if (base.endsWith(suffix + ".csv")) {
                return PassTables.topology(layers, pass, cluster);
            }
            if (base.endsWith(suffix + ".COMPUTE_REPORT.csv")) {
                return Reports.compute(Reports.once(figures(pass)), ScaleSimCompat.V2)
                        .text();
            }
            if (base.endsWith(suffix + "_cycles.csv")) {
                return PassTables.firstVersionCycles(layers, pass, cluster, array);
            }
        }
        // All passes are read from the last report.
        return base.equals("COMPUTE_REPORT.csv")
                ? Reports.compute(Reports.once(figures(Pass.WEIGHT_GRADIENT)), ScaleSimCompat.V2)
                        .text()
                : "an unknown file";
    }

    private List<LayerMetrics> figures(Pass pass) {
        List<LayerMetrics> figures = new ArrayList<>();
        for (MnkLayer layer : layers) {
            Gemm gemm = layer.gemm(pass, cluster);
            figures.add(SystolicArray.simulate(array, LayerShape.gemm(layer.name(), gemm.m(), gemm.n(), gemm.k())));
        }
        return figures;
    }

    private String workload() {
        List<WorkloadText.Row> rows = new ArrayList<>();
        List<LayerMetrics> lastPass = isFirst ? List.of() : figures(Pass.WEIGHT_GRADIENT);
        for (int i = 0; i < layers.size(); i++) {
            List<String> cycles = new ArrayList<>();
            for (Pass pass : Pass.values()) {
                cycles.add(
                        isFirst
                                ? Long.toString(PassTables.cycles(layers.get(i).gemm(pass, cluster), array))
                                : " " + lastPass.get(i).totalCycles());
            }
            rows.add(new WorkloadText.Row(layers.get(i), cycles, true));
        }
        return WorkloadText.of(policy, rows, cluster, bytes);
    }
}
