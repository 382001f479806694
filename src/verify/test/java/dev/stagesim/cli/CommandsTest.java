package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
    @ParameterizedTest
    @ValueSource(strings = {"--help", "compare --help", "workload --help", "config show --help", "runs list --help"})
    void printsHelpToStdout(String line) {
        CliTester run = CliTester.run(line.split(" "));
        assertThat(run.exit()).isZero();
        assertThat(run.out()).startsWith("Usage: stage");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void acceptsAFlagForAnOverride() {
        assertThat(CliTester.run("fabric", "--help").out())
                .contains("--optimize")
                .contains("optimize=true");
        String plain = CliTester.run("fabric", "--cfg", "job").out();
        String flagged = CliTester.run("fabric", "--optimize", "--cfg", "job").out();
        assertThat(plain).contains("optimize = false");
        assertThat(flagged).isEqualTo(plain.replace("optimize = false", "optimize = true"));
        assertThat(CliTester.run("workload", "--optimize").exit()).isEqualTo(2);
    }

    @Test
    void listsOnlyGroupsOfAStageInItsHelp() {
        String help = CliTester.run("workload", "--help").out();
        assertThat(help).contains("arrival").contains("arxiv_summarization").doesNotContain("sarathi");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "compar | did you mean  compare",
                "compare --confg | did you mean  --cfg",
                "compare modle=qwen3 | did you mean",
                "compare model=qwen33 | did you mean  qwen3",
                "compare workload.num_requests=1,2 | run one job for each value: -m",
                "compare --info bogus | defaults-tree",
                "compare --cfg jab | did you mean  job",
                "compare -m --jobs many | expected a whole number",
                "workload -m workload=azure_conv,small_chat workload=small_chat | contradict each other",
                "workload -m workload.num_requests=1,2 workload.num_requests=3 | contradict each other",
                "compare --confined --config-dir /etc | cannot be combined with --confined",
                "compare --confined -cp configs | cannot be combined with --confined",
                "compare --confined limits.hours=${oc.env:HOME} | environment",
                "compare --confined -m launcher=spark launcher.submit=/bin/sh | names a program",
                "compare --confined -m launcher=spark launcher.conf=[a=b] | names a program",
                "compare --force=maybe | --force maybe: no such value",
                "compare --force=false --resolve=false --jobs 2 | --jobs: has no effect without --multirun",
                "compare --force --force | option '--force' should be specified only once",
                "completion tcsh | bash, zsh, fish",
                "runs list compar | did you mean  compare",
                "compare --resolve | --cfg",
                "compare --cfg job --info | cannot be combined",
                "compare --jobs 2 | has no effect without --multirun",
                "compare --config-dir /nonexistent/dir | expected a directory",
                "compare --cfg job --package nope | no such path",
                "vidur_sim scheduler=vllm scheduler.chunk_size=64 --dry-run | needs scheduler.kind=sarathi",
                "workload arrival.qps=fast --dry-run | arrival.qps",
                "workload workload.num_requests=1.5 --dry-run | workload.num_requests",
                "compare hardware=h100 --dry-run | there is no recording of model",
                "real_bench real.source=vllm --dry-run | reads a file",
                "real_bench real.source=vlm --dry-run | did you mean  vllm",
                "real_bench real.file=none.json --dry-run | none.json: does not exist",
                "compare real.entry=1 --dry-run | real.entry: has no effect",
                "compare workload=trace workload.file=none.csv --dry-run | none.csv: does not exist",
                "vidur_sim predictor.kind=tables predictor.dir=none --dry-run | none: does not exist",
                "vidur_sim -m workload.rows.skip=1,2 | workload.rows",
                "vidur_sim repeat=2 --dry-run | has no effect: no stage of this run measures",
                "workload repeat=0 --dry-run | has no effect",
                "compare real.dir=nowhere repeat=x --dry-run | expected a non-negative integer",
                "real_bench repeat=-1 --dry-run | expected a non-negative integer",
                "real_bench repeat=1,2 | --multirun",
                "vidur_sim -m repeat=range(0,3) --dry-run | has no effect",
                "verify suite=hydra | corpus",
                "verify suite=hydro corpus=. | did you mean  hydra",
                "verify suite=hydra corpus=/nonexistent/dir | no directory",
                "runs show nope | no such run",
                "workload = | contains no key",
                "workload ~ | contains no key",
                "workload arrival.qps=inf --dry-run | give a finite number",
                "astra_sim network.topology.npus_count=8 --dry-run | write it in brackets: [8]",
                "fabric arrival.qps=20 --dry-run | is a group of configs",
                "workload arrival=static arrival.qps=3 | needs arrival.kind=poisson, gamma or closed_loop",
                "config show | nothing to compose",
                "vidur_sim hydra.run.dir=/tmp/x --dry-run | hydra.run.dir: has no effect",
                "vidur_sim hydra.output_subdir=null --dry-run | hydra.output_subdir: has no effect",
                "vidur_sim hydra/launcher=basic --dry-run | launcher=<option>",
                "vidur_sim hydra={verbose:true} --dry-run | hydra: has no effect",
                "vidur_sim ++workload.sharing.think=3 --dry-run | has a new name: workload.sharing.think_time_s",
                "vidur_sim +workload.sharing={think:3} --dry-run | has a new name: workload.sharing.think_time_s",
                "vidur_sim ~workload.sharing.think --dry-run | has a new name: workload.sharing.think_time_s",
                "vidur_sim -m arrival.qps=1,1 --dry-run | jobs #0 and #1 of the sweep are equal",
            })
    void exitsWithTwoAndAMessageForInvalidInput(String line, String hint) {
        CliTester run = CliTester.run(line.trim().split(" "));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(hint.trim()).doesNotContain("\tat ");
    }

    @Test
    void reportsOnlyAnUnknownOption() {
        CliTester run = CliTester.run("astra_sim", "network=nope", "workload.num_npus=16", "workload.kind=serving");
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("unknown option of group 'network'").containsOnlyOnce("config error");
    }

    @Test
    void reportsAConfigInYaml(@TempDir Path dir) throws Exception {
        Files.createDirectories(dir.resolve("model"));
        Files.writeString(dir.resolve("model/mine.yaml"), "a: 1\n");
        CliTester run = CliTester.run("compare", "--config-dir", dir.toString(), "model=mine");
        assertThat(run.err()).contains("mine.yaml exists, but only .conf and .json files are read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"workload.num_requests=", "workload.file="})
    void truncatesLongValuesInErrors(String key) {
        CliTester run = CliTester.run("workload", key + "9".repeat(100_000));
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err().lines()).isNotEmpty().allMatch(line -> line.length() < 1000);
    }

    @ParameterizedTest
    @Tag("acceptance")
    @ValueSource(strings = {"model=", "+x="})
    void truncatesLongNamesInErrors(String key) {
        truncatesLongValuesInErrors(key);
    }

    @Test
    void printsTheSearchPathOfSeveralErrorsOnce() {
        String text = CliTester.run("vidur_sim", "model=nope", "hardware=nope").err();
        assertThat(text).containsOnlyOnce("searched").contains("model/nope", "hardware/nope");
    }

    @Test
    void listsAllCommands() {
        String all = new Cli(Console.system(), CliTester.home()).commandLine().getUsageMessage();
        assertThat(CliTester.run("--help").out().lines().map(String::strip).toList())
                .containsExactlyElementsOf(all.lines().map(String::strip).toList());
    }

    @Test
    void listsEveryOptionOfAGroup() throws Exception {
        String help = CliTester.run("vidur_sim", "--help", "--all").out();
        try (var models = Files.list(CliTester.home().configs().resolve("model"))) {
            assertThat(models.map(file -> file.getFileName().toString().replace(".conf", "")))
                    .isNotEmpty()
                    .allMatch(help::contains);
        }
        assertThat(help.lines()).allMatch(line -> line.length() <= 110);
    }

    @Test
    void ignoresAClosedPipe() {
        java.io.ByteArrayOutputStream err = new java.io.ByteArrayOutputStream();
        java.io.OutputStream gone = new java.io.OutputStream() {
            @Override
            public void write(int one) throws java.io.IOException {
                throw new java.io.IOException("Broken pipe");
            }
        };
        Console console =
                new Console(new Console.Output(new Console.Watched(gone)), new java.io.PrintStream(err), false, false);
        assertThat(new Cli(console, CliTester.home()).run("--help")).isEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(err.size()).isZero();
    }

    @Test
    void printsTheComposedConfiguration() {
        CliTester run = CliTester.run("compare", "model=llama3_8b", "--cfg", "job", "--package", "model");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("# @package model\n").contains("num_layers = 32");
    }

    @Test
    void choosesTheSchedulerOfTheEngineUnlessOneIsNamed() {
        assertThat(scheduler("engine=vllm_v1")).contains("kind = \"vllm_v1\"");
        assertThat(scheduler("engine=sglang")).contains("kind = \"sglang\"");
        assertThat(scheduler("engine=trtllm", "scheduler.max_num_batched_tokens=256"))
                .contains("kind = \"vllm_v1\"", "max_num_batched_tokens = 256");
        assertThat(scheduler("engine=vllm_v1", "scheduler=orca")).contains("kind = \"orca\"");
        assertThat(scheduler("engine=sarathi")).contains("kind = \"sarathi\"");
        assertThat(scheduler("engine=llama_cpp")).contains("kind = \"sarathi\"");
        assertThat(CliTester.run("compare", "real=reference", "--cfg", "job", "--package", "scheduler")
                        .out())
                .contains("kind = \"sarathi\"");
        assertThat(scheduler("engine=vllm")).contains("kind = \"vllm_v1\"");
        for (String stage : List.of("vidur_sim", "compare", "calibrate", "serve_mock")) {
            assertThat(CliTester.run(stage, "--cfg", "job", "--package", "scheduler")
                            .out())
                    .as(stage)
                    .contains("kind = \"vllm_v1\"");
        }
    }

    private static String scheduler(String... words) {
        List<String> line = new ArrayList<>(List.of("vidur_sim", "--cfg", "job", "--package", "scheduler"));
        line.addAll(List.of(words));
        CliTester run = CliTester.run(line.toArray(new String[0]));
        assertThat(run.exit()).as(run.err()).isZero();
        return run.out();
    }

    @Test
    void listsFilesAndPackagesOfTheDefaultsList() {
        String list = CliTester.run("compare", "--info", "defaults").out();
        assertThat(list).contains("config").contains("hardware/a100").contains("_global_");
    }

    @Test
    void warnsOfADeprecatedKey(@TempDir Path dir) throws Exception {
        Files.writeString(dir.resolve("main.conf"), "port = 80\nold = \"${oc.deprecated:port}\"\n");
        CliTester run = CliTester.run(
                "config", "show", "--config-dir", dir.toString(), "--config-name", "main", "--resolve", "--json");
        assertThat(run.out()).contains("\"old\": 80");
        assertThat(run.err()).isEqualTo("warning: 'old' is deprecated, use 'port'\n");
    }

    @Test
    void composesAnyTreeOfConfigs(@TempDir Path dir) throws Exception {
        Files.createDirectories(dir.resolve("db"));
        Files.writeString(dir.resolve("main.conf"), "defaults = [{ db = mysql }, _self_]\nport = 1\n");
        Files.writeString(dir.resolve("db/mysql.conf"), "driver = mysql\n");
        CliTester run = CliTester.run(
                "config", "show", "--config-dir", dir.toString(), "--config-name", "main", "--json", "port=2");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).isEqualToIgnoringWhitespace("{\"db\": {\"driver\": \"mysql\"}, \"port\": 2}");
    }

    @Test
    void printsParsedOverridesAsJsonLines() {
        CliTester run = CliTester.run("config", "parse", "--json", "a=1", "+b=[x,2.5]", "~c");
        assertThat(run.exit()).isZero();
        assertThat(run.lines()).hasSize(3).allMatch(line -> line.startsWith("{") && line.contains("\"ok\":true"));
    }

    @Test
    void reportsAllInvalidOverrides() {
        CliTester run = CliTester.run("config", "parse", "--json", "a=[1", "b=2");
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.lines()).hasSize(2);
        assertThat(run.lines().get(1)).contains("\"ok\":true");
    }

    @Test
    void listsJobsOfASweepInADryRun() {
        CliTester run =
                CliTester.run("vidur_sim", "-m", "--dry-run", "scheduler=vllm,sarathi", "arrival.qps=range(1,3)");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "#0  scheduler=vllm arrival.qps=1",
                        "#1  scheduler=vllm arrival.qps=2",
                        "#2  scheduler=sarathi arrival.qps=1",
                        "#3  scheduler=sarathi arrival.qps=2");
    }

    @Test
    void listsTheChainInADryRun() {
        CliTester run = CliTester.run("compare", "model=qwen3", "hardware=a100", "--dry-run");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .containsExactly(
                        "workload       would run as workload",
                        "real_bench     would run as real",
                        "vidur_sim      would run as sim",
                        "compare        would run",
                        "the configuration is complete; nothing was run");
        assertThat(CliTester.run("compare", "--dry-run", "--json").out())
                .startsWith("{\"stage\":\"compare\",\"would_run\":[{")
                .contains("\"role\":\"sim\",\"stage\":\"vidur_sim\"");
    }

    @Test
    void listsRepetitionsInADryRun() {
        assertThat(CliTester.run("real_bench", "workload=spaced_chat", "repeat=2", "--dry-run")
                        .exit())
                .isZero();
        CliTester run = CliTester.run("real_bench", "-m", "--dry-run", "workload=spaced_chat", "repeat=range(0,3)");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "#0  workload=spaced_chat repeat=0",
                        "#1  workload=spaced_chat repeat=1",
                        "#2  workload=spaced_chat repeat=2");
    }

    @Test
    void rejectsASweepWithAnInvalidJobBeforeItStarts() {
        CliTester run = CliTester.run("vidur_sim", "-m", "scheduler=vllm,sarathy");
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("did you mean  sarathi");
    }
}
