package dev.stagesim.verify.fabric;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.ToolArguments;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A recorded argument list of Atlas Fabric. */
final class AtlasArguments {
    private static final Map<String, List<String>> REQUIRED = Map.of(
            "run", List.of("--targets", "--target", "--workloads", "--workload"),
            "optimize", List.of("--record"),
            "report", List.of());
    private static final List<String> FLAGS = List.of("--cuda_graphs", "--gpudirect");
    private static final Map<String, List<String>> OPTIONS = Map.of(
            "run",
            List.of(
                    "--targets",
                    "--target",
                    "--workloads",
                    "--workload",
                    "--track",
                    "--microbatch",
                    "--cuda_graphs",
                    "--gpudirect",
                    "--virt",
                    "--fabric",
                    "--seed",
                    "--hardware",
                    "--out"),
            "optimize",
            List.of("--record", "--sla", "--seed", "--hardware", "--out"),
            "report",
            List.of("--records", "--out"));
    private static final Map<String, List<String>> CHOICES = Map.of(
            "--track", List.of("parity", "best"),
            "--virt", List.of("bare", "sriov"),
            "--fabric", List.of("IB", "RoCE", "Vendor"));

    private final String command;
    private final ToolArguments words;

    private AtlasArguments(String command, ToolArguments words) {
        this.command = command;
        this.words = words;
    }

    static AtlasArguments of(List<String> list) {
        String command = list.get(0);
        List<String> options = OPTIONS.get(command);
        if (options == null) {
            throw ToolArguments.wrong("", "invalid choice: '" + command + "', expected run, optimize or report");
        }
        ToolArguments words = ToolArguments.parse(list.subList(1, list.size()), options, FLAGS);
        if (!words.others().isEmpty()) {
            throw ToolArguments.wrong(
                    "", "unrecognized arguments: " + words.others().get(0));
        }
        CHOICES.forEach((option, choices) -> words.find(option)
                .filter(value -> !choices.contains(value))
                .ifPresent(value -> {
                    throw StageException.input(Problem.of("usage error", option, "invalid choice: '" + value + "'")
                            .options(choices));
                }));
        List<String> missing = REQUIRED.getOrDefault(command, List.of()).stream()
                .filter(option -> !words.has(option))
                .toList();
        if (!missing.isEmpty()) {
            throw ToolArguments.wrong("", "the following arguments are required: " + String.join(", ", missing));
        }
        return new AtlasArguments(command, words);
    }

    String command() {
        return command;
    }

    Optional<String> get(String key) {
        return words.find("--" + key);
    }

    String get(String key, String otherwise) {
        return get(key).orElse(otherwise);
    }

    boolean has(String key) {
        return words.has("--" + key);
    }
}
