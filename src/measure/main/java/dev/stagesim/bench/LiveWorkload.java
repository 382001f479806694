package dev.stagesim.bench;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Requests of a workload run for a live server, with the prompts of the workload or with synthetic prompts of about the same
 * length.
 */
public final class LiveWorkload {
    private static final String PROMPTS = "prompts.jsonl";

    /** Words that are one token in common tokenizers, including the blank. */
    private static final String[] WORDS = {
        " the", " of", " and", " to", " in", " for", " is", " on", " that", " by", " this", " with", " you", " it",
        " not", " or"
    };

    private final long salt;
    private final boolean isMadeUp;
    private final List<PlannedRequest> requests = new ArrayList<>();
    private final List<String> promptIds = new ArrayList<>();
    private final Map<Long, Long> sessions = new TreeMap<>();
    private final List<Long> prefill = new ArrayList<>();
    private final List<Long> decode = new ArrayList<>();

    private LiveWorkload(String salt, boolean isMadeUp) {
        this.salt = Long.parseUnsignedLong(Sha256.hex(salt).substring(0, Long.SIZE / 4), 16);
        this.isMadeUp = isMadeUp;
    }

    /**
     * Reads the workload of a run.
     *
     * @param salt text that changes the beginning of all synthetic prompts
     */
    public static LiveWorkload read(RunInput run, String salt) throws IOException {
        Map<Long, String> texts = texts(run);
        Map<Long, List<long[]>> shared = sharedTokens(run);
        LiveWorkload workload = new LiveWorkload(salt, texts.isEmpty());
        try (TableReader lengths = TableReader.open(run.file(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS);
                TableReader times = TableReader.open(run.file(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            int id = lengths.column("request_id");
            int prompt = lengths.column("prompt_id");
            int input = lengths.column("num_prefill_tokens");
            int output = lengths.column("num_decode_tokens");
            int arrival = times.column("arrival_time_ns");
            while (lengths.next() && times.next()) {
                long number = lengths.longAt(id);
                long tokens = lengths.longAt(input);
                String text = texts.containsKey(number)
                        ? texts.get(number)
                        : workload.words(number, tokens, shared.getOrDefault(number, List.of()));
                workload.sessions.put(number, session(number, shared.getOrDefault(number, List.of())));
                workload.promptIds.add(lengths.stringAt(prompt));
                workload.prefill.add(tokens);
                workload.decode.add(lengths.longAt(output));
                workload.requests.add(new PlannedRequest(
                        number, times.longAt(arrival), text, Math.toIntExact(lengths.longAt(output))));
            }
        }
        return workload;
    }

    private static Map<Long, String> texts(RunInput run) throws IOException {
        Map<Long, String> texts = new TreeMap<>();
        if (run.has(PROMPTS)) {
            try (JsonDocuments lines = Json.stream(run.file(PROMPTS), JsonMode.STRICT)) {
                for (Optional<LocatedJson> line = lines.next(); line.isPresent(); line = lines.next()) {
                    LocatedJson at = line.get();
                    at.find("prompt")
                            .ifPresent(text -> texts.put(at.get("request_id").asLong(), text.asString()));
                }
            }
        }
        return texts;
    }

    /** Shared prompt prefixes by request: first token and number of tokens of each run. */
    private static Map<Long, List<long[]>> sharedTokens(RunInput run) throws IOException {
        Map<Long, List<long[]>> shared = new TreeMap<>();
        if (run.has(Tables.TRACE_TOKENS.name())) {
            TableReader.forEach(
                    run.file(Tables.TRACE_TOKENS.name()), Tables.TRACE_TOKENS, row -> shared.computeIfAbsent(
                                    row.longAt("request_id"), request -> new ArrayList<>())
                            .add(new long[] {row.longAt("first_token"), row.longAt("num_tokens")}));
        }
        return shared;
    }

    /**
     * Returns a text of {@code tokens} words. Each word depends on the salt and on its token number in trace_tokens.csv, so
     * that prompts share prefixes exactly as in the workload.
     */
    private String words(long request, long tokens, List<long[]> shared) {
        StringBuilder text = new StringBuilder();
        long left = tokens;
        for (long[] run : shared) {
            long count = Math.min(left, run[1]);
            append(text, run[0], count);
            left -= count;
        }
        append(text, promptOf(request), left);
        return text.toString();
    }

    /** Returns the first token of a request that is not part of a common prefix. */
    private static long session(long request, List<long[]> shared) {
        return shared.stream()
                .mapToLong(run -> run[0])
                .filter(first -> first >= promptOf(0))
                .findFirst()
                .orElse(promptOf(request));
    }

    private static long promptOf(long request) {
        return (2 * request + 1) << Integer.SIZE;
    }

    private void append(StringBuilder text, long firstToken, long tokens) {
        for (long token = firstToken; token < firstToken + tokens; token++) {
            long mixed = (token ^ salt) * 0x9e3779b97f4a7c15L;
            mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
            mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
            text.append(WORDS[(int) (mixed >>> 60)]);
        }
    }

    /** Returns the first {@code count} requests, with arrival time 0 and unique prompts. */
    public List<PlannedRequest> warmUp(int count) {
        List<PlannedRequest> first = new ArrayList<>();
        for (int i = 0; i < Math.min(count, requests.size()); i++) {
            String text = words(-1L - i, prefill(i), List.of());
            first.add(new PlannedRequest(
                    requests.get(i).id(), 0, text, requests.get(i).outputTokens()));
        }
        return first;
    }

    /** Returns true if all prompts are synthetic. */
    public boolean isMadeUp() {
        return isMadeUp;
    }

    public List<PlannedRequest> requests() {
        return requests;
    }

    /** Returns the session of a request with this number; all its turns have an equal one. */
    public long session(long request) {
        return sessions.getOrDefault(request, promptOf(request));
    }

    public String promptId(int request) {
        return promptIds.get(request);
    }

    public long prefill(int request) {
        return prefill.get(request);
    }

    public long decode(int request) {
        return decode.get(request);
    }
}
