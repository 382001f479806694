package dev.stagesim.cli.inspect;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.chakra.TraceInput;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.inspect.TraceDiff;
import dev.stagesim.sim.trace.inspect.TraceDiff.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares two traces node by node. */
@Command(
        name = "diff",
        description = {
            "Compare two traces node by node; nodes are matched by id.",
            "",
            "Exit code 3 if they differ.",
        },
        footer = {"", "Example: stage inspect diff before.0.et after.0.et"})
final class InspectDiffCommand extends Subcommand {
    private static final int MAX_LENGTH = 80;

    @Parameters(index = "0", paramLabel = "BEFORE", description = "First trace.")
    private Path before = Path.of("");

    @Parameters(index = "1", paramLabel = "AFTER", description = "Second trace.")
    private Path after = Path.of("");

    @Option(names = "--json", description = "Print one JSON object per difference.")
    private boolean json;

    @Option(names = "--most", paramLabel = "N", description = "Print the first N differences only; 100 by default.")
    private long max = 100;

    private long differences;

    @Override
    public Integer call() throws IOException {
        if (max < 0) {
            throw StageException.input(Problem.usage("--most " + max, "expected a number from 0"));
        }
        EtMetadata first;
        try (TraceInput input = TraceInput.open(before)) {
            first = input.metadata();
        }
        TraceDiff diff = new TraceDiff(TraceSet.nodes(before));
        try (TraceInput input = TraceInput.open(after)) {
            if (!first.equals(input.metadata())) {
                metadata();
            }
            for (EtNode node = input.next(); node != null; node = input.next()) {
                Optional<Change> change = diff.next(node);
                change.ifPresent(this::print);
            }
        }
        diff.removed().forEach(this::print);
        if (differences > 0) {
            throw StageException.check(Problem.of(
                    "diff",
                    after.toString(),
                    differences + " differences from " + before
                            + (differences > max ? "; the first " + max + " are shown" : "")));
        }
        console().info("no difference");
        return ExitCode.DONE;
    }

    private boolean isShown() {
        differences++;
        return differences <= max;
    }

    private void metadata() {
        if (isShown()) {
            console().result(json ? "{\"kind\":\"metadata\"}" : "metadata differ");
        }
    }

    private void print(Change change) {
        if (!isShown()) {
            return;
        }
        String kind = KeyNames.constant(change.kind());
        if (json) {
            console().result(Json.compact(object(change, kind)));
            return;
        }
        List<String> fields = new ArrayList<>();
        change.fields()
                .forEach(
                        (name, values) -> fields.add(name + " " + cut(values.before()) + " -> " + cut(values.after())));
        console()
                .result(kind + " node " + Long.toUnsignedString(change.id()) + " '" + change.name() + "'"
                        + (fields.isEmpty() ? "" : ": " + String.join("; ", fields)));
    }

    private static JsonValue object(Change change, String kind) {
        Map<String, JsonValue> fields = new TreeMap<>();
        change.fields()
                .forEach((name, values) -> fields.put(
                        name,
                        JsonValue.object()
                                .put("before", values.before())
                                .put("after", values.after())
                                .build()));
        return JsonValue.object()
                .put("kind", kind)
                .put("id", change.id())
                .put("name", change.name())
                .put("fields", JsonValue.of(fields))
                .build();
    }

    private static String cut(String text) {
        String shown = text.isEmpty() ? "nothing" : text;
        return shown.length() <= MAX_LENGTH ? shown : shown.substring(0, MAX_LENGTH) + "...";
    }
}
