package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Settings of a deployment of DeepSeek-R1 with separate prefill workers in InferenceX. Rows state its workers and
 * parallelism, which identify the recipe (SemiAnalysisAI/InferenceX 843c625 and its history, NVIDIA/srt-slurm; Apache-2.0).
 *
 * @param drafts draft tokens of a request in a step; 0 without speculative decoding
 * @param prefillTokens maximum tokens of a step of a prefill engine
 * @param prefillRequests maximum requests of a prefill engine
 * @param prefillMemory share of the memory for weights and cache of a prefill engine under SGLang
 * @param decodeRequests maximum requests of a decode engine
 * @param sharesPrefill true if the devices of a prefill worker share attention, although rows state copies
 * @param sharesDecode true if the devices of a decode worker share attention, although rows state copies
 */
record Recipe(
        int drafts,
        int prefillTokens,
        int prefillRequests,
        Optional<Double> prefillMemory,
        int decodeRequests,
        boolean sharesPrefill,
        boolean sharesDecode) {
    private static final Map<String, List<Entry>> RECIPES = read();

    /**
     * A line of the table.
     *
     * @param streams numbers of streams of its runs; empty for all
     * @param until last day of the recipe; empty if a later one does not replace it
     */
    private record Entry(List<Integer> streams, String until, Recipe recipe) {
        boolean isCurrent(Row row) {
            return (until.isEmpty() || Script.day(row).compareTo(until) <= 0)
                    && recipe.drafts > 0 == row.note().contains("; mtp;");
        }

        /** Returns the distance of a number of streams to the nearest one of the recipe. */
        double distance(double load) {
            return streams.stream()
                    .mapToDouble(each -> Math.abs(Math.log(load / each)))
                    .min()
                    .orElse(0);
        }
    }

    /** Returns the recipe of a row; empty if its deployment has none. */
    static Optional<Recipe> of(Row row, Pool.Split pools) {
        if (!Client.isRandom(row)) {
            return Optional.empty();
        }
        String key = String.join(
                ",",
                row.setup().gpu().replaceAll("-.*", ""),
                row.setup().dtype().contains("fp4") ? "fp4" : "fp8",
                row.setup().engine(),
                row.load().input(),
                String.valueOf(row.load().output()),
                name(pools.prefill()),
                name(pools.decode()));
        return RECIPES.getOrDefault(key, List.of()).stream()
                .filter(entry -> entry.isCurrent(row))
                .min(Comparator.comparingDouble(
                        entry -> entry.distance(row.load().amount())))
                .map(Entry::recipe);
    }

    /** Returns the workers with the attention that they have. */
    Pool.Split actual(Pool.Split stated) {
        return new Pool.Split(
                sharesPrefill ? stated.prefill().sharing() : stated.prefill(),
                sharesDecode ? stated.decode().sharing() : stated.decode());
    }

    /** Returns a prefill engine with the limits of the recipe. */
    Subject prefill(Subject engine) {
        Subject limited = engine.limited(prefillTokens, prefillRequests);
        return prefillMemory.map(limited::withMemory).orElse(limited);
    }

    private static String name(Pool pool) {
        return pool.workers() + "x" + pool.devices() + (pool.copiesAttention() ? "d" : "");
    }

    private static Map<String, List<Entry>> read() {
        Map<String, List<Entry>> recipes = new HashMap<>();
        LooseTable table = LooseTable.resource(Recipe.class, "recipes.csv");
        for (int i = 0; i < table.size(); i++) {
            int line = i;
            String key = String.join(
                    ",",
                    List.of("device", "precision", "engine", "prompt", "output", "prefill", "decode").stream()
                            .map(column -> table.text(line, column))
                            .toList());
            String streams = table.text(i, "streams");
            recipes.computeIfAbsent(key, any -> new ArrayList<>())
                    .add(new Entry(
                            Arrays.stream(streams.split("/"))
                                    .filter(text -> !text.isEmpty())
                                    .map(Integer::valueOf)
                                    .toList(),
                            table.text(i, "until"),
                            of(table, i)));
        }
        return recipes;
    }

    private static Recipe of(LooseTable table, int line) {
        String shared = table.text(line, "shared");
        return new Recipe(
                table.integer(line, "drafts"),
                table.integer(line, "prefill_tokens"),
                table.integer(line, "prefill_requests"),
                Optional.of("prefill_memory")
                        .filter(column -> !table.isEmpty(line, column))
                        .map(column -> table.number(line, column)),
                table.integer(line, "decode_requests"),
                shared.contains("p"),
                shared.contains("d"));
    }
}
