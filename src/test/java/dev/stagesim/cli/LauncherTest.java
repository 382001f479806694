package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.StageRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of an installed copy, with a Java that only says what it was asked for. */
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
        Files.writeString(home.resolve("target/lib/two.jar"), "");
        Files.writeString(home.resolve("target/stagesim-table.jar"), "");
        Files.createDirectories(home.resolve("target/lib-table"));
        Files.writeString(home.resolve("target/lib-table/rows.jar"), "");
        Files.writeString(home.resolve("target/launch"), LaunchRules.text(StageRegistry.standard()) + "\n");
        Path launcher = Home.fromEnvironment().dir().resolve("stage");
        Files.copy(launcher, home.resolve("stage"));
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
    void aCopyWithoutSourcesRunsAsItIsInAPathWithSpaces() throws Exception {
        Ended ended = stage("vidur_sim", "model=a b", "x='$y'");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.exit()).isZero();
        assertThat(ended.out().lines())
                .contains(
                        "-Dstagesim.home=" + home,
                        String.join(
                                ":",
                                home + "/target/stagesim.jar",
                                home + "/target/stagesim-features.jar",
                                home + "/target/lib/one.jar",
                                home + "/target/lib/two.jar"))
                .endsWith("dev.stagesim.cli.Main", "vidur_sim", "model=a b", "x='$y'");
    }

    @Test
    void theFirstRuleThatFitsSaysHowTheMachineIsSetUp() throws Exception {
        assertThat(stage("astra_sim", "a=1").out().lines())
                .contains("-Xms16m", "-Xmn4m", "-XX:TieredStopAtLevel=1")
                .doesNotContain("-Xmn16m");
        assertThat(stage("astra_sim", "network=packet_star_8", "network.packet.topology.hosts=512")
                        .out()
                        .lines())
                .contains("-Xms48m", "-Xmn16m", "-XX:TieredStopAtLevel=1");
        for (String word : List.of(
                "network=packet_a network.packet.topology.hosts=1024",
                "network=packet_torus workload.num_npus=1_024",
                "network=packet_file",
                "--config-dir=a network=packet_a",
                "simulation.symmetry=false",
                "network=packet_a workload.comm_size=1000000000",
                "workload.dir=a network=packet_a")) {
            assertThat(stage(("astra_sim " + word).split(" ", -1)).out().lines())
                    .as(word)
                    .contains("-Xms48m", "-XX:FreqInlineSize=60")
                    .doesNotContain("-XX:TieredStopAtLevel=1");
        }
        assertThat(stage("astra_sim", "-m", "a=1,2").out().lines()).contains("-Xmn16m", "-XX:FreqInlineSize=60");
        assertThat(stage("astra_sim", "a=-mb").out().lines()).contains("-Xmn4m");
        assertThat(stage().out().lines()).contains("-Xmn16m", "-XX:TieredStopAtLevel=1");
        assertThat(stage("scale_sim", "a=packet").out().lines()).contains("-XX:Tier4CompileThreshold=150000");
        for (String word : List.of("model=a", "workload.num_requests=10000", "profile=a")) {
            assertThat(stage("vidur_sim", word).out().lines()).as(word).contains("-XX:TieredStopAtLevel=1");
        }
        for (String word : List.of(
                "workload.num_requests=10001", "workload.file=a", "predictor=random_forest", "-m", "--config-dir=a")) {
            assertThat(stage("vidur_sim", word).out().lines()).as(word).contains("-XX:Tier4CompileThreshold=150000");
        }
        assertThat(stage("workload", "-m", "workload.num_requests=10", "workload.seed=1,2")
                        .out()
                        .lines())
                .contains("-XX:TieredStopAtLevel=1");
        for (String many : List.of("workload.num_requests=10,20000", "workload.file=a workload.num_requests=10")) {
            assertThat(stage(("workload -m " + many).split(" ", -1)).out().lines())
                    .as(many)
                    .contains("-XX:Tier4CompileThreshold=150000");
        }
        for (String few : List.of("workload.num_requests=100000", "cluster=session_4")) {
            assertThat(stage("cluster_sim", few).out().lines()).as(few).contains("-XX:TieredStopAtLevel=1");
        }
        for (String many :
                List.of("workload.num_requests=200000", "workload={num_requests: 1_000_00}", "regret.requests=1")) {
            assertThat(stage("cluster_sim", many).out().lines()).as(many).contains("-XX:Tier4CompileThreshold=150000");
        }
        assertThat(stage("compare", "sim.kind=a").out().lines()).contains("-XX:Tier4CompileThreshold=150000");
        assertThat(stage("compare", "model=a").out().lines()).contains("-XX:TieredStopAtLevel=1");
        assertThat(stage("vidur_sim", "predictor=random_forest", "--cfg", "job")
                        .out()
                        .lines())
                .contains("-XX:TieredStopAtLevel=1");
    }

    @Test
    void aRunSaysHowManyRequestsItHas() throws Exception {
        Path run = Files.createDirectories(dir.resolve("run"));
        for (String many : List.of("", "0,p,1,1\n9998,q,2,2\n", "0,p,1,1\n1234567,q,2,2\n")) {
            if (!many.isEmpty()) {
                Files.writeString(run.resolve("trace_lengths.csv"), many);
            }
            for (String word : List.of("workload.dir=run", "++workload.dir=run")) {
                assertThat(stage("vidur_sim", word, "a=1").out().lines())
                        .as(many)
                        .contains(
                                many.contains("9998") ? "-XX:TieredStopAtLevel=1" : "-XX:Tier4CompileThreshold=150000");
            }
        }
    }

    @Test
    void aRunThatCannotBeReadIsTheProductsToRefuse() throws Exception {
        Files.writeString(Files.createDirectories(dir.resolve("run")).resolve("trace_lengths.csv"), "0,p,1,1\n");
        Path tail = Files.createDirectories(dir.resolve("programs")).resolve("tail");
        Files.writeString(tail, "#!/bin/sh\nexit 1\n");
        assertThat(tail.toFile().setExecutable(true)).isTrue();
        Ended ended = run(
                java,
                "env",
                "PATH=" + tail.getParent() + ":" + System.getenv("PATH"),
                home.resolve("stage").toString(),
                "vidur_sim",
                "workload.dir=run");
        assertThat(ended.exit()).isZero();
        assertThat(ended.out().lines()).contains("workload.dir=run", "-XX:Tier4CompileThreshold=150000");
    }

    @Test
    void aCommandWithJarsOfItsOwnGetsThem() throws Exception {
        String table = home + "/target/stagesim-table.jar:" + home + "/target/lib-table/rows.jar";
        assertThat(stage("table", "x").out()).contains(table);
        assertThat(stage("runs", "x").out()).doesNotContain("stagesim-table.jar");
    }

    /** The product is asked once, and what it said is kept. */
    @Test
    void rulesAreAskedForAfterABuild() throws Exception {
        Path rules = home.resolve("target/launch");
        Files.delete(rules);
        assertThat(stage("--help").exit()).isZero();
        assertThat(Files.readString(rules)).contains("--launch-rules");
        Files.writeString(rules, "kept|||1m||-Da=b\n");
        assertThat(stage("kept").out().lines()).contains("-Da=b", "-Xms1m");
    }

    private void archive() throws Exception {
        stage("--version");
        String place = java.resolve("bin/java").toRealPath().toString().replaceAll("[^A-Za-z0-9.]", "_");
        String end = place.substring(Math.max(0, place.length() - 99));
        Files.writeString(home.resolve("target/classes-17.0.9-" + end + ".jsa"), "");
    }

    /** The list of commands is made once after a build; whatever may change it asks the product. */
    @Test
    void theListOfCommandsIsKept() throws Exception {
        archive();
        String first = stage("--help").out();
        assertThat(first).endsWith("dev.stagesim.cli.Main\n--help\n");
        assertThat(home.resolve("target/help")).hasContent(first);
        Files.writeString(java.resolve("bin/java"), "#!/bin/sh\necho asked\n");
        assertThat(stage("--help").out()).isEqualTo(first);
        assertThat(stage("-h").out()).isEqualTo(first);
        assertThat(stage("--help", "x").out()).isEqualTo("asked\n");
        for (String set : List.of("STAGE_JAVA_OPTS=-Xmx1g", "STAGE_CLASSPATH=a.jar", "CLICOLOR_FORCE=1")) {
            String script = set + " exec \"$0\" --help";
            String out = run(java, "sh", "-c", script, home.resolve("stage").toString())
                    .out();
            assertThat(out).as(set).isEqualTo("asked\n");
        }
        Files.setLastModifiedTime(
                home.resolve("target/stagesim.jar"), FileTime.from(Instant.now().plusSeconds(9)));
        assertThat(stage("--help").out()).isEqualTo("asked\n");
    }

    /** Where nobody reads on, the product is asked, which says so. */
    @Test
    void aListThatCannotBeWrittenIsTheProductsToSay() throws Exception {
        archive();
        Files.writeString(home.resolve("target/help"), "kept\n");
        String script = "exec \"$0\" --help > /dev/full";
        Files.writeString(java.resolve("bin/java"), "#!/bin/sh\necho told >&2\nexit 7\n");
        assertThat(stage("--help").out()).isEqualTo("kept\n");
        Ended ended = run(java, "sh", "-c", script, home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(7);
        assertThat(ended.err()).isEqualTo("told\n");
    }

    @Test
    void aCopyThatWasMovedRunsWhereItIs() throws Exception {
        stage("--help");
        Files.writeString(home.resolve("target/classes-old.jsa"), "");
        Path there = dir.resolve("elsewhere");
        Files.move(home, there);
        home = there;
        assertThat(stage("--help").out())
                .contains(there + "/target/stagesim.jar:")
                .doesNotContain("instal lation");
        assertThat(there.resolve("target/classes-old.jsa")).doesNotExist();
    }

    @Test
    void aJavaThatIsNotThereIsNamed() throws Exception {
        Ended ended = run(Path.of("/nope"), home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("stage: JAVA_HOME is '/nope', which has no bin/java: name the directory of a JDK,"
                        + " 17 or newer, or unset it\n");
    }

    /** A machine that cannot start, as it cannot where a signal comes first, leaves stdout to results. */
    @Test
    void aMachineThatCannotStartSaysSoOnStderr() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"));
        String script = "STAGE_JAVA_OPTS=-Djava.system.class.loader=nope exec \"$0\" --help";
        Ended ended = run(jdk, "sh", "-c", script, home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(1);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).contains("Error occurred during initialization of VM");
    }

    @Test
    void aLimitOfOpenFilesThatIsTooLowIsSaid() throws Exception {
        String script = "ulimit -n $1 && exec \"$0\" --help";
        String launcher = home.resolve("stage").toString();
        for (int most : new int[] {6, 10, 16, 24, 40, 63}) {
            Ended ended = run(java, "sh", "-c", script, launcher, Integer.toString(most));
            assertThat(ended.exit()).isEqualTo(2);
            assertThat(ended.err()).contains("at most " + most + " files may be open", "ulimit -n");
            assertThat(ended.out()).isEmpty();
        }
        assertThat(run(java, "sh", "-c", script, launcher, "64").exit()).isZero();
    }

    @Test
    void anEmptyCopyIsNoInstallation() throws Exception {
        Files.delete(home.resolve("target/stagesim.jar"));
        Ended ended = stage("--help");
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err()).startsWith("stage: " + home + " is no installation");
    }

    @Test
    void aWorkingDirectoryThatIsGoneIsSaid() throws Exception {
        Files.createDirectory(dir.resolve("gone"));
        String script = "cd gone && rmdir ../gone && exec \"$0\" --help";
        Ended ended = run(java, "sh", "-c", script, home.resolve("stage").toString());
        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.err()).contains("stage: the working directory does not exist any more");
        assertThat(ended.out()).isEmpty();
    }
}
