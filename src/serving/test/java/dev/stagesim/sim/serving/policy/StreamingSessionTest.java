package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.VllmFixtures;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** Sessions with prompts that continue after their output, or arrive during its generation. */
final class StreamingSessionTest {
    private static final int BLOCK = 4;
    private static final int BLOCKS = 400;

    private final PagedBlocks cache = new PagedBlocks(KvLayout.single(KvGroup.full(BLOCK), BLOCKS, true, 1000));

    private static VllmSettings settings(int seqs, boolean isAsync, boolean byPriority, Speculation speculation) {
        return VllmFixtures.settings(
                seqs, 64, Map.of("byPriority", byPriority, "asyncScheduling", isAsync, "speculation", speculation));
    }

    private static RequestSpec spec(int index, int session, int prompt, int output) {
        return new RequestSpec(
                index,
                "r" + index,
                prompt,
                RequestSpec.Output.of(output),
                new RequestSpec.Urgency(0, index),
                new RequestSpec.Identity(Tokens.from(session * 1_000_000L), 0, 0, true, List.of()));
    }

    /** Runs until the scheduler is idle. Returns the number of computed tokens. */
    private static int drain(EngineLoop loop) {
        int computed = 0;
        for (int turn = 0; loop.hasWork(); turn++) {
            assertThat(turn).isLessThan(10_000);
            computed += turn(loop);
        }
        return computed;
    }

    private static int turn(EngineLoop loop) {
        StepPlan plan = loop.plan(false);
        int total = plan == null ? 0 : plan.total();
        if (loop.due(plan) != null) {
            loop.process(new StepResult(), (request, count) -> {});
        }
        return total;
    }

    @Test
    void keepsBlocksOfAWaitingSession() {
        VllmV1 scheduler = new VllmV1(settings(1, false, false, Speculation.NONE), cache, new NoDraftAccepted(), null);
        EngineLoop loop = new EngineLoop(scheduler);
        LiveRequest session = scheduler.begin(spec(0, 0, 10, 3));
        assertThat(drain(loop)).isEqualTo(10 + 2);
        assertThat(session.status()).isEqualTo(LiveRequest.Status.WAITING_FOR_STREAM);
        assertThat(cache.free()).isEqualTo(BLOCKS - 1 - 3);

        LiveRequest other = scheduler.add(spec(1, 1, 5, 1), false);
        assertThat(loop.hasWork()).isTrue();
        for (int i = 0; i < 5; i++) {
            assertThat(turn(loop)).as("max_num_seqs=1 is taken").isZero();
        }
        // 13 tokens of the first turn and 7 more; 12 are already computed.
        scheduler.follow(session, spec(2, 0, 20, 2), false);
        assertThat(drain(loop)).isEqualTo(20 - 12 + 1 + 5);
        assertThat(session.status()).isEqualTo(LiveRequest.Status.LENGTH);
        assertThat(session.spec().index()).isEqualTo(2);
        assertThat(other.status()).isEqualTo(LiveRequest.Status.LENGTH);
        assertThat(cache.free()).isEqualTo(BLOCKS - 1);
    }

    @Test
    void queuesATurnThatArrivesDuringTheOutput() {
        VllmV1 scheduler = new VllmV1(settings(4, false, false, Speculation.NONE), cache, new NoDraftAccepted(), null);
        EngineLoop loop = new EngineLoop(scheduler);
        LiveRequest session = scheduler.begin(spec(0, 0, 10, 5));
        turn(loop);
        scheduler.follow(session, spec(1, 0, 15, 2), true);
        scheduler.follow(session, spec(2, 0, 30, 1), false);
        assertThat(session.spec().index()).isZero();
        assertThat(10 + drain(loop)).as("each token is computed once").isEqualTo(30);
        assertThat(session.status()).isEqualTo(LiveRequest.Status.LENGTH);
    }

    @Test
    void freesBlocksOfAnAbortedSession() {
        VllmV1 scheduler = new VllmV1(settings(4, false, false, Speculation.NONE), cache, new NoDraftAccepted(), null);
        EngineLoop loop = new EngineLoop(scheduler);
        LiveRequest session = scheduler.begin(spec(0, 0, 10, 5));
        drain(loop);
        scheduler.abort(session);
        assertThat(session.status()).isEqualTo(LiveRequest.Status.ABORTED);
        assertThat(cache.free()).isEqualTo(BLOCKS - 1);
    }

    /** The expected lengths of a session. */
    private static final class Plain {
        final LiveRequest request;
        int turnsLeft;
        int known;

        Plain(LiveRequest request, int turnsLeft, int known) {
            this.request = request;
            this.turnsLeft = turnsLeft;
            this.known = known;
        }
    }

    /** With enough memory, each token of a session except the last one is computed once. */
    @RepeatedTest(60)
    void computesEveryTokenOnce(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        VllmV1 scheduler = new VllmV1(
                settings(1 + random.nextInt(6), random.nextBoolean(), random.nextBoolean(), Speculation.NONE),
                cache,
                new NoDraftAccepted(),
                null);
        EngineLoop loop = new EngineLoop(scheduler);
        if (random.nextBoolean()) {
            loop.together();
        }
        List<Plain> sessions = new ArrayList<>();
        int computed = 0;
        int count = 0;
        for (int i = 0; i < 300; i++) {
            if (sessions.size() < 6 && random.nextInt(6) == 0) {
                int prompt = 1 + random.nextInt(20);
                int output = 1 + random.nextInt(8);
                RequestSpec spec = spec(count++, sessions.size(), prompt, output);
                sessions.add(new Plain(scheduler.begin(spec), 1 + random.nextInt(4), prompt + output));
            }
            for (Plain session : sessions) {
                if (session.turnsLeft > 0 && random.nextInt(10) == 0) {
                    int prompt = session.known + random.nextInt(12);
                    int output = 1 + random.nextInt(8);
                    RequestSpec spec = spec(count++, sessions.indexOf(session), prompt, output);
                    session.turnsLeft--;
                    scheduler.follow(session.request, spec, session.turnsLeft > 0);
                    session.known = prompt + output;
                }
            }
            computed += loop.hasWork() ? turn(loop) : 0;
        }
        for (Plain session : sessions) {
            while (session.turnsLeft-- > 0) {
                scheduler.follow(
                        session.request,
                        spec(count++, sessions.indexOf(session), session.known, 1),
                        session.turnsLeft > 0);
                session.known++;
            }
        }
        computed += drain(loop);
        assertThat(sessions).allMatch(session -> session.request.status() == LiveRequest.Status.LENGTH);
        assertThat(computed)
                .isEqualTo(
                        sessions.stream().mapToInt(session -> session.known - 1).sum());
        assertThat(cache.free()).isEqualTo(BLOCKS - 1);
    }

    /** Draft tokens beyond the end of an output must not count as computed. */
    @RepeatedTest(20)
    void discardsDraftsBeyondTheEnd(RepetitionInfo repetition) {
        SplittableRandom random = new SplittableRandom(repetition.getCurrentRepetition());
        Drafting allRight = new Drafting() {
            @Override
            public int accepted(LiveRequest request, int verified) {
                return verified;
            }

            @Override
            public int proposed(LiveRequest request, int output, int max) {
                return max;
            }
        };
        Speculation drafts = Speculation.of(Speculation.Method.EAGLE, 3);
        VllmV1 scheduler = new VllmV1(settings(2, random.nextBoolean(), false, drafts), cache, allRight, null);
        EngineLoop loop = new EngineLoop(scheduler);
        int known = 1 + random.nextInt(10);
        LiveRequest session = null;
        for (int turn = 0; turn < 5; turn++) {
            int output = 1 + random.nextInt(9);
            RequestSpec spec = spec(turn, 0, known, output);
            if (session == null) {
                session = scheduler.begin(spec);
            } else {
                scheduler.follow(session, spec, turn < 4);
            }
            drain(loop);
            known += output;
            assertThat(session.output()).isEqualTo(output);
            if (turn < 4) {
                assertThat(session.computed()).isEqualTo(known - 1);
            }
            known += random.nextInt(5);
        }
        assertThat(cache.free()).isEqualTo(BLOCKS - 1);
    }
}
