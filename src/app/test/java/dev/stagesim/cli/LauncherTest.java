package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Home;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the launcher of an installed copy with a fake Java that prints its arguments. */
@Tag("acceptance")
final class LauncherTest {
    @TempDir
    private Path dir;

    private Path home = Path.of("");
    private Path java = Path.of("");

    private record Ended(int exit, String out, String err) {}

    @BeforeEach
    void install() throws IOException {
        java = dir.resolve("a jdk");
        Path program = java.resolve("bin/java");
        Files.createDirectories(program.getParent());
        Files.writeString(program, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Files.writeString(java.resolve("release"), "JAVA_VERSION=\"17.0.9\"\n");
        home = dir.resolve("an instal lation");
        Files.createDirectories(home.resolve("target/lib"));
        Files.writeString(home.resolve("target/stagesim.jar"), "");
        Files.writeString(home.resolve("target/lib/one.jar"), "");
        Path product = Home.fromEnvironment().dir();
        Files.copy(product.resolve("stage"), home.resolve("stage"));
        Files.copy(product.resolve("jvm.options"), home.resolve("jvm.options"));
        assertThat(home.resolve("stage").toFile().setExecutable(true)).isTrue();
    }

    private Ended run(Path jdk, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
        builder.environment().put("JAVA_HOME", jdk.toString());
        Path err = dir.resolve("err");
        Process process = builder.redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out, Files.readString(err));
    }

    private Ended stage(String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("stage").toString()));
        command.addAll(List.of(words));
        return run(java, command.toArray(String[]::new));
    }

    @Test
    void runsWithoutSourcesInAPathWithSpaces() throws Exception {
        Ended ended = stage("vidur_sim", "model=a b", "x='$y'");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.exit()).isZero();
        assertThat(ended.out().lines())
                .contains("@" + home + "/jvm.options", "-Dstagesim.home=" + home, classPath())
                .endsWith("dev.stagesim.cli.Main", "vidur_sim", "model=a b", "x='$y'");
    }

    private String classPath() {
        return String.join(":", home + "/target/*", home + "/target/lib/*", home + "/target/lib-table/*");
    }

    /** JVM options do not depend on the command. */
    @Test
    void passesTheSameOptionsToEveryCommand() throws Exception {
        List<String> without = stage().out().lines().toList();
        for (String words : List.of("--help", "compare --cfg job", "vidur_sim workload.num_requests=9", "table x")) {
            List<String> expected = new ArrayList<>(without);
            expected.addAll(List.of(words.split(" ", -1)));
            assertThat(stage(words.split(" ", -1)).out().lines()).as(words).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void appendsOptionsAndJarsOfTheUser() throws Exception {
        String script = "STAGE_JAVA_OPTS='-Xmx1g -Da=b' STAGE_CLASSPATH=a.jar exec \"$0\" runs";
        assertThat(run(java, "sh", "-c", script, home.resolve("stage").toString())
                        .out()
                        .lines())
                .endsWith("-Xmx1g", "-Da=b", "-cp", classPath() + ":a.jar", "dev.stagesim.cli.Main", "runs");
    }

    @Test
    void startsTheInstallationOfALink() throws Exception {
        Path link = Files.createSymbolicLink(dir.resolve("link"), home.resolve("stage"));
        assertThat(run(java, link.toString(), "runs").out().lines()).contains("-Dstagesim.home=" + home);
    }

    @Test
    void returnsTheExitCodeOfTheProduct() throws Exception {
        Files.writeString(java.resolve("bin/java"), "#!/bin/sh\nexit 7\n");
        assertThat(stage("runs").exit()).isEqualTo(7);
    }

    @Test
    void rejectsAnOldJavaWithItsVersion() throws Exception {
        for (String version : List.of("11.0.9", "1.8.0_292")) {
            Files.writeString(java.resolve("release"), "A=\"b\"\nJAVA_VERSION=\"" + version + "\"\n");
            Ended ended = stage("runs");
            assertThat(ended.exit()).isEqualTo(2);
            assertThat(ended.err()).contains("Java " + version, "17 or newer");
        }
    }

    /** Each Java has its own class archive, and so has a moved copy. */
    @Test
    void createsOneArchivePerJavaAndLocation() throws Exception {
        Files.writeString(
                java.resolve("bin/java"),
                """
                #!/bin/sh
                for word; do case $word in
                  -XX:DumpLoadedClassList=*) echo java/lang/Object > list1 ;;
                  -XX:SharedArchiveFile=archive) cp classes archive ;;
                esac; done
                printf '%s\\n' "$@"
                """);
        List<String> first = archives(stage("runs"));
        assertThat(first).hasSize(1);
        assertThat(archives(stage("runs"))).isEqualTo(first);
        Files.writeString(java.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
        assertThat(archives(stage("runs"))).hasSize(1).isNotEqualTo(first);
        Path there = dir.resolve("elsewhere");
        Files.move(home, there);
        home = there;
        assertThat(archives(stage("runs")).get(0)).startsWith("-XX:SharedArchiveFile=" + there);
        try (Stream<Path> left = Files.list(there.resolve("target"))) {
            assertThat(left.filter(path -> path.getFileName().toString().startsWith("archive.")))
                    .isEmpty();
        }
    }

    private static List<String> archives(Ended ended) {
        assertThat(ended.err()).isEmpty();
        return ended.out()
                .lines()
                .filter(word -> word.startsWith("-XX:SharedArchiveFile="))
                .toList();
    }

    @Test
    void reportsTheMissingJava() throws Exception {
        Ended ended = run(Path.of("/nope"), home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("stage: JAVA_HOME is '/nope', which has no bin/java: name the directory of a JDK,"
                        + " 17 or newer, or unset it\n");
    }

    /** If the JVM cannot start, for example because of an early signal, stdout stays empty. */
    @Test
    void reportsJvmFailuresOnStderr() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"));
        String script = "STAGE_JAVA_OPTS=-Djava.system.class.loader=nope exec \"$0\" --help";
        Ended ended = run(jdk, "sh", "-c", script, home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains("Error occurred during initialization of VM");
    }

    @Test
    void reportsALowLimitOfOpenFiles() throws Exception {
        String script = "ulimit -n $1 && exec \"$0\" --help";
        String launcher = home.resolve("stage").toString();
        for (int maxFiles : new int[] {6, 10, 16, 24, 40, 63}) {
            Ended ended = run(java, "sh", "-c", script, launcher, Integer.toString(maxFiles));
            assertThat(ended.exit()).isEqualTo(2);
            assertThat(ended.err()).contains("at most " + maxFiles + " files may be open", "ulimit -n");
            assertThat(ended.out()).isEmpty();
        }
        assertThat(run(java, "sh", "-c", script, launcher, "64").exit()).isZero();
    }

    @Test
    void rejectsAnEmptyInstallation() throws Exception {
        Files.delete(home.resolve("target/stagesim.jar"));
        Ended ended = stage("--help");
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err()).startsWith("stage: " + home + " is no installation");
    }

    @Test
    void reportsADeletedWorkingDirectory() throws Exception {
        Files.createDirectory(dir.resolve("gone"));
        String script = "cd gone && rmdir ../gone && exec \"$0\" --help";
        Ended ended = run(java, "sh", "-c", script, home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err()).contains("stage: the working directory does not exist any more");
        assertThat(ended.out()).isEmpty();
    }
}
