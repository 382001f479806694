package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that are submitted individually get their tokens at the times of the simulation of the whole trace. */
class OnlineServingTest {
    private static final SchedulerSpec.Limits LIMITS = ServingFixtures.limits(12, 4, 0.01, 60);

    private static SchedulerSpec scheduler(String name) {
        return switch (name) {
            case "vllm" -> new SchedulerSpec.Vllm(LIMITS, 512);
            case "sarathi" -> new SchedulerSpec.Sarathi(LIMITS, 32);
            case "orca" -> new SchedulerSpec.Orca(ServingFixtures.limits(12, 4, 0, 4000));
            case "faster_transformer" -> new SchedulerSpec.FasterTransformer(ServingFixtures.limits(4, 4, 0, 8000));
            default -> new SchedulerSpec.LightLlm(ServingFixtures.limits(12, 1, 0, 400), 512, 3);
        };
    }

    private static RequestTrace trace(int count) {
        RandomStream draws = RandomStream.of(7, "online");
        double[][] rows = new double[count][];
        double at = 0;
        for (int i = 0; i < count; i++) {
            at += draws.below(5) == 0 ? 0 : draws.nextDouble() * 0.01;
            rows[i] = ServingFixtures.request(at, 1 + (int) draws.below(60), 1 + (int) draws.below(30));
        }
        return ServingFixtures.trace(rows);
    }

    /** Logs tokens as {@code time request index}. A slot is mapped to the request that occupies it. */
    private static final class Tokens implements ServingRecorder {
        final List<String> seen = new ArrayList<>();
        final int[] owner;
        final boolean places;

        Tokens(int size, boolean places) {
            this.owner = new int[size];
            this.places = places;
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.TOKENS);
        }

        @Override
        public void tokenEmitted(int request, int index, double time) {
            seen.add(String.format(
                    Locale.ROOT, "%s %d %d", Double.toString(time), places ? owner[request] : request, index));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm", "sarathi", "orca", "faster_transformer", "lightllm"})
    void emitsTokensAtSimulatedTimes(String name) {
        RequestTrace trace = trace(120);
        for (int replicas : new int[] {1, 2}) {
            ServingSpec spec = ServingFixtures.spec(scheduler(name), replicas, 1, false);
            Tokens whole = new Tokens(0, false);
            ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), whole);
            assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
            Tokens online = new Tokens(64, true);
            OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), 64, () -> 1.0, online);
            int mostPlaces = 0;
            for (int i = 0; i < trace.size(); i++) {
                // Advances the clock between arrivals, as a server does.
                double before = i == 0 ? 0 : trace.arrivalSeconds(i - 1);
                serving.advanceTo(before + (trace.arrivalSeconds(i) - before) * 0.5 - 1e-9);
                int place = serving.submit(trace.arrivalSeconds(i), trace.prefillTokens(i), trace.decodeTokens(i));
                online.owner[place] = i;
                mostPlaces = Math.max(mostPlaces, serving.inProgress());
            }
            serving.advanceTo(Double.MAX_VALUE);
            assertThat(online.seen).as(name).isEqualTo(whole.seen);
            assertThat(serving.inProgress()).isZero();
            assertThat(serving.nextSeconds()).isInfinite();
            assertThat(mostPlaces).as("slots are reused").isBetween(2, 64);
        }
    }

    @Test
    void acceptsLateRequestsNowAndScalesSteps() {
        ServingSpec spec = ServingFixtures.spec(scheduler("sarathi"), 1, 1, false);
        Tokens tokens = new Tokens(4, false);
        OnlineServing serving = new OnlineServing(spec, ServingFixtures.flat(), 4, () -> 2.0, tokens);
        serving.submit(0.5, 10, 1);
        serving.advanceTo(1.0);
        assertThat(tokens.seen).containsExactly("0.502 0 0");
        serving.submit(0.1, 10, 1);
        serving.advanceTo(2.0);
        assertThat(tokens.seen).hasSize(2).last().asString().startsWith("0.504 ");
    }

    @Test
    void rejectsRequestsThatCannotBeServed() {
        OnlineServing serving = new OnlineServing(
                ServingFixtures.spec(scheduler("vllm"), 1, 1, false), ServingFixtures.flat(), 1, () -> 1.0);
        assertThat(serving.problems(10, 5)).isEmpty();
        assertThat(serving.problems(600, 5)).isNotEmpty();
        serving.submit(0, 10, 5);
        assertThat(serving.isFull()).isTrue();
        assertThatThrownBy(() -> serving.submit(0, 10, 5)).isInstanceOf(IllegalStateException.class);
    }
}
