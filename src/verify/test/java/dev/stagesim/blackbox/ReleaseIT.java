package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks and runs the release of {@code mvn -Prelease verify} in an environment without Java and Maven. */
@Tag("release")
class ReleaseIT {
    private static final String RELEASE = System.getProperty("stagesim.release", "");

    /** The only programs on the path, which the launcher may use. */
    private static final List<String> TOOLS =
            List.of("bash", "env", "cat", "cksum", "find", "grep", "mkdir", "mktemp", "mv", "readlink", "rm", "touch");

    @TempDir
    private Path scratch;

    private Path tools;
    private Path image;

    /** The result of a command. */
    private record Ended(int exit, String output) {}

    @BeforeEach
    void unpack() throws Exception {
        assumeTrue(!RELEASE.isEmpty(), "no release: mvn -Prelease verify makes one");
        tools = Files.createDirectory(scratch.resolve("tools"));
        for (String tool : TOOLS) {
            Path place = List.of("/bin", "/usr/bin").stream()
                    .map(dir -> Path.of(dir, tool))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no " + tool));
            Files.createSymbolicLink(tools.resolve(tool), place);
        }
        assertThat(run(System.getenv(), "tar", "xzf", RELEASE)).isEqualTo(new Ended(0, ""));
        String name = Path.of(RELEASE).getFileName().toString();
        image = scratch.resolve(name.substring(0, name.length() - ".tar.gz".length()));
    }

    private Ended run(Map<String, String> environment, String... words) throws IOException, InterruptedException {
        Path out = scratch.resolve("out");
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(scratch.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        Map<String, String> all = new TreeMap<>(environment);
        builder.environment().clear();
        builder.environment().putAll(all);
        int exit = builder.start().waitFor();
        return new Ended(exit, Files.readString(out, StandardCharsets.UTF_8));
    }

    private Ended stage(String... arguments) throws IOException, InterruptedException {
        String[] words = new String[arguments.length + 1];
        words[0] = image.resolve("stage").toString();
        System.arraycopy(arguments, 0, words, 1, arguments.length);
        return run(Map.of("PATH", tools.toString(), "HOME", scratch.toString()), words);
    }

    private static String last(Ended ended) {
        return ended.output().lines().reduce("", (before, line) -> line);
    }

    @Test
    void runsTheMainWorkflowWithTheBundledJava() throws Exception {
        Ended ended = stage("compare", "model=qwen3", "hardware=a100");
        assertThat(ended.exit()).as(ended.output()).isZero();
        assertThat(ended.output()).contains("tpot_p50_error_percent");
        assertThat(scratch.resolve(last(ended)).resolve("report.html")).exists();
    }

    @Test
    void containsTablesAndSuites() throws Exception {
        Ended sim = stage("vidur_sim", "workload.num_requests=5");
        Ended table = stage("table", last(sim), "request_metrics", "--group", "status", "--summarise", "count");
        assertThat(table.exit()).as(table.output()).isZero();
        assertThat(table.output()).contains("completed");

        Ended suite = stage("verify", "suite=mnk", "corpus=" + image.resolve("tests-data/mnk"));
        assertThat(suite.exit()).as(suite.output()).isZero();
    }

    @Test
    void ignoresAnInvalidJavaHome() throws Exception {
        Ended ended = run(
                Map.of(
                        "PATH",
                        tools.toString(),
                        "JAVA_HOME",
                        scratch.resolve("none").toString()),
                image.resolve("stage").toString(),
                "--version");
        assertThat(ended.exit()).as(ended.output()).isZero();
    }

    /** Runs the layers of the image in an empty root directory. */
    @Test
    void runsTheImageLayoutInAnEmptyRoot() throws Exception {
        Path named = beside(".oci");
        Path layout = named.resolveSibling(named.getFileName().toString().toLowerCase(Locale.ROOT));
        assumeTrue(Files.isDirectory(layout), "no Linux");
        Path root = Files.createDirectory(scratch.resolve("root"));
        LocatedJson manifest = blob(
                layout,
                Json.read(layout.resolve("index.json")).get("manifests").items().get(0));
        for (LocatedJson layer : manifest.get("layers").items()) {
            assertThat(run(System.getenv(), "tar", "xzf", file(layout, layer).toString(), "-C", root.toString()))
                    .isEqualTo(new Ended(0, ""));
        }
        assertThat(root.resolve("bin")).doesNotExist();
        boolean mayEnter = run(System.getenv(), "unshare", "-rm", "true").exit() == 0;
        assumeTrue(mayEnter, "no user namespaces");
        LocatedJson config = blob(layout, manifest.get("config")).get("config");
        String mounts = "mkdir -p $0/proc $0/dev && mount --rbind /proc $0/proc && mount --rbind /dev $0/dev"
                + " && exec unshare --root=$0 --wd=$1 \"${@:2}\"";
        List<String> words = new ArrayList<>(List.of("unshare", "-rm", "bash", "-c", mounts, root.toString()));
        words.add(config.get("WorkingDir").asString());
        words.addAll(config.get("Entrypoint").asStrings());
        words.addAll(List.of("vidur_sim", "workload.num_requests=5"));
        Map<String, String> environment = new TreeMap<>(Map.of("PATH", System.getenv("PATH")));
        config.get("Env").asStrings().stream()
                .filter(each -> !each.startsWith("PATH="))
                .forEach(each -> environment.put(each.replaceFirst("=.*", ""), each.replaceFirst("[^=]*=", "")));
        Ended ended = run(environment, words.toArray(String[]::new));
        assertThat(ended.exit()).as(ended.output()).isZero();
        assertThat(root.resolve("work").resolve(last(ended)).resolve("report.html"))
                .exists();
    }

    private Path beside(String suffix) {
        return Path.of(RELEASE.replaceFirst("\\.tar\\.gz$", suffix));
    }

    private static Path file(Path layout, LocatedJson at) {
        return layout.resolve("blobs").resolve(at.get("digest").asString().replace(':', '/'));
    }

    private static LocatedJson blob(Path layout, LocatedJson at) throws IOException {
        return Json.read(file(layout, at));
    }

    /** Runs in an empty directory with a system Java, with and without a shell. */
    @Test
    void runsTheSingleJarAnywhere() throws Exception {
        Path jar = scratch.resolve("all.jar");
        try (Stream<Path> files = Files.list(Path.of(RELEASE).getParent())) {
            Files.copy(
                    files.filter(file -> file.toString().endsWith("-all.jar"))
                            .findFirst()
                            .orElseThrow(),
                    jar);
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        for (String path : List.of(tools.toString(), "/nowhere")) {
            Ended ended = run(
                    Map.of("PATH", path, "HOME", scratch.toString(), "XDG_CACHE_HOME", scratch + "/cache"),
                    java,
                    "-jar",
                    jar.toString(),
                    "vidur_sim",
                    "workload.num_requests=" + path.length());
            assertThat(ended.exit()).as(ended.output()).isZero();
            assertThat(scratch.resolve(last(ended)).resolve("report.html")).exists();
        }
        assertThat(scratch.resolve("cache/stagesim")).isDirectory();
    }
}
