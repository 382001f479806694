package dev.stagesim.verify.fabric;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A recorded argument list, read by Python's rules: unique beginnings of options will do, and {@code --x=v}. */
final class AtlasArguments {
    private static final String FLAG = "";
    private static final List<String> TRACKS = List.of("parity", "best");

    /**
     * Values of an option.
     *
     * @param choices legal values; empty if all are legal
     */
    private record Option(String key, boolean flag, boolean required, List<String> choices) {}

    private static final Map<String, List<Option>> COMMANDS = Map.of(
            "run",
            List.of(
                    needed("targets"),
                    needed("target"),
                    needed("workloads"),
                    needed("workload"),
                    choice("track", TRACKS),
                    any("microbatch"),
                    flag("cuda_graphs"),
                    flag("gpudirect"),
                    choice("virt", List.of("bare", "sriov")),
                    choice("fabric", List.of("IB", "RoCE", "Vendor")),
                    any("seed"),
                    any("hardware"),
                    any("out")),
            "optimize",
            List.of(needed("record"), any("sla"), any("seed"), any("hardware"), any("out")),
            "report",
            List.of(any("records"), any("out")));

    private final String command;
    private final List<Option> options;
    private final Map<String, String> values = new LinkedHashMap<>();

    private AtlasArguments(String command) {
        this.command = command;
        this.options = COMMANDS.get(command) == null ? List.of() : List.copyOf(COMMANDS.get(command));
    }

    private static Option needed(String key) {
        return new Option(key, false, true, List.of());
    }

    private static Option any(String key) {
        return new Option(key, false, false, List.of());
    }

    private static Option flag(String key) {
        return new Option(key, true, false, List.of());
    }

    private static Option choice(String key, List<String> choices) {
        return new Option(key, false, false, choices);
    }

    static AtlasArguments of(List<String> words) {
        String command = words.get(0);
        if (!COMMANDS.containsKey(command)) {
            throw wrong("", "invalid choice: '" + command + "', expected run, optimize or report");
        }
        AtlasArguments arguments = new AtlasArguments(command);
        arguments.read(words.subList(1, words.size()));
        return arguments;
    }

    String command() {
        return command;
    }

    Optional<String> get(String key) {
        return Optional.ofNullable(values.get(key));
    }

    String get(String key, String otherwise) {
        return values.getOrDefault(key, otherwise);
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    private void read(List<String> words) {
        int at = 0;
        while (at < words.size()) {
            String word = words.get(at++);
            if (!word.startsWith("--")) {
                throw wrong("", "unrecognized arguments: " + word);
            }
            int equals = word.indexOf('=');
            Option option = option(equals < 0 ? word.substring(2) : word.substring(2, equals));
            if (option.flag()) {
                if (equals >= 0) {
                    throw wrong(option.key(), "takes no value");
                }
                values.put(option.key(), FLAG);
            } else if (equals >= 0) {
                put(option, word.substring(equals + 1));
            } else if (at < words.size() && isValue(words.get(at))) {
                put(option, words.get(at++));
            } else {
                throw wrong(option.key(), "expected one argument");
            }
        }
        List<String> missing = new ArrayList<>();
        options.stream()
                .filter(option -> option.required() && !values.containsKey(option.key()))
                .forEach(option -> missing.add("--" + option.key()));
        if (!missing.isEmpty()) {
            throw wrong("", "the following arguments are required: " + String.join(", ", missing));
        }
    }

    /** Negative numbers are values, other words with a dash are not. */
    private static boolean isValue(String word) {
        return !word.startsWith("-") || word.matches("-\\d+|-\\d*\\.\\d+") || word.contains(" ");
    }

    private Option option(String name) {
        List<Option> found =
                options.stream().filter(option -> option.key().equals(name)).toList();
        if (found.isEmpty()) {
            found = options.stream()
                    .filter(option -> option.key().startsWith(name))
                    .toList();
        }
        if (found.size() != 1) {
            List<String> names = options.stream().map(Option::key).toList();
            throw StageException.input(Problem.of(
                            "usage error",
                            "--" + name,
                            found.isEmpty() ? "unrecognized arguments: --" + name : "ambiguous option: --" + name)
                    .didYouMean(Suggest.near(name, names)));
        }
        return found.get(0);
    }

    private void put(Option option, String value) {
        if (!option.choices().isEmpty() && !option.choices().contains(value)) {
            throw StageException.input(Problem.of("usage error", "--" + option.key(), "invalid choice: '" + value + "'")
                    .options(option.choices()));
        }
        values.put(option.key(), value);
    }

    private static StageException wrong(String key, String what) {
        return StageException.input(Problem.of("usage error", key.isEmpty() ? "" : "--" + key, what));
    }
}
