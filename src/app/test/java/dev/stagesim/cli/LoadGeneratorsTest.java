package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.ChildJava;
import dev.stagesim.PythonEnvironment;
import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import dev.stagesim.model.StageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs load generators against {@code serve_mock}, reads their result files, and compares them with the record of the server.
 * vLLM needs several GB and runs only in a prepared environment.
 */
@Tag("acceptance")
class LoadGeneratorsTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final Path TOKENIZER = HOME.resolve("tests-data/clients/tokenizer");
    private static final String MODEL = "meta-llama/Meta-Llama-3-8B";
    private static final String[] SERVICE = {"model=llama3_8b", "hardware=l40s"};
    private static final int REQUESTS = 12;
    private static final int PROMPT = 64;
    private static final int OUTPUT = 24;

    @TempDir
    Path scratch;

    private enum Client {
        GUIDELLM("guidellm", "guidellm==0.8.*", "guidellm.json"),
        AIPERF("aiperf", "aiperf==0.13.*", "aiperf"),
        VLLM("vllm", "vllm==0.33.*", "vllm.json");

        final String program;
        final String requirement;
        final String result;

        Client(String program, String requirement, String result) {
            this.program = program;
            this.requirement = requirement;
            this.result = result;
        }

        String[] arguments(String server, Path scratch) {
            String tokenizer = TOKENIZER.toString();
            String prompt = Integer.toString(PROMPT);
            String output = Integer.toString(OUTPUT);
            String requests = Integer.toString(REQUESTS);
            String file = scratch.resolve(result).toString();
            return switch (this) {
                case GUIDELLM ->
                    words(
                            "run --disable-console --profile kind=constant,rate=4 --backend",
                            "kind=openai_http,request_format=/v1/completions,target=" + server + ",model=" + MODEL,
                            "--constraint kind=max_requests,count=" + requests,
                            "--tokenizer kind=hf_auto,model=" + tokenizer,
                            "--data kind=synthetic_text,prompt_tokens=" + prompt + ",output_tokens=" + output,
                            "--output kind=json,path=" + file);
                case AIPERF ->
                    words(
                            "profile --endpoint-type completions --streaming --request-rate 4 --ui none",
                            "--extra-inputs ignore_eos:true --model " + MODEL + " --url " + server,
                            "--request-count " + requests + " --synthetic-input-tokens-mean " + prompt,
                            "--output-tokens-mean " + output + " --tokenizer " + tokenizer,
                            "--artifact-dir " + file);
                case VLLM ->
                    words(
                            "bench serve --backend openai --dataset-name random --request-rate 4 --ignore-eos",
                            "--save-result --save-detailed --model " + MODEL + " --base-url " + server,
                            "--num-prompts " + requests + " --random-input-len " + prompt,
                            "--random-output-len " + output + " --tokenizer " + tokenizer,
                            "--result-filename " + file);
            };
        }

        private static String[] words(String... parts) {
            return String.join(" ", parts).split(" ");
        }
    }

    @ParameterizedTest
    @EnumSource
    void measuresWhatTheServerRecords(Client client) throws Exception {
        assumeTrue(
                client != Client.VLLM || PythonEnvironment.isPrepared("vllm"),
                "vllm bench needs several GB: prepare an environment 'vllm' in -Dstagesim.python=DIR");
        PythonEnvironment python = PythonEnvironment.open(scratch, client.program, client.requirement);
        Stagesim stagesim = Stagesim.open(HOME, scratch);
        Run served = stagesim.read(serve(python, client));
        Run measured = stagesim.run("real_bench", with("real.file=" + scratch.resolve(client.result)));
        List<double[]> expected = requests(served);
        List<double[]> actual = requests(measured);
        assertThat(actual).hasSize(REQUESTS);
        // clients send test requests before the measured ones
        expected = expected.subList(expected.size() - REQUESTS, expected.size());
        for (int i = 0; i < REQUESTS; i++) {
            assertThat(actual.get(i)[1]).as("prompt tokens of " + i).isEqualTo(expected.get(i)[1]);
            assertThat(actual.get(i)[2]).as("output tokens of " + i).isEqualTo(OUTPUT);
        }
        double tpot = mean(expected);
        double lateNs = served.figures().get("late_p99_ms") * 1e6;
        assertThat(mean(actual)).as("TPOT").isCloseTo(tpot, within(0.01 * tpot + lateNs / (OUTPUT - 1)));
        assertThatThrownBy(
                        () -> stagesim.run("real_bench", "real.file=" + scratch.resolve(client.result), "model=qwen3"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(MODEL + " was measured");
        Run simulated = stagesim.run("vidur_sim", with("workload.dir=" + served.dir()));
        assertThat(tpots(simulated)).as("the record as a workload").containsExactly(tpots(served));
    }

    private static String[] with(String... more) {
        List<String> all = new ArrayList<>(List.of(SERVICE));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Runs a client against a server and returns the run of the server. */
    private Path serve(PythonEnvironment python, Client client) throws Exception {
        Path ready = scratch.resolve("ready.txt");
        Path out = scratch.resolve("server.txt");
        List<String> command = ChildJava.command(Main.class, "-Dstagesim.home=" + HOME);
        command.add("serve_mock");
        command.addAll(List.of(with(
                "server.port=0",
                "server.stop_after=900",
                "server.ready_file=" + ready,
                "server.tokenizer=" + TOKENIZER.resolve("tokenizer.json"))));
        Process server = new ProcessBuilder(command)
                .directory(scratch.toFile())
                .redirectOutput(out.toFile())
                .redirectError(scratch.resolve("server.err").toFile())
                .start();
        try {
            for (int i = 0; i < 600 && server.isAlive() && !Files.exists(ready); i++) {
                TimeUnit.MILLISECONDS.sleep(100);
            }
            assertThat(ready)
                    .as(Files.readString(scratch.resolve("server.err")))
                    .exists();
            String address = Files.readString(ready).strip().replaceFirst("/v1$", "");
            Map<String, String> variables = client == Client.AIPERF ? Map.of() : Map.of("HF_HUB_OFFLINE", "1");
            PythonEnvironment.Ended ended =
                    python.run(Duration.ofMinutes(8), variables, client.program, client.arguments(address, scratch));
            assertThat(ended.exit()).as(ended.output()).isZero();
        } finally {
            server.destroy(); // SIGTERM completes the run
            if (!server.waitFor(1, TimeUnit.MINUTES)) {
                server.destroyForcibly();
            }
        }
        return scratch.resolve(Files.readString(out).strip());
    }

    /** Returns arrival, prompt tokens, output tokens and TPOT of each request, in order of arrival. */
    private static List<double[]> requests(Run run) {
        var table = run.table("request_metrics.csv");
        double[] arrivals = table.numbers("arrival_time_ns");
        double[] prompts = table.numbers("num_prefill_tokens");
        double[] outputs = table.numbers("num_decode_tokens");
        double[] tpots = table.numbers("tpot_ns");
        List<double[]> requests = new ArrayList<>();
        for (int i = 0; i < arrivals.length; i++) {
            requests.add(new double[] {arrivals[i], prompts[i], outputs[i], tpots[i]});
        }
        requests.sort((a, b) -> Double.compare(a[0], b[0]));
        return requests;
    }

    private static double[] tpots(Run run) {
        return requests(run).stream().mapToDouble(request -> request[3]).toArray();
    }

    private static double mean(List<double[]> requests) {
        return requests.stream().mapToDouble(request -> request[3]).average().orElseThrow();
    }
}
