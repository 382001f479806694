package dev.stagesim.feature.cluster.router.scorer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.RoutingGroups;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/** Replays recorded routing decisions on the scorers. */
final class RecordedScoresTest {
    private static final int BLOCK = 16;

    @ParameterizedTest
    @CsvFileSource(files = "tests-data/routing/scores.csv", numLinesToSkip = 1)
    void computesTheRecordedScores(
            String name,
            String weights,
            String waiting,
            String running,
            String usage,
            String inFlight,
            String hits,
            int requested,
            String cold,
            String scores,
            int chosen) {
        double[] recorded = numbers(scores);
        double[] blocks = numbers(hits);
        int size = recorded.length;
        Signals signals = Signals.fresh(size);
        RouterView view = new RouterView(group(signals, blocks, requested), BLOCK);
        for (int i = 0; i < size; i++) {
            signals.set(i, Signals.WAITING, 0, numbers(waiting)[i]);
            signals.set(i, Signals.RUNNING, 0, numbers(running)[i]);
            signals.set(i, Signals.KV_USAGE, 0, numbers(usage)[i]);
            if (blocks[i] > 0) {
                view.sent(1 + i, i, true);
                view.done(1 + i, i);
            }
            for (int sent = 0; sent < numbers(inFlight)[i]; sent++) {
                view.sent(size + 1, i, true);
            }
        }
        List<Scorers.Weighted> scorers = settings(weights).make(view);
        view.lookUp(0);
        for (double instance : numbers(cold)) {
            scorers.forEach(one -> one.scorer().sent(0, (int) instance));
        }
        scorers.forEach(one -> one.scorer().begin(0));
        double total = scorers.stream().mapToDouble(Scorers.Weighted::weight).sum();
        double[] means = new double[size];
        for (int i = 0; i < size; i++) {
            int instance = i;
            means[i] = scorers.stream()
                            .mapToDouble(one -> one.weight() * one.scorer().score(instance))
                            .sum()
                    / total;
        }
        assertThat(means).as(name).containsExactly(recorded, within(1e-12));
        assertThat(means[chosen]).isCloseTo(Arrays.stream(means).max().orElseThrow(), within(1e-12));
    }

    /** Request 0 is scored. Request 1 + i has the cached blocks of instance i. The last request has no whole block. */
    private static RoutingGroup group(Signals signals, double[] blocks, int requested) {
        int size = blocks.length;
        int[] prompts = new int[size + 2];
        prompts[0] = requested * BLOCK;
        for (int i = 0; i < size; i++) {
            prompts[1 + i] = Math.max(1, (int) (blocks[i] * BLOCK));
        }
        prompts[size + 1] = 1;
        int[] outputs = new int[size + 2];
        Arrays.fill(outputs, 1);
        RequestTrace trace = new RequestTrace(new double[size + 2], prompts, outputs, request -> new Tokens.Builder()
                .run(0, prompts[request])
                .then(1L << 50));
        long[] caches = new long[size];
        Arrays.fill(caches, 1L << 40);
        return RoutingGroups.of(PoolRole.BOTH, new Prompts(trace), caches, new int[size], signals);
    }

    private static Scorers settings(String weights) {
        return ScorerWeights.of(Arrays.stream(weights.split(" ", -1))
                .map(weight -> weight.split("=", -1))
                .flatMap(parts -> Stream.of(camel(parts[0]), Double.parseDouble(parts[1])))
                .toArray());
    }

    private static String camel(String key) {
        StringBuilder name = new StringBuilder();
        for (String word : key.split("_", -1)) {
            name.append(name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return name.toString();
    }

    private static double[] numbers(String list) {
        return list == null
                ? new double[0]
                : Arrays.stream(list.split(" ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray();
    }
}
