package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class GridSearchTest {
    private static TrainingRows steps(int rows) {
        float[] x = new float[rows];
        double[] y = new double[rows];
        for (int i = 0; i < rows; i++) {
            // A fixed shuffle, so that contiguous folds leave out sizes of the whole range.
            x[i] = i * 37 % rows;
            y[i] = 1 + (int) x[i] / 8;
        }
        return new TrainingRows(new float[][] {x}, y);
    }

    private static final class Counting implements Draws {
        private final Draws draws = Numpy.SOURCE.seeded(1);
        private int drawn;

        @Override
        public int upTo(int bound) {
            drawn++;
            return draws.upTo(bound);
        }
    }

    @Test
    void createsContiguousFoldsWithLongerFirstOnes() {
        assertThat(IntStream.rangeClosed(0, 3).map(fold -> GridSearch.start(11, 3, fold)))
                .containsExactly(0, 4, 8, 11);
    }

    @Test
    void consumesDrawsOfTheValidationOfASingleCandidate() {
        Counting draws = new Counting();
        new GridSearch(List.of(new ForestSpec(3, 4, 2)), 5, draws, Numpy.SOURCE).fit(steps(40));
        assertThat(draws.drawn).isEqualTo(3 * (5 + 1));
        new GridSearch(List.of(new ForestSpec(3, 4, 2)), 5, draws, Numpy.SOURCE).fit(steps(4));
        assertThat(draws.drawn).as("two folds with few rows").isEqualTo(18 + 3 * (2 + 1));
    }

    @Test
    void choosesTheLowestErrorAndTheFirstOfEqualOnes() {
        Counting draws = new Counting();
        List<ForestSpec> shallowThenDeep = List.of(new ForestSpec(10, 1, 2), new ForestSpec(20, 9, 2));
        Forest deep = new GridSearch(shallowThenDeep, 4, draws, Numpy.SOURCE).fit(steps(64));
        assertThat(deep.trees()).hasSize(20);
        assertThat(draws.drawn).isEqualTo(4 * (10 + 20) + 20);
        TrainingRows flat = new TrainingRows(new float[][] {{1, 2, 3, 4}}, new double[] {5, 5, 5, 5});
        List<ForestSpec> equal = List.of(new ForestSpec(2, 1, 2), new ForestSpec(3, 9, 2));
        assertThat(new GridSearch(equal, 2, draws, Numpy.SOURCE).fit(flat).trees())
                .hasSize(2);
    }

    @Test
    void rejectsAnEmptyGrid() {
        assertThatThrownBy(() -> new GridSearch(List.of(), 5, new Counting(), Numpy.SOURCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new GridSearch(List.of(new ForestSpec(1, 1, 2)), 1, new Counting(), Numpy.SOURCE))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
