package dev.stagesim.stage.compare;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes run directories of requests with constant step time and without queueing by default. */
final class RunFixture {
    private final List<String> requests = new ArrayList<>();
    private final List<String> tokens = new ArrayList<>();
    private final List<String> meta = new ArrayList<>();
    private long nextId;

    /** Adds a completed request with times in µs. */
    RunFixture request(long arrivalUs, int prompt, int requested, int actual, long ttftUs, long gapUs) {
        long id = nextId++;
        long arrival = arrivalUs * 1000;
        long at = arrival + ttftUs * 1000;
        long first = at;
        tokens.add(id + ",0," + at + "," + (at - arrival));
        for (int k = 1; k < actual; k++) {
            at += gapUs * 1000;
            tokens.add(id + "," + k + "," + at + "," + gapUs * 1000);
        }
        requests.add(id + "," + arrival + "," + first + "," + (first - arrival) + "," + at + "," + prompt + ","
                + requested + "," + actual + ",completed");
        return this;
    }

    /** Truncates a request's rows in the token table. */
    RunFixture tokensUpTo(long request, int count) {
        tokens.removeIf(row -> row.startsWith(request + ",") && Integer.parseInt(row.split(",", -1)[1]) >= count);
        return this;
    }

    RunFixture failed(long arrivalUs, int prompt) {
        requests.add(nextId++ + "," + arrivalUs * 1000 + ",,,," + prompt + ",1,0,failed");
        return this;
    }

    /** Adds a member of {@code run_meta.json}, as JSON. */
    RunFixture meta(String name, String json) {
        meta.add("\"" + name + "\": " + json);
        return this;
    }

    Path write(Path directory, boolean withTokens) throws IOException {
        Files.createDirectories(directory);
        List<String> rows = new ArrayList<>(requests);
        rows.add(
                0,
                "request_id,arrival_time_ns,first_token_time_ns,ttft_ns,completion_time_ns,num_prefill_tokens,"
                        + "num_decode_tokens,num_decode_tokens_actual,status");
        Files.write(directory.resolve("request_metrics.csv"), rows);
        if (withTokens) {
            List<String> lines = new ArrayList<>(tokens);
            lines.add(0, "request_id,token_index,token_time_ns,token_latency_ns");
            Files.write(directory.resolve("token_metrics.csv"), lines);
        }
        Files.writeString(directory.resolve("run_meta.json"), "{" + String.join(", ", meta) + "}");
        return directory;
    }

    /** Writes the run with counts of token times, like {@code output.detail=summary}. */
    Path writeSummary(Path directory) throws IOException {
        TokenSpread spread = new TokenSpread(new LogHistogram(), new LogHistogram());
        for (String row : tokens) {
            String[] cells = row.split(",", -1);
            (cells[1].equals("0") ? spread.first() : spread.between()).add(Long.parseLong(cells[3]));
        }
        write(directory, false);
        spread.write(directory.resolve("token_times.csv"));
        return directory;
    }

    /** Returns a simulation of the shipped A100 recording with the speed of its authors' simulation. */
    static RunFixture fastSimulation() {
        int[] prompts = {9, 9, 14, 13, 13, 11, 7, 10};
        RunFixture run = new RunFixture()
                .meta("model", "\"Qwen/Qwen3-0.6B\"")
                .meta("hardware", "\"A100-SXM-80GB\"")
                .meta("params", "{\"cluster\": {\"tensor_parallel_size\": 1}, \"scheduler\": {\"kind\": \"vllm\"}}");
        for (int i = 0; i < prompts.length; i++) {
            run.request(i * 2_000_000L, prompts[i], 64, 64, 1960 + prompts[i], 1824);
        }
        return run;
    }

    static JsonValue json(Path file) throws IOException {
        return Json.read(file).value();
    }
}
