package dev.stagesim.verify.llmservingsim;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.cluster.ExpertTokens;
import dev.stagesim.sim.serving.cluster.RotatingRouter;
import dev.stagesim.sim.serving.cluster.TieredBlocks;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonParts;
import dev.stagesim.verify.JsonSame;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Block manager, gate and router of LLMServingSim 2. */
public final class LlmServingSimSuite implements Suite {
    @Override
    public String name() {
        return "llmservingsim";
    }

    @Override
    public String doc() {
        return "Tiered block manager, expert gate and router of LLMServingSim 2; a folder with"
                + " cases/<case>/{case.json,expected.json}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(corpus.resolve("cases"), LlmServingSimSuite::replay, results);
    }

    private static CaseResult replay(Path folder) throws IOException {
        JsonAt recorded = Json.read(folder.resolve("case.json"));
        JsonAt expected = Json.read(folder.resolve("expected.json"));
        String family = recorded.get("family").asString();
        String id = String.valueOf(folder.getFileName());
        JsonValue actual =
                switch (family) {
                    case "gate" -> gate(recorded, expected);
                    case "router" -> router(recorded);
                    case "kv" -> new BlockOperations(recorded).run();
                    default -> throw recorded.get("family").expected("gate, router or kv");
                };
        List<Difference> differences = JsonSame.differences(expected.value(), actual, 0);
        return differences.isEmpty() ? CaseResult.passed(family, id) : CaseResult.failed(family, id, differences);
    }

    /** The numbers of tokens asked for stand in the recorded results only. */
    private static JsonValue gate(JsonAt recorded, JsonAt expected) {
        int experts = recorded.get("experts").asInt();
        int picks = recorded.get("top_k").asInt();
        int ranks = Math.max(1, recorded.get("ep").asInt());
        if (recorded.get("policy").asString().equals("RR")) {
            JsonParts counts = new JsonParts();
            for (String tokens : expected.get("counts").members().keySet()) {
                counts.with(tokens, JsonParts.ints(ExpertTokens.roundRobin(Integer.parseInt(tokens), picks, experts)));
            }
            return new JsonParts().with("counts", counts.object()).object();
        }
        List<JsonValue> rows = new ArrayList<>();
        for (JsonAt row : expected.get("rows").items()) {
            int tokens = row.items().get(0).asInt();
            ExpertTokens.Rank rank = ExpertTokens.balanced(tokens, picks, experts, ranks);
            rows.add(new JsonValue.Arr(List.of(
                    new JsonValue.Int(tokens),
                    JsonParts.ints(ExpertTokens.sources(tokens, ranks)),
                    JsonParts.ints(filled(ranks, rank.tokens())),
                    JsonParts.ints(filled(ranks, rank.experts())))));
        }
        return new JsonParts().with("rows", new JsonValue.Arr(rows)).object();
    }

    private static int[] filled(int length, int value) {
        int[] values = new int[length];
        Arrays.fill(values, value);
        return values;
    }

    private static JsonValue router(JsonAt recorded) {
        int[] capacities = Arrays.stream(recorded.get("capacities").asLongs())
                .mapToInt(Math::toIntExact)
                .toArray();
        int prefill = capacities.length - recorded.get("decode_instances").asInt();
        long[] arrivals = recorded.get("arrivals_ns").asLongs();
        boolean byLoad = recorded.get("policy").asString().equals("LOAD");
        Loads loads = new Loads(capacities.length, 0);
        RotatingRouter router = new RotatingRouter(Arrays.copyOf(capacities, prefill), byLoad);
        RotatingRouter decode = new RotatingRouter(Arrays.copyOfRange(capacities, prefill, capacities.length), byLoad);
        Loads behind = loads.from(prefill);
        Deque<Integer> pending = byArrival(arrivals);
        List<JsonParts> steps = new ArrayList<>();
        for (JsonAt step : recorded.get("steps").items()) {
            List<JsonValue> assigned = new ArrayList<>();
            long now = step.get("now").asLong();
            while (!pending.isEmpty() && arrivals[pending.element()] <= now) {
                int chosen = router.choose(loads);
                loads.waiting[chosen]++;
                assigned.add(JsonParts.ints(chosen, pending.remove()));
            }
            List<JsonAt> work = step.get("then_start_finish").items();
            for (int i = 0; i < work.size(); i++) {
                long[] counts = work.get(i).asLongs();
                loads.waiting[i] -= (int) counts[0];
                loads.running[i] += (int) (counts[0] - counts[1]);
            }
            int[] transfers = new int[step.get("decode_transfers").asInt()];
            for (int i = 0; i < transfers.length; i++) {
                transfers[i] = prefill + decode.choose(behind);
                loads.waiting[transfers[i]]++;
            }
            steps.add(new JsonParts()
                    .with("assigned", new JsonValue.Arr(assigned))
                    .with("decode_to", JsonParts.ints(transfers)));
        }
        return new JsonParts().with("steps", JsonParts.list(steps)).object();
    }

    /** The requests by time of arrival; of equals, the one listed first. */
    private static Deque<Integer> byArrival(long[] arrivals) {
        return IntStream.range(0, arrivals.length)
                .boxed()
                .sorted(Comparator.comparingLong(request -> arrivals[request]))
                .collect(Collectors.toCollection(ArrayDeque::new));
    }

    private static final class Loads implements RotatingRouter.Load {
        private final int[] waiting;
        private final int[] running;
        private final int first;

        Loads(int instances, int first) {
            this(new int[instances], new int[instances], first);
        }

        private Loads(int[] waiting, int[] running, int first) {
            this.waiting = waiting;
            this.running = running;
            this.first = first;
        }

        Loads from(int instance) {
            return new Loads(waiting, running, instance);
        }

        @Override
        public int waiting(int instance) {
            return waiting[first + instance];
        }

        @Override
        public int running(int instance) {
            return running[first + instance];
        }
    }

    /** Carries out recorded operations of a block manager. */
    private static final class BlockOperations {
        private final JsonAt recorded;
        private final List<TieredBlocks.Tier> tiers = new ArrayList<>();
        private final TieredBlocks blocks;
        private long recalled;
        private long written;

        BlockOperations(JsonAt recorded) {
            this.recorded = recorded;
            for (JsonAt tier : recorded.get("lower").items()) {
                tiers.add(new TieredBlocks.Tier(
                        tier.get("blocks").asInt(), tier.get("factor").asInt()));
            }
            blocks = new TieredBlocks(
                    recorded.get("block_size").asInt(),
                    recorded.get("npu_blocks").asInt(),
                    recorded.get("bytes_per_block").asLong(),
                    tiers,
                    recorded.get("caching").asBool());
        }

        JsonValue run() {
            List<JsonParts> results = new ArrayList<>();
            for (JsonAt op : recorded.get("ops").items()) {
                results.add(state(operate(op)));
            }
            return new JsonParts()
                    .with("results", JsonParts.list(results))
                    .with("free_order", JsonParts.ints(blocks.freeOrder()))
                    .object();
        }

        private JsonParts operate(JsonAt op) {
            JsonParts result = new JsonParts();
            int request = op.get("req").asInt();
            switch (op.get("op").asString()) {
                case "admit" -> {
                    op.find("prompt").ifPresent(prompt -> know(request, prompt, op.get("output")));
                    TieredBlocks.Admission admission =
                            blocks.admit(request, op.get("chunk").asInt());
                    result.with("npu_hit", admission.deviceHit())
                            .with("lower_hit", admission.lowerHit())
                            .with("fits_whole", admission.fits())
                            .with("allocated", allocated(admission.allocated()));
                }
                case "extend" ->
                    result.with(
                            "allocated",
                            allocated(blocks.extend(
                                    request,
                                    op.get("chunk").asInt(),
                                    op.get("reached").asInt())));
                default -> blocks.release(request);
            }
            return result;
        }

        private void know(int request, JsonAt prompt, JsonAt output) {
            long[] first = tokens(prompt);
            long[] all = LongStream.concat(LongStream.of(first), LongStream.of(tokens(output)))
                    .toArray();
            blocks.know(request, all, first.length);
        }

        private static long[] tokens(JsonAt runs) {
            return runs.items().stream()
                    .map(JsonAt::asLongs)
                    .flatMapToLong(run -> LongStream.range(run[0], run[0] + run[1]))
                    .toArray();
        }

        private static JsonValue allocated(Optional<int[]> taken) {
            return taken.<JsonValue>map(JsonParts::ints).orElseGet(JsonValue.Null::new);
        }

        private JsonParts state(JsonParts result) {
            List<JsonValue> lower = new ArrayList<>();
            for (int tier = 0; tier < tiers.size(); tier++) {
                lower.add(new JsonValue.Int(blocks.usedBytes(tier)));
            }
            result.with("recall_bytes", blocks.recalledBytes() - recalled)
                    .with("write_bytes", blocks.writtenBytes() - written)
                    .with("free", blocks.freeBlocks())
                    .with("used_bytes", blocks.usedBytes())
                    .with("lower_used_bytes", new JsonValue.Arr(lower));
            recalled = blocks.recalledBytes();
            written = blocks.writtenBytes();
            return result;
        }
    }
}
