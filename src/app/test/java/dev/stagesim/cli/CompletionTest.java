package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionTest {
    private static List<String> complete(String... words) {
        String[] args = new String[words.length + 1];
        args[0] = "complete";
        System.arraycopy(words, 0, args, 1, words.length);
        CliTester run = CliTester.run(args);
        assertThat(run.exit()).as(run.err()).isZero();
        return run.lines();
    }

    @Test
    void completesCommandsFirst() {
        assertThat(complete("")).containsExactlyElementsOf(new TreeSet<>(CliTester.commands()));
        assertThat(complete("vid")).containsExactly("vidur_profile", "vidur_sim");
    }

    @Test
    void offersGroupsAndSections() {
        assertThat(complete("compare", "mod")).containsExactly("model.", "model=");
        assertThat(complete("compare", "model=q")).contains("model=qwen3").allMatch(word -> word.startsWith("model=q"));
    }

    @Test
    void offersFurtherOptionsAfterAComma() {
        assertThat(complete("vidur_sim", "-m", "scheduler=vllm,or")).containsExactly("scheduler=vllm,orca");
        assertThat(complete("vidur_sim", "-m", "scheduler=vllm,")).doesNotContain("scheduler=vllm,vllm");
    }

    @Test
    void completesKeysOfASection() {
        assertThat(complete("workload", "arrival.q")).containsExactly("arrival.qps=");
        assertThat(complete("workload", "compat=")).contains("compat=none", "compat=vidur");
    }

    @Test
    void completesOverridesWithAPrefix() {
        assertThat(complete("vidur_sim", "~sch")).containsExactly("~scheduler");
        assertThat(complete("vidur_sim", "+mod")).containsExactly("+model=");
        assertThat(complete("workload", "++arrival.qp")).containsExactly("++arrival.qps=");
    }

    @Test
    void completesSweeperKeysWithMultirun() {
        assertThat(complete("vidur_sim", "-m", "launcher="))
                .containsExactly("launcher=local", "launcher=shard", "launcher=spark");
        assertThat(complete("vidur_sim", "--multirun", "launcher.ma")).containsExactly("launcher.master=");
        assertThat(complete("vidur_sim", "-m", "sweeper=p")).containsExactly("sweeper=pareto");
        assertThat(complete("vidur_sim", "-m", "sweeper.seed"))
                .contains("sweeper.seed=", "sweeper.seeds=", "sweeper.seed_key=");
        assertThat(complete("vidur_sim", "-m", "sha")).containsExactly("shard=");
        assertThat(complete("vidur_sim", "-m", "sched")).contains("scheduler=", "scheduler.");
        assertThat(complete("vidur_sim", "launcher=")).as("without effect").isEmpty();
    }

    @Test
    void completesFlags() {
        assertThat(complete("compare", "--conf"))
                .containsExactly("--config-dir", "--config-name", "--config-path", "--config-snapshot", "--confined");
        assertThat(complete("runs", "l")).containsExactly("list");
        assertThat(complete("runs", "e")).containsExactly("export");
        assertThat(complete("engines", "")).contains("install", "list", "remove");
        assertThat(complete("sweep", "emit", "")).contains("kubernetes", "slurm");
        assertThat(complete("inspect", "")).contains("check", "diff", "graph", "show", "stats", "timeline");
        assertThat(complete("completion", "z")).containsExactly("zsh");
        assertThat(complete("compare", "--cfg", "")).containsExactly("job", "stage", "all");
        assertThat(complete("runs", "list", "vid")).containsExactly("vidur_profile", "vidur_sim");
    }

    @Test
    void offersNothingForUnknownText() {
        assertThat(complete("compare", "nope=")).isEmpty();
        assertThat(complete("nope", "x")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void printsAScriptForEveryShell(String shell) {
        CliTester run = CliTester.run("completion", shell);
        assertThat(run.exit()).isZero();
        assertThat(run.out()).contains("complete").contains("stage");
    }
}
