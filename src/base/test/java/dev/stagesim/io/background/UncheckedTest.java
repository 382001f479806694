package dev.stagesim.io.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UncheckedTest {
    private static final IOException BROKEN = new IOException("broken");

    private static int broken(int item) throws IOException {
        if (item >= 0) {
            throw BROKEN;
        }
        return item;
    }

    @Test
    void wrapsErrorsOfWork() {
        assertThat(Unchecked.get(() -> broken(-1))).isEqualTo(-1);
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> Unchecked.run(() -> broken(1)))
                .withCause(BROKEN);
    }

    @Test
    void returnsResultsInTheOrderOfItemsAndThrowsTheErrorOfOne() throws IOException {
        List<Integer> items = IntStream.range(0, 100).boxed().toList();

        assertThat(Unchecked.parallel(items, item -> broken(-1 - item)))
                .isEqualTo(items.stream().map(item -> -1 - item).toList());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Unchecked.parallel(items, item -> broken(item - 50)))
                .isSameAs(BROKEN);
    }
}
