package dev.stagesim.pipeline;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.stage.StageSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Computes the id of a run. Equal settings and inputs have equal ids on every machine. */
final class RunIdentity {
    private static final int HEX_DIGITS = 10;
    private static final Pattern RUN_ID = Pattern.compile("([a-z][a-z0-9_]*)-[0-9a-f]{" + HEX_DIGITS + ",64}");
    private static final String FILE_PREFIX = "sha256:";

    private RunIdentity() {}

    /**
     * Returns the stage's own settings, without upstream directories and with digests instead of file names. Adds the
     * files to the inputs.
     */
    static JsonValue.Obj params(Plan<?> plan, List<RunMeta.Input> inputs, RunReader reader, Path home)
            throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        List<Plan.Read> reads = plan.reads();
        List<String> found = reader.digests(reads.stream().map(Plan.Read::file).toList());
        for (int i = 0; i < found.size(); i++) {
            Plan.Read read = reads.get(i);
            String digest = found.get(i);
            files.put(read.given().toString(), digest);
            if (read.given().startsWith(home)) {
                // A file of the installation is identified by its path relative to the installation.
                files.put(home.relativize(read.given()).toString(), digest);
            }
            inputs.add(new RunMeta.Input("file", read.file().toString(), Optional.empty(), digest));
        }
        MapNode tree = Sections.own(plan.tree(), plan.stage().spec().settings());
        for (Plan.Input input : plan.inputs()) {
            tree = without(tree, Paths.split(input.upstream().key()));
        }
        return NodeJson.json((MapNode) digested(tree, files));
    }

    private static MapNode without(MapNode tree, List<String> path) {
        String name = path.get(0);
        if (path.size() == 1) {
            return tree.without(name);
        }
        return tree.get(name) instanceof MapNode section
                ? tree.with(name, without(section, path.subList(1, path.size())))
                : tree;
    }

    private static Node digested(Node node, Map<String, String> files) {
        if (node instanceof MapNode map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.entries().forEach((name, value) -> entries.put(name, digested(value, files)));
            return MapNode.of(entries, map.origin());
        }
        if (node instanceof ListNode list) {
            return new ListNode(
                    list.items().stream().map(item -> digested(item, files)).toList(), list.origin());
        }
        ScalarNode leaf = (ScalarNode) node;
        String digest = leaf.value() instanceof String text ? files.get(text) : null;
        return digest == null ? leaf : ScalarNode.of(FILE_PREFIX + digest, leaf.origin());
    }

    /**
     * Returns the stage of a run id, or empty if the text is not a run id. Only valid ids may become part of a path.
     */
    static Optional<String> stage(String runId) {
        Matcher parts = RUN_ID.matcher(runId);
        return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
    }

    /**
     * Returns the run id: the stage name and the first ten hex digits of the digest.
     *
     * @param whole true to use all digits, because another run has the same ten
     */
    static String runId(Plan<?> plan, String question, boolean whole) {
        return plan.name() + "-" + (whole ? question : question.substring(0, HEX_DIGITS));
    }

    /** True if a finished run has these settings and inputs, regardless of its id. */
    static boolean answers(RunMeta meta, JsonValue.Obj params, List<RunMeta.Input> inputs) {
        return Json.compact(meta.params()).equals(Json.compact(params))
                && Json.compact(digests(meta.inputs())).equals(Json.compact(digests(inputs)));
    }

    private static JsonValue digests(List<RunMeta.Input> inputs) {
        return JsonValue.of(inputs.stream().map(RunIdentity::input).toList());
    }

    /**
     * Returns the digest of the settings and inputs of a run.
     *
     * @param inputs all inputs, upstream runs and files
     * @param machine fingerprint of this machine; included for measurements
     * @param options repetition, included for measurements, and table format, included unless CSV
     */
    static String question(
            Plan<?> plan, JsonValue.Obj params, List<RunMeta.Input> inputs, String machine, RunOptions options) {
        StageSpec<?> spec = plan.stage().spec();
        JsonObjectBuilder question = JsonValue.object()
                .put("stage", spec.name())
                .put("stage_version", spec.version())
                .put("contracts", contracts(spec))
                .put("params", params)
                .put("inputs", digests(inputs));
        if (plan.measures()) {
            question.put("machine", machine);
        }
        if (plan.measures() || (plan.repeatable() && options.repetition() > 0)) {
            question.put("repeat", options.repetition());
        }
        if (options.format() != TableFormat.CSV) {
            question.put("output.format", options.format().name());
        }
        return Digests.sha256(Json.compact(question.build()));
    }

    private static JsonValue contracts(StageSpec<?> spec) {
        Map<String, JsonValue> versions = spec.tables().stream()
                .sorted(Comparator.comparing(TableSchema::name))
                .collect(Collectors.toMap(
                        TableSchema::name,
                        table -> JsonValue.of((long) table.version()),
                        (a, b) -> a,
                        LinkedHashMap::new));
        versions.put(JsonArtifacts.RUN_META.name(), JsonValue.of((long) JsonArtifacts.RUN_META.version()));
        return JsonValue.of(versions);
    }

    private static JsonValue input(RunMeta.Input input) {
        return JsonValue.object()
                .put("role", input.role())
                .put("sha256", input.sha256())
                .build();
    }
}
