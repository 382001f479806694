package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
    @ParameterizedTest
    @ValueSource(strings = {"--help", "compare --help", "workload --help", "config show --help", "runs list --help"})
    void helpGoesToStdoutAndSucceeds(String line) {
        CliTester run = CliTester.run(line.split(" "));
        assertThat(run.exit()).isZero();
        assertThat(run.out()).startsWith("Usage: stage");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void helpOfAStageListsItsGroupsOnly() {
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
                "compare workload.num_requests=1,2 | --multirun",
                "compare --info bogus | defaults-tree",
                "compare --cfg jab | did you mean  job",
                "compare -m --jobs many | expected a whole number",
                "completion tcsh | bash, zsh, fish",
                "runs list compar | did you mean  compare",
                "compare --resolve | --cfg",
                "compare --cfg job --info | cannot be combined",
                "compare --jobs 2 | has no effect without --multirun",
                "compare --config-dir /nonexistent/dir | expected a directory",
                "compare --cfg job --package nope | no such path",
                "vidur_sim scheduler=vllm scheduler.chunk_size=64 --dry-run | belongs to kind sarathi",
                "workload arrival.qps=fast --dry-run | arrival.qps",
                "workload workload.num_requests=1.5 --dry-run | workload.num_requests",
                "verify suite=hydra | corpus",
                "verify suite=hydro corpus=. | did you mean  hydra",
                "verify suite=hydra corpus=/nonexistent/dir | no directory",
                "runs show nope | no such run",
                "config show | nothing to compose",
            })
    void wrongInputIsExplainedWithExitCodeTwo(String line, String hint) {
        CliTester run = CliTester.run(line.trim().split(" "));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.INPUT);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(hint.trim()).doesNotContain("\tat ");
    }

    @Test
    void theComposedConfigurationIsPrinted() {
        CliTester run = CliTester.run("compare", "model=llama3_8b", "--cfg", "job", "--package", "model");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("# @package model\n").contains("num_layers = 32");
    }

    @Test
    void theDefaultsListNamesFilesAndPackages() {
        String list = CliTester.run("compare", "--info", "defaults").out();
        assertThat(list).contains("config").contains("hardware/a100").contains("_global_");
    }

    @Test
    void anyTreeOfConfigsComposes(@TempDir Path dir) throws Exception {
        Files.createDirectories(dir.resolve("db"));
        Files.writeString(dir.resolve("main.conf"), "defaults = [{ db = mysql }, _self_]\nport = 1\n");
        Files.writeString(dir.resolve("db/mysql.conf"), "driver = mysql\n");
        CliTester run = CliTester.run(
                "config", "show", "--config-dir", dir.toString(), "--config-name", "main", "--json", "port=2");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).isEqualToIgnoringWhitespace("{\"db\": {\"driver\": \"mysql\"}, \"port\": 2}");
    }

    @Test
    void overridesParseToJsonLines() {
        CliTester run = CliTester.run("config", "parse", "--json", "a=1", "+b=[x,2.5]", "~c");
        assertThat(run.exit()).isZero();
        assertThat(run.lines()).hasSize(3).allMatch(line -> line.startsWith("{") && line.contains("\"ok\":true"));
    }

    @Test
    void oneWrongOverrideDoesNotHideTheOthers() {
        CliTester run = CliTester.run("config", "parse", "--json", "a=[1", "b=2");
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.lines()).hasSize(2);
        assertThat(run.lines().get(1)).contains("\"ok\":true");
    }

    @Test
    void aDryRunOfASweepShowsItsJobs() {
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
    void aMistakeInOneJobStopsTheSweepBeforeItBegins() {
        CliTester run = CliTester.run("vidur_sim", "-m", "scheduler=vllm,sarathy");
        assertThat(run.exit()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("did you mean  sarathi");
    }
}
