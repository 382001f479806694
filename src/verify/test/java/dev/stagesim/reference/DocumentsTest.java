package dev.stagesim.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the links and quoted commands of README and specs are valid. */
class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("(?:\\]\\(|(?:src|srcset|href)=\")([^)\"\\s]+)[)\"]");
    private static final Pattern COMMAND = Pattern.compile("\\./stage ([a-z_]+)([^\\n|`)&>]*)");
    private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|\\S+");
    private static final Set<String> OTHER_COMMANDS = Set.of(
            "verify",
            "fidelity",
            "model",
            "table",
            "config",
            "runs",
            "inspect",
            "completion",
            "doctor",
            "engines",
            "complete",
            "studio",
            "fits",
            "support",
            "sweep");

    @Test
    void resolvesEveryLink() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult link : matches(LINK, withoutCode(Files.readString(page)))) {
                if (!link.group(1).contains("://") && !resolves(page, link.group(1))) {
                    broken.add(name(page) + ": " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void findsEveryQuotedCommand() throws IOException {
        List<String> wrong = new ArrayList<>();
        int found = 0;
        for (Path page : pages()) {
            for (MatchResult command : matches(COMMAND, Files.readString(page))) {
                found++;
                problem(command.group(1), command.group(2))
                        .ifPresent(what -> wrong.add(name(page) + ": " + command.group() + ": " + what));
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(found).as("commands found").isGreaterThan(20);
    }

    @Test
    void namesTwoCommandsInTheReadme() throws IOException {
        String readme = Files.readString(ReferencePage.HOME.resolve("README.md"));
        assertThat(readme.lines()).contains("./stage compare model=qwen3 hardware=a100 engine=sarathi", "mvn verify");
    }

    @Test
    void listsEveryStageInTheReadme() throws IOException {
        String readme = Files.readString(ReferencePage.HOME.resolve("README.md"));
        for (String stage : StageRegistry.standard().names()) {
            assertThat(readme).as("stage table of README.md").contains("| `" + stage + "` | ");
        }
    }

    @Test
    void listsEveryPageInTheIndex() throws IOException {
        String index = Files.readString(ReferencePage.HOME.resolve("specs/README.md"));
        try (Stream<Path> files = Files.list(ReferencePage.HOME.resolve("specs"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md")))
                    .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
        }
    }

    @Test
    void listsACommandForEveryMeasuredFormat() throws IOException {
        String guide = Files.readString(ReferencePage.HOME.resolve("specs/guide/compare.md"));
        try (Stream<Path> files = Files.list(ReferencePage.HOME.resolve("tests-data/measured"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> !name.equals("sequence_metrics.csv")))
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(guide).contains("real.file=tests-data/measured/" + name));
        }
    }

    @Test
    void findsMistakes() {
        assertThat(problem("vidur_sin", "")).isPresent();
        assertThat(problem("vidur_sim", " scheduler=nope")).isPresent();
        assertThat(problem("vidur_sim", " scheduler.kinds=vllm")).isPresent();
        assertThat(problem("vidur_sim", " --multirum")).isPresent();
        assertThat(problem("vidur_sim", " -m scheduler=vllm,sarathi 'arrival.qps=range(1,4)'"))
                .isEmpty();
        Path readme = ReferencePage.HOME.resolve("README.md");
        assertThat(resolves(readme, "specs/none.md")).isFalse();
        assertThat(resolves(readme, "specs/user-guide.md#no-such-heading")).isFalse();
    }

    /** Returns the error of a quoted command: an unknown command, option, key, or option of a group. */
    private static Optional<String> problem(String command, String rest) {
        Optional<Stage<?>> stage = StageRegistry.standard().find(command);
        if (stage.isEmpty()) {
            return OTHER_COMMANDS.contains(command) ? Optional.empty() : Optional.of("no such command");
        }
        return matches(WORD, rest).stream()
                .map(word -> word.group().replaceAll("^['\"]|['\"]$", ""))
                .flatMap(word -> problem(stage.get(), word).stream())
                .findFirst();
    }

    private static Optional<String> problem(Stage<?> stage, String word) {
        if (word.startsWith("--")) {
            String page = read(ReferencePage.HOME.resolve("specs/reference/cli.md"));
            String option = word.replaceFirst("=.*", "");
            return Pattern.compile("(?<![\\w-])" + option + "(?![\\w-])")
                            .matcher(page)
                            .find()
                    ? Optional.empty()
                    : Optional.of("no option " + option);
        }
        int equals = word.indexOf('=');
        if (equals < 0 || word.startsWith("+") || word.startsWith("~")) {
            return Optional.empty();
        }
        String key = word.substring(0, equals);
        // The part after an @ is the package of the group's option.
        Path group = ReferencePage.HOME.resolve("configs").resolve(key.replaceFirst("@.*", ""));
        if (Files.isDirectory(group)) {
            return Stream.of(word.substring(equals + 1).split(","))
                    .filter(option -> option.matches("[a-z0-9_]+"))
                    .filter(option -> !Files.exists(group.resolve(option + ".conf")) && !option.startsWith("my_"))
                    .filter(option -> !(key.equals("engine") && option.equals("vllm"))) // the newest vllm_v*
                    .findFirst()
                    .map(option -> "no option " + option + " of " + key);
        }
        boolean known = key.equals("repeat")
                || key.equals("output.format")
                || key.equals("shard")
                || ShortKeys.of(stage).containsKey(key)
                || Stream.of(stage.spec().settings(), SweepSettings.class, RunSettings.class)
                        .flatMap(settings -> SettingsSchema.of(settings).keys().stream())
                        .anyMatch(info -> info.path().equals(key));
        return known ? Optional.empty() : Optional.of("no key " + key);
    }

    private static boolean resolves(Path page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
    }

    /** Returns the anchors of headings in rendered Markdown. */
    private static Set<String> anchors(Path page) {
        return withoutCode(read(page))
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ +", "").toLowerCase(Locale.ROOT))
                .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String withoutCode(String text) {
        return text.replaceAll("(?ms)^```.*?^```", "");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> specs = Files.walk(ReferencePage.HOME.resolve("specs"))) {
            return Stream.concat(
                            Stream.of(ReferencePage.HOME.resolve("README.md")),
                            specs.filter(file -> file.toString().endsWith(".md")))
                    .sorted()
                    .toList();
        }
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.results().toList();
    }

    private static String name(Path page) {
        return ReferencePage.HOME.relativize(page).toString();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
