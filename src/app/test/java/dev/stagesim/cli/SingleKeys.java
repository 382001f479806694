package dev.stagesim.cli;

import dev.stagesim.config.bind.KeyInfo;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.pipeline.StageRegistry;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Commands with one random override each, drawn over the keys of all stages. */
final class SingleKeys {
    private static final List<String> VALUES = List.of(
            "0",
            "-1",
            "1",
            "2",
            "0.5",
            "100",
            "1e308",
            "-1e308",
            "1e-308",
            "NaN",
            "inf",
            "-inf",
            "9223372036854775807",
            "9223372036854775808",
            "2147483648",
            "null",
            "",
            "' '",
            "true",
            "[]",
            "[1]",
            "['a',null]",
            "{}",
            "{a:1}",
            "???",
            "日本語",
            "'é\u202e\u0301'",
            "\ud83d\ude80",
            "..",
            "/",
            ".",
            "/dev/null",
            "/nonexistent/x",
            "../../../../etc/passwd",
            "'$(touch x)'",
            "'a;b|c'",
            "${x}",
            "${oc.env:HOME}",
            "'\"'",
            "10MiB",
            "5s",
            "x".repeat(300));

    private static final List<String> LARGE = List.of("100", "9223372036854775807", "2147483648", "1e308");

    /** Keys that set an amount of work. Large values take too long by design. */
    private static final Set<String> AMOUNTS = Set.of(
            "num_requests", "requests", "resamples", "repeats", "duration", "stop_after", "num_passes", "rounds");

    /** Share of the commands with a value at a bound of its key or just beyond. */
    private static final int BOUNDS_PERCENT = 30;

    private SingleKeys() {}

    /** Draws {@code count} commands; the same seed gives the same commands. */
    static List<String> draw(int count, long seed) {
        List<String> starts = starts();
        List<String> bounds = BoundCommands.all();
        Random random = new Random(seed);
        List<String> commands = new ArrayList<>();
        while (commands.size() < count) {
            if (random.nextInt(100) < BOUNDS_PERCENT) {
                commands.add(bounds.get(random.nextInt(bounds.size())));
                continue;
            }
            String start = starts.get(random.nextInt(starts.size()));
            String value = VALUES.get(random.nextInt(VALUES.size()));
            String key = start.substring(start.lastIndexOf(' ') + 1, start.length() - 1);
            boolean isAmount = AMOUNTS.contains(key.substring(key.lastIndexOf('.') + 1));
            if (!(isAmount && LARGE.contains(value))) {
                commands.add(start + value.replace(' ', '_'));
            }
        }
        return commands;
    }

    /** Returns each key of each stage once, up to the equals sign, with the options that give it an effect. */
    private static List<String> starts() {
        Set<String> starts = new LinkedHashSet<>();
        for (String stage : BoundCommands.stages()) {
            BoundCommands.of(stage).stream()
                    .map(command -> command.substring(0, command.lastIndexOf('=') + 1))
                    .forEach(starts::add);
            keys(stage)
                    .map(key -> (stage + " " + BoundCommands.shortened(stage) + " " + key + "=").replaceAll(" +", " "))
                    .forEach(starts::add);
        }
        return List.copyOf(starts);
    }

    private static Stream<String> keys(String stage) {
        return SettingsSchema.of(StageRegistry.standard()
                        .find(stage)
                        .orElseThrow()
                        .spec()
                        .settings())
                .keys()
                .stream()
                .map(KeyInfo::path)
                .map(path -> path.replace("<n>", "0").replace("<name>", "a"));
    }
}
