package dev.stagesim.io.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UncheckedTest {
    private final IOException problem = new IOException("broken");

    private int broken(int item) throws IOException {
        if (item >= 0) {
            throw problem;
        }
        return item;
    }

    @Test
    void wrapsErrorsOfWork() {
        assertThat(Unchecked.get(() -> broken(-1))).isEqualTo(-1);
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> Unchecked.run(() -> broken(1)))
                .withCause(problem);
    }

    @Test
    void returnsResultsInTheOrderOfItemsAndThrowsTheErrorOfOne() throws IOException {
        List<Integer> items = IntStream.range(0, 100).boxed().toList();

        assertThat(Unchecked.parallel(items, item -> broken(-1 - item)))
                .isEqualTo(items.stream().map(item -> -1 - item).toList());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> Unchecked.parallel(items, item -> broken(item - 50)))
                .isSameAs(problem);
    }
}
