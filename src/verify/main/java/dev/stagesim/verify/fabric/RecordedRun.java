package dev.stagesim.verify.fabric;

import dev.stagesim.io.fabric.AtlasReport;
import dev.stagesim.io.fabric.AtlasTool;
import dev.stagesim.io.fabric.Catalog;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs one recorded command in the product, with inputs from the case's folder and outputs to a temporary folder. */
final class RecordedRun {
    private static final String MASK = "<TS>";
    private static final String USAGE = "usage: atlas_fabric [-h] {run,optimize,report} ...";

    private final Path inputs;
    private final Path outputs;

    RecordedRun(Path inputs, Path outputs) {
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** Runs an argument list and returns its output. */
    String run(List<String> words) throws IOException {
        if (words.isEmpty()) {
            return USAGE;
        }
        AtlasArguments arguments = AtlasArguments.of(words);
        return switch (arguments.command()) {
            case "run" -> evaluate(arguments);
            case "optimize" -> optimise(arguments);
            default -> report(arguments);
        };
    }

    private String evaluate(AtlasArguments arguments) throws IOException {
        JsonValue.Obj target = Catalog.target(in(arguments.get("targets", "")), arguments.get("target", ""));
        JsonValue.Obj workload = Catalog.workload(in(arguments.get("workloads", "")), arguments.get("workload", ""));
        Map<String, JsonValue> tuning = new LinkedHashMap<>();
        arguments.get("microbatch").ifPresent(text -> tuning.put("microbatch", number(AtlasTool.seed(text))));
        if (arguments.has("cuda_graphs")) {
            tuning.put("cuda_graphs", JsonValue.of(true));
        }
        if (arguments.has("gpudirect")) {
            tuning.put("gpudirect_rdma", JsonValue.of(true));
        }
        arguments.get("virt").ifPresent(text -> tuning.put("virt", JsonValue.of(text)));
        arguments.get("fabric").ifPresent(text -> tuning.put("fabric", JsonValue.of(text)));
        String track = arguments.get("track", "parity");
        BigInteger seed = AtlasTool.seed(arguments.get("seed", "1337"));
        JsonValue.Obj record = tool(arguments).run(target, workload, track, tuning, seed);
        String name = arguments.get("target", "") + "_" + arguments.get("workload", "") + "_" + track + "_" + seed;
        return "Wrote " + write(arguments, name, record) + "\n";
    }

    private static JsonValue number(BigInteger value) {
        return value.bitLength() < Long.SIZE ? JsonValue.of(value.longValueExact()) : new JsonValue.Big(value);
    }

    private String optimise(AtlasArguments arguments) throws IOException {
        LocatedJson recorded = AtlasTool.read(in(arguments.get("record", "")));
        double sla = sla(arguments.get("sla", "120"));
        BigInteger seed = AtlasTool.seed(arguments.get("seed", "2025"));
        JsonValue.Obj record = tool(arguments).optimise(recorded, sla, seed);
        String name = "optimized_" + recorded.get("target").get("name").asString() + "_"
                + recorded.get("workload").get("name").asString() + "_" + seed;
        return "Optimized and wrote " + write(arguments, name, record) + "\n";
    }

    private static double sla(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException wrong) {
            throw StageException.input(
                    Problem.of("usage error", "--sla", "invalid float value: '" + text + "'"), wrong);
        }
    }

    private String report(AtlasArguments arguments) throws IOException {
        String records = arguments.get("records", "out");
        String out = arguments.get("out", "out/report.md");
        if (!out.contains("/")) {
            throw StageException.input(Problem.of(
                    "artifact error", "--out " + out, "No such file or directory: '' (a report needs a directory)"));
        }
        String text = AtlasReport.markdown(in(records), records);
        Path file = outputs.resolve(out);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardCharsets.UTF_8);
        return "Report at " + out + "\n";
    }

    private AtlasTool tool(AtlasArguments arguments) {
        return new AtlasTool(in(arguments.get("hardware", "accelerators")), MASK);
    }

    private String write(AtlasArguments arguments, String name, JsonValue record) throws IOException {
        String out = arguments.get("out", "out");
        Path directory = outputs.resolve(out);
        Files.createDirectories(directory);
        AtlasTool.write(directory.resolve(name + ".json"), record);
        AtlasTool.write(directory.resolve("last_run.json"), record);
        return out + "/" + name + ".json";
    }

    /** Returns the output of an earlier step, or else the file of the case. */
    private Path in(String name) {
        Path written = outputs.resolve(name);
        return Files.exists(written) ? written : inputs.resolve(name);
    }
}
