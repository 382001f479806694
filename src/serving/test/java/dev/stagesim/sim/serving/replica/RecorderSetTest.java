package dev.stagesim.sim.serving.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Recorders receive the signals that they subscribe to, until they are done. */
class RecorderSetTest {
    private static final class Asking implements ServingRecorder {
        private final Set<Signal> signals;
        private boolean isDone;

        Asking(Signal signal) {
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
        Asking batches = new Asking(ServingRecorder.Signal.BATCHES);
        Asking ends = new Asking(ServingRecorder.Signal.BATCH_ENDED);
        Asking memory = new Asking(ServingRecorder.Signal.MEMORY);
        Asking queue = new Asking(ServingRecorder.Signal.QUEUE);
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
        Asking first = new Asking(ServingRecorder.Signal.TOKENS);
        Asking second = new Asking(ServingRecorder.Signal.TOKENS);
        RecorderSet set = new RecorderSet(first, second);
        set.forgetDone();
        assertThat(set.tokens).containsExactly(first, second);
        first.isDone = true;
        set.forgetDone();
        assertThat(set.tokens).containsExactly(second);
        assertThat(set.all).containsExactly(second);
    }
}
