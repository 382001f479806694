package dev.stagesim.predict.forest;

import java.util.List;
import java.util.stream.IntStream;

/** A grown forest: the mean of its trees. Immutable. */
public final class Forest {
    private final List<Tree> trees;

    private Forest(List<Tree> trees) {
        this.trees = trees;
    }

    /** Seeds of a forest's trees; draws {@code trees} numbers. */
    public static int[] drawSeeds(Draws draws, int trees) {
        int[] seeds = new int[trees];
        for (int i = 0; i < trees; i++) {
            seeds[i] = draws.upTo(TreeGrower.MAX_SEED);
        }
        return seeds;
    }

    /** Grows a forest, its trees in parallel, which changes no bit. {@code seeds} has one for each tree. */
    public static Forest grow(TrainingRows rows, ForestSpec spec, int[] seeds, Draws.Source source) {
        return new Forest(IntStream.of(seeds)
                .parallel()
                .mapToObj(seed -> TreeGrower.grow(rows, spec, seed, source))
                .toList());
    }

    /** Mean of the trees' values at a point; a forest of one feature does not look at the second. */
    public double at(float first, float second) {
        double sum = 0;
        for (Tree tree : trees) {
            sum += tree.at(first, second);
        }
        return sum / trees.size();
    }

    List<Tree> trees() {
        return trees;
    }

    /** Values at all pairs of ascending keys, as blocks of pairs between which no tree tells a difference. */
    public Blocks over(float[] first, float[] second) {
        return new Raster(first, second, trees).blocks();
    }
}
