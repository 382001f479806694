package dev.stagesim.sim.serving.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Recorders receive the signals that they subscribe to, until they are done. */
class RecorderSetTest {
    private static final class SampleRecorder implements ServingRecorder {
        private final Set<Signal> signals;
        private boolean isDone;

        SampleRecorder(Signal signal) {
            this.signals = EnumSet.of(signal);
        }

        @Override
        public Set<Signal> signals() {
            return signals;
        }

        @Override
        public boolean isDone() {
            return isDone;
        }
    }

    @Test
    void notifiesSubscribersOfAllSignalsOfAKind() {
        SampleRecorder batches = new SampleRecorder(ServingRecorder.Signal.BATCHES);
        SampleRecorder ends = new SampleRecorder(ServingRecorder.Signal.BATCH_ENDED);
        SampleRecorder memory = new SampleRecorder(ServingRecorder.Signal.MEMORY);
        SampleRecorder queue = new SampleRecorder(ServingRecorder.Signal.QUEUE);
        RecorderSet set = new RecorderSet(batches, ends, memory, queue);
        assertThat(set.formed).containsExactly(batches);
        assertThat(set.started).containsExactly(batches);
        assertThat(set.stageEnded).containsExactly(batches);
        assertThat(set.ended).containsExactly(batches, ends);
        assertThat(set.blocks).containsExactly(memory);
        assertThat(set.queue).containsExactly(memory, queue);
        assertThat(set.admission).containsExactly(memory);
        assertThat(set.cache).containsExactly(memory);
        assertThat(set.events).isEmpty();
    }

    @Test
    void removesRecordersThatAreDone() {
        SampleRecorder first = new SampleRecorder(ServingRecorder.Signal.TOKENS);
        SampleRecorder second = new SampleRecorder(ServingRecorder.Signal.TOKENS);
        RecorderSet set = new RecorderSet(first, second);
        set.forgetDone();
        assertThat(set.tokens).containsExactly(first, second);
        first.isDone = true;
        set.forgetDone();
        assertThat(set.tokens).containsExactly(second);
        assertThat(set.all).containsExactly(second);
    }
}
