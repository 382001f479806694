package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the code blocks of a page in one shell, in an empty directory with {@code stage} and {@code tests-data}.
 *
 * <p>The info string of a block selects its kind. {@code sh} is executed. A {@code text} block right after it is the expected
 * output: each of its lines must be printed, in this order, except for progress lines of jobs. {@code text measured} ignores
 * numbers, and {@code text fails} expects an exit code other than 0. {@code FORMAT PATH} creates a file. {@code console} requires a
 * cluster or an engine and is not run. {@code -Dstagesim.update} rewrites the numbers of the outputs.
 */
@Tag("acceptance")
class DocumentBlocksIT {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final boolean UPDATE = System.getProperty("stagesim.update") != null;
    private static final Pattern FAILS = Pattern.compile("(?m)^([a-z ]+ error|check failed|not comparable): ");
    private static final Pattern JOB = Pattern.compile("^\\d+/\\d+  #");
    private static final Pattern FIGURE = Pattern.compile("(?<![A-Za-z_\\d.])[-+−]?\\d[\\d.,]*(e[-+]?\\d+)?");
    private static final int MAX_LINES = 30;
    private static final long TIMEOUT_MINUTES = 60;

    @TempDir
    Path scratch;

    /** A fenced block: the words of its info string, its lines, and the number of its first line in the document. */
    private record Block(List<String> words, List<String> lines, int first) {
        String kind() {
            return words.isEmpty() ? "" : words.get(0);
        }

        String text() {
            return String.join("\n", lines) + "\n";
        }
    }

    /** A command and its output. */
    private record Example(int number, Block command, Optional<Block> output) {
        boolean fails() {
            return output.filter(block -> block.words().contains("fails")
                            || FAILS.matcher(block.text()).find())
                    .isPresent();
        }
    }

    @Test
    void reproducesOutputsOfTheReadme() throws Exception {
        assertOutputs(HOME.resolve("README.md"), 6);
    }

    @Test
    void reproducesOutputsOfTheJavaPage() throws Exception {
        assertOutputs(HOME.resolve("specs/java-api.md"), 1);
    }

    /** Measures a simulated server, calibrates, and predicts another load. */
    @Test
    void reproducesOutputsOfTheLiveLoop() throws Exception {
        assertOutputs(HOME.resolve("specs/guide/live-loop.md"), 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user-guide",
                "guide/clusters",
                "guide/compare",
                "guide/configure",
                "guide/networks",
                "guide/planning",
                "guide/runs",
                "guide/serving",
                "guide/sweeps",
                "guide/training"
            })
    @Tag("long")
    void reproducesOutputsOfTheGuide(String page) throws Exception {
        assertOutputs(HOME.resolve("specs/" + page + ".md"), 2);
    }

    @Test
    @Tag("long")
    void reproducesOutputsOfTheCookbook() throws Exception {
        assertOutputs(HOME.resolve("specs/cookbook.md"), 6);
    }

    private void assertOutputs(Path document, int minExamples) throws Exception {
        List<String> lines = new ArrayList<>(Files.readAllLines(document));
        List<Block> blocks = blocks(lines);
        assertThat(blocks).as("a fence states the kind of its block").allSatisfy(block -> assertThat(block.kind())
                .as("line %d", block.first())
                .isIn(
                        "sh", "text", "console", "mermaid", "bash", "hocon", "csv", "json", "yaml", "java", "python",
                        "sql"));
        List<Example> examples = examples(blocks);
        assertThat(examples).hasSizeGreaterThanOrEqualTo(minExamples);
        prepare(blocks, examples);
        runAll();
        List<String> wrong = new ArrayList<>();
        List<Map.Entry<Block, List<String>>> updates = new ArrayList<>();
        for (Example example : examples) {
            check(example, updates).ifPresent(wrong::add);
        }
        if (UPDATE) {
            for (int i = updates.size() - 1; i >= 0; i--) {
                Block old = updates.get(i).getKey();
                List<String> place =
                        lines.subList(old.first(), old.first() + old.lines().size());
                place.clear();
                place.addAll(updates.get(i).getValue());
            }
            Files.write(document, lines);
        }
        assertThat(wrong).isEmpty();
    }

    private static List<Block> blocks(List<String> lines) {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith("```")) {
                int end = i + 1;
                while (!lines.get(end).equals("```")) {
                    end++;
                }
                String info = lines.get(i).substring(3).strip();
                List<String> words = info.isEmpty() ? List.of() : List.of(info.split(" ", -1));
                blocks.add(new Block(words, List.copyOf(lines.subList(i + 1, end)), i + 1));
                i = end;
            }
        }
        return blocks;
    }

    private static List<Example> examples(List<Block> blocks) {
        List<Example> examples = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).kind().equals("sh")) {
                Optional<Block> output = Optional.of(i + 1)
                        .filter(next ->
                                next < blocks.size() && blocks.get(next).kind().equals("text"))
                        .map(blocks::get);
                examples.add(new Example(examples.size(), blocks.get(i), output));
            }
        }
        return examples;
    }

    /** Writes the files of the document, and a script that writes the output of each command to a separate file. */
    private void prepare(List<Block> blocks, List<Example> examples) throws IOException {
        Files.createSymbolicLink(scratch.resolve("tests-data"), HOME.resolve("tests-data"));
        Files.createSymbolicLink(scratch.resolve("stage"), HOME.resolve("stage"));
        for (Block block : blocks) {
            if (block.words().size() == 2 && block.words().get(1).contains(".")) {
                Path file = scratch.resolve(block.words().get(1));
                Files.createDirectories(file.getParent());
                Files.writeString(file, block.text());
            }
        }
        StringBuilder script = new StringBuilder("set -Em -o pipefail\n");
        for (Example example : examples) {
            Files.writeString(
                    scratch.resolve("block" + example.number()),
                    example.command().text());
            script.append("exec > output%1$d 2>&1\ntrap 'echo \"$BASH_COMMAND\" >> failed%1$d' ERR\n. ./block%1$d\n"
                    .formatted(example.number()));
        }
        Files.writeString(scratch.resolve("script"), script);
    }

    private void runAll() throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "script")
                .directory(scratch.toFile())
                .redirectErrorStream(true)
                .redirectOutput(scratch.resolve("shell").toFile());
        String java = System.getProperty("java.home");
        builder.environment().put("JAVA_HOME", java);
        builder.environment().merge("PATH", java + "/bin", (path, bin) -> bin + ":" + path);
        Process shell = builder.start();
        shell.getOutputStream().close();
        boolean ended = shell.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES);
        Stream.concat(shell.descendants(), Stream.of(shell.toHandle())).forEach(ProcessHandle::destroyForcibly);
        assertThat(ended).as("the blocks end").isTrue();
    }

    /** Returns the error of an example, if any. Adds the actual output to {@code updates}. */
    private Optional<String> check(Example example, List<Map.Entry<Block, List<String>>> updates) throws IOException {
        Path captured = scratch.resolve("output" + example.number());
        String actual = (Files.exists(captured) ? Files.readString(captured) : "").replace(HOME + "/", "");
        boolean failed = Files.exists(scratch.resolve("failed" + example.number()));
        String what =
                "line " + example.command().first() + ": " + example.command().text();
        if (failed != example.fails()) {
            return Optional.of(what + (failed ? "failed:\n" : "did not fail:\n") + actual);
        }
        if (example.output().isEmpty()) {
            return Optional.empty();
        }
        Block output = example.output().get();
        boolean measured = output.words().contains("measured");
        List<String> candidates = actual.lines().toList();
        List<String> now = new ArrayList<>();
        int at = 0;
        for (String expected : output.lines()) {
            if (expected.strip().equals("...")
                    || expected.isBlank()
                    || JOB.matcher(expected).find()) {
                now.add(expected);
                continue;
            }
            int from = at;
            while (at < candidates.size()
                    && !still(candidates.get(at), UPDATE || measured).equals(still(expected, UPDATE || measured))) {
                at++;
            }
            if (at == candidates.size()) {
                updates.add(Map.entry(output, whole(candidates)));
                return UPDATE
                        ? Optional.empty()
                        : Optional.of(what + "prints no line '" + expected + "' after line " + from + " of\n" + actual);
            }
            now.add(measured ? expected : candidates.get(at));
            at++;
        }
        updates.add(Map.entry(output, now));
        return Optional.empty();
    }

    /** Returns an output that replaces all lines of a block, truncated to a maximum length. */
    private static List<String> whole(List<String> actual) {
        List<String> lines = new ArrayList<>(actual.subList(0, Math.min(actual.size(), MAX_LINES)));
        if (actual.size() > MAX_LINES) {
            lines.add("...");
        }
        return lines;
    }

    /** Removes durations and ids from a line, and all numbers if {@code loose}, because they differ between runs. */
    private static String still(String line, boolean loose) {
        String text = line.replaceAll("  (\\d+\\.\\d\\d s|reused)$", "  .")
                .replaceAll(" in \\d+\\.\\d s$", " in .")
                .replaceAll("-[0-9a-f]{10}\\b", "-.");
        return loose ? FIGURE.matcher(text).replaceAll("#").replaceAll(" +", " ") : text;
    }
}
