package dev.stagesim.cli;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.run.ShowOptions;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.KeyOutline;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.store.RunSummary;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Shell completion: {@code stage complete WORD...}. The last word is the one at the cursor. Prints one candidate per
 * line to stdout.
 *
 * <p>Does not load picocli except for flags, because a shell runs the command at every press of the tab key.
 */
record CompleteCommand(Console console, Home home, StageRegistry registry, Set<String> commands) {
    /** Arguments that enable the keys of a sweep. */
    private static final String FORMAT = "output.format=";

    private static final List<String> SWEEPING = List.of("--multirun", "-m");

    int run(List<String> words) {
        candidates(words.isEmpty() ? List.of("") : words).forEach(console::result);
        return ExitCode.DONE;
    }

    private Stream<String> candidates(List<String> words) {
        String last = words.get(words.size() - 1);
        if (words.size() == 1) {
            return last.startsWith("-") ? flags(Optional.empty(), last) : commands(last);
        }
        String command = words.get(0);
        if (last.startsWith("-")) {
            return flags(Optional.of(command), last);
        }
        String before = words.get(words.size() - 2);
        if (before.equals("--cfg") || before.equals("--info")) {
            return Stream.of(before.equals("--cfg") ? ShowOptions.Cfg.values() : ShowOptions.Info.values())
                    .map(Object::toString)
                    .filter(name -> name.startsWith(last));
        }
        if (command.equals("runs") && words.size() > 2) {
            return runs(words.get(1), last);
        }
        Optional<Stage<?>> stage = registry.find(command);
        if (stage.isEmpty()) {
            return subcommands(words).filter(name -> name.startsWith(last));
        }
        return overrides(stage.get(), words, last);
    }

    private Stream<String> commands(String prefix) {
        return Stream.concat(commands.stream(), Stream.of("help"))
                .filter(name -> name.startsWith(prefix))
                .sorted();
    }

    /** Returns the words that may follow: nested commands, or values of the first argument. */
    private Stream<String> subcommands(List<String> words) {
        picocli.CommandLine line = new Cli(console, home, false).commandLine();
        for (String word : words.subList(0, words.size() - 1)) {
            picocli.CommandLine next = line.getSubcommands().get(word);
            if (next == null) {
                return Stream.empty();
            }
            line = next;
        }
        List<String> names = new ArrayList<>(line.getSubcommands().keySet());
        for (picocli.CommandLine.Model.PositionalParamSpec argument :
                line.getCommandSpec().positionalParameters()) {
            if (argument.completionCandidates() != null) {
                argument.completionCandidates().forEach(names::add);
            }
        }
        return names.stream().sorted();
    }

    private Stream<String> runs(String subcommand, String prefix) {
        Stream<String> names;
        try {
            names = subcommand.equals("list")
                    ? registry.names().stream()
                    : new RunCatalog(Home.work()).list().stream().map(RunSummary::runId);
        } catch (IOException unreadable) {
            names = Stream.empty();
        }
        return names.filter(name -> name.startsWith(prefix));
    }

    private Stream<String> overrides(Stage<?> stage, List<String> words, String last) {
        List<SearchRoot> roots = new ArrayList<>();
        roots.add(new SearchRoot("main", home.configs()));
        for (int i = 1; i + 1 < words.size(); i++) {
            if (words.get(i - 1).equals("--config-dir") || words.get(i - 1).equals("-cd")) {
                roots.add(new SearchRoot("config-dir", Path.of(words.get(i))));
            }
        }
        ConfigEngine engine = ConfigEngine.open(roots);
        Stream<String> own = Stream.of(stage.spec().settings(), RunSettings.class)
                .flatMap(settings -> new OverrideCompleter(engine, settings).complete(last).stream());
        Stream<String> formats = TableFormat.NAMES.stream()
                .map(FORMAT::concat)
                .filter(word -> last.startsWith("output") && word.startsWith(last));
        own = Stream.concat(own, formats).sorted();
        return words.stream().anyMatch(SWEEPING::contains)
                ? Stream.concat(own, sweeping(engine, last)).sorted()
                : own;
    }

    /** Returns overrides of sweeps and launchers. */
    private static Stream<String> sweeping(ConfigEngine engine, String last) {
        return Stream.concat(
                new OverrideCompleter(engine, SweepSettings.class).complete(last).stream(),
                Stream.of("shard=").filter(word -> word.startsWith(last)));
    }

    private Stream<String> flags(Optional<String> command, String prefix) {
        picocli.CommandLine root = new Cli(console, home).commandLine();
        picocli.CommandLine line =
                command.map(name -> root.getSubcommands().get(name)).orElse(root);
        if (line == null) {
            return Stream.empty();
        }
        return line.getCommandSpec().optionsMap().keySet().stream()
                .filter(name -> name.startsWith("--") && name.startsWith(prefix))
                .sorted();
    }

    /**
     * Completes one override from the groups on disk and the keys of the stage's settings.
     *
     * <p>Composes nothing, so completion neither waits for the rest of the command line nor fails with it.
     */
    private record OverrideCompleter(ConfigEngine engine, Class<? extends Record> settings) {
        /**
         * Returns completions of {@code word}, sorted. A completion that ends in {@code =}, {@code .} or {@code /} is
         * incomplete.
         */
        List<String> complete(String word) {
            int equals = word.indexOf('=');
            if (equals >= 0) {
                String key = word.substring(0, equals);
                return values(key.replaceFirst("^(\\+\\+?|~)", ""), word.substring(equals + 1))
                        .map(value -> key + "=" + value)
                        .toList();
            }
            return keys(word)
                    .filter(key -> key.startsWith(word))
                    .sorted()
                    .distinct()
                    .toList();
        }

        private Stream<String> keys(String word) {
            if (word.startsWith("++")) {
                return below(word.substring(2)).map(key -> "++" + key);
            }
            if (word.startsWith("+")) {
                return groups(word.substring(1)).map(group -> "+" + group + "=");
            }
            if (word.startsWith("~")) {
                return groups(word.substring(1)).map(group -> "~" + group);
            }
            return Stream.concat(groups(word).map(group -> group + "="), below(word));
        }

        /** Returns the groups for which this stage has a section. Other groups are not in its defaults list. */
        private Stream<String> groups(String word) {
            Set<String> sections = KeyOutline.children(settings, "").keySet();
            if (word.contains("/")) {
                return engine.groups().stream().filter(group -> sections.contains(group.replaceFirst("/.*", "")));
            }
            return sections.stream()
                    .filter(section -> section.startsWith(word))
                    .filter(section -> !engine.options(section).isEmpty());
        }

        private Stream<String> below(String word) {
            String section = word.contains(".") ? word.substring(0, word.lastIndexOf('.')) : "";
            String prefix = section.isEmpty() ? "" : section + ".";
            return KeyOutline.children(settings, section).entrySet().stream()
                    .map(key -> prefix + key.getKey() + (key.getValue() ? "." : "="));
        }

        /**
         * Returns values of {@code key} that complete {@code typed}. After a comma, values that are already chosen are
         * omitted.
         */
        private Stream<String> values(String key, String typed) {
            int comma = typed.lastIndexOf(',');
            String before = typed.substring(0, comma + 1);
            String last = typed.substring(comma + 1);
            List<String> chosen = List.of(before.split(",", -1));
            return candidates(key)
                    .filter(value -> value.startsWith(last) && !chosen.contains(value))
                    .map(value -> before + value);
        }

        private Stream<String> candidates(String key) {
            if (!KeyOutline.children(settings, "").containsKey(key.replaceFirst("[@/.].*", ""))) {
                return Stream.empty();
            }
            List<String> options = engine.optionsBelow(key.replaceFirst("@.*", ""));
            return options.isEmpty()
                    ? KeyOutline.values(settings, key).stream()
                    : options.stream().sorted();
        }
    }
}
